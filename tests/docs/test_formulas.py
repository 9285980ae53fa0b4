"""Formulas are of what exists, and tables made from the code stand whole."""

import importlib
import re

import pytest

from microleak.base.paths import ROOT
from microleak.study.load import study_schema
from microleak.study.tables import result_tables
from microleak.study.tables import result_tables as specs
from microleak.study_file.schema import keys_below
from tests.docs.pages import made, spans, table_rows, text

FORMULAS = "docs/formulas.md"
WRITTEN = {name for spec in specs().values() for name in spec.names}


def is_function(span):
    return bool(re.fullmatch(r"[a-z_0-9]+(\.\w+)+", span)) and "/" not in span


PLACES = {
    path.parent.name: f"microleak.attacks.{path.parent.name}.{path.stem}"
    for name in ("measure", "definitions")
    for path in (ROOT / "microleak/attacks").glob(f"*/{name}.py")
}
PLACES |= {
    path.stem: ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for pattern in (
        "attacks/*/definitions/*.py",
        "definitions/*.py",
        "count_tables/*.py",
    )
    for path in sorted((ROOT / "microleak").glob(pattern))
}
"""Modules of definitions by their names; a family's only one, or its measure, by that
of the family."""


def function(name):
    module, *names = name.split(".")
    found = owner = importlib.import_module(PLACES[module])
    for each in names:
        found = getattr(found, each)
    return owner, found


ROWS = [
    pytest.param(cells, name, id=name)
    for cells in table_rows(FORMULAS)
    for name in filter(is_function, spans(" ".join(cells)))
]


@pytest.mark.parametrize(("cells", "name"), ROWS)
def test_the_function_of_a_formula_names_the_same_equation(cells, name):
    module, found = function(name)
    numbers = re.findall(r"(?<![\d.])(?:4|6|C)\.\d+(?![\d.])", " ".join(cells))
    said = f"{module.__doc__} {found.__doc__}"
    assert [number for number in numbers if number not in said] == []


def test_every_column_of_a_formula_is_written():
    named = {
        span
        for cells in table_rows(FORMULAS)
        for span in spans(cells[-1])
        if re.fullmatch(r"[a-z][a-z_0-9]+", span)
    }
    assert named - WRITTEN == set()


@pytest.mark.parametrize("chapter", [4, 5])
def test_every_equation_of_a_chapter_of_nunes_has_its_formula(chapter):
    told = " ".join(cell for cells in table_rows(FORMULAS) for cell in cells)
    for number in range(1, 14):
        assert re.search(rf"(?<![\d.]){chapter}\.{number}(?!\d)", told)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    made.write_pages(folder)
    return folder


def test_every_table_has_its_section_and_every_column_its_row(written):
    page = (written / "results.md").read_text(encoding="utf-8").replace("](../", "](")
    for table in result_tables().values():
        assert f"\n{table.text}\n| column |" in page, table.name
        for column in table.columns:
            assert f"`{column.name}`" in page, (table.name, column.name)


def test_every_key_has_its_row_with_what_it_means(written):
    page = (written / "study-file.md").read_text(encoding="utf-8")
    for key, part in keys_below(study_schema()):
        assert f"\n| `{key}` | {part['description']} |" in page


@pytest.mark.parametrize("name", made.MADE)
def test_links_of_a_written_page_lead_out_of_its_folder(written, name):
    page = (written / f"{name}.md").read_text(encoding="utf-8")
    assert made.MARK in (ROOT / f"docs/{name}.md").read_text(encoding="utf-8")
    assert made.MARK not in page
    for link in re.findall(r"\]\(([^)\s#]+)", page):
        if ":" not in link:
            here = ROOT / "docs" / "made" / link
            assert (written / link).exists() or here.resolve().exists(), link
    assert len(page) > 0.99 * len(text(f"docs/{name}.md"))
