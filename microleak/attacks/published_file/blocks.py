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

from microleak.attacks.published_file.kernels import divide_pairs, divide_pattern
from microleak.base.arrays import Integers
from microleak.definitions.exact import repeated_places, run_starts
from microleak.kernels.divided import NOTHING, Numbers, divide_shared


class LabelLevel(NamedTuple):
    """Labels that cover no value twice, numbered from 0; -1 is of none."""

    of_value: Numbers  # The label of each value of the originals
    published: Numbers  # The label of each published record
    n: int


@dataclass(frozen=True)
class KnownAttribute:
    """An attribute that an adversary may know: its originals, and published labels."""

    codes: Numbers  # Of the originals
    n_values: int
    levels: Sequence[LabelLevel]


class InBlocks(NamedTuple):
    """Rows, the block of each, and how many each block has."""

    rows: Numbers
    blocks: Numbers
    n: Numbers

    @classmethod
    def of_one(cls, n_rows: int) -> Self:
        rows = np.arange(n_rows, dtype=np.int32)
        return cls(rows, np.zeros_like(rows), np.array([n_rows], dtype=np.int32))


class Pattern(NamedTuple):
    """Originals and published records that cover them, in the same blocks.

    Apart are pairs of one original and the one record that covers it and nobody else;
    they are blocks, too, behind the others.
    """

    originals: InBlocks
    published: InBlocks
    pairs: Numbers  # Rows of originals, and below them those of published records

    @property
    def n_blocks(self) -> int:
        return len(self.originals.n) + int(self.pairs.shape[1])

    def divided(self, codes: Numbers, level: LabelLevel) -> "Pattern":
        originals, published, pairs = divide_pattern(*self[:2], codes, level)
        both = np.concatenate([divide_pairs(self.pairs, codes, level), pairs], axis=1)
        return Pattern(InBlocks(*originals), InBlocks(*published), both)

    def rows_and_blocks(self, side: int) -> tuple[Numbers, Numbers]:
        """Return rows of originals (0) or published records (1), and their blocks."""
        rows, blocks, n = self[side]
        of_pairs = np.arange(len(n), self.n_blocks, dtype=np.int32)
        every = np.concatenate([rows, self.pairs[side]])
        return every, np.concatenate([blocks, of_pairs])


class ValueEntries(NamedTuple):
    """Values of records by block, those of a block adjacent and ascending by rank."""

    blocks: Integers
    ranks: Integers
    n: Integers  # Records of each entry

    def arranged(self, n_blocks: int) -> tuple[Integers, Integers, Integers]:
        """Return where each block starts, and the end; ranks and records."""
        starts = np.searchsorted(self.blocks, np.arange(n_blocks + 1))
        return starts, self.ranks, self.n


def entries_of(blocks: NDArray[Any], ranks: NDArray[Any], n_ranks: int) -> ValueEntries:
    """Return the values that records of each block have; a rank of -1 is of none."""
    has_value = ranks >= 0
    if not has_value.all():
        blocks, ranks = blocks[has_value], ranks[has_value]
    keys = blocks.astype(np.int64) * n_ranks + ranks
    keys.sort()
    starts = run_starts(keys)
    n = np.diff(starts, append=len(keys))
    own, rank = np.divmod(keys[starts], max(n_ranks, 1))
    return ValueEntries(own, rank, n)


