"""Sums over random subsets of entries, whose members are bits of words.

Entry i is in a subset if bit i % 64 of its word i // 64 is set. Sums of reals look
up eight entries at a time; what is added to what, in which order, depends on nothing
but the shapes, so the same numbers give the same bits.
"""

from typing import TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

Words: TypeAlias = NDArray[np.uint64]
"""Subsets, shape (n_subsets, n_words(n)); bits from n up are 0."""

Bits: TypeAlias = NDArray[np.uint8]
"""A binary database, each entry 0 or 1, shape (n,)."""

Counts: TypeAlias = NDArray[np.int64]
Reals: TypeAlias = NDArray[np.float64]


def n_words(n: int) -> int:
    """Return how many words a subset of n entries takes."""
    return -(-n // 64)


def packed(entries: Bits) -> Words:
    """Return the words of rows of entries, shape (..., n).

    >>> packed(np.array([1, 0, 1, 1], dtype=np.uint8))
    array([13], dtype=uint64)
    """
    n = entries.shape[-1]
    room = np.zeros((*entries.shape[:-1], 64 * n_words(n)), dtype=np.uint8)
    room[..., :n] = entries
    return np.packbits(room, axis=-1, bitorder="little").view("<u8").astype(np.uint64)


def unpacked(words: Words, n: int) -> Bits:
    """Return the entries of rows of words, shape (..., n).

    >>> unpacked(np.array([13], dtype=np.uint64), 4)
    array([1, 0, 1, 1], dtype=uint8)
    """
    octets = np.ascontiguousarray(words.astype("<u8")).view(np.uint8)
    return np.unpackbits(octets, axis=-1, count=n, bitorder="little")


def subset_counts(words: Words, entries: Bits) -> Counts:
    """Return the exact answers: how many entries of each subset are 1 (Eq. 2.4)."""
    members = np.bitwise_count(words & packed(entries))
    return np.asarray(members.sum(axis=1, dtype=np.int64))


@njit(cache=True, nogil=True)
def subset_sums(words, values):
    """Return the sum of the values (n,) of each subset's entries.

    Time n / 8 additions a subset.
    """
    tables = _tables(values, 8 * words.shape[1])
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
def _tables(values, n_octets):
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
