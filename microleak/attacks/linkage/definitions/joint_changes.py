"""Signs that people change several things at once, which the model does not expect.

Someone who does looks like one person who left and another who came. So the estimated
overlap is too low, and blocks have as many records in both releases more often than by
chance: by the model the auxiliary records of a block of n focal ones have the mean and
variance n pi + lambda and n pi (1 - pi) + lambda. If a share p is in both releases, and
the fewer newcomers come, squared differences from the mean are n (p**2 - pi**2) less.
And two attributes change together in more links than if changes were independent.
"""

from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations

from microleak.attacks.linkage.definitions.quality import BY_CHANCE
from microleak.base.arrays import Floats, Integers


def overlap_by_sizes(unlike: Floats, overlap: float) -> float | None:
    """Return p by the sizes of blocks; None unless it is above pi beyond chance.

    `unlike` has the sum of what squared differences are above those expected, its
    variance, and the focal records; `overlap` is pi, in [0, 1].

    >>> import numpy as np
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

    >>> import numpy as np
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