@dataclass(frozen=True)
class Covered:
    """Originals in blocks by some attributes, and published records by pattern."""

    attributes: Sequence[KnownAttribute]
    n_rows: int  # Originals
    # Who shares all values with others, and the number of the block; who is alone
    shared: Numbers
    shared_blocks: Numbers
    n_shared: int
    alone: Numbers
    patterns: Sequence[Pattern]

    @classmethod
    def by_nothing(
        cls, attributes: Sequence[KnownAttribute], n_originals: int, n_published: int
    ) -> Self:
        """Return all in one block."""
        nobody = np.zeros((2, 0), dtype=np.int32)
        originals, published = map(InBlocks.of_one, (n_originals, n_published))
        whole = Pattern(originals, published, nobody)
        rows, blocks, _ = whole.originals
        return cls(attributes, n_originals, rows, blocks, 1, rows[:0], [whole])

    def only(self, _: Sequence[int]) -> Self:
        """Return the same: nothing is merged."""
        return self

    def split(self, place: int) -> Self:
        """Return all, every block divided by one more attribute."""
        attribute = self.attributes[place]
        codes, n_values = attribute.codes, attribute.n_values
        shared, blocks, n_shared, alone = divide_shared(
            self.shared, self.shared_blocks, self.n_shared, codes, n_values
        )
        patterns = [
            pattern.divided(codes, level)
            for pattern in self.patterns
            for level in attribute.levels
        ]
        return type(self)(
            self.attributes,
            self.n_rows,
            shared,
            blocks,
            n_shared,
            np.concatenate([self.alone, alone]),
            [pattern for pattern in patterns if pattern.n_blocks],
        )

    @cached_property
    def candidates(self) -> Integers:
        """The published records that cover each original."""
        found = np.zeros(self.n_rows, dtype=np.int64)
        for originals, published, pairs in self.patterns:
            found[originals.rows] += published.n[originals.blocks]
            found[pairs[0]] += 1
        return found

    @cached_property
    def n_covered(self) -> Integers:
        """How many originals the only candidate of each covers; 0 of others."""
        found = np.zeros(self.n_rows, dtype=np.int64)
        for originals, published, pairs in self.patterns:
            is_one = (published.n == 1)[originals.blocks]
            blocks = originals.blocks[is_one]
            found[originals.rows[is_one]] = originals.n[blocks]
            found[pairs[0]] = 1
        return np.where(self.candidates == 1, found, 0)

    @property
    def singled_out(self) -> Numbers:
        """The originals whom one published record covers that covers nobody else."""
        if len(self.patterns) == 1:
            rows: Numbers = self.patterns[0].pairs[0]
            return rows
        return np.flatnonzero(self.n_covered == 1).astype(np.int32)

    def by_candidates(self) -> Integers:
        """Return how many originals have each number of candidates, from 0."""
        if len(self.patterns) != 1:
            return np.bincount(self.candidates)
        originals, published, pairs = self.patterns[0]
        found = np.bincount(published.n, originals.n, minlength=2).astype(np.int64)
        found[1] += pairs.shape[1]
        found[0] = self.n_rows - found[1:].sum()
        return found

    def by_covered(self) -> Integers:
        """Return how many with one candidate are of so many that it covers, from 0."""
        if len(self.patterns) != 1:
            n_covered = self.n_covered
            return np.bincount(n_covered[n_covered > 0], minlength=2)
        originals, published, pairs = self.patterns[0]
        n = originals.n[published.n == 1]
        found = np.bincount(n, n, minlength=2).astype(np.int64)
        found[1] += pairs.shape[1]
        return found

    @property
    def n_blocks(self) -> int:
        return self.n_shared + len(self.alone)

    @cached_property
    def own(self) -> Numbers:
        """The block of each original, by its own values."""
        found = np.empty(self.n_rows, dtype=np.int32)
        found[self.shared] = self.shared_blocks
        found[self.alone] = np.arange(self.n_shared, self.n_blocks)
        return found

    @property
    def pairs(self) -> Numbers:
        """Pairs that meet nobody else, as `Pattern` has them, of a single pattern."""
        if len(self.patterns) == 1:
            return self.patterns[0].pairs
        return np.zeros((2, 0), dtype=np.int32)

    @property
    def others(self) -> Numbers:
        """Originals of no pair that share a block or have a candidate."""
        if len(self.patterns) != 1:
            return np.arange(self.n_rows, dtype=np.int32)
        is_other = np.zeros(self.n_rows, dtype=np.bool_)
        is_other[self.shared] = True
        is_other[self.patterns[0].originals.rows] = True
        is_other[self.pairs[0]] = False
        return np.flatnonzero(is_other).astype(np.int32)

    def guessed(self, ranks: Numbers, n_ranks: int) -> "CandidateValues":
        """Return what published records say of each block, but those of `pairs`.

        `ranks` are the values of published records.
        """
        if len(self.patterns) == 1:
            (originals, published, _) = self.patterns[0]
            entries = entries_of(published.blocks, ranks[published.rows], n_ranks)
            place = np.full(self.n_blocks, NOTHING, dtype=np.int32)
            place[self.own[originals.rows]] = originals.blocks
            return CandidateValues(place, entries, published.n)
        parts = []
        for pattern in self.patterns:
            rows, numbers = pattern.rows_and_blocks(0)
            block_of = np.full(self.n_blocks, NOTHING, dtype=np.int32)
            block_of[self.own[rows]] = numbers
            rows, numbers = pattern.rows_and_blocks(1)
            entries = entries_of(numbers, ranks[rows], n_ranks)
            starts, _, _ = entries.arranged(pattern.n_blocks)
            own = np.flatnonzero(block_of >= 0)
            at = block_of[own]
            each, where = repeated_places(np.diff(starts)[at], starts[at])
            parts.append((own[each], entries.ranks[where], entries.n[where]))
        n_candidates = np.zeros(self.n_blocks, dtype=np.int64)
        n_candidates[self.own] = self.candidates
        every = np.arange(self.n_blocks, dtype=np.int32)
        place = np.where(n_candidates > 0, every, NOTHING).astype(np.int32)
        return CandidateValues(place, _merged(parts, n_ranks), n_candidates)


class CandidateValues(NamedTuple):
    """What published records say of blocks: values of candidates, and how many."""

    place: Numbers  # Of each own block its number here, -1 without any candidate
    entries: ValueEntries
    n_candidates: NDArray[np.integer[Any]]


def _merged(
    parts: Sequence[tuple[Integers, Integers, Integers]], n_ranks: int
) -> ValueEntries:
    """Return entries of several patterns as those of the originals' own blocks."""
    if not parts:
        nothing = np.zeros(0, dtype=np.int64)
        return ValueEntries(nothing, nothing, nothing)
    blocks, values, n = map(np.concatenate, zip(*parts, strict=True))
    keys = blocks * n_ranks + values
    order = np.argsort(keys, kind="stable")
    keys, n = keys[order], n[order]
    starts = run_starts(keys)
    summed = np.add.reduceat(n, starts) if len(n) else n
    own, rank = np.divmod(keys[starts], max(n_ranks, 1))
    return ValueEntries(own, rank, summed)
