"""Random reports against exact chances, with one fixed generator.

All tests of fit together fail by chance less than once in a million generators.
"""

from fractions import Fraction
from math import log, sqrt

import numpy as np
import pytest

from microleak.attacks.mechanism.definitions import simulation as noise_sampling
from microleak.attacks.mechanism.definitions.channels import truncated_geometric
from microleak.attacks.mechanism.definitions.simulation import (
    bernoulli,
    reported_counts,
)

SIZE = 40_000
FITS = [
    (Fraction(1, 2), 5, 0),
    (Fraction(1, 2), 5, 3),
    (Fraction(9, 10), 40, 20),
    (Fraction(99, 100), 10, 9),
    (Fraction(1, 10**5), 3, 1),
    (Fraction(1, 3), 1, 1),
]
FAILURE = 1e-6 / len(FITS)
"""Chance that a right sampler fails one test; the tests share 1e-6 (Bonferroni)."""


class Words:
    """A generator that gives the words of one draw, one after another."""

    def __init__(self, words):
        self.words = list(words)

    def integers(self, low, high, size):
        assert (low, size) == (0, 1)
        return np.array([self.words.pop(0)])


@pytest.mark.parametrize(("alpha", "n", "real"), FITS)
def test_reported_counts_have_the_mechanism_s_distribution(alpha, n, real):
    """Largest distance of the distribution functions (Dvoretzky-Kiefer-Wolfowitz)."""
    drawn = reported_counts(real, n, alpha, SIZE, np.random.default_rng(2021))
    found = np.bincount(drawn, minlength=n + 1).cumsum() / SIZE
    expected = truncated_geometric(alpha, n).floats()[real].cumsum()
    assert len(found) == n + 1
    assert abs(found - expected).max() <= sqrt(log(2 / FAILURE) / (2 * SIZE))


@pytest.mark.parametrize("chance", [Fraction(k, 7) for k in range(8)])
def test_a_draw_is_true_for_as_many_words_as_the_chance_says(chance, monkeypatch):
    """Two words of 3 bits decide all but at most one of 64 draws."""
    monkeypatch.setattr(noise_sampling, "WORD_BITS", 3)
    n_true = sum(
        int(bernoulli(chance, 1, Words([*divmod(both, 8), 7]))[0]) for both in range(64)
    )
    assert n_true == 64 * chance.numerator // chance.denominator


def test_chances_below_every_float_s_grain_are_told_apart():
    """2**-62 + 2**-125 and 2**-62 are one float, but not one chance."""
    fine = Fraction(1, 2**62) + Fraction(1, 2**125)
    assert float(fine) == float(Fraction(1, 2**62))
    undecided = [1, 0, 1 << 60]
    assert bernoulli(fine, 1, Words(undecided))[0]
    assert not bernoulli(Fraction(1, 2**62), 1, Words(undecided))[0]


def test_every_count_near_the_real_one_is_reported_even_where_floats_have_gaps():
    """From 2**53 on floats are 2 apart: noise added to them skips odd counts."""
    real = 2**60 + 1
    drawn = reported_counts(
        real, 2**61, Fraction(9, 10), 4000, np.random.default_rng(1)
    )
    assert set(range(-10, 11)) <= set((drawn - real).tolist())
