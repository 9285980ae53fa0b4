"""Texts as Arrow holds them, looked up by merging or in a table that is made once."""

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray


@dataclass(frozen=True)
class Texts:
    """Texts, one after another as bytes."""

    first: NDArray[np.int32]
    """Where each begins among the bytes, and the end, shape (n_texts + 1,)."""
    data: NDArray[np.uint8]  # The bytes


def places_in(texts: Texts, others: Texts) -> NDArray[np.int64]:
    """Return the place of each text among others that differ, -1 if it is none.

    Both are sorted. Time is linear in the bytes of both.

    >>> def texts(*each):
    ...     first = np.cumsum([0, *map(len, each)]).astype(np.int32)
    ...     return Texts(first, np.frombuffer(b"".join(each), np.uint8))
    >>> places_in(texts(b"a", b"b", b"ba"), texts(b"", b"a", b"ba", b"c")).tolist()
    [1, -1, 2]
    """
    found = np.full(len(texts.first) - 1, -1, dtype=np.int64)
    _merge_texts((texts.first, texts.data), (others.first, others.data), found)
    return found


class TextTable:
    """A table of texts that differ, in which others are looked up again and again.

    It has two to four places a text, of four bytes each, filled by open addressing with
    hashes of the bytes (FNV-1a, Fowler, Noll and Vo).

    >>> def texts(*each):
    ...     first = np.cumsum([0, *map(len, each)]).astype(np.int32)
    ...     return Texts(first, np.frombuffer(b"".join(each), np.uint8))
    >>> table = TextTable(texts(b"b", b"", b"a"))
    >>> table.places(texts(b"a", b"ab", b"", b"a")).tolist()
    [2, -1, 1, 2]
    """

    def __init__(self, texts: Texts) -> None:
        self._texts = texts.first, texts.data
        n_bits = max(len(texts.first) - 1, 1).bit_length() + 1
        self._slots = np.full(1 << n_bits, -1, dtype=np.int32)
        _fill_slots(self._texts, self._slots)

    def places(self, texts: Texts) -> NDArray[np.int32]:
        """Return the place of each text among those of the table, -1 of none."""
        found = np.empty(len(texts.first) - 1, dtype=np.int32)
        _look_up(self._texts, self._slots, (texts.first, texts.data), found)
        return found


@njit(cache=True, nogil=True)
def _hash_bytes(data, begin, end):
    """Return the hash of some bytes; its high bits go into the low ones."""
    found = np.uint64(0xCBF29CE484222325)
    for at in range(begin, end):
        found = (found ^ np.uint64(data[at])) * np.uint64(0x100000001B3)
    return found ^ (found >> np.uint64(32))


@njit(cache=True, nogil=True)
def _fill_slots(texts, slots):
    first, data = texts
    mask = np.uint64(len(slots) - 1)
    for text in range(len(first) - 1):
        at = _hash_bytes(data, first[text], first[text + 1]) & mask
        while slots[at] >= 0:
            at = (at + np.uint64(1)) & mask
        slots[at] = text


@njit(cache=True, nogil=True)
def _look_up(texts, slots, others, found):
    first, data = texts
    other_first, other_data = others
    mask = np.uint64(len(slots) - 1)
    for other in range(len(found)):
        begin, end = other_first[other], other_first[other + 1]
        at = _hash_bytes(other_data, begin, end) & mask
        found[other] = -1
        while slots[at] >= 0:
            own = first[slots[at]]
            length = first[slots[at] + 1] - own
            same = 0
            if length == end - begin:
                while same < length and data[own + same] == other_data[begin + same]:
                    same += 1
                if same == length:
                    found[other] = slots[at]
                    break
            at = (at + np.uint64(1)) & mask


@njit(cache=True, nogil=True)
def _merge_texts(texts, others, found):
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
