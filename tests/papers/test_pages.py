"""Pages of docs/papers/ are what the comparison beside them says."""

import re
from dataclasses import fields, replace

import pytest

from microleak.base.errors import MicroleakError
from microleak.base.paths import ROOT
from papers.comparison import read_comparison
from papers.facts import PAPERS, Fact, facts
from papers.page import numbers_table, page, summary

PAGES = ROOT / "docs" / "papers"
each_paper = pytest.mark.parametrize("paper", PAPERS)


@each_paper
def test_the_comparison_has_the_numbers_of_the_paper(paper):
    names = [field.name for field in fields(Fact)]
    compared = read_comparison(PAGES / f"{paper}.csv")
    known = [[getattr(each, name) for name in names] for each in compared]
    assert known == [[getattr(f, name) for name in names] for f in facts(paper)]


@each_paper
def test_the_page_follows_from_the_comparison(paper):
    written = (PAGES / f"{paper}.md").read_text(encoding="utf-8")
    assert written == page(paper, read_comparison(PAGES / f"{paper}.csv"))


@each_paper
def test_the_papers_own_tables_give_its_numbers_or_a_note_says_why_not(paper):
    compared = read_comparison(PAGES / f"{paper}.csv")
    assert [each for each in compared if not each.is_explained] == []


@each_paper
def test_every_figure_is_on_the_page_and_there(paper):
    written = (PAGES / f"{paper}.md").read_text(encoding="utf-8")
    shown = re.findall(rf"\]\({paper}/(.*?)\)", written)
    assert sorted(shown) == sorted(p.name for p in (PAGES / paper).glob("*"))


def test_a_page_leaves_out_no_printed_number():
    compared = read_comparison(PAGES / "google-sdp.csv")
    with pytest.raises(MicroleakError, match=r"differ in: k-map"):
        page("google-sdp", [each for each in compared if each.where != "k-map"])


def test_notes_stand_under_the_table_once():
    compared = read_comparison(PAGES / "rodrigues.csv")
    text = numbers_table([each for each in compared if each.where == "Section 3.6"])
    notes = {each.note for each in compared if each.note}
    assert [text.count(note) for note in notes] == [1] * len(notes)


def test_the_summary_counts_what_agrees_and_what_has_a_note():
    own = read_comparison(PAGES / "google-sdp.csv")
    wrong = replace(own[0], measured="4", note="why")
    assert "Of 16 numbers" in summary(own)
    assert "16 agree to the last digit." in summary(own)
    assert "15 agree to the last digit, and 1 that differ" in summary([wrong, *own[1:]])
