"""Whose household is found and what is learnt there, counted by hand."""

import pandas as pd
import pytest

import microleak
from microleak.base.errors import StudyError
from microleak.study.tables import result_tables
from microleak.tables.rows import as_table

# Two couples alike, a couple of its own, and an old woman of a state of two people.
PEOPLE = pd.DataFrame(
    {
        "home": ["1", "1", "2", "2", "3", "3", "4", None],
        "members": ["MF", "MF", "MF", "MF", "MM", "MM", "F", "F"],
        "state": ["11", "11", "11", "11", "11", "11", "12", "12"],
        "income": ["low", "low", "low", "high", "high", "high", "low", "low"],
    }
)
OF = {"analysis": "homes", "table": "people", "focal": "2022", "unit": "home"}


def example():
    found = microleak.unit_risks(
        PEOPLE, ["members", "state"], unit="home", sensitive=["income"]
    )
    tables = {"unit_risks": found.unit_risks, "unit_inferences": found.unit_inferences}
    return {name: rows.assign(**OF) for name, rows in tables.items()}


EXAMPLES = {
    "homes": {
        name: as_table(result_tables()[name], rows.to_dict("records"))
        for name, rows in example().items()
    }
}
"""Tables by analysis, as contract tests and the page of every kind take them."""


def row_of(table, qids, size=""):
    rows = EXAMPLES["homes"][table]
    return rows[(rows["qids"] == qids) & (rows["size"] == size)].iloc[0]


def test_a_household_is_found_if_no_other_has_its_members():
    whole = row_of("unit_risks", "members")
    assert (whole["n_units"], whole["n_units_found"], whole["n_found"]) == (5, 1, 2)
    assert row_of("unit_risks", "members", "2")["share_units_found"] == 1 / 3
    assert row_of("unit_risks", "members", "1")["n_units_found"] == 0


def test_a_record_without_a_unit_is_one_by_itself():
    assert row_of("unit_risks", "state", "1")["n_units"] == 2


def test_what_others_teach_leaves_the_whole_household_out():
    """Household 3 alone has two men: without it, nobody tells that both earn much."""
    row = row_of("unit_inferences", "members")
    assert (row["n_certain"], row["n_certain_others"]) == (4, 2)
    # Three of four couples, both of household 3, and the two alone.
    assert row["posterior_prob"] == 7 / 8
    # Home 1 is told by home 2 with one of two, home 2 by home 1 for its low income;
    # of home 3 all others earn little; 4 and the last tell each other.
    assert row["posterior_loo"] == (1 + 1 + 0 + 2) / 8


def test_what_is_both_the_unit_and_known_is_refused():
    with pytest.raises(StudyError, match="home is both the unit and a QID"):
        microleak.unit_risks(PEOPLE, ["home", "members"], unit="home")
