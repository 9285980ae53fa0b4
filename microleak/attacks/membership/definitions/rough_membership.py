"""Presence in a sample by Bayes, where QIDs are known only roughly.

The target is a person of the population with QIDs x, of whom the adversary knows y with
the chance P(y | x). Of the records with x, n(x) are of the population and d(x) of the
sample. What is known weighs them alike in both tables,

    N(y) = sum over x of P(y | x) n(x)        D(y) = sum over x of P(y | x) d(x)

so that D(y) / N(y) is the chance that the target is in the sample, as d/n is where x is
known (Rodrigues, 3.4.2). Where D > N the sample is not part of the population, and the
chance is 1 for N of D, as in `definitions/membership.py`; F is the smaller of both.

    sample's persons:  1/|S| sum over y of F(y) F(y) / N(y)
    right by Bayes:    1/|D| sum over y of max(F(y), N(y) - F(y))

An adversary who takes y at face value claims presence where all n(y) > 0 records with
exactly these values are in the sample: a claim that may be wrong.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from microleak.base.arrays import Integers

_BITS = 128


@dataclass(frozen=True)
class RoughMembership:
    """Success of the collective membership attack with one set of QIDs."""

    prior: Fraction
    """Chance that a person of the population is in the sample."""
    posterior_person: Fraction
    posterior_person_exact: Fraction
    certain: Fraction
    """Share of the sample's persons whose presence is certain."""
    certain_exact: Fraction
    bayes_prior: Fraction
    """Chance to be right without any QID."""
    bayes_posterior: Fraction
    """Mean chance of the sample's persons, and chance to be right about a person of the
    population."""
    bayes_posterior_exact: Fraction
    """The same where all QIDs are known exactly."""
    claimed: Fraction
    claimed_right: Fraction
    """Chance that presence of a person of the population is claimed at face value, and
    that the person is in the sample, too."""

    @property
    def claims_that_hold(self) -> Fraction | None:
        """Share of the claims at face value that are right; None without a claim."""
        return self.claimed_right / self.claimed if self.claimed else None


def sum_of_squares(found: Integers, n: Integers) -> Fraction:
    """Return the sum of found * found / n over blocks of which n is above 0.

    With more denominators than an exact sum can have: each ratio is rounded down to a
    multiple of 2**-128, which no digit of a float shows.

    >>> sum_of_squares(np.array([1, 2, 0]), np.array([2, 4, 0]))
    Fraction(3, 2)
    """
    is_some = n > 0
    pairs, n_blocks = np.unique(
        np.stack([found[is_some], n[is_some]]), axis=1, return_counts=True
    )
    whole = sum(
        times * ((f * f << _BITS) // of)
        for (f, of), times in zip(pairs.T.tolist(), n_blocks.tolist(), strict=True)
    )
    return Fraction(whole, 1 << _BITS)
