"""Random reported counts, of exactly the mechanism's chances.

Samplers that transform a float leave gaps and favour some numbers, which gives the
real count away (Mironov 2012). Here whole numbers are compared with whole numbers, as
Canonne, Kamath and Steinke (2020) do: no chance is rounded, however small. Draws come
from the generator given, so that they can be repeated; they are for studying a
mechanism, not for protecting a release, which needs a secret source of randomness.
"""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.profile import Counts

WORD_BITS = 62
"""Random bits compared at a time."""


def reported_counts(
    real: int | Counts,
    n: int,
    alpha: Fraction,
    size: int,
    rng: np.random.Generator,
) -> Counts:
    """Return random reports of a count by the truncated geometric mechanism.

    Parameters
    ----------
    real
        The real count, or that of each report, shape (size,); in [0, n].
    n
        Largest count that is reported.
    alpha
        exp(-epsilon), in [0, 1[.
    size
        Number of independent reports.

    Notes
    -----
    Two-sided geometric noise, cut to [0, n], is the mechanism of Eq. 6.14: what lies
    beyond an end is reported as the end. Time O(size / (1 - alpha)).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> reported_counts(3, 5, Fraction(0), 2, rng)
    array([3, 3])
    """
    noise = _geometric(alpha, size, rng) - _geometric(alpha, size, rng)
    reported: Counts = np.clip(real + noise, 0, n)
    return reported


def bernoulli(
    chance: Fraction, size: int, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Return independent draws that are true with exactly the chance, in [0, 1].

    A uniform number's binary digits are compared with the chance's, one word at a
    time, until they differ.
    """
    head, rest = divmod(chance.numerator << WORD_BITS, chance.denominator)
    words = rng.integers(0, 1 << WORD_BITS, size)
    is_true = words < head
    tied = np.flatnonzero(words == head)
    if rest and len(tied):
        rest_of_chance = Fraction(rest, chance.denominator)
        is_true[tied] = bernoulli(rest_of_chance, len(tied), rng)
    return is_true


def _geometric(alpha: Fraction, size: int, rng: np.random.Generator) -> Counts:
    """Return draws that are k with chance (1 - alpha) alpha ** k."""
    found = np.zeros(size, dtype=np.int64)
    going = np.arange(size)
    while len(going):
        going = going[bernoulli(alpha, len(going), rng)]
        found[going] += 1
    return found
