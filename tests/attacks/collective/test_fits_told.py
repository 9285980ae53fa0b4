"""What the page says of what goes together with the leakage of states."""

from dataclasses import replace

import pandas as pd
import pytest

from microleak.attacks.collective.report.state_tables import state_grids
from microleak.report.texts import voice
from tests.attacks.collective.state_study import PROC, TABLE, chapter, tables_of

ENGLISH = voice("en")
PORTUGUESE = voice("pt")


def rows_of(grid):
    return dict(grid.rows)


def fits(n_states=27, **shares):
    """Fits with all attributes known, of one explanation each."""
    return pd.DataFrame(
        [
            {
                "analysis": "lines",
                "table": TABLE,
                "year": "2023",
                "sensitive": PROC,
                "n_qids": 2,
                "explained_by": name,
                "n_states": n_states,
                "correlation": None,
                "r_squared": share,
                "adjusted_r_squared": share,
            }
            for name, share in shares.items()
        ]
    )


def told_of(explained):
    """Return what is said of the fits, behind what is of the states and their gaps."""
    return chapter(replace(tables_of(), explained=explained)).sentences[5:]


def test_what_goes_with_the_leakage_is_told_in_words_and_percent():
    told = told_of(
        fits(
            n_records=0.031, sensitive_entropy=0.1, qids_entropy=0.35, mean_block_size=1
        )
    )
    assert told == (
        "Do size or entropy explain the differences in leakage between the 27 states? "
        "Share of the differences that a straight line over each accounts for (R²): "
        "number of records 3.10% (almost nothing); entropy of “procedure” 10.00% "
        "(little); joint entropy of the attributes known 35.00% (a part); mean block "
        "size 100% (the greater part).",
        "This says what goes together, not why.",
    )


@pytest.mark.parametrize(
    ("n_states", "said"), [(9, "may well be chance"), (10, "This says what goes")]
)
def test_with_fewer_than_ten_states_a_fit_is_said_to_be_weak_evidence(n_states, said):
    assert said in told_of(fits(n_states, n_records=0.9))[1]


@pytest.mark.parametrize(("n_states", "n_told"), [(5, 0), (6, 2)])
def test_with_fewer_than_five_states_more_than_explanations_none_is_told(
    n_states, n_told
):
    assert len(told_of(fits(n_states, n_records=0.99))) == n_told


def test_almost_all_is_not_said_to_be_all():
    explained = fits(n_records=0.998)
    assert "number of records 99.80% (the greater part)" in told_of(explained)[0]
    (shown,) = replace(tables_of(), explained=explained).side_by_side()
    (grid,) = state_grids(shown, ENGLISH)["explained"]
    assert grid.rows == (("number of records", "–", "0.998", "0.998"),)


def test_a_fit_that_is_undefined_or_to_several_explanations_is_not_told():
    several = fits(**{"qids_entropy|mean_block_size": 0.9}, n_records=None)
    assert told_of(several) == ()


def test_a_correlation_has_two_decimals_and_a_minus_sign():
    minus = fits(n_records=0.5).assign(correlation=-0.7071)
    (shown,) = replace(tables_of(), explained=minus).side_by_side()
    (grid,) = state_grids(shown, PORTUGUESE)["explained"]
    assert grid.rows == (("número de registros", "−0,71", "0,50", "0,50"),)
