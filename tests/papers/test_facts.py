"""The numbers of config/papers/ are those that the papers print."""

import csv
import json
from pathlib import Path

import pytest

from papers.facts import CONFIG, PAPER, PAPERS, TWIN, facts

GOLDEN = Path(__file__).parents[3] / "shared" / "golden" / "published.json"
needs_golden = pytest.mark.skipif(
    not GOLDEN.exists(), reason="needs ../shared/golden/published.json"
)


@pytest.mark.parametrize("paper", PAPERS)
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


@needs_golden
def test_table_6_5_is_that_of_the_thesis():
    table = golden()["004/6.5"]
    theirs = [value for row in table["rows"].values() for value in row]
    found = [f.printed for f in facts("nunes-2021") if f.where == "Table 6.5"]
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
    assert [f.printed for f in facts("nunes-2021") if f.where == "Table 6.4"] == theirs
