"""What goes together with the leakage of states."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from microleak.attacks.collective.definitions.entropy import (
    adjusted,
    correlation,
    r_squared,
)
from microleak.attacks.collective.states import explained
from microleak.study.tables import result_tables as specs
from tests.examples import examples

ALONE = ["n_records", "sensitive_entropy", "qids_entropy", "mean_block_size"]
TOGETHER = "|".join(ALONE)


def states(*rows):
    """A table of states from their records, modal count, and four explanations.

    One in a hundred records has the most frequent value.
    """
    which = {"analysis": "lines", "table": "sia", "year": "2023", "sensitive": "ill"}
    which |= {"n_qids": 1, "prior_prob": 0.01}
    return pd.DataFrame(
        which
        | dict(zip(ALONE, explanations, strict=True))
        | {"posterior_prob": n_modal / explanations[0]}
        for n_modal, *explanations in rows
    )


SIX = states(
    (11, 100, 1.5, 3.0, 8.0),
    (42, 200, 2.5, 3.0, 7.0),
    (93, 300, 3.5, 4.5, 1.0),
    (164, 400, 4.5, 3.5, 2.0),
    (255, 500, 5.5, 9.5, 6.0),
    (366, 600, 6.5, 2.5, 4.5),
)
"""Leakage 0.1, 0.2, and so on, as the records and the entropy of the attribute."""


def column(table, name):
    return dict(zip(table["explained_by"], table[name], strict=True))


def test_each_explanation_is_alone_and_then_together():
    table = explained(SIX)
    assert table["explained_by"].tolist() == [
        *(*ALONE, "qids_entropy|mean_block_size", TOGETHER),
    ]
    assert table["n_states"].tolist() == [6] * 6


def test_leakage_on_a_straight_line_is_explained_exactly():
    # 0.1 is no binary fraction: only the exact leakage is on the line.
    table = explained(SIX)
    for name in ("correlation", "r_squared", "adjusted_r_squared"):
        assert column(table, name)["n_records"] == 1.0
        assert column(table, name)["sensitive_entropy"] == 1.0


def test_alone_the_correlation_squared_is_the_share_and_together_there_is_none():
    table = explained(SIX)
    correlation, share = column(table, "correlation"), column(table, "r_squared")
    leakage = SIX["posterior_prob"] - SIX["prior_prob"]
    for name in ("qids_entropy", "mean_block_size"):
        assert correlation[name] == pytest.approx(SIX[name].corr(leakage), abs=1e-12)
        assert share[name] == pytest.approx(correlation[name] ** 2, abs=1e-15)
    assert [name for name, value in correlation.items() if pd.isna(value)] == [
        *("qids_entropy|mean_block_size", TOGETHER),
    ]


def test_what_explanations_that_follow_from_others_explain_is_missing():
    share = column(explained(SIX), "r_squared")
    assert [name for name, value in share.items() if pd.isna(value)] == [TOGETHER]


def test_the_adjusted_share_takes_off_what_chance_explains():
    table = explained(SIX)
    share, less = column(table, "r_squared"), column(table, "adjusted_r_squared")
    pair = "qids_entropy|mean_block_size"
    assert less[pair] == pytest.approx(1 - (1 - share[pair]) * 5 / 3, abs=1e-15)


def test_of_two_states_nothing_is_said_but_their_number():
    table = explained(SIX.iloc[:2])
    assert table["n_states"].tolist() == [2] * 6
    numbers = ["correlation", "r_squared", "adjusted_r_squared"]
    assert table[numbers].isna().all(axis=None)


def test_each_analysis_year_and_number_of_qids_is_for_itself_in_the_states_order():
    turned = SIX.assign(posterior_prob=SIX["posterior_prob"][::-1].values)
    more = (turned.assign(year="2024"), turned.assign(analysis="another"))
    table = explained(pd.concat([SIX, SIX.assign(n_qids=2), *more]))
    of_records = table[table["explained_by"] == "n_records"]
    found = of_records[["analysis", "year", "n_qids", "n_states", "correlation"]]
    assert found.to_numpy().tolist() == [
        ["lines", "2023", 1, 6, 1.0],
        ["lines", "2023", 2, 6, 1.0],
        ["lines", "2024", 1, 6, pytest.approx(-1)],
        ["another", "2023", 1, 6, pytest.approx(-1)],
    ]


def test_several_explanations_are_without_those_that_do_not_vary():
    same = explained(
        SIX.assign(n_records=600, posterior_prob=[0.2, 0.1, 0.4, 0.3, 0.6, 0.9])
    )
    assert same["explained_by"].tolist()[-1] == (
        "sensitive_entropy|qids_entropy|mean_block_size"
    )
    assert 0 < same["r_squared"].iloc[-1] < 1
    assert pd.isna(column(same, "r_squared")["n_records"])


def test_explanations_that_are_left_alike_have_one_row():
    same = explained(SIX.assign(n_records=600, sensitive_entropy=1.0))
    assert same["explained_by"].tolist() == [*ALONE, "qids_entropy|mean_block_size"]


def test_if_fewer_than_two_vary_the_fit_of_several_is_missing():
    table = explained(
        SIX.assign(sensitive_entropy=1.0, qids_entropy=1.0, mean_block_size=2.0)
    )
    share = column(table, "r_squared")
    assert [name for name, value in share.items() if pd.notna(value)] == ["n_records"]
    assert len(share) == 6


def test_without_states_there_is_the_header():
    table = explained(pd.DataFrame(columns=specs()["states"].names))
    assert (list(table.columns), len(table)) == (specs()["explained"].names, 0)


numbers = st.integers(-40, 40).map(lambda number: Fraction(number, 8))


def exactly(*values):
    return [Fraction(value) for value in values]


UP = exactly(1, 2, 3, 4, 5)
BENT = exactly(1, 4, 9, 16, 25)


def columns(n_columns):
    """Columns of as many numbers, a few more than there are columns."""
    rows = st.tuples(*[numbers] * n_columns)
    drawn = st.lists(rows, min_size=n_columns + 2, max_size=n_columns + 4)
    return drawn.map(lambda rows: [list(column) for column in zip(*rows, strict=True)])


def share_by_least_squares(explanations, explained):
    design = np.array([[1, *row] for row in zip(*explanations, strict=True)], float)
    left = np.array(explained, float)
    left -= left.mean()
    fit = np.linalg.lstsq(design, left)[0]
    return 1 - ((left - design @ fit) ** 2).sum() / (left**2).sum()


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        (UP, exactly(2, 4, 6, 8, 10), 1.0),
        (UP, exactly("1/3", 0, "-1/3", "-2/3", -1), -1.0),
        (UP, exactly(1, 0, 0, 0, 1), 0.0),
        (exactly(0, 1, 2), exactly(0, 1, 0), 0.0),
        (exactly(-1, -1, 1, 1), exactly(-1, 1, 1, 1), (1 / 3) ** 0.5),
        # Of a constant, of two points, and of none it says nothing.
        (exactly("1/3", "1/3", "1/3"), exactly(1, 2, 3), None),
        (exactly(1, 2), exactly(1, 2), None),
        ([], [], None),
    ],
)
def test_correlations_of_worked_columns(one, other, found):
    assert correlation(one, other) == correlation(other, one) == found


@pytest.mark.parametrize(
    ("explanations", "explained", "share"),
    [
        ([UP, BENT], [2 * x - y + 7 for x, y in zip(UP, BENT, strict=True)], 1),
        # Of 1, 4, 9, 16, 25 the line 6 x - 7 leaves 14 of the variation of 374.
        ([UP], BENT, Fraction(180, 187)),
        # Three points are the fewest that a line can leave something of.
        ([exactly(0, 1, 2)], exactly(0, 1, 0), 0),
        ([UP[:2]], exactly(1, 2), None),
        ([UP[:3], BENT[:3]], exactly(1, 2, 4), None),
        # One explanation twice, a constant, a sum of others, and no variance
        ([UP, [2 * x for x in UP]], BENT, None),
        ([UP, exactly(3, 3, 3, 3, 3)], BENT, None),
        ([UP, [x**4 for x in UP], [3 * x - x**4 + 1 for x in UP]], BENT, None),
        ([UP], exactly(3, 3, 3, 3, 3), None),
    ],
)
def test_the_share_of_a_worked_fit_is_an_exact_fraction_or_none(
    explanations, explained, share
):
    assert r_squared(explanations, explained) == share


@given(columns(2))
def test_a_correlation_is_numpys_and_its_square_the_share_explained(both):
    one, other = both
    assume(len(set(one)) > 1 and len(set(other)) > 1)
    found = correlation(one, other)
    expected = np.corrcoef(np.array(one, float), np.array(other, float))[0, 1]
    assert found == pytest.approx(expected, abs=1e-12)
    assert found**2 == pytest.approx(float(r_squared([one], other)), abs=1e-15)
    assert -1 <= found <= 1


@examples(60)
@given(st.integers(1, 4).flatmap(lambda n: columns(n + 1)))
def test_the_share_explained_is_that_of_numpys_least_squares(drawn):
    *explanations, explained = drawn
    design = np.array([[1] * len(explained), *explanations], float)
    apart = np.linalg.cond((design.T / abs(design).max(axis=1).clip(1e-9)).T)
    assume(len(set(explained)) > 1 and apart < 100)
    share = r_squared(explanations, explained)
    expected = share_by_least_squares(explanations, explained)
    assert float(share) == pytest.approx(expected, abs=1e-12)


@given(columns(3))
def test_one_more_explanation_never_explains_less(drawn):
    *explanations, explained = drawn
    more, less = r_squared(explanations, explained), r_squared(drawn[:1], explained)
    assume(more is not None)
    assert 0 <= less <= more <= 1


def test_by_chance_alone_nothing_is_explained():
    # Two explanations of eleven states explain 2/10 by chance.
    assert adjusted(Fraction(2, 10), 11, 2) == 0
    assert adjusted(Fraction(0), 11, 2) == Fraction(-1, 4)
    assert adjusted(Fraction(1), 11, 2) == 1
