"""The formulas of the documentation are those of functions and columns that exist."""

import importlib
import re

import pytest

from microleak.base.paths import ROOT
from microleak.study.tables import result_tables as specs
from tests.docs.pages import spans, table_rows

FORMULAS = "docs/formulas.md"
WRITTEN = {name for spec in specs().values() for name in spec.names}


def is_function(span):
    return bool(re.fullmatch(r"[a-z_0-9]+(\.\w+)+", span)) and "/" not in span


PLACES = {
    path.stem: ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for pattern in ("attacks/*/definitions/*.py", "definitions/*.py")
    for path in sorted((ROOT / "microleak").glob(pattern))
}
PLACES |= {
    path.parent.name: f"microleak.attacks.{path.parent.name}.definitions"
    for path in (ROOT / "microleak/attacks").glob("*/definitions.py")
}
"""Modules of definitions by their names; a family's only one by that of the family."""


def function(name):
    """Return the module and the function, method or property of a name."""
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
