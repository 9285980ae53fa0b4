from fractions import Fraction
from itertools import product
from math import comb, exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.mechanism.kernels import (
    MISSED,
    _window,
    count_distribution,
    exact_count_distribution,
)

TOTAL = 10**4
groups = st.lists(
    st.tuples(
        st.integers(0, 20),
        st.one_of(
            st.integers(0, TOTAL), st.sampled_from([0, 1, TOTAL // 2, TOTAL - 1, TOTAL])
        ),
    ),
    max_size=4,
)


def distance(found, exact, total):
    """Sum over all counts of how far the floats are from the fractions."""
    at = dict(enumerate(found.chances.tolist(), start=found.first))
    return sum(
        abs(Fraction(at.get(count, 0.0)) - Fraction(chance, total))
        for count, chance in enumerate(exact)
    )


@given(st.lists(st.integers(0, 3), max_size=6))
def test_exact_chances_are_sums_over_all_outcomes(numerators):
    expected = [0] * (len(numerators) + 1)
    for outcome in product((0, 1), repeat=len(numerators)):
        chances = [p if o else 3 - p for o, p in zip(outcome, numerators, strict=True)]
        expected[sum(outcome)] += int(np.prod(chances, dtype=np.int64))
    assert exact_count_distribution([(1, p) for p in numerators], 3) == expected


@given(groups)
def test_floats_are_within_their_bound_of_the_exact_chances(found_groups):
    n_records = sum(n for n, _ in found_groups)
    exact = exact_count_distribution(found_groups, TOTAL)
    found = count_distribution(found_groups, TOTAL)
    assert sum(exact) == TOTAL**n_records
    assert distance(found, exact, TOTAL**n_records) <= found.error < 1e-9


@given(groups)
def test_the_order_of_groups_changes_no_bit(some):
    there, back = (count_distribution(each, TOTAL) for each in (some, some[::-1]))
    assert there.first == back.first
    assert there.chances.tobytes() == back.chances.tobytes()


def test_the_window_is_small_beside_the_counts_that_can_be():
    found = count_distribution([(10**6, 1), (10**6, 2)], 3)
    counts = found.first + np.arange(len(found.chances))
    assert len(counts) < 14_000
    assert found.chances.sum() == pytest.approx(1, abs=found.error)
    assert counts @ found.chances == pytest.approx(10**6, abs=1e-4)
    variance = (counts - 10.0**6) ** 2 @ found.chances
    assert variance == pytest.approx(2 * 10**6 * 2 / 9, rel=1e-9)


def test_what_lies_outside_the_window_is_less_than_is_told():
    """Counted exactly for 2,000 fair coins; a narrower window would miss more."""
    n = 2_000
    found = count_distribution([(n, 1)], 2)
    tail = sum(comb(n, i) for i in range(found.first))
    assert 0 < Fraction(2 * tail, 2**n) < MISSED
    assert found.first + len(found.chances) - 1 == n - found.first


def test_chances_too_small_for_a_float_are_as_good_as_none():
    found = count_distribution([(1000, 1), (1000, 10**400 - 1)], 10**400)
    assert (found.first, found.chances.tolist()) == (1000, [1.0])
    assert found.error < 1e-14


@pytest.mark.parametrize(("mean", "variance"), [(40, 0.5), (1000, 30), (5e4, 1e4)])
def test_beyond_its_window_a_count_is_as_rare_as_bernstein_says(mean, variance):
    first, last = _window(mean, variance, 10**6)
    for reach in (mean - first, last - mean):
        assert 2 * exp(-(reach**2) / 2 / (variance + reach / 3)) <= MISSED
        assert 2 * exp(-((reach - 1) ** 2) / 2 / (variance + (reach - 1) / 3)) > MISSED
