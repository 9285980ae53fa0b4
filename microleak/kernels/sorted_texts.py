"""Texts that are sorted by their bytes, as Arrow holds them, looked up by merging."""

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray


@dataclass(frozen=True)
class Texts:
    """Sorted texts, one after another as bytes.

    Attributes
    ----------
    first
        Where each begins among the bytes, and the end, shape (n_texts + 1,).
    data
        The bytes.
    """

    first: NDArray[np.int32]
    data: NDArray[np.uint8]


def places_in(texts: Texts, others: Texts) -> NDArray[np.int64]:
    """Return the place of each text among others that differ, -1 if it is none.

    Time is linear in the bytes of both.

    >>> def texts(*each):
    ...     first = np.cumsum([0, *map(len, each)]).astype(np.int32)
    ...     return Texts(first, np.frombuffer(b"".join(each), np.uint8))
    >>> places_in(texts(b"a", b"b", b"ba"), texts(b"", b"a", b"ba", b"c")).tolist()
    [1, -1, 2]
    """
    found = np.full(len(texts.first) - 1, -1, dtype=np.int64)
    _merge((texts.first, texts.data), (others.first, others.data), found)
    return found


@njit(cache=True, nogil=True)
def _merge(texts, others, found):
    first, data = texts
    other_first, other_data = others
    n, n_others = len(first) - 1, len(other_first) - 1
    place = other = 0
    while place < n and other < n_others:
        a, b = first[place], other_first[other]
        length = first[place + 1] - a
        other_length = other_first[other + 1] - b
        shorter = min(length, other_length)
        at = 0
        while at < shorter and data[a + at] == other_data[b + at]:
            at += 1
        if at < shorter:
            is_less = data[a + at] < other_data[b + at]
            is_same = False
        else:
            is_less = length < other_length
            is_same = length == other_length
        if is_same:
            found[place] = other
        if is_less or is_same:
            place += 1
        else:
            other += 1
