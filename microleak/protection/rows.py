"""Different rows of columns of codes, and what blocks of them must have.

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

from microleak.base.arrays import BitWords, Codes, Integers, Mask
from microleak.base.errors import TableError
from microleak.definitions.exact import first_places, kind_sums
from microleak.kernels.alike import Among, first_alike, maybe_alike, numbered_words
from microleak.protection.methods import blocks_and_sizes

AttributeSets = NDArray[np.uint64]
"""A set of attributes a row, shape (n_rows,)."""

MOST_ATTRIBUTES = 64

MOST_SUBSETS = 1 << 10
"""Subsets of one size that are tried; those that drop attributes with most values go
first."""


@dataclass(frozen=True)
class Rows:
    """Different rows, in the order of their codes, attribute by attribute."""

    words: BitWords  # Their cells
    masks: NDArray[np.uint64]  # Bits of each attribute, shape (n_attributes, n_words)
    known: AttributeSets  # Attributes that are not missing
    n_known: Integers  # How many these are, shape (n_rows,)
    counts: Integers  # Records of each row, shape (n_rows,)
    # Codes of further columns that are never suppressed, each of shape (n_rows,)
    values: tuple[Codes, ...] = ()

    @property
    def n_attributes(self) -> int:
        return len(self.masks)

    def kept(self, rows: Integers, attributes: int) -> BitWords:
        """Return what some rows keep with a set of attributes, in few words."""
        # Cells of a further word go where attributes that are dropped leave room in the
        # first one, since rows of one word are told apart much faster than of two.
        has = self._has(attributes)
        first, *further = self._masks(attributes)
        found = [self.words[0, rows] & first]
        room: list[int] = sorted(self.masks[~has, 0].tolist())
        for i, left in enumerate(further, 1):
            word = self.words[i, rows] & left
            for own in self.masks[has, i][self.masks[has, i] > 0].tolist():
                place = next((p for p in room if p.bit_count() >= own.bit_count()), 0)
                if place:
                    room.remove(place)
                    found[0] |= _cells_of_mask(word, own) << _first_bit(place)
                    word &= ~np.uint64(own)
            if word.any():
                found.append(word)
        return np.stack(found)

    def _has(self, attributes: int) -> Mask:
        return np.array([attributes >> i & 1 for i in range(self.n_attributes)], bool)

    def _masks(self, attributes: int) -> BitWords:
        masks = self.masks[self._has(attributes)]
        return np.asarray(np.bitwise_or.reduce(masks, axis=0))

    @cached_property
    def by_values(self) -> list[int]:
        """Attributes, those with most values first, of several the first of them."""
        n_values = [
            numbered_words((self.words & mask[:, None]).max(axis=0))[1]
            for mask in self.masks
        ]
        return sorted(range(len(n_values)), key=lambda i: -n_values[i])

    def subsets(self, size: int) -> list[int]:
        every = (1 << self.n_attributes) - 1
        dropped = combinations(self.by_values, self.n_attributes - size)
        some = islice(dropped, MOST_SUBSETS)
        return [every - sum(1 << i for i in attributes) for attributes in some]

    def tries_all(self, size: int) -> bool:
        return comb(self.n_attributes, size) <= MOST_SUBSETS

    def columns(self) -> list[NDArray[np.uint32]]:
        found = []
        for i in self.by_values:
            word = int(np.argmax(self.masks[i] > 0))
            mask = int(self.masks[i, word])
            found.append(_cells_of_mask(self.words[word], mask).astype(np.uint32))
        return found

    def of(self, rows: Integers, counts: Integers) -> "Rows":
        return Rows(
            self.words[:, rows],
            self.masks,
            self.known[rows],
            self.n_known[rows],
            counts,
            self.values_of(rows),
        )

    def patterns(self, rows: Integers, kept: AttributeSets) -> BitWords:
        masks = np.zeros((self.masks.shape[1], len(rows)), dtype=np.uint64)
        for i, mask in enumerate(self.masks):
            masks |= (kept >> np.uint64(i) & np.uint64(1)) * mask[:, None]
        return self.words[:, rows] & masks

    def values_of(self, rows: Integers) -> tuple[Codes, ...]:
        return tuple(column[rows] for column in self.values)

    def having(self, rows: Integers, attributes: int) -> Integers:
        wanted = np.uint64(attributes)
        is_there: Mask = self.known[rows] & wanted == wanted
        return rows[is_there]

    def near(self, rows: Integers, wanted: Integers, attributes: int) -> Integers:
        """Return those of some rows that are like wanted ones, and a few more."""
        if not len(rows):
            return rows
        among = Among(np.uint64(attributes), self._masks(attributes))
        return maybe_alike(self.words, self.known, rows, wanted, among)

    def common(self, rows: Integers, one: int) -> AttributeSets:
        """Return the attributes in which some rows are like one, or both miss them."""
        words = self.words[:, rows]
        found = np.zeros(len(rows), dtype=np.uint64)
        for i, mask in enumerate(self.masks):
            other = (words ^ self.words[:, [one]]) & mask[:, None]
            found |= (~other.any(axis=0)).astype(np.uint64) << np.uint64(i)
        return found

    def first_alike(self, rows: Integers, one: int, most: int) -> Mask:
        """Return which of some rows are the first of each set shared with one."""
        found = first_alike(self.words, self.known, self.masks, rows, one, most)
        return np.asarray(found)


def rows_of(
    columns: Sequence[Codes], values: Sequence[Codes] = ()
) -> tuple[Rows, Integers]:
    if len(columns) > MOST_ATTRIBUTES:
        raise TableError(
            f"A step of a protection has {len(columns)} attributes in suppress, of "
            f"which {MOST_ATTRIBUTES} are possible at most. Name fewer of them."
        )
    ids, counts = blocks_and_sizes([*columns, *values])
    example = first_places(ids, len(counts))
    n_bits = [int(column.max(initial=0)).bit_length() for column in columns]
    masks = np.zeros((len(columns), len(columns)), dtype=np.uint64)
    known = np.zeros(len(counts), dtype=np.uint64)
    words: list[BitWords] = []
    room = 0
    # Narrow cells come last: they find room in the first word most easily.
    for i in sorted(range(len(columns)), key=lambda i: -n_bits[i]):
        own = columns[i][example].astype(np.uint64)
        known |= (own > 0).astype(np.uint64) << np.uint64(i)
        if n_bits[i] > room or not words:
            words.append(np.zeros(len(counts), dtype=np.uint64))
            room = 64
        room -= n_bits[i]
        words[-1] |= own << np.uint64(min(room, 63))
        masks[i, len(words) - 1] = (1 << n_bits[i]) - 1 << room
    masks = masks[:, : len(words)]
    n_known = np.bitwise_count(known).astype(np.int64)
    further = tuple(column[example] for column in values)
    return Rows(np.stack(words), masks, known, n_known, counts, further), ids


def _cells_of_mask(word: BitWords, mask: int) -> BitWords:
    return (word & np.uint64(mask)) >> _first_bit(mask)


def _first_bit(mask: int) -> np.uint64:
    return np.uint64(max(mask & -mask, 1).bit_length() - 1)


@dataclass(frozen=True)
class Groups:
    """Rows that are alike, together."""

    each: Integers  # Group of each row, shape (n_rows,)
    n: int  # How many groups there are

    def sums(self, numbers: Integers) -> Integers:
        return kind_sums(self.each, numbers, self.n)

    def least(self, numbers: Integers) -> Integers:
        return group_least(self.each, numbers, self.n)


def group_least(groups: Integers, numbers: Integers, n_groups: int) -> Integers:
    found = np.full(n_groups, np.iinfo(np.int64).max)
    np.minimum.at(found, groups, numbers)
    return found


def grouped_rows(words: BitWords) -> Groups:
    ids, n_ids = numbered_words(words[0])
    for word in words[1:]:
        own, _ = numbered_words(word)
        pairs = ids.astype(np.uint64) << np.uint64(32) | own.astype(np.uint64)
        ids, n_ids = numbered_words(pairs)
    return Groups(ids, n_ids)


MOST_PAIRS = 1 << 26
"""Pairs of group and value up to which those there are marked rather than sorted."""


@dataclass(frozen=True)
class BlockTarget:
    """What each block has."""

    k: int = 1  # Records that it has at least
    l: int = 1  # noqa: E741, as the field calls it
    n_exempt: int = 0  # How many records need not be in such a block, at most

    def is_met(self, groups: Groups, n: Integers, values: Sequence[Codes] = ()) -> Mask:
        if self.l > 1:
            return has_values(groups, values, self.l)
        return groups.sums(n) >= self.k

    def is_met_by(self, rows: Rows) -> Mask:
        """Return by row whether its block is one already."""
        if self.l == 1:
            return rows.counts >= self.k
        groups = grouped_rows(rows.words)
        return has_values(groups, rows.values, self.l)[groups.each]


def has_values(groups: Groups, values: Sequence[Codes], n: int) -> Mask:
    # The columns may be of the first rows only; others have no values then.
    found: Mask = np.ones(groups.n, dtype=np.bool_)
    for column in values:
        found &= n_values(groups.each[: len(column)], column, groups.n) >= n
    return found


def n_values(groups: Integers, values: Codes, n_groups: int) -> Integers:
    """Return how many different values each group has.

    >>> n_values(np.array([0, 0, 0, 1]), np.array([3, 1, 3, 3]), 3).tolist()
    [2, 1, 0]
    """
    # Pairs of group and value, each once, as whole numbers
    width = int(values.max(initial=0)) + 1
    pairs = groups * width + values
    if n_groups * width > MOST_PAIRS:
        pairs = np.unique(pairs)
    else:
        is_there = np.zeros(n_groups * width, dtype=np.bool_)
        is_there[pairs] = True
        pairs = np.flatnonzero(is_there)
    return np.bincount(pairs // width, minlength=n_groups)
