"""Correlations and fits, exactly where the numbers are small, and as NumPy's."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from microleak.attacks.collective.definitions.entropy import (
    adjusted,
    correlation,
    r_squared,
)
from tests.examples import examples

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
    """R² of NumPy's fit."""
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
    ],
)
def test_correlations_of_worked_columns(one, other, found):
    assert correlation(one, other) == found
    assert correlation(other, one) == found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (exactly(1, 1, 1), exactly(1, 2, 3)),
        (exactly(1, 2, 3), exactly("1/3", "1/3", "1/3")),
        (exactly(1, 2), exactly(1, 2)),
        ([], []),
    ],
)
def test_a_correlation_that_says_nothing_is_none(one, other):
    assert correlation(one, other) is None


def test_explanations_that_make_the_quantity_explain_all_of_it():
    made = [2 * x - y + 7 for x, y in zip(UP, BENT, strict=True)]
    assert r_squared([UP, BENT], made) == 1


def test_the_share_of_a_worked_fit_is_an_exact_fraction():
    # Of 1, 4, 9, 16, 25 the line 6 x - 7 leaves 14 of the variation of 374.
    assert r_squared([UP], BENT) == Fraction(180, 187)


def test_three_points_are_the_fewest_that_a_line_can_leave_something_of():
    assert r_squared([exactly(0, 1, 2)], exactly(0, 1, 0)) == 0


@pytest.mark.parametrize(
    ("explanations", "explained"),
    [
        ([UP, [2 * x for x in UP]], BENT),
        ([UP, exactly(3, 3, 3, 3, 3)], BENT),
        ([UP, [x**4 for x in UP], [3 * x - x**4 + 1 for x in UP]], BENT),
        ([UP], exactly(3, 3, 3, 3, 3)),
        ([UP[:3], BENT[:3]], exactly(1, 2, 4)),
        ([UP[:2]], exactly(1, 2)),
    ],
    ids=["twice", "constant", "sum", "no variance", "3 of 2", "2 of 1"],
)
def test_a_fit_that_is_undefined_or_says_nothing_is_none(explanations, explained):
    assert r_squared(explanations, explained) is None


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
