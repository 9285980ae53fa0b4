"""Commands, studies and programs of the documentation are as it writes them."""

import doctest
import re
import shlex

import nbformat
import pandas as pd
import pytest
import yaml
from nbclient import NotebookClient

import microleak
from microleak.base.paths import ROOT
from microleak.cli import command_parser
from microleak.cli.parser import commands_of
from microleak.policy.limits import read_policy
from microleak.study.load import load_study, study_schema
from tests.docs.pages import PAGES, blocks, text
from tests.frames.test_library import WITHOUT

GUIDES = [page for page in PAGES if not page.startswith("docs/decisions/")]
STUDIES = [
    (page, block)
    for page in GUIDES
    for block in blocks(page, "yaml")
    if block.startswith("study:") and "…" not in block
]


def commands(page, program):
    lines = "".join(blocks(page, "")).replace("\\\n", " ").splitlines()
    told = (line.removeprefix("$ ") for line in lines)
    return [
        shlex.split(line, comments=True)
        for line in told
        if line.startswith(f"{program} ")
    ]


@pytest.mark.parametrize("page", GUIDES)
def test_every_command_has_words_that_microleak_takes(page):
    saved = {f"{yaml.safe_load(block)['study']}.yaml" for _, block in STUDIES}
    for words in commands(page, "microleak"):
        own = words[1 : words.index("--")] if "--" in words else words[1:]
        options = command_parser().parse_args(own)
        if own[0] == "init":
            saved.add(options.file.with_suffix(".yaml").name)
        config = getattr(options, "config", None)
        assert config is None or (ROOT / config).is_file() or config.name in saved


def test_the_page_of_commands_has_every_command_and_option_with_its_help():
    page = text("docs/commands.md")
    for name, command in commands_of(command_parser()).items():
        section = page.partition(f"\n## microleak {name}\n")[2].partition("\n## ")[0]
        for action in command._actions:
            if not {"--help", "--lang"} & set(action.option_strings):
                assert action.help.replace("|", r"\|") in section
                assert all(f"{word}" in section for word in action.option_strings)


@pytest.mark.parametrize("page", GUIDES)
def test_every_make_target_is_in_the_makefile(page):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for words in commands(page, "make"):
        assert re.search(rf"^{words[1]}:", makefile, re.M)


@pytest.mark.parametrize(("page", "block"), STUDIES)
def test_every_study_of_a_page_can_be_read(page, block, tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    path, key = tmp_path / "study.yaml", tmp_path / "key"
    key.write_bytes(bytes(range(32)))
    text = block.replace("secret/school.key", str(key))
    path.write_text(text, encoding="utf-8")
    assert load_study(path).name == yaml.safe_load(block)["study"]


@pytest.mark.parametrize("page", GUIDES)
def test_every_part_of_a_study_file_is_yaml_with_known_keys(page, tmp_path):
    known = {*study_schema()["properties"], "releases"}
    for block in blocks(page, "yaml"):
        content = yaml.safe_load(block)
        if "limits" in content:
            (tmp_path / "policy.yaml").write_text(block, encoding="utf-8")
            assert read_policy(tmp_path / "policy.yaml").limits
        else:
            assert set(content) <= known or "apiVersion" in content


@pytest.mark.parametrize("page", GUIDES)
def test_every_program_of_a_page_compiles(page):
    for block in blocks(page, "python"):
        compile(block, page, "exec")


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
        if result is pd.DataFrame:
            continue
        tables = {*vars(result).get("__annotations__", ())} - {"specs"}
        assert all(f"`.{table}`" in page for table in tables)


@pytest.mark.long
@pytest.mark.workflow
def test_the_notebook_runs_to_its_end_without_the_pipeline():
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(WITHOUT))
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
