"""What is added to counts, by keys or at random, and what is guessed without tables.

The cell-key method: each record has a random key, and a cell the sum of the keys of its
records (Fraser and Wooton 2005). The same records in two tables so are perturbed alike,
and more tables of them tell no more. Keys are whole numbers below 2 to the 64th, as
their sums are.
"""

from bisect import bisect_left
from collections.abc import Collection
from math import log, sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from microleak.base.arrays import Integers

CellKeys: TypeAlias = NDArray[np.uint64]


def added(keys: CellKeys, counts: Integers, most: int) -> Integers:
    """Return what is added to counts: each number up to m either way alike.

    m is the count, and at most `most`: zeros stay, and no count falls below 0.

    Parameters
    ----------
    keys, counts
        Key and count of each cell.

    Examples
    --------
    >>> keys = np.array([0, 1 << 62, (1 << 64) - 1], dtype=np.uint64)
    >>> added(keys, np.array([2, 9, 9]), 3).tolist()
    [-2, -2, 3]
    """
    widest = np.minimum(counts, most)
    drawn = (keys >> np.uint64(32)) * (2 * widest + 1).astype(np.uint64)
    return (drawn >> np.uint64(32)).astype(np.int64) - widest


def range_of(published: Integers, most: int) -> tuple[Integers, Integers]:
    """Return what published counts can stand for if no key is known.

    At most `most` off, and off by no more than themselves.

    >>> range_of(np.array([0, 1, 9]), 3)
    (array([0, 1, 6]), array([ 3,  4, 12]))
    """
    return np.maximum(published - most, (published + 1) // 2), published + most


def range_of_known(
    published: Integers, keys: CellKeys, most: int
) -> tuple[Integers, Integers]:
    """Return what published counts can stand for if the keys of cells are known.

    All counts that a key brings to what is published lie between both.

    >>> range_of_known(np.array([3, 6]), np.array([1 << 62] * 2, dtype=np.uint64), 3)
    (array([5, 8]), array([5, 8]))
    """
    low, high = published + most, published - most
    for counts in (published + off for off in range(-most, most + 1)):
        whole = np.maximum(counts, 0)
        is_it = (counts >= 0) & (whole + added(keys, whole, most) == published)
        low = np.where(is_it, np.minimum(low, counts), low)
        high = np.where(is_it, counts, high)
    return low, high


def most_of_sum(alpha: float, times: int, chance: float) -> int:
    """Return the least m that a sum of noise goes beyond with at most some chance.

    Noise of k has the chance (1 - alpha) / (1 + alpha) times alpha to the |k| (Ghosh,
    Roughgarden and Sundararajan 2012); it is the difference of two geometric numbers,
    and a sum of it that of two negative binomial ones. Of one, the chance to be beyond
    m is 2 alpha to the (m + 1), divided by 1 + alpha.

    Parameters
    ----------
    alpha
        exp(-epsilon), in ]0, 1[.
    times
        Of how much noise the sum is.
    chance
        In ]0, 1[.

    Examples
    --------
    Beyond 2 is noise with alpha = 1/2 with a chance of 1/6:

    >>> most_of_sum(0.5, 1, 0.17), most_of_sum(0.5, 1, 0.16)
    (2, 3)
    """
    spread = 1 / (1 - alpha)
    n = int((times + 60 * (1 + sqrt(times))) * spread) + 1
    numbers = np.arange(1, n)
    ratios = np.log(alpha * (times + numbers - 1) / numbers)
    chances = np.exp(times * log(1 - alpha) + np.append(0, np.cumsum(ratios)))
    beyond = np.append(np.cumsum(chances[:0:-1])[::-1], 0)

    def is_rare(most: int) -> bool:
        return bool(2 * (chances[: n - most] @ beyond[most:]) <= chance)

    return bisect_left(range(n), True, key=is_rare)


def modal_guess(truth: Integers, known: Collection[int]) -> Integers:
    """Return the database in which all records have what is most frequent.

    So does the modal guesser of the US Census, which knows sex and age of everybody in
    a block, and gives all of them its most frequent race and ethnicity (`prep_simul.py`
    of the replication package of Abowd et al. 2023).

    Parameters
    ----------
    truth
        Count of each combination of values in a region, an axis an attribute.
    known
        Axes of the attributes that are known of everybody: they are right. Of the
        others all records have the most frequent combination; of several the one that
        most of those have who are alone with what is known.

    Examples
    --------
    Sex is known. Of four persons three are white:

    >>> modal_guess(np.array([[1, 0], [2, 1]]), known=[0])
    array([[1, 0],
           [3, 0]])
    """
    others = tuple(axis for axis in range(truth.ndim) if axis not in known)
    is_alone = truth.sum(axis=others, keepdims=True) == 1
    by_others, of_alone = (n.sum(axis=tuple(known)) for n in (truth, truth * is_alone))
    best = (by_others * (1 + truth.sum()) + of_alone).argmax()
    most = np.unravel_index(best, by_others.shape)
    where = dict(zip(others, most, strict=True))
    found = np.zeros_like(truth)
    found[tuple(where.get(axis, slice(None)) for axis in range(truth.ndim))] = (
        truth.sum(axis=others)
    )
    return found
