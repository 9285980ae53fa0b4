"""docs/standards.md names numbers that exist, and gives no verdict."""

import re

import pytest

from microleak.base.paths import ROOT
from microleak.report.texts import voice
from microleak.study.tables import result_tables

KEYS = {"scenarios", "ripd", "target"}
PAGES = {"en": "standards.md", "pt": "standards.pt.md"}


def page(language):
    return (ROOT / "docs" / PAGES[language]).read_text(encoding="utf-8")


@pytest.mark.parametrize("language", PAGES)
def test_each_number_is_a_table_or_a_column_of_one(language):
    tables = result_tables()
    known = {*tables, *KEYS}.union(*(spec.names for spec in tables.values()))
    named = re.findall(r"`(\w+)`", page(language))
    assert len({*named}) > 30
    assert {*named} <= known


@pytest.mark.parametrize("language", PAGES)
def test_no_release_is_called_anonymous_and_the_impact_report_cites_the_page(language):
    assert not re.search("an[oô]nim|anonymous", page(language))
    assert f"docs/{PAGES[language]}" in voice(language).texts["ripd"]["risks_told"]
