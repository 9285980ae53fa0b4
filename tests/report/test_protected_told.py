"""What the page says of how releases were protected, and of what tables lose."""

import pandas as pd
import pytest

from microleak.report.editions import protections, tabulations
from microleak.report.texts import voice
from microleak.tables.spec import tables_of

TABLES = tables_of("microleak.study")
EN, PT = voice("en"), voice("pt")
NONE = float("nan")


def suppressed(n_cells, least):
    row = dict.fromkeys(TABLES["protections"].names, NONE) | {
        **{"table": "people", "release": "safe", "origin": "2023", "attribute": ""},
        **{"methods": "generalise|suppress", "parameters": "level=1|k=3"},
        **{"n_after": 2000, "n_suppressed": n_cells, "n_suppressed_at_least": least},
    }
    return pd.DataFrame([row])


@pytest.mark.parametrize(
    ("least", "said"),
    [
        (405, "cells made missing: 457; any solution needs at least 405"),
        (457, "cells made missing: 457, the fewest possible"),
        (NONE, "cells made missing: 457"),
    ],
)
def test_the_cells_of_a_suppression_are_told_with_the_fewest_that_it_takes(least, said):
    (grid,) = protections(suppressed(457, least), EN)
    assert grid.rows[0][3] == f"generalised (level=1); suppressed (k=3); {said}"


def test_the_fewest_cells_are_told_in_portuguese():
    (grid,) = protections(suppressed(1457, 1405), PT)
    assert grid.rows[0][3].endswith(
        "células tornadas ausentes: 1.457; qualquer solução exige ao menos 1.405"
    )


def test_a_table_is_told_as_a_whole_and_in_the_groups_that_lose_most():
    row = dict.fromkeys(TABLES["tabulations"].names, NONE) | {
        **{"protection": "safe", "table": "people", "tabulation": "by sex"},
        **{"attributes": "sex|age", "total_variation": 0.0805, "outcome": ""},
        **{"largest_error_share": 0.0125, "total_variation_worst": 0.0722},
        **{"largest_error_share_worst": 0.0311},
    }
    (grid,) = tabulations(pd.DataFrame([row]), EN)
    assert grid.rows[0][3:] == ("8.05%", "1.25%", "7.22%", "3.11%")
    worst = ("total_variation_worst", "largest_error_share_worst")
    (grid,) = tabulations(pd.DataFrame([row | dict.fromkeys(worst, NONE)]), EN)
    assert grid.rows[0][3:] == ("8.05%", "1.25%", "–", "–")
