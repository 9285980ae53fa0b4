"""Pages and exports see what is published alone; a class name stands once."""

import ast
import re
from collections import Counter
from itertools import chain

import pytest

from microleak.base.paths import ROOT
from microleak.families import FAMILIES
from microleak.study.fingerprint import _modules_followed
from microleak.study.steps import steps_by_rule
from tests.contract.families import PAGE_RULES, measured_by


def test_a_class_name_stands_once():
    texts = (path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    found = (re.findall(r"^ *class (\w+)[(:]", text, re.M) for text in texts)
    assert [n for n, k in Counter(chain.from_iterable(found)).items() if k > 1] == []


PACKAGE = ROOT / "microleak"
SHOWING = sorted(
    chain(
        *(PACKAGE.glob(f"{name}/*.py") for name in ("report", "figures", "exports")),
        *(PACKAGE.glob(f"attacks/*/{name}.py") for name in ("report", "figures")),
        *(PACKAGE.glob(f"attacks/*/{name}/*.py") for name in ("report", "figures")),
        [PACKAGE / "study/pages.py"],
    )
)
"""Modules that show something."""


def texts(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    said = [each.value for each in ast.walk(tree) if isinstance(each, ast.Expr)]
    return [
        each.value
        for each in ast.walk(tree)
        if isinstance(each, ast.Constant)
        and isinstance(each.value, str)
        and each not in said
    ]


@pytest.mark.parametrize("path", SHOWING, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_shows_something_names_no_folder_but_that_of_what_is_published(path):
    folders = ("measures", "profiles", "people", "panels", "tables")
    named = [text for text in texts(path) for name in folders if f"{name}/" in text]
    assert named == []


@pytest.mark.parametrize("rule", sorted({*steps_by_rule()} - {*PAGE_RULES}))
def test_no_measure_depends_on_how_anything_is_shown(rule):
    shown = (*("microleak.report", "microleak.figures"), "microleak.study.publish")
    parts = [*shown, *(f.publish.partition(":")[0] for f in FAMILIES if f.publish)]
    found = [
        module
        for module in _modules_followed(steps_by_rule()[rule].modules)
        for part in parts
        if module == part or module.startswith(f"{part}.")
    ]
    assert found == []


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_a_family_publishes_tables_that_its_jobs_make(family):
    shown = [each for each in family.tables.values() if each.audience == "internal"]
    assert {spec.name for spec in shown} <= {*measured_by(family)}


def test_the_audience_is_asked_where_tables_are_published_and_nowhere_after():
    """Which figures there will be, and what is refused, must be known beforehand."""
    asked = [
        path.relative_to(PACKAGE).as_posix()
        for path in sorted(PACKAGE.rglob("*.py"))
        if "study.shows_tables" in (text := path.read_text(encoding="utf-8"))
        or "study.audience ==" in text
        or "study.audience !=" in text
    ]
    assert asked == ["attacks/collective/jobs.py", "study/publish.py"]
