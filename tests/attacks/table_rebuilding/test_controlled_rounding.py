"""Controlled rounding as Cox (1987) has it, a guess, and counted whole numbers."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from microleak.attacks.table_rebuilding.definitions import modal_guess
from microleak.attacks.table_rebuilding.kernels.controlled_rounding import (
    controlled_rounding,
)
from microleak.attacks.table_rebuilding.kernels.whole_solutions import n_solutions

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
    """Multiples stay, and what was given is left as it was."""
    before = counts.copy()
    given, found = with_totals(counts), with_totals(rounded(counts, base, seed))
    assert (found % base == 0).all()
    assert (np.abs(found - given) < base).all()
    assert (counts == before).all()
    assert (rounded(counts * base, base, seed) == counts * base).all()


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


def test_no_order_of_values_decides_how_many_a_guess_finds(truth):
    """The first axis is known; records alone with it are found if they are guessed."""
    truth, found = np.array(truth), set()
    for order in itertools.permutations(range(truth.shape[1])):
        mixed = truth[:, list(order)]
        both = np.minimum(modal_guess(mixed, known=[0]), mixed)
        is_alone = mixed.sum(axis=1) == 1
        found.add((int(both.sum()), int(both[is_alone].sum())))
    assert len(found) == 1


sums = st.lists(
    st.tuples(
        st.sets(st.integers(0, 3), min_size=1),
        st.integers(-2, 8),
        st.integers(0, 6) | st.just(1 << 60),
    ),
    min_size=1,
    max_size=5,
)


@given(
    sums,
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=4, max_size=4),
)
def test_all_ways_are_counted(given_, bounds):
    low = np.array([least for least, _ in bounds])
    high = low + [width for _, width in bounds]
    starts = np.cumsum([0, *(len(chosen) for chosen, _, _ in given_)])
    numbers = np.array([n for chosen, _, _ in given_ for n in sorted(chosen)])
    least_of = np.array([least for _, least, _ in given_])
    most_of = np.array([max(least + width, 0) for _, least, width in given_])
    before = low.copy(), high.copy()
    found = n_solutions((starts, numbers, least_of, most_of), low, high, 1000, 5000)
    both = zip(low, high, strict=True)
    every = itertools.product(*(range(a, b + 1) for a, b in both))
    limits = [*zip((chosen for chosen, _, _ in given_), least_of, most_of, strict=True)]
    n = sum(
        all(
            least <= sum(each[i] for i in chosen) <= most
            for chosen, least, most in limits
        )
        for each in every
    )
    assert found == (n, True)
    assert (low == before[0]).all()
    assert (high == before[1]).all()


def test_the_search_ends_where_it_is_told():
    starts, numbers = np.array([0, 4]), np.arange(4)
    any_sum = np.array([0]), np.array([100])
    sums_ = starts, numbers, *any_sum
    low, high = np.zeros(4, dtype=np.int64), np.full(4, 9)
    n, is_all = n_solutions(sums_, low, high, 50, 10_000)
    assert (n, is_all) == (51, False)
    assert n_solutions(sums_, low, high, 10**6, 30)[1] is False
    assert n_solutions(sums_, low, high, 10**6, 10**6) == (10**4, True)
