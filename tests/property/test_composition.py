"""Several noisy counts, against all counts that the mechanism may report together."""

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.composition.definitions import (
    largest_posterior,
    posterior_of_counts,
)
from microleak.attacks.mechanism.definitions.attack_context import AttackContext
from microleak.attacks.mechanism.definitions.oblivious_mechanism import oblivious
from tests import naive_mechanisms
from tests.examples import examples

ALPHAS = st.fractions(min_value=0, max_value=1, max_denominator=9)


@st.composite
def people(draw, max_counts=3, max_records=6):
    """Of each record its sensitive value, and by which counts it is counted."""
    n_counts = draw(st.integers(1, max_counts))
    record = st.tuples(st.integers(0, 2), st.integers(0, (1 << n_counts) - 1))
    return n_counts, draw(st.lists(record, min_size=1, max_size=max_records))


def cells(n_counts, records):
    found = np.zeros((3, 1 << n_counts), dtype=np.int64)
    for value, counted in records:
        found[value, counted] += 1
    return found


def by_definition(n_counts, records, alpha):
    """Sum over all reported counts of the most likely value's chance (Eq. 6.4)."""
    n = len(records)
    noise = naive_mechanisms.geometric(alpha, n + 1)
    real = [sum(c >> j & 1 for _, c in records) for j in range(n_counts)]
    chances = Counter()
    for (value, counted), times in Counter(records).items():
        rows = [noise[real[j] + (counted >> j & 1)] for j in range(n_counts)]
        for reported in product(range(n + 2), repeat=n_counts):
            chance = Fraction(times, n)
            for row, count in zip(rows, reported, strict=True):
                chance *= row[count]
            chances[reported, value] += chance
    largest = {}
    for (reported, _), chance in chances.items():
        largest[reported] = max(largest.get(reported, 0), chance)
    return sum(largest.values())


@given(people(), ALPHAS)
@examples(200)
def test_all_counts_together_tell_what_their_joint_reports_tell(table, alpha):
    n_counts, records = table
    found = posterior_of_counts(cells(n_counts, records), alpha)
    assert found == by_definition(n_counts, records, alpha)


@given(people(max_counts=1, max_records=30), ALPHAS)
def test_one_count_is_that_of_the_oblivious_mechanism(table, alpha):
    counts = cells(*table)
    context = AttackContext(counts, np.array([False, True]))
    assert posterior_of_counts(counts, alpha) == oblivious(context, alpha).posterior


@given(people(max_counts=4, max_records=40), ALPHAS)
def test_no_posterior_is_below_the_prior_nor_above_its_bounds(table, alpha):
    n_counts, records = table
    counts = cells(n_counts, records)
    prior = Fraction(int(counts.sum(axis=1).max()), len(records))
    found = posterior_of_counts(counts, alpha)
    noise_free = posterior_of_counts(counts, Fraction(0))
    assert prior <= found <= noise_free
    assert found <= largest_posterior(prior, alpha**n_counts)
