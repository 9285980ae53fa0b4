"""Shapley values of QIDs: the laws that define them, and the plain definition."""

from fractions import Fraction
from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.collective.definitions.importance import shapley_values


@st.composite
def games(draw):
    """Successes of every subset of a few QIDs."""
    n_qids = draw(st.integers(1, 5))
    size = 1 << n_qids
    values = draw(st.lists(st.integers(0, 10**9), min_size=size, max_size=size))
    return dict(enumerate(values)), n_qids


@given(games())
def test_values_are_the_mean_gain_over_all_orders(game):
    successes, n_qids = game
    orders = list(permutations(range(n_qids)))
    gains = [Fraction(0)] * n_qids
    for order in orders:
        known = 0
        for qid in order:
            gains[qid] += successes[known | 1 << qid] - successes[known]
            known |= 1 << qid
    assert shapley_values(successes, n_qids) == [g / len(orders) for g in gains]


@given(games())
def test_values_add_up_to_what_all_qids_bring(game):
    successes, n_qids = game
    total = successes[(1 << n_qids) - 1] - successes[0]
    assert sum(shapley_values(successes, n_qids)) == total


def test_a_qid_that_never_adds_anything_has_no_value():
    successes = {0b00: 1, 0b01: 5, 0b10: 1, 0b11: 5}
    assert shapley_values(successes, 2) == [4, 0]


def test_counts_of_a_large_country_are_summed_exactly():
    n_qids, most = 12, 112_637_066
    successes = {s: most - (1 << n_qids) + s for s in range(1 << n_qids)}
    assert shapley_values(successes, n_qids) == [1 << qid for qid in range(n_qids)]
