"""What config/papers/ has is what the papers print, and is measured again."""

import csv
import json
import re
import shutil
from dataclasses import fields, replace
from fractions import Fraction
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from microleak.base.errors import MicroleakError
from microleak.base.paths import ROOT
from papers.comparison import (
    Compared,
    NotMeasuredError,
    compare,
    read_comparison,
    write_comparison,
)
from papers.country import enlarged
from papers.facts import CONFIG, PAPER, PAPERS, TWIN, Fact, facts
from papers.page import numbers_table, page, summary
from tests.commands import microleak

GOLDEN = Path(__file__).parents[3] / "shared" / "golden" / "published.json"
needs_golden = pytest.mark.skipif(
    not GOLDEN.exists(), reason="needs ../shared/golden/published.json"
)


each_paper = pytest.mark.parametrize("paper", PAPERS)


@each_paper
def test_every_number_can_be_read_and_is_printed_once(paper):
    known = facts(paper)
    for fact in known:
        assert fact.value * 0 == 0
        assert fact.data in {PAPER, TWIN}
    keys = [(f.where, f.file, f.row, f.column, f.last_digit) for f in known]
    assert len(set(keys)) == len(keys)


def golden():
    return json.loads(GOLDEN.read_text("utf-8")) if GOLDEN.exists() else {}


SUCCESSES = [name for name, table in golden().items() if "prior_prob_pct" in table]


def printed(table, *, is_panel):
    """What published.json has of a table: by years or QIDs, and the prior."""
    found = {(): [table["prior_prob_pct"]]}
    for row in table["rows"]:
        key = row["years"][-1] if is_panel else tuple(sorted(row["qids"]))
        names = ("post_det_pct", "post_prob_pct", "degrad_prob")
        found[key] = [row[name] for name in names]
    return found


def ours(table, *, is_panel):
    found = {}
    for fact in (f for f in facts("nunes-2021") if f.where == f"Table {table}"):
        known = fact.selection
        years = max(known["auxiliary"]) or "2014"
        key = years[-1] if is_panel else tuple(sorted(known["qids"]))
        if fact.column == "prior_prob":
            key = ()
        text = fact.printed.removesuffix(" %").split("/")[0]
        found.setdefault(key, []).append(text)
    return found


@needs_golden
@pytest.mark.parametrize("name", SUCCESSES)
def test_tables_of_successes_are_those_of_the_thesis(name):
    table, which = golden()[name], name.removeprefix("004/")
    is_panel = "years" in table["rows"][0]
    theirs, found = printed(table, is_panel=is_panel), ours(which, is_panel=is_panel)
    if table["sensitive"] is None:
        del theirs[()]  # one over the records
    assert found == theirs


def printed_in(table):
    return [fact.printed for fact in facts("nunes-2021") if fact.where == table]


@needs_golden
def test_table_6_5_is_that_of_the_thesis():
    table = golden()["004/6.5"]
    theirs = [value for row in table["rows"].values() for value in row]
    found = printed_in("Table 6.5")
    # Left out are the least loss and the greatest utility, 1 by definition.
    assert sorted([*found, *["1.00000"] * 8]) == sorted(theirs)


def test_the_counts_behind_table_6_5_are_those_that_the_thesis_prints():
    path = CONFIG / "data" / "nunes-table-6.5.csv"
    rows = list(csv.DictReader(path.open(encoding="utf-8")))
    races = [row["race"] for row in rows]
    assert {race: races.count(race) for race in "012345"} == {
        "0": 2306, "1": 1132, "2": 200, "3": 1015, "4": 21, "5": 2
    }  # fmt: skip
    assert sum(row["over_18"] == "1" for row in rows) == 1398


@needs_golden
def test_table_6_4_is_that_of_the_thesis():
    scenarios = golden()["004/6.4"]["scenarios"]
    theirs = [
        value
        for scenario in scenarios.values()
        for model in ("oblivious", "local")
        for measure in ("loss", "utility")
        for value in scenario[model][measure]
    ]
    assert printed_in("Table 6.4") == theirs


FACT = Fact("Table 1", "kind/name", "qids=age|sex", "share", "50.0 %", "twin", "")
ROWS = ["sex|age,1,0.5", "age,1,0.25", "age,2,0.75", "sex|age,2,0.5"]


def compared(printed, measured, data="paper", note=""):
    return Compared("", "", "", "", printed, data, note, measured)


@pytest.fixture
def results(tmp_path):
    (tmp_path / "measures/kind").mkdir(parents=True)
    (tmp_path / "confidential/kind").mkdir(parents=True)
    table = "\n".join(["qids,size,share", *ROWS, ""])
    (tmp_path / "measures/kind/name.csv").write_text(table)
    (tmp_path / "confidential/kind/name.csv").write_text("share\n0.1\n")
    return tmp_path


