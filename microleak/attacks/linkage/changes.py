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

import numpy as np

from microleak.attacks.linkage.blocks import Bucket
from microleak.attacks.linkage.definitions.quality import (
    BY_CHANCE,
    LIKELY,
    are_links,
)
from microleak.attacks.linkage.transitions import Arrivals
from microleak.kernels.matching import Floats, Integers
from microleak.records.alike import Word


def sizes_unlike(bucket: Bucket, arrivals: Arrivals) -> Floats:
    """Return what squared differences of sizes are above those expected, and variance.

    The third number has the focal records.
    """
    n, m = (each.astype(np.float64) for each in bucket.blocks.sizes)
    new = arrivals.a_block + arrivals.a_record * n
    stays = arrivals.overlap * (1 - arrivals.overlap)
    variance = n * stays + new
    off = (m - n * arrivals.overlap - new) ** 2 - variance
    of_off = n * stays * (1 - 6 * stays) + new + 2 * variance**2
    return np.array([off.sum(), of_off.sum(), n.sum()])


def overlap_by_sizes(unlike: Floats, overlap: float) -> float | None:
    """Return p by the sizes of blocks; None unless it is above pi beyond chance."""
    off, variance, n = unlike.tolist()
    if off >= -BY_CHANCE * variance**0.5:
        return None
    return float(min(overlap**2 - off / n, 1.0) ** 0.5)


def changed_in_links(
    bucket: Bucket, chances: Floats, scope: Integers, drifting: Word
) -> Integers:
    """Return in how many links each two attributes changed, or one beside itself."""
    pair = np.flatnonzero(chances > float(LIKELY))
    block, row, other = bucket.rows_of(pair)
    is_link = are_links(chances[pair], scope[block])
    rows = bucket.drifting
    before = drifting.codes(rows.focal[row[is_link]])
    after = drifting.codes(rows.auxiliary[other[is_link]])
    changed = (before != after).astype(np.int64)
    both: Integers = changed @ changed.T
    return both


def together(
    n_links: int, changed: Integers, parents: Mapping[int, tuple[int, ...]]
) -> tuple[tuple[int, ...], Fraction]:
    """Return which two attributes change together most, and by which share of links.

    Links in which both changed, less those that would if changes were independent. Not
    so of attributes that depend on each other or on a third, and none where it may be
    chance, by the square of phi: all of it in whole numbers.
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
