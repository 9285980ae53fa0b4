"""Controlled rounding, against what Cox (1987) promises of it."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from microleak.attacks.table_rebuilding.kernels.controlled_rounding import (
    controlled_rounding,
)

TABLES = arrays.arrays(
    np.int64,
    st.tuples(st.integers(1, 6), st.integers(1, 6)),
    elements=st.integers(0, 12),
)


def rounded(counts, base, seed):
    draws = np.random.default_rng(seed).random(
        (len(counts) + 1) * (counts.shape[1] + 1)
    )
    return controlled_rounding(counts, base, draws)


def with_totals(counts):
    """Counts, totals of rows and of columns, and that of all."""
    return np.block(
        [[counts, counts.sum(axis=1)[:, None]], [counts.sum(axis=0), counts.sum()]]
    )


@given(counts=TABLES, base=st.integers(2, 7), seed=st.integers(0, 9))
def test_counts_and_totals_become_a_multiple_around_them(counts, base, seed):
    given, found = with_totals(counts), with_totals(rounded(counts, base, seed))
    assert (found % base == 0).all()
    assert (np.abs(found - given) < base).all()


@pytest.mark.parametrize("base", [2, 3, 5])
def test_each_count_and_total_is_right_in_the_mean(base):
    counts = np.array([[1, 4, 0], [2, 2, 7], [6, 1, 3]])
    n = 6000
    mean = sum(with_totals(rounded(counts, base, seed)) for seed in range(n)) / n
    assert np.allclose(mean, with_totals(counts), atol=5 * base / 2 / n**0.5)


def test_every_table_that_rounds_so_may_come_out():
    """Of a table of two by two with 1s and base 2, both have the same chance."""
    every = [rounded(np.ones((2, 2), dtype=int), 2, seed) for seed in range(1000)]
    kinds, times = np.unique([e.ravel() for e in every], axis=0, return_counts=True)
    assert kinds.tolist() == [[0, 2, 2, 0], [2, 0, 0, 2]]
    assert np.allclose(times / 1000, 0.5, atol=0.08)


def test_a_table_that_is_a_multiple_throughout_stays():
    counts = np.arange(12).reshape(3, 4) * 5
    assert (rounded(counts, 5, 1) == counts).all()


def test_counts_stay_as_they_were_given():
    counts = np.array([[1, 2], [2, 1]])
    for base in itertools.islice(itertools.count(2), 4):
        rounded(counts, base, 0)
    assert counts.tolist() == [[1, 2], [2, 1]]