@pytest.mark.parametrize(
    ("changed", "value"),
    [
        ({}, "0.5"),  # the order of joined names says nothing
        ({"row": "qids=age;size=2"}, "0.75"),
        ({"row": "qids=age", "column": "min share"}, "0.25"),
        ({"row": "qids=age", "column": "max share"}, "0.75"),
        ({"row": "qids=age", "column": "mean share"}, "0.5"),
        ({"row": "qids=age;size=2", "column": "share/size"}, "0.375"),
        ({"row": "", "file": "confidential/kind/name"}, "0.1"),
    ],
)
def test_a_number_is_found_by_its_columns_or_reduced_from_several_rows(
    changed, value, results
):
    (each,) = compare([replace(FACT, **changed)], results)
    assert each.measured == value


@pytest.mark.parametrize(
    ("row", "column"),
    [("qids=age", "share"), ("qids=income", "share"), ("qids=income", "min share")],
)
def test_no_row_or_several_are_refused(row, column, results):
    with pytest.raises(NotMeasuredError, match="Table 1: kind/name has"):
        compare([replace(FACT, row=row, column=column)], results)


def test_results_that_are_not_there_say_what_to_run(results):
    with pytest.raises(NotMeasuredError, match=r"Run microleak run config/papers/"):
        compare([replace(FACT, file="kind/other")], results)


@given(st.integers(0, 10**6), st.integers(0, 6))
def test_a_number_agrees_with_itself_rounded_and_with_no_other(n, digits):
    exact = Fraction(n, 10**6)
    rounded = Fraction(round(exact * 10**digits), 10**digits)
    step = Fraction(1, 10**digits)
    assert compared(f"{float(rounded):.{digits}f}", str(float(exact))).agrees
    other = compared(f"{float(rounded + step):.{digits}f}", str(float(exact)))
    assert other.agrees == (abs(rounded + step - exact) <= step / 2)


@pytest.mark.parametrize(
    ("measured", "note", "is_explained"),
    [
        ("0.5", "", True),
        ("0.6", "", False),
        ("0.6", "why", True),
        ("0.5", "why", False),
    ],
)
def test_a_note_stands_where_the_papers_own_data_give_another_number(
    measured, note, is_explained
):
    assert compared("0.5", measured, "paper", note).is_explained == is_explained
    assert compared("0.5", measured, "twin", note).is_explained


@pytest.mark.parametrize(
    ("printed", "measured", "off"),
    [
        ("5.88 %", "0.0651", Fraction(63, 100)),
        ("1/4", "0.5", 25),
        ("2", "1.9", 5),
        ("0", "0.5", 50),
        ("true", "false", 100),
    ],
)
def test_distances_are_points_of_a_share_and_percent_of_another_number(
    printed, measured, off
):
    assert compared(printed, measured).off == off


def test_a_comparison_is_read_as_it_was_written(tmp_path):
    many = [compared("5 %", "0.05"), compared("true", "false", "twin", 'a, "b"')]
    write_comparison(tmp_path / "a.csv", many)
    assert read_comparison(tmp_path / "a.csv") == many


PAGES = ROOT / "docs" / "papers"


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


TABLES = {"table", "population", "sample"}
"""Keys of an analysis that name its tables."""


def of_printed_tables(study):
    tables = {
        name: table
        for name, table in study["tables"].items()
        if all("archive" in release for release in table["releases"].values())
    }
    analyses = {
        kind: [each for each in asked if tables_of(each) <= tables.keys()]
        for kind, asked in study["analyses"].items()
    }
    asked = {kind: some for kind, some in analyses.items() if some}
    report = {"languages": ["en"]}
    return study | {"tables": tables, "analyses": asked, "report": report}


def tables_of(analysis):
    named = (analysis[key] for key in TABLES & analysis.keys())
    return {each if isinstance(each, str) else each["table"] for each in named}


@pytest.mark.long
@pytest.mark.workflow
@pytest.mark.parametrize("paper", ["nunes-2021", "rodrigues", "google-sdp"])
def test_numbers_of_printed_tables_are_measured_to_the_last_digit(paper, tmp_path):
    study = yaml.safe_load((CONFIG / f"{paper}.yaml").read_text("utf-8"))
    shutil.copytree(CONFIG / "data", tmp_path / "config/papers/data")
    (tmp_path / "study.yaml").write_text(yaml.safe_dump(of_printed_tables(study)))
    words = ["--", "--omit-from", "publish", "draw", "report", "audit"]
    done = microleak("run", "study.yaml", *words, folder=tmp_path)
    assert done.returncode == 0, done.output
    known = [fact for fact in facts(paper) if fact.data == PAPER]
    found = compare(known, tmp_path / "results" / paper)
    assert found
    assert [each for each in found if not each.is_explained] == []


@pytest.mark.parametrize("paper", ["nunes-2021", "gonze-2025"])
def test_sizes_of_the_country_are_of_releases_that_the_twin_makes(paper):
    study = yaml.safe_load((CONFIG / f"{paper}.yaml").read_text("utf-8"))
    sizes = yaml.safe_load((CONFIG / "country.yaml").read_text("utf-8"))[paper]
    for table, releases in sizes.items():
        small = study["tables"][table]["releases"]
        for release, size in releases.items():
            assert small[release]["synthetic"].keys() == size.keys()
            [(name, number)] = size.items()
            assert number > small[release]["synthetic"][name]
    large = enlarged(study, sizes)
    same = {"study": None, "tables": None}
    assert large | same == study | same
