"""Whose household is found and what is learnt there, counted by hand."""

import pandas as pd
import pytest

import microleak
from microleak.attacks.unit_risks.report import worst_set
from microleak.base.errors import StudyError, TableError
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
    assert (whole["n_units"], whole["n_units_found"]) == (4, 1)
    assert (whole["n_found"], whole["n_read"]) == (2, 2)
    assert row_of("unit_risks", "members", "2")["share_units_found"] == 1 / 3


def test_a_record_without_a_unit_is_in_blocks_and_is_not_counted():
    """Home 4 shares its list with somebody of no household, and is not found."""
    alone = row_of("unit_risks", "members", "1")
    assert (alone["n_units"], alone["n_records"], alone["n_found"]) == (1, 1, 0)


def test_what_others_teach_leaves_the_whole_household_out():
    """Household 3 alone has two men: without it, nobody tells that both earn much."""
    row = row_of("unit_inferences", "members")
    assert (row["n_certain"], row["n_certain_others"]) == (3, 1)
    # Three of four in the couples alike, both of household 3, and home 4.
    assert row["posterior_prob"] == 6 / 7
    # Home 1 is guessed from home 2, where both values are as frequent; of home 2 the
    # low income by home 1; of home 3 all others earn little; home 4 by the last record.
    assert row["posterior_loo"] == (1 + 1 + 0 + 1) / 7


def test_a_table_without_units_is_refused():
    people = PEOPLE.assign(home=None)
    with pytest.raises(TableError, match="no record has a value of home, so there is"):
        microleak.unit_risks(people, ["members"], unit="home")


def test_what_is_both_the_unit_and_known_is_refused():
    with pytest.raises(StudyError, match="home is both the unit and a QID"):
        microleak.unit_risks(PEOPLE, ["home", "members"], unit="home")


def test_the_worst_of_the_largest_sets_is_shown():
    """Of sets of one fact each, not the first but the one that finds most."""
    rows = EXAMPLES["homes"]["unit_risks"]
    assert worst_set(rows[rows["n_qids"] == 1])["qids"] == "members"
    assert worst_set(rows)["qids"] == "members|state"
