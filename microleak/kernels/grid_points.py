"""Counting points of a grid by whether they are bad and whether they are feasible."""

from typing import TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

Steps: TypeAlias = NDArray[np.uint8]
"""Points of the grid {0, 1/k, ..., 1}**n in steps of 1/k, shape (n_points, n)."""


@njit(cache=True, nogil=True)
def count_points(points, entries, most_good, members, low, high):
    """Return how many points there are of each kind, shape (2, 2).

    The first index says whether a point is bad, the second whether it is feasible.

    Parameters
    ----------
    points
        `Steps`, of at most 255 a unit.
    entries
        For each entry of the database whether each step is far from it, shape
        (n, k + 1).
    most_good
        A point with more far entries than this is bad.
    members, low, high
        Words of one word of queries, and the least and largest sum, in steps, that
        their answers allow.
    """
    counts = np.zeros((2, 2), dtype=np.int64)
    for p in range(len(points)):
        n_far = 0
        for i in range(points.shape[1]):
            n_far += entries[i, points[p, i]]
        is_bad = 1 if n_far > most_good else 0
        counts[is_bad, _is_feasible(points[p], members, low, high)] += 1
    return counts


@njit(cache=True, nogil=True)
def _is_feasible(point, members, low, high):
    for q in range(len(members)):
        total = 0
        for i in range(len(point)):
            total += point[i] * ((members[q] >> np.uint64(i)) & np.uint64(1))
        if total < low[q] or total > high[q]:
            return 0
    return 1
