"""How many links are right, whether chances say so themselves, and signs of doubt.

Someone who changes several things at once, which the model does not expect, looks like
one person who left and another who came. So the estimated overlap is too low, and
blocks have as many records in both releases more often than by chance: by the model the
auxiliary records of a block of n focal ones have the mean and variance n pi + lambda
and n pi (1 - pi) + lambda. If a share p is in both releases, and the fewer newcomers
come, squared differences from the mean are n (p**2 - pi**2) less. And two attributes
change together in more links than if changes were independent.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.linkage.kernels.pairs import ChanceBounds
from microleak.base.arrays import Floats, Integers

LIKELY, CERTAIN, N_BINS = Fraction(1, 2), Fraction(99, 100), 10
"""The chance above which a pair is called a link, from which one is certain; bins."""

N_PARTS, N_PARTS_BELIEVED = 10**9, 10**4
"""Chances are compared as whole numbers of billionths, and believed ones of ten
thousandths, which is more than the error that they are computed with."""

BOUNDS = ChanceBounds(
    (N_PARTS, N_PARTS_BELIEVED),
    LIKELY.as_integer_ratio(),
    CERTAIN.as_integer_ratio(),
    N_BINS,
)

BY_CHANCE = 3
"""Standard errors up to which what is not as expected is taken for chance."""

MOST_EXCESS = 0.1
"""Pairs that agree beyond what is expected, as a share of the expected links, above
which these are in doubt."""


def are_links(chances: Floats, kind: Integers) -> NDArray[np.bool_]:
    """Return which pairs are links, as `BOUNDS` decides; a believed chance has kind 1.

    >>> are_links(np.array([0.5 + 1e-16, 0.5001, 0.5001]), np.array([0, 0, 1]))
    array([False,  True,  True])
    """
    parts = np.array(BOUNDS.parts)[kind]
    n, of = BOUNDS.above
    found: NDArray[np.bool_] = np.rint(chances * parts) * of > n * parts
    return found


@dataclass(frozen=True)
class Quality:
    """Links called by the method, and those that are."""

    # Pairs of a chance above one half, of which each record has one at most.
    n_links: int
    # Persons in both releases, whether their records agree or not.
    n_true: int
    # Links that are of one person.
    n_right: int

    @property
    def precision(self) -> float | None:
        """Share of the links that are right; None without any."""
        return self.n_right / self.n_links if self.n_links else None

    @property
    def recall(self) -> float | None:
        """Share of the persons in both releases who are linked; None without any."""
        return self.n_right / self.n_true if self.n_true else None

    @property
    def f1(self) -> float | None:
        """Harmonic mean of both; None if there is neither a link nor a person.

        >>> Quality(n_links=4, n_true=6, n_right=3).f1
        0.6
        """
        whole = self.n_links + self.n_true
        return 2 * self.n_right / whole if whole else None


def overlap_by_sizes(unlike: Floats, overlap: float) -> float | None:
    """Return p by the sizes of blocks; None unless it is above pi beyond chance.

    `unlike` has the sum of what squared differences are above those expected, its
    variance, and the focal records; `overlap` is pi, in [0, 1].

    >>> overlap_by_sizes(np.array([-25.0, 16.0, 100.0]), 0.5)
    0.7071067811865476
    >>> overlap_by_sizes(np.array([-11.0, 16.0, 100.0]), 0.5)
    """
    off, variance, n = unlike.tolist()
    if off >= -BY_CHANCE * variance**0.5:
        return None
    return float(min(overlap**2 - off / n, 1.0) ** 0.5)


def together(
    n_links: int, changed: Integers, parents: Mapping[int, tuple[int, ...]]
) -> tuple[tuple[int, ...], Fraction]:
    """Return which two attributes change together most, and by which share of links.

    Links in which both changed, less those that would if changes were independent. Not
    so of attributes that depend on each other or on a third, and none where it may be
    chance, by the square of phi: all of it in whole numbers.

    `changed` has the links in which two attributes changed, or one beside itself, and
    `parents` those that an attribute depends on, both by place.

    >>> together(100, np.array([[20, 20], [20, 20]]), {})
    ((0, 1), Fraction(4, 25))
    >>> together(100, np.array([[20, 4], [4, 20]]), {})
    ((), Fraction(0, 1))
    """
    n, each = n_links, changed.tolist()
    kin: dict[int, set[int]] = {}
    for place in range(len(each)):
        kin[place] = {place}.union(*(kin[of] for of in parents.get(place, ())))
    most: tuple[tuple[int, ...], Fraction] = (), Fraction(0)
    for i, j in combinations(range(len(each)), 2):
        one, other = each[i][i], each[j][j]
        more = n * each[i][j] - one * other
        by_chance = BY_CHANCE**2 * one * other * (n - one) * (n - other)
        is_more = more > 0 and n * more**2 > by_chance and not kin[i] & kin[j]
        if is_more and Fraction(more, n * n) > most[1]:
            most = (i, j), Fraction(more, n * n)
    return most
