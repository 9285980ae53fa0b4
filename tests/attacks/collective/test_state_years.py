"""Lines of leakage over the years."""

import pandas as pd

from microleak.attacks.collective.figures.state_trends import (
    leakage_by_year,
)
from microleak.attacks.collective.figures.states import PLACES
from tests.attacks.collective.state_rows import row


def series(leakage):
    """Rows of some states' leakage in the years from 2021 on."""
    return pd.DataFrame(
        [
            row(state, str(2021 + n), 2, 0.1, value)
            for state, values in leakage.items()
            for n, value in enumerate(values)
        ]
    )


def test_of_more_than_six_states_the_three_highest_and_three_lowest_are_drawn():
    rows = series({s: (0.5, n / 10) for n, s in enumerate(["AC", *list(PLACES)[:7]])})
    order = list(leakage_by_year(rows))
    assert order == [*list(PLACES)[6:3:-1], *list(PLACES)[1::-1], "AC"]


def test_a_state_of_one_year_or_without_the_newest_one_is_not_among_the_highest():
    rows = series(
        {
            **{s: (0.1, n / 100) for n, s in enumerate(["AC", "AL", "AP", "BA", "CE"])},
            "SP": (0.9,),
            "RJ": (0.8, None),
            "DF": (0.1, 0.5),
            "GO": (0.1, 0.4),
        }
    )
    assert list(leakage_by_year(rows)) == ["DF", "GO", "CE", "AP", "AL", "AC"]


def test_up_to_six_states_all_are_drawn_though_not_there_in_the_newest_year():
    rows = series({"RJ": (0.8, None), "SP": (0.1, 0.2), "AC": (0.3,)})
    lines = leakage_by_year(rows)
    assert list(lines) == ["SP", "RJ"]
    assert list(lines.index) == ["2021", "2022"]
