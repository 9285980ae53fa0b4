"""Sums over random subsets of entries, and kernels of the attacks on them.

Members of a subset are bits of words. Entry i is in a
subset if bit i % 64 of its word i // 64 is set. Sums of reals look up eight entries
at a time; what is added to what, in which order, depends on nothing but the shapes,
so the same numbers give the same bits.

All 2**n binary databases against all 2**n subset queries at once. The most that any
query is exceeded by, max over Q of (c & Q) - high(Q), is found for every database c
one entry at a time, as a fast Fourier transform is: n * 2**n steps where comparing
each database with each query takes 4**n.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

from microleak.base.arrays import BitWords, Floats, Integers

Bits: TypeAlias = NDArray[np.uint8]
"""A binary database, each entry 0 or 1, shape (n,)."""


def n_words(n: int) -> int:
    """Return how many words a subset of n entries takes."""
    return -(-n // 64)


def packed_entries(entries: Bits) -> BitWords:
    """Return the words of rows of entries, shape (..., n).

    >>> packed_entries(np.array([1, 0, 1, 1], dtype=np.uint8))
    array([13], dtype=uint64)
    """
    n = entries.shape[-1]
    room = np.zeros((*entries.shape[:-1], 64 * n_words(n)), dtype=np.uint8)
    room[..., :n] = entries
    return np.packbits(room, axis=-1, bitorder="little").view("<u8").astype(np.uint64)


def unpacked_entries(words: BitWords, n: int) -> Bits:
    """Return the entries of rows of words, shape (..., n).

    >>> unpacked_entries(np.array([13], dtype=np.uint64), 4)
    array([1, 0, 1, 1], dtype=uint8)
    """
    octets = np.ascontiguousarray(words.astype("<u8")).view(np.uint8)
    return np.unpackbits(octets, axis=-1, count=n, bitorder="little")


def subset_counts(words: BitWords, entries: Bits) -> Integers:
    """Return the exact answers: how many entries of each subset are 1 (Eq. 2.4)."""
    members = np.bitwise_count(words & packed_entries(entries))
    return np.asarray(members.sum(axis=1, dtype=np.int64))


@njit(cache=True, nogil=True)
def subset_sums(words, values):
    """Return the sum of the values (n,) of each subset's entries.

    Time n / 8 additions a subset.
    """
    tables = _octet_sums(values, 8 * words.shape[1])
    sums = np.zeros(len(words))
    for q in range(len(words)):
        total = 0.0
        for w in range(words.shape[1]):
            word = words[q, w]
            for octet in range(8 * w, 8 * w + 8):
                total += tables[octet, word & np.uint64(255)]
                word >>= np.uint64(8)
        sums[q] = total
    return sums


@njit(cache=True, nogil=True)
def member_sums(words, values, n):
    """Return for each of n entries the sum of the values of the subsets it is in.

    Time n / 8 additions a subset.
    """
    tables = np.zeros((8 * words.shape[1], 256))
    for q in range(len(words)):
        for w in range(words.shape[1]):
            word = words[q, w]
            for octet in range(8 * w, 8 * w + 8):
                tables[octet, word & np.uint64(255)] += values[q]
                word >>= np.uint64(8)
    sums = np.zeros(n)
    for i in range(n):
        for pattern in range(256):
            if pattern >> (i & 7) & 1:
                sums[i] += tables[i >> 3, pattern]
    return sums


@njit(cache=True, nogil=True)
def _octet_sums(values, n_octets):
    """Return the sum of each pattern of eight entries, shape (n_octets, 256)."""
    tables = np.zeros((n_octets, 256))
    for octet in range(n_octets):
        for pattern in range(1, 256):
            bit = 0
            while pattern >> bit & 1 == 0:
                bit += 1
            i = 8 * octet + bit
            value = values[i] if i < len(values) else 0.0
            tables[octet, pattern] = tables[octet, pattern & (pattern - 1)] + value
    return tables


def walsh_hadamard(values: Floats) -> Floats:
    """Return H @ values, with H[i, j] = (-1) ** (number of bits of i & j).

    Sylvester's order; H @ H is the length, which must be a power of two, times the
    identity. Exact of integers while sums of their sizes are below 2**53. Time
    O(n log n).

    >>> import numpy as np
    >>> walsh_hadamard(np.array([1.0, 0.0, 1.0, 0.0]))
    array([2., 2., 0., 0.])
    """
    assert len(values) & (len(values) - 1) == 0
    return np.asarray(_walsh_in_place(values.copy()))


@njit(cache=True, nogil=True)
def _walsh_in_place(values):
    step = 1
    while step < len(values):
        for start in range(0, len(values), 2 * step):
            for i in range(start, start + step):
                first, second = values[i], values[i + step]
                values[i] = first + second
                values[i + step] = first - second
        step *= 2
    return values


SmallNumbers: TypeAlias = NDArray[np.int8]
"""A small number of each database or query, by the integer its entries are bits of."""

LARGEST_N = 30
"""Entries up to which codes and tables hold all databases."""

_FAR = -100
"""Below any distance, and so that distances added to it stay below 0."""


def consistent_databases(low: SmallNumbers, high: SmallNumbers) -> NDArray[np.uint32]:
    """Return, ascending, the databases with low <= count <= high in every query.

    Bounds of a query lie in [0, n + 1] and [-1, n]; they are 0 and n if it was not
    asked.
    """
    n = (len(low) - 1).bit_length()
    above = _most_within(np.negative(high), n, 1)
    kept = above <= 0
    below = _most_within(low.copy(), n, -1)
    kept &= below <= 0
    return np.flatnonzero(kept).astype(np.uint32)


def largest_difference(codes: NDArray[np.uint32], n: int) -> int:
    """Return the most entries in which two of these databases differ, at least one."""
    far = np.full(1 << n, _FAR, dtype=np.int8)
    far[codes] = 0
    return int(_farthest_difference(far, n)[codes].max())


def answer_bounds(
    codes: Integers, low: Integers, high: Integers, n: int
) -> tuple[SmallNumbers, SmallNumbers]:
    """Return the tables of least and largest answers of queries, some asked twice."""
    least = np.zeros(1 << n, dtype=np.int8)
    most = np.full(1 << n, n, dtype=np.int8)
    np.maximum.at(least, codes, np.clip(low, 0, n + 1).astype(np.int8))
    np.minimum.at(most, codes, np.clip(high, -1, n).astype(np.int8))
    return least, most


@njit(cache=True, nogil=True)
def _most_within(table, n, within):
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
def _farthest_difference(table, n):
    """Return max over y of table(y) + |x ^ y|, for each x; in place."""
    for bit in range(n):
        step = 1 << bit
        for start in range(0, len(table), 2 * step):
            for i in range(start, start + step):
                zero, one = table[i], table[i + step]
                table[i] = max(zero, np.int8(one + 1))
                table[i + step] = max(np.int8(zero + 1), one)
    return table


Product: TypeAlias = Callable[[Floats], Floats]
"""Takes a vector to its product with a symmetric positive semidefinite matrix."""


def conjugate_gradients(
    gram: Product, target: Floats, nearly_inverse: Product, tolerance: float, most: int
) -> Floats:
    """Return x with gram(x) = target, as nearly as `tolerance` says.

    `tolerance` is of the error left over the first one, in the norm that
    `nearly_inverse`, the product with a positive definite matrix, gives: the nearer to
    the inverse, the fewer steps of one product each.
    """
    x, residual = np.zeros_like(target), target
    direction = nearly_inverse(residual)
    size = first = _inner_product(residual, direction)
    for _ in range(most):
        product = gram(direction)
        curvature = _inner_product(direction, product)
        if size <= tolerance**2 * first or curvature <= 0:
            break
        step = size / curvature
        x = x + step * direction
        residual = residual - step * product
        better = nearly_inverse(residual)
        size, before = _inner_product(residual, better), size
        direction = better + size / before * direction
    return x


def _inner_product(first: Floats, second: Floats) -> float:
    """Return the inner product; linear algebra's own may depend on threads."""
    return float(np.sum(first * second))


GridPoints: TypeAlias = NDArray[np.uint8]
"""Points of the grid {0, 1/k, ..., 1}**n in steps of 1/k, shape (n_points, n)."""


@njit(cache=True, nogil=True)
def count_points(points, entries, most_good, members, low, high):
    """Return how many points there are of each kind, shape (2, 2): is bad, is feasible.

    `entries` says for each entry of the database whether each step is far from it,
    shape (n, k + 1); a point with more than `most_good` far entries is bad. `members`
    are words of one word of queries, `low` and `high` the sums, in steps, that their
    answers allow.
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
