"""Which rows of bit fields are alike, by tables of hashes and marks."""

from typing import NamedTuple

import numpy as np
from numba import njit

from microleak.base.arrays import BitWords, Integers

MOST_BITS = 27
"""Marks are 2 to this power at most: 16 MiB, as a processor's largest cache has."""


class Among(NamedTuple):
    """A set of attributes, and their bits in each word, shape (n_words,)."""

    attributes: np.uint64
    masks: BitWords


@njit(cache=True, nogil=True)
def _mix_word(mixed, word):
    mixed = (mixed ^ word) * np.uint64(0x9E3779B97F4A7C15)
    return mixed ^ (mixed >> np.uint64(32))


@njit(cache=True, nogil=True)
def _place_of(mixed, n_bits):
    return (mixed * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(64 - n_bits)


@njit(cache=True, nogil=True)
def _number_words(words, n_bits, ids):
    last = np.uint64((1 << n_bits) - 1)
    # Side by side, so that a word and its number take one look into memory.
    table = np.zeros((1 << n_bits, 2), dtype=np.uint64)
    n_ids = np.uint64(0)
    for i in range(len(words)):
        word = words[i]
        at = _place_of(_mix_word(np.uint64(0), word), n_bits)
        while table[at, 1] != 0 and table[at, 0] != word:
            at = (at + np.uint64(1)) & last
        if table[at, 1] == 0:
            n_ids += np.uint64(1)
            table[at, 0] = word
            table[at, 1] = n_ids
        ids[i] = np.int64(table[at, 1]) - 1
    return n_ids


def numbered_words(words: BitWords) -> tuple[Integers, int]:
    """Return the number of each word, by first appearance, and how many there are.

    >>> ids, n_ids = numbered_words(np.array([7, 5, 7], dtype=np.uint64))
    >>> ids.tolist(), n_ids
    ([0, 1, 0], 2)
    """
    ids = np.empty(len(words), dtype=np.int64)
    return ids, int(_number_words(words, (3 * len(words) // 2).bit_length(), ids))


@njit(cache=True, nogil=True)
def _hash_masked(words, row, masks, n_bits):
    mixed = np.uint64(0)
    for i in range(len(masks)):
        mixed = _mix_word(mixed, words[i, row] & masks[i])
    return _place_of(mixed, n_bits)


@njit(cache=True, nogil=True)
def _mark_rows(words, rows, masks, n_bits):
    marks = np.zeros(1 << (n_bits - 6), dtype=np.uint64)
    for row in rows:
        at = _hash_masked(words, row, masks, n_bits)
        marks[at >> np.uint64(6)] |= np.uint64(1) << (at & np.uint64(63))
    return marks


@njit(cache=True, nogil=True)
def _marked_rows(words, known, rows, among, marks, n_bits):
    attributes, masks = among
    found = np.empty(len(rows), dtype=np.int64)
    n = 0
    for row in rows:
        if known[row] & attributes == attributes:
            at = _hash_masked(words, row, masks, n_bits)
            if marks[at >> np.uint64(6)] >> (at & np.uint64(63)) & np.uint64(1):
                found[n] = row
                n += 1
    return found[:n].copy()


def maybe_alike(
    words: BitWords, known: BitWords, rows: Integers, wanted: Integers, among: Among
) -> Integers:
    """Return those of some rows that are like a wanted one, and a few more, in order.

    `words` have rows with their cells in bit fields, `known` the attributes not
    missing.
    """
    n_bits = min(MOST_BITS, max(6, 4 + len(wanted).bit_length()))
    marks = _mark_rows(words, wanted, among.masks, n_bits)
    found = _marked_rows(words, known, rows, among, marks, n_bits)
    return np.asarray(found)


@njit(cache=True, nogil=True)
def _in_common(words, known, masks, row, one):
    attributes = known[row] & known[one]
    for i in range(masks.shape[0]):
        for j in range(masks.shape[1]):
            if (words[j, row] ^ words[j, one]) & masks[i, j]:
                attributes &= ~(np.uint64(1) << np.uint64(i))
    return attributes


@njit(cache=True, nogil=True)
def first_alike(words, known, masks, rows, one, most):
    """Return which of some rows are the first `most` that agree with one in each set.

    `words` have cells in bit fields, `known` the set of attributes that each has, and
    `masks` the bits of each attribute, shape (n_attributes, n_words).
    """
    n_of = {np.uint64(0): 0}
    found = np.zeros(len(rows), dtype=np.bool_)
    for i in range(len(rows)):
        attributes = _in_common(words, known, masks, rows[i], one)
        n = n_of.get(attributes, 0)
        if n < most:
            n_of[attributes] = n + 1
            found[i] = True
    return found
