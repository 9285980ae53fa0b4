"""Guesses played out on random draws against their exact chances.

A share is within `half_width` of its chance but for once in 10^9.
"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.mechanism.definitions import simulation
from microleak.attacks.mechanism.definitions.attack_context import AttackContext
from microleak.attacks.mechanism.definitions.simulation import (
    half_width,
    reported_counts,
    right_guesses,
)
from tests import naive_mechanisms as naive
from tests.examples import examples

THIRD = Fraction(1, 3)
MEDIUM = np.array([False, True, False])
SCENARIOS = {
    "A": ([[2, 0, 0], [0, 4, 0], [0, 0, 2]], Fraction(9, 16)),
    "C": ([[0, 4, 0], [2, 0, 2]], Fraction(3, 4)),
}
"""Nunes' Example 33: incomes or countries by income, and the posterior at ln 3."""


def played(context, alpha, n_draws, seed=2021):
    return right_guesses(context, alpha, n_draws, np.random.default_rng(seed))


@pytest.mark.parametrize("letter", SCENARIOS)
def test_guesses_are_right_as_often_as_example_33_has_it(letter):
    counts, posterior = SCENARIOS[letter]
    found = played(AttackContext(np.array(counts), MEDIUM), THIRD, 1_000_000)
    assert abs(found.posterior - posterior) <= half_width(1_000_000)
    assert abs(found.utility - Fraction(3, 4)) <= half_width(1_000_000)


def test_a_sampler_whose_alpha_is_wrong_by_5_percent_is_found_out(monkeypatch):
    def wrong(real, n, alpha, size, rng):
        return reported_counts(real, n, alpha * Fraction(21, 20), size, rng)

    monkeypatch.setattr(simulation, "reported_counts", wrong)
    counts, posterior = SCENARIOS["C"]
    found = played(AttackContext(np.array(counts), MEDIUM), THIRD, 1_000_000)
    assert abs(found.posterior - posterior) > half_width(1_000_000)
    assert abs(found.utility - Fraction(3, 4)) > half_width(1_000_000)


values = st.sampled_from(["a", "b", None])
databases = st.lists(st.tuples(values, values), min_size=1, max_size=4)


@examples(15)
@given(databases, st.sampled_from([Fraction(1, 10), THIRD, Fraction(9, 10)]))
def test_guesses_are_right_as_often_as_the_mechanism_spelled_out(records, alpha):
    """A missing value is guessed, and counted, as any other."""
    attack = naive.context(records, ["a", "b", None], is_missing)
    both = naive.joint(records, is_missing, naive.oblivious(is_missing, alpha))
    found = played(attack, alpha, 20_000)
    assert abs(found.posterior - naive.post_vul(both)) <= half_width(20_000)
    assert abs(found.utility - naive.utility(both)) <= half_width(20_000)


def is_missing(value):
    return value is None


def test_without_noise_only_who_is_counted_with_others_is_mistaken_for_them():
    """One poor person is counted as three rich ones are."""
    counts = np.array([[3, 0], [1, 4]])
    found = played(AttackContext(counts, np.array([True, False])), Fraction(0), 50_000)
    assert found.utility == 1
    assert abs(found.posterior - Fraction(7, 8)) <= half_width(50_000)
