"""Membership where a premise fails, and where definitions begin and end."""

from fractions import Fraction

import numpy as np
import pytest

from microleak.attacks.membership.definitions.membership import (
    bayes,
    collective_membership,
    membership,
    posterior,
    presence_in_population,
    presence_in_sample,
)
from microleak.definitions.profile import success_bin
from tests.overlaps import blocks


def test_nothing_is_said_of_a_target_that_the_population_does_not_have():
    found = membership(n=0, d=3, n_population=10, n_sample=4)
    assert found.outcome == "no match"
    assert (found.posterior_printed, found.degradation_printed) == (None, None)
    assert (found.posterior, found.degradation) == (None, None)
    assert (found.bayes_posterior, found.bayes_degradation) == (None, None)
    assert (found.prior, found.bayes_prior) == (Fraction(2, 5), Fraction(3, 5))


@pytest.mark.parametrize(
    ("d", "present", "right"),
    [(0, 0, 1), (1, "1/4", "3/4"), (2, "1/2", "1/2"), (3, "3/4", "3/4"), (4, 1, 1)],
)
def test_bayes_guesses_absence_until_half_of_the_block_is_sampled(d, present, right):
    assert (posterior(4, d), bayes(4, d)) == (Fraction(present), Fraction(right))


def test_more_records_in_the_sample_than_in_the_population_are_certain_and_counted():
    assert (posterior(2, 5), bayes(2, 5)) == (1, 1)
    found = collective_membership(blocks((2, 5, 1), (8, 0, 1)))
    assert found.n_blocks_in_excess == 1
    assert found.posterior_person == Fraction(2, 5)
    assert found.degradation_partition == Fraction(1, 5) / Fraction(1, 2)
    assert found.degradation_printed == Fraction(2, 5) / 5 / Fraction(1, 2)


def test_tables_of_as_many_records_as_can_be_are_summed_exactly():
    most = 2**31 - 1
    found = collective_membership(blocks((most, most - 1, 1)))
    assert found.prior == found.posterior_person == Fraction(most - 1, most)
    assert found.degradation_person == 1


def test_chances_of_blocks_of_several_sizes_are_added_and_binned():
    both = blocks((2, 1, 3), (4, 2, 1), (3, 3, 1), (5, 0, 2), (0, 7, 1), (1, 2, 1))
    sampled = presence_in_sample(both)
    bins = success_bin(sampled.numerator, sampled.denominator)
    assert bins.tolist() == [0, 50, 100]
    # Of the two whom the population has once, one stands with those not found.
    assert sampled.n_records.tolist() == [8, 5, 4]
    everybody = presence_in_population(both)
    assert everybody.n_records.tolist() == [10, 10, 4]
    assert np.array_equal(everybody.denominator, [1, 2, 1])
