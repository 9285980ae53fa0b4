"""A search for what records keep, stage by stage: what all targets have in common.

Rows that are alike are moved together, so that its time depends on different rows.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

import numpy as np

from microleak.base.arrays import Integers, Mask
from microleak.definitions.exact import kind_sums
from microleak.kernels.crowds import marked_rows
from microleak.protection.alone import ANY, Alone
from microleak.protection.rows import (
    AttributeSets,
    Groups,
    Rows,
    group_least,
    grouped_rows,
)


@dataclass(frozen=True)
class Pieces:
    """Records of a row that keep the same attributes, a piece after the other."""

    rows: Integers
    kept: AttributeSets  # Set of the attributes that its records keep
    n: Integers  # How many records

    def n_lost(self, rows: Rows) -> Integers:
        """Return how many cells a record of each piece loses."""
        return rows.n_known[self.rows] - size_of(self.kept)

    def n_cells(self, rows: Rows) -> int:
        """Return how many cells all records lose together."""
        return int((self.n_lost(rows) * self.n).sum())


def sums_so_far(numbers: Integers, groups: Integers) -> Integers:
    """Return sums up to each number, itself among them, within groups in order.

    >>> sums_so_far(np.array([1, 2, 3, 4]), np.array([0, 0, 2, 2])).tolist()
    [1, 3, 3, 7]
    """
    sums = np.cumsum(numbers)
    return np.asarray(sums - (sums - numbers)[np.searchsorted(groups, groups)])


def size_of(sets: AttributeSets) -> Integers:
    """Return how many attributes are in each set."""
    return np.bitwise_count(sets).astype(np.int64)


@dataclass(frozen=True)
class _Ready:
    """Rows that can be settled, and blocks that they may join."""

    # The rows that are left, and the blocks that are there
    left: Integers
    blocks: Integers
    group: Integers  # Group of each row, and then of each block
    n_records: int  # Records of the rows that are left

    def named(self, n_rows: int) -> Integers:
        """Return the block of each row: the first that is there, or its first row."""
        numbers = np.append(self.left + n_rows, self.blocks)
        names = group_least(self.group, numbers, int(self.group.max()) + 1)
        return names[self.group[: len(self.left)]] % n_rows


class CellSearch(ABC):
    """What records keep so far.

    A block has the number of one of its rows. Of a row, `block` is that of its records
    that were not moved on, -1 as long as they are left, and `n` is how many they are.
    Rows that are `left` may be settled in this stage, and others are `waiting` for a
    later one.
    """

    def __init__(self, rows: Rows, alone: Alone, block: Integers):
        self.rows, self.alone = rows, alone
        self.marks = alone.marks.copy()
        self.n, self.block = rows.counts.copy(), block
        is_settled = block >= 0
        self.size = kind_sums(block[is_settled], rows.counts[is_settled], len(block))
        self.kept = rows.known.copy()
        self.left = np.empty(0, dtype=np.int64)
        self.waiting = np.flatnonzero(~is_settled)
        there = np.flatnonzero(self.size > 0)
        self.keeping = {
            kept: there[rows.known[there] == np.uint64(kept)]
            for kept in np.unique(rows.known[there]).tolist()
        }
        self.moved: list[tuple[Integers, Integers, Integers]] = []

    @abstractmethod
    def holds(self, left: Integers, groups: Groups) -> Mask:
        """Return which groups of the first rows, those left, can be blocks."""

    def run(self) -> Pieces:
        """Return what all records keep in the end."""
        for n_lost in range(1, self.rows.n_attributes + 1):
            self.begin(n_lost)
            if len(self.left):
                self.settle(n_lost)
                self.fill_up(n_lost)
        if len(self.left):
            self.settle_last()
        self.improve()
        return self.pieces()

    @abstractmethod
    def fill_up(self, n_lost: int) -> None:
        """Settle those for whom others lose fewer cells than the next stage costs."""

    @abstractmethod
    def settle_last(self) -> None:
        """Settle who is left after the last stage."""

    def improve(self) -> None:
        """Move records to blocks that keep more, as far as theirs do not need them."""
        most = self.rows.n_known - self.alone.n_lost
        rows = np.flatnonzero(size_of(self.kept[self.block]) < most)
        for size in range(self.rows.n_attributes, 0, -1):
            dearer = rows[size_of(self.kept[self.block[rows]]) < size]
            for kept in self.rows.subsets(size):
                if kept in self.keeping and len(dearer):
                    self._move_up(self.rows.having(dearer, kept), kept)

    def pieces(self) -> Pieces:
        """Return what all records keep."""
        every = [(np.arange(len(self.n)), self.block, self.n), *self.moved]
        found, block, n = (np.concatenate(part) for part in zip(*every, strict=True))
        some = n > 0
        return Pieces(found[some], self.kept[block[some]], n[some])

    def begin(self, n_lost: int) -> None:
        """Begin the stage in which at most `n_lost` cells are lost."""
        self.marks[self.alone.n_lost < n_lost] = ANY
        is_next = self.alone.n_lost[self.waiting] <= n_lost
        self.left = np.concatenate([self.left, self.waiting[is_next]])
        self.left.sort()
        self.waiting = self.waiting[~is_next]

    def settle(self, n_lost: int) -> None:
        """Settle all who can be by losing few enough cells, without others."""
        tried = self._tried(n_lost)
        heap = [(-self._ready(s, n_lost).n_records, i) for i, s in enumerate(tried)]
        heapify(heap)
        # A subset settles ever fewer: each row that leaves makes its groups smaller.
        while heap and heap[0][0] < 0:
            _, i = heappop(heap)
            ready = self._ready(tried[i], n_lost)
            if heap and (-ready.n_records, i) > heap[0]:
                heappush(heap, (-ready.n_records, i))
            elif ready.n_records:
                blocks = ready.named(len(self.n))
                self._open(blocks, tried[i])
                self._join(ready.left, blocks)

    def _tried(self, n_lost: int) -> list[int]:
        """Return subsets for which somebody left would lose exactly that many cells."""
        of_left: list[int] = np.unique(self.rows.known[self.left]).tolist()
        sizes = sorted({known.bit_count() - n_lost for known in of_left})
        return [
            kept
            for size in sizes
            if size >= 0
            for kept in self.rows.subsets(size)
            if any(
                known & kept == kept and known.bit_count() == size + n_lost
                for known in of_left
            )
        ]

    def _able(self, kept: int, n_lost: int) -> Integers:
        """Return rows that are left and can keep a subset at a cost at most."""
        left = marked_rows(self.marks, self.left, kept)
        left = left[self.rows.n_known[left] <= kept.bit_count() + n_lost]
        return self.rows.having(left, kept)

    def _ready(self, kept: int, n_lost: int) -> _Ready:
        """Return the rows that can be settled, with the blocks that they may join."""
        left = self._able(kept, n_lost)
        if not len(left):
            return _Ready(left, left, left, 0)
        blocks = self._blocks(kept, left)
        groups = grouped_rows(self.rows.kept(np.concatenate([left, blocks]), kept))
        can_be = self.holds(left, groups)
        can_be[groups.each[len(left) :]] = True
        chosen = can_be[groups.each]
        blocks = blocks[chosen[len(left) :]]
        left = left[chosen[: len(left)]]
        n_records = int(self.n[left].sum())
        return _Ready(left, blocks, groups.each[chosen], n_records)

    def _blocks(self, kept: int, wanted: Integers) -> Integers:
        """Return blocks that keep a subset and may be like wanted rows."""
        found = self.keeping.get(kept, self.left[:0])
        found = found[(self.size[found] > 0) & (self.kept[found] == np.uint64(kept))]
        return self.rows.near(found, wanted, kept)

    def _open(self, blocks: Integers, kept: int) -> None:
        """Open those of some blocks, which keep a subset, that are not there."""
        new = np.unique(blocks[self.size[blocks] == 0])
        known = self.keeping.get(kept, new[:0])
        self.keeping[kept] = np.concatenate([known, new])
        self.kept[new] = kept

    def _join(self, left: Integers, blocks: Integers) -> None:
        """Settle rows in blocks that are open."""
        self.block[left] = blocks
        np.add.at(self.size, blocks, self.n[left])
        self.left = self.left[self.block[self.left] < 0]

    def _move(self, rows: Integers, blocks: Integers, n: Integers) -> None:
        """Move records of settled rows to other blocks."""
        np.subtract.at(self.size, self.block[rows], n)
        np.add.at(self.size, blocks, n)
        self.n[rows] -= n
        self.moved.append((rows, blocks, n))

    def _move_up(self, rows: Integers, kept: int) -> None:
        """Move records that keep less to blocks that keep a subset."""
        is_dearer = size_of(self.kept[self.block[rows]]) < kept.bit_count()
        rows = rows[is_dearer & (self.n[rows] > 0)]
        if not len(rows):
            return
        blocks = self._blocks(kept, rows)
        groups = grouped_rows(self.rows.kept(np.concatenate([rows, blocks]), kept))
        nobody = len(self.n)
        target = groups.least(np.concatenate([np.full(len(rows), nobody), blocks]))
        target = target[groups.each[: len(rows)]]
        rows, target = rows[target < nobody], target[target < nobody]
        order = np.argsort(self.block[rows], kind="stable")
        rows, target = rows[order], target[order]
        block, n = self.block[rows], self.n[rows]
        total = kind_sums(block, n, nobody)[block]
        n = np.where(total == self.size[block], n, np.minimum(n, self._spare(rows)))
        some = n > 0
        self._move(rows[some], target[some], n[some])

    @abstractmethod
    def _spare(self, rows: Integers) -> Integers:
        """Return how many records rows can give up, all of them together.

        They are in the order of their blocks, each of which stays one.
        """
