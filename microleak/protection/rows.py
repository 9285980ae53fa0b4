"""Different rows of columns of codes, each with its number of records.

What a row keeps is a set of attributes, as a whole number with bit i set for attribute
i. A cell that is missing, code 0, is kept by nobody. Rows that are alike in what they
keep have a *pattern* in common: these values, and no others.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice
from math import comb

import numpy as np
from numpy.typing import NDArray

from microleak.base.errors import TableError
from microleak.kernels.records import Codes
from microleak.protection.methods import Mask, Numbers, blocks

Words = NDArray[np.uint64]
"""Rows with their cells in bit fields, shape (n_words, n_rows), mostly of one word."""

Sets = NDArray[np.uint64]
"""A set of attributes a row, shape (n_rows,)."""

MOST_ATTRIBUTES = 64

MOST_SUBSETS = 1 << 10
"""Subsets of one size that are tried; those that drop attributes with most values go
first."""


@dataclass(frozen=True)
class Rows:
    """Different rows, in the order of their codes, attribute by attribute.

    Attributes
    ----------
    words
        Their cells; a missing one is 0.
    masks
        Bits of each attribute, shape (n_attributes, n_words).
    known
        Attributes that are not missing.
    n_known
        How many these are, shape (n_rows,).
    counts
        Records of each row, shape (n_rows,).
    """

    words: Words
    masks: NDArray[np.uint64]
    known: Sets
    n_known: Numbers
    counts: Numbers

    @property
    def n_attributes(self) -> int:
        """Attributes of a row."""
        return len(self.masks)

    def kept(self, rows: Numbers, attributes: int) -> Words:
        """Return what some rows keep with a set of attributes."""
        mask = np.zeros(len(self.words), dtype=np.uint64)
        for i in range(self.n_attributes):
            mask |= self.masks[i] * np.uint64(attributes >> i & 1)
        return np.stack([self.words[i, rows] & mask[i] for i in range(len(mask))])

    @cached_property
    def _by_values(self) -> list[int]:
        """Attributes, those with most values first, of several the first of them."""
        n_values = [
            len(np.unique((self.words & mask[:, None]).max(axis=0)))
            for mask in self.masks
        ]
        return sorted(range(len(n_values)), key=lambda i: -n_values[i])

    def subsets(self, size: int) -> list[int]:
        """Return the subsets of one size that are tried, in their order."""
        every = (1 << self.n_attributes) - 1
        dropped = combinations(self._by_values, self.n_attributes - size)
        some = islice(dropped, MOST_SUBSETS)
        return [every - sum(1 << i for i in attributes) for attributes in some]

    def tries_all(self, size: int) -> bool:
        """Return whether all subsets of one size are tried."""
        return comb(self.n_attributes, size) <= MOST_SUBSETS

    def having(self, rows: Numbers, attributes: int) -> Numbers:
        """Return those of some rows in which no attribute of a set is missing."""
        wanted = np.uint64(attributes)
        is_there: Mask = self.known[rows] & wanted == wanted
        return rows[is_there]


def rows_of(columns: Sequence[Codes]) -> tuple[Rows, Numbers]:
    """Return the different rows of columns, and the number of each record's row.

    Raises
    ------
    TableError
        If there are more than 64 columns.
    """
    if len(columns) > MOST_ATTRIBUTES:
        raise TableError(
            f"A step of a protection has {len(columns)} attributes in suppress, of "
            f"which {MOST_ATTRIBUTES} are possible at most. Name fewer of them."
        )
    ids, counts = blocks(columns)
    example = np.empty(len(counts), dtype=np.int64)
    example[ids] = np.arange(len(ids))
    known = np.zeros(len(counts), dtype=np.uint64)
    words: list[Words] = []
    places: list[tuple[int, int]] = []
    room = 0
    for i, column in enumerate(columns):
        own = column[example].astype(np.uint64)
        known |= (own > 0).astype(np.uint64) << np.uint64(i)
        n_bits = int(own.max(initial=0)).bit_length()
        if n_bits > room or not words:
            words.append(np.zeros(len(counts), dtype=np.uint64))
            room = 64
        room -= n_bits
        words[-1] |= own << np.uint64(min(room, 63))
        places.append((len(words) - 1, (1 << n_bits) - 1 << room))
    masks = np.zeros((len(columns), len(words)), dtype=np.uint64)
    for i, (word, mask) in enumerate(places):
        masks[i, word] = mask
    n_known = np.bitwise_count(known).astype(np.int64)
    return Rows(np.stack(words), masks, known, n_known, counts), ids


@dataclass(frozen=True)
class Groups:
    """Rows that are alike, together.

    Attributes
    ----------
    order
        Places of the rows, equal ones adjacent, shape (n_rows,).
    starts
        Where each group starts in this order, shape (n_groups,).
    """

    order: Numbers
    starts: Numbers

    def sums(self, numbers: Numbers) -> Numbers:
        """Return the sum of the rows' numbers by group."""
        return np.add.reduceat(numbers[self.order], self.starts)

    def least(self, numbers: Numbers) -> Numbers:
        """Return the least of the rows' numbers by group."""
        return np.minimum.reduceat(numbers[self.order], self.starts)

    @cached_property
    def each(self) -> Numbers:
        """Group of each row, in the order of the rows."""
        n = np.diff(self.starts, append=len(self.order))
        found = np.empty_like(self.order)
        found[self.order] = np.repeat(np.arange(len(n)), n)
        return found


def grouped(words: Words) -> Groups:
    """Return equal rows as groups; at least one row is needed."""
    order = np.argsort(words[0]) if len(words) == 1 else np.lexsort(words[::-1])
    is_new = np.zeros(len(order), dtype=bool)
    is_new[0] = True
    for word in words:
        ordered = word[order]
        is_new[1:] |= ordered[1:] != ordered[:-1]
    return Groups(order, np.flatnonzero(is_new))


_MIX = np.uint64(0x9E3779B97F4A7C15)
_AT_ONCE = 1 << 17


def may_be_among(words: Words, wanted: Words) -> Mask:
    """Return which rows may be among the wanted ones: all that are, and a few more."""
    n_bits = min(24, 4 + len(wanted[0]).bit_length())
    marks = np.zeros(1 << n_bits, dtype=bool)
    marks[_hashed(wanted, n_bits)] = True
    found = np.empty(len(words[0]), dtype=bool)
    for start in range(0, len(found), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        found[part] = marks[_hashed(words[:, part], n_bits)]
    return found


def _hashed(words: Words, n_bits: int) -> NDArray[np.uint64]:
    mixed = np.zeros(len(words[0]), dtype=np.uint64)
    for word in words:
        mixed = (mixed ^ word) * _MIX
        mixed ^= mixed >> np.uint64(32)
    return mixed * _MIX >> np.uint64(64 - n_bits)
