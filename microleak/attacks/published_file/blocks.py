"""Which published records cover which originals, by one set of facts after another.

A label covers values of the original. Labels of one *level* of an attribute cover no
value twice, so what two records have on some levels meets where it is equal: records as
published are put apart by the levels of their labels, a *pattern*, and the originals
are recoded to it. A file of equal values or of one recoding has one pattern.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.published_file.kernels import (
    NOTHING,
    Numbers,
    find_pairs,
    number_pairs,
)
from microleak.base.arrays import Integers
from microleak.definitions.exact import repeated_places, run_starts


class Level(NamedTuple):
    """Labels that cover no value twice, numbered from 0; -1 is of none."""

    of_value: Numbers  # The label of each value of the originals
    published: Numbers  # The label of each published record
    n: int


@dataclass(frozen=True)
class KnownAttribute:
    """An attribute that an adversary may know: its originals, and published labels."""

    codes: Numbers  # Of the originals
    n_values: int
    levels: Sequence[Level]


class Pattern(NamedTuple):
    """Originals that are covered, published records that cover some, and their blocks.

    Blocks are numbered from 0 to below `n`.
    """

    originals: Numbers
    original_blocks: Numbers
    published: Numbers
    published_blocks: Numbers
    n: int


class Entries(NamedTuple):
    """Values of records by block, those of a block adjacent and ascending by rank."""

    blocks: Integers
    ranks: Integers
    n: Integers  # Records of each entry

    def arranged(self, n_blocks: int) -> tuple[Integers, Integers, Integers]:
        """Return where each block starts, and the end; ranks and records."""
        starts = np.searchsorted(self.blocks, np.arange(n_blocks + 1))
        return starts, self.ranks, self.n


def entries_of(blocks: NDArray[Any], ranks: NDArray[Any], n_ranks: int) -> Entries:
    """Return the values that records of each block have; a rank of -1 is of none."""
    has_value = ranks >= 0
    if not has_value.all():
        blocks, ranks = blocks[has_value], ranks[has_value]
    keys = blocks.astype(np.int64) * n_ranks + ranks
    keys.sort()
    starts = run_starts(keys)
    n = np.diff(starts, append=len(keys))
    own, rank = np.divmod(keys[starts], max(n_ranks, 1))
    return Entries(own, rank, n)


@dataclass(frozen=True)
class Covered:
    """Originals in blocks by a set of attributes, and what covers them."""

    attributes: Sequence[KnownAttribute]
    own: Numbers  # The block of each original, by its own values
    n_blocks: int
    patterns: Sequence[Pattern]

    @classmethod
    def by_nothing(
        cls, attributes: Sequence[KnownAttribute], n_originals: int, n_published: int
    ) -> Self:
        """Return all in one block."""
        every = [np.arange(n, dtype=np.int32) for n in (n_originals, n_published)]
        block = [np.zeros(n, dtype=np.int32) for n in (n_originals, n_published)]
        whole = Pattern(every[0], block[0], every[1], block[1], 1)
        return cls(attributes, block[0], 1, [whole])

    @property
    def n_rows(self) -> int:
        return len(self.own)

    def only(self, _: Sequence[int]) -> Self:
        """Return the same: nothing is merged."""
        return self

    def split(self, place: int) -> Self:
        """Return all, every block divided by one more attribute."""
        attribute = self.attributes[place]
        own, n_blocks, _ = number_pairs(
            self.own, attribute.codes, (self.n_blocks, attribute.n_values)
        )
        patterns = [
            found
            for pattern in self.patterns
            for level in attribute.levels
            if (found := _divided(pattern, attribute.codes, level)) is not None
        ]
        return type(self)(self.attributes, own, n_blocks, patterns)

    @cached_property
    def sizes(self) -> Integers:
        """Originals of each block."""
        return np.bincount(self.own, minlength=self.n_blocks)

    @cached_property
    def candidates(self) -> tuple[Integers, Integers]:
        """Of each block the published records that cover it.

        And how many originals the last of these covers, which is that one if there is
        no other.
        """
        found = np.zeros(self.n_blocks, dtype=np.int64)
        covered = np.zeros(self.n_blocks, dtype=np.int64)
        for pattern, block_of in zip(self.patterns, self._places, strict=True):
            n_published = np.bincount(pattern.published_blocks, minlength=pattern.n)
            n_originals = np.bincount(pattern.original_blocks, minlength=pattern.n)
            is_there = block_of >= 0
            found[is_there] += n_published[block_of[is_there]]
            covered[is_there] = n_originals[block_of[is_there]]
        return found, covered

    @cached_property
    def _places(self) -> list[Numbers]:
        """Where each block is in each pattern; -1 where nothing covers it there."""
        found = []
        for pattern in self.patterns:
            block_of = np.full(self.n_blocks, NOTHING, dtype=np.int32)
            block_of[self.own[pattern.originals]] = pattern.original_blocks
            found.append(block_of)
        return found

    def guessed(self, ranks: Numbers, n_ranks: int) -> tuple[Numbers, Entries, int]:
        """Return what published records say of each block: values of its candidates.

        `ranks` are the values of published records. Of each block its number among
        those of the entries, -1 without any candidate, the entries, and the bound of
        their blocks.
        """
        of_patterns = [
            entries_of(each.published_blocks, ranks[each.published], n_ranks)
            for each in self.patterns
        ]
        if len(self.patterns) == 1:
            return self._places[0], of_patterns[0], self.patterns[0].n
        blocks, values, counts = [], [], []
        for pattern, block_of, entries in zip(
            self.patterns, self._places, of_patterns, strict=True
        ):
            starts, _, _ = entries.arranged(pattern.n)
            own = np.flatnonzero(block_of >= 0)
            at = block_of[own]
            each, place = repeated_places(np.diff(starts)[at], starts[at])
            blocks.append(own[each])
            values.append(entries.ranks[place])
            counts.append(entries.n[place])
        own_blocks = np.where(self.candidates[0] > 0, np.arange(self.n_blocks), NOTHING)
        merged = _merged(blocks, values, counts, n_ranks)
        return own_blocks.astype(np.int32), merged, self.n_blocks


def _divided(pattern: Pattern, codes: Numbers, level: Level) -> Pattern | None:
    labels = level.published[pattern.published]
    bounds = (pattern.n, level.n)
    number, n, table = number_pairs(pattern.published_blocks, labels, bounds)
    asked = level.of_value[codes[pattern.originals]]
    found = find_pairs(pattern.original_blocks, asked, level.n, table)
    is_covered = found >= 0
    originals, blocks = pattern.originals[is_covered], found[is_covered]
    # Published records that cover nobody cover nobody by more attributes, either.
    is_covering = np.zeros(n + 1, dtype=np.bool_)
    is_covering[blocks] = True
    is_left = is_covering[number]
    if not len(blocks):
        return None
    return Pattern(originals, blocks, pattern.published[is_left], number[is_left], n)


def _merged(
    blocks: Sequence[Integers],
    values: Sequence[Integers],
    counts: Sequence[Integers],
    n_ranks: int,
) -> Entries:
    """Return entries of several patterns as those of the originals' own blocks."""
    if not blocks:
        nothing = np.zeros(0, dtype=np.int64)
        return Entries(nothing, nothing, nothing)
    keys = np.concatenate(blocks) * n_ranks + np.concatenate(values)
    order = np.argsort(keys, kind="stable")
    keys, n = keys[order], np.concatenate(counts)[order]
    starts = run_starts(keys)
    summed = np.add.reduceat(n, starts) if len(n) else n
    own, rank = np.divmod(keys[starts], max(n_ranks, 1))
    return Entries(own, rank, summed)
