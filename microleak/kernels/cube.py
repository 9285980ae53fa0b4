"""All 2**n binary databases against all 2**n subset queries at once.

The most that any query is exceeded by, max over Q of (c & Q) - high(Q), is found for
every database c one entry at a time, as a fast Fourier transform is: n * 2**n steps
where comparing each database with each query takes 4**n.
"""

from typing import TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

from microleak.kernels.subset_sums import Counts

Table: TypeAlias = NDArray[np.int8]
"""A small number of each database or query, by the integer its entries are bits of."""

LARGEST_N = 30
"""Entries up to which codes and tables hold all databases."""

_FAR = -100
"""Below any distance, and so that distances added to it stay below 0."""


def consistent_databases(low: Table, high: Table) -> NDArray[np.uint32]:
    """Return, ascending, the databases with low <= count <= high in every query.

    Parameters
    ----------
    low, high
        Least and largest exact answer to each of 2**n queries, in [0, n + 1] and
        [-1, n]; 0 and n of a query that was not asked.
    """
    n = (len(low) - 1).bit_length()
    above = _most(np.negative(high), n, 1)
    kept = above <= 0
    below = _most(low.copy(), n, -1)
    kept &= below <= 0
    return np.flatnonzero(kept).astype(np.uint32)


def diameter(codes: NDArray[np.uint32], n: int) -> int:
    """Return the most entries in which two of these databases differ, at least one."""
    far = np.full(1 << n, _FAR, dtype=np.int8)
    far[codes] = 0
    return int(_farthest(far, n)[codes].max())


def bounds(codes: Counts, low: Counts, high: Counts, n: int) -> tuple[Table, Table]:
    """Return the tables of least and largest answers of queries, some asked twice."""
    least = np.zeros(1 << n, dtype=np.int8)
    most = np.full(1 << n, n, dtype=np.int8)
    np.maximum.at(least, codes, np.clip(low, 0, n + 1).astype(np.int8))
    np.minimum.at(most, codes, np.clip(high, -1, n).astype(np.int8))
    return least, most


@njit(cache=True, nogil=True)
def _most(table, n, within):
    """Return max over Q of table(Q) + `within` * |c & Q|, for each c; in place."""
    for bit in range(n):
        step = 1 << bit
        for start in range(0, len(table), 2 * step):
            for i in range(start, start + step):
                out, into = table[i], table[i + step]
                table[i] = max(out, into)
                table[i + step] = max(out, np.int8(into + within))
    return table


@njit(cache=True, nogil=True)
def _farthest(table, n):
    """Return max over y of table(y) + |x ^ y|, for each x; in place."""
    for bit in range(n):
        step = 1 << bit
        for start in range(0, len(table), 2 * step):
            for i in range(start, start + step):
                zero, one = table[i], table[i + step]
                table[i] = max(zero, np.int8(one + 1))
                table[i + step] = max(np.int8(zero + 1), one)
    return table
