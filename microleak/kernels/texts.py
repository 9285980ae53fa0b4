"""Texts as Arrow holds them: looked up by merging or in a table, or as whole numbers.

The numbers sort as the texts do by their bytes.
"""

from collections.abc import Sequence
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
        _look_up_slots(self._texts, self._slots, (texts.first, texts.data), found)
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
def _look_up_slots(texts, slots, others, found):
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


WORD_BYTES = 8

TextWords = NDArray[np.int64]
"""Eight bytes of each text: shape (n_words, n_texts), or one row of it."""


def words_of(texts: Texts, n_words: int) -> TextWords:
    """Return the bytes of texts as words, which compare as the bytes do.

    Texts that differ in zero bytes at their end alone have equal words.

    >>> first = np.array([0, 2, 3, 12], dtype=np.int32)
    >>> texts = Texts(first, np.frombuffer(b"zzabbbbbbbbc", np.uint8))
    >>> np.lexsort(words_of(texts, 2)[::-1]).tolist()
    [1, 2, 0]
    """
    words = np.empty((n_words, len(texts.first) - 1), dtype=np.uint64)
    _pack_texts(texts.first, texts.data, words)
    return words.view(np.int64)


def texts_of(words: Sequence[TextWords], lengths: NDArray[np.int64]) -> Texts:
    """Return the texts that have these words and lengths in bytes.

    >>> first = np.array([0, 2, 2, 3], dtype=np.int32)
    >>> words = words_of(Texts(first, np.frombuffer(b"abc", np.uint8)), 1)
    >>> texts = texts_of([words[0]], np.array([2, 0, 1]))
    >>> texts.first.tolist(), texts.data.tobytes()
    ([0, 2, 2, 3], b'abc')
    """
    first = np.zeros(len(lengths) + 1, dtype=np.int32)
    np.cumsum(lengths, out=first[1:])
    data = np.empty(first[-1], dtype=np.uint8)
    for number, word in enumerate(words):
        _unpack_texts(word.view(np.uint64), number * WORD_BYTES, first, data)
    return Texts(first, data)


def ranges_of(keys: Sequence[TextWords], bounds: TextWords) -> NDArray[np.int32]:
    """Return how many ascending bounds, shape (n_keys, n), are not above each row.

    >>> ranges_of([np.array([0, 1, 1, 2])], np.array([[1, 2]])).tolist()
    [0, 1, 1, 2]
    """
    found = np.empty(len(keys[0]), dtype=np.int32)
    _look_up(np.stack(keys), bounds, found)
    return found


@njit(cache=True, nogil=True)
def _pack_texts(first, data, words):
    for text in range(len(first) - 1):
        at, end = first[text], first[text + 1]
        for number in range(len(words)):
            word = np.uint64(0)
            for _ in range(WORD_BYTES):
                word <<= np.uint64(8)
                if at < end:
                    word |= np.uint64(data[at])
                    at += 1
            words[number, text] = word ^ np.uint64(1 << 63)


@njit(cache=True, nogil=True)
def _unpack_texts(words, begin, first, data):
    for text in range(len(words)):
        word = words[text] ^ np.uint64(1 << 63)
        at = first[text] + begin
        for place in range(at, min(at + WORD_BYTES, first[text + 1])):
            data[place] = word >> np.uint64(56)
            word <<= np.uint64(8)


@njit(cache=True, nogil=True)
def _look_up(keys, bounds, found):
    for row in range(keys.shape[1]):
        low, high = 0, bounds.shape[1]
        while low < high:
            middle = (low + high) // 2
            if _is_above(bounds, middle, keys, row):
                high = middle
            else:
                low = middle + 1
        found[row] = low


@njit(cache=True, nogil=True)
def _is_above(bounds, bound, keys, row):
    for key in range(len(keys)):
        if bounds[key, bound] != keys[key, row]:
            return bounds[key, bound] > keys[key, row]
    return False
