"""Records that have a code of one attribute and a code of another together."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from microleak.base.arrays import Codes


def count_together(first: Codes, second: Codes, counts: NDArray[np.int64]) -> None:
    """Add records to their cell of a table, a row a code of the first attribute.

    >>> counts = np.zeros((2, 2), dtype=np.int64)
    >>> codes = np.array([0, 1, 1], np.uint32), np.array([1, 0, 0], np.uint32)
    >>> count_together(*codes, counts)
    >>> counts.tolist()
    [[0, 1], [2, 0]]
    """
    _count_together(first, second, counts)


@njit(cache=True, nogil=True)
def _count_together(first, second, counts):
    for i in range(len(first)):
        counts[first[i], second[i]] += 1
