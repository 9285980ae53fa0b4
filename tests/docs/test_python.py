"""The page and the notebook on the Python interface run, and give what they say."""

import doctest
from dataclasses import fields, is_dataclass

import nbformat
import pytest
from nbclient import NotebookClient

import microleak
from microleak.base.paths import ROOT
from tests.docs.pages import blocks, text

NOTEBOOK = ROOT / "docs/notebook.ipynb"


def test_the_examples_of_the_page_give_what_it_says(monkeypatch):
    monkeypatch.chdir(ROOT)
    examples = "\n".join(blocks("docs/python.md", "pycon"))
    parsed = doctest.DocTestParser().get_doctest(examples, {}, "python.md", None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    said = []
    runner.run(parsed, out=said.append)
    assert runner.tries > 10
    assert not said, "".join(said)


def test_the_page_names_every_function_and_its_tables():
    page = text("docs/python.md")
    for name in microleak.__all__:
        assert f"`microleak.{name}(" in page
        result = getattr(microleak, name).__annotations__["return"]
        tables = fields(result) if is_dataclass(result) else ()
        assert all(f"`.{table.name}`" in page for table in tables)


@pytest.mark.long
@pytest.mark.workflow
def test_the_notebook_runs_to_its_end():
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    client = NotebookClient(
        notebook, timeout=600, resources={"metadata": {"path": NOTEBOOK.parent}}
    )
    client.execute()
    shown = [
        output["data"]["text/html"]
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        if "text/html" in output.get("data", {})
    ]
    assert sum("<svg" in each for each in shown) >= 5


def test_the_notebook_is_kept_without_outputs():
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in code)
    source = "".join(cell.source for cell in code)
    assert all(f"microleak.{name}(" in source for name in microleak.__all__)
