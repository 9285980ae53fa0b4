"""Texts as whole numbers that sort as the texts do by their bytes."""

from collections.abc import Sequence

import numpy as np
from numba import njit
from numpy.typing import NDArray

from microleak.kernels.texts import Texts

WORD_BYTES = 8

TextWords = NDArray[np.int64]
"""Eight bytes of each text: shape (n_words, n_texts), or one row of it."""


def words_of(texts: Texts, n_words: int) -> TextWords:
    r"""Return the bytes of texts as words, which compare as the bytes do.

    What a text is shorter is filled with zero bytes: texts that differ in zero bytes
    at their end alone have equal words, and the shorter one comes first.

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
    """Return how many bounds are not above each row.

    Parameters
    ----------
    keys
        What rows are sorted by, first key first.
    bounds
        Keys of ascending bounds, shape (n_keys, n_bounds).

    Examples
    --------
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
