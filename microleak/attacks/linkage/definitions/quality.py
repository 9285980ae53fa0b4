"""How many links are right, and whether chances say so themselves."""

from dataclasses import dataclass
from fractions import Fraction

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
    """Links called by the method, and those that are.

    Attributes
    ----------
    n_links
        Pairs of a chance above one half, of which each record has one at most.
    n_true
        Persons in both releases, whether their records agree or not.
    n_right
        Links that are of one person.
    """

    n_links: int
    n_true: int
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


def bin_of(chance: Fraction) -> int:
    """Return the bin of a chance, of ten of equal width; that of 1 is the last.

    >>> [bin_of(Fraction(n, 20)) for n in (0, 2, 19, 20)]
    [0, 1, 9, 9]
    """
    return min(int(chance * N_BINS), N_BINS - 1)
