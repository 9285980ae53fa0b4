"""A search for what records keep, stage by stage: what all targets have in common.

Rows that are alike are moved together, so that its time depends on different rows. Each
record must lose some cells, whatever becomes of the others: those it loses *alone*.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import accumulate
from math import comb

import numpy as np

from microleak.base.arrays import Integers, Mask
from microleak.definitions.exact import kind_sums
from microleak.kernels.crowds import largest_sets, mark_of, marked_rows
from microleak.protection.rows import (
    AttributeSets,
    BlockTarget,
    Groups,
    Rows,
    group_least,
    grouped_rows,
    has_values,
)

MOST_SETS = 1 << 16
"""Sets of attributes that the tree may have: all of sixteen attributes."""

ANY = np.uint64(2**64 - 1)
"""Marks of all sets."""


@dataclass(frozen=True)
class Alone:
    """What records lose at least, as if each of them were alone to be settled."""

    n_lost: Integers  # How many cells a record of each row loses at least
    marks: AttributeSets


def lost_alone(rows: Rows, k: int) -> Alone:
    """Return what a record of each row loses at least; there are k records or more.

    It loses no fewer cells than the nearest pattern that has k guests asks for. Of many
    attributes only patterns are tried that lack few of them.
    """
    n = rows.n_attributes
    # A set of the tree that ends with attribute i lacks some of those before it.
    n_sets = accumulate(comb(n, n_dropped + 1) for n_dropped in range(n))
    most = sum(number <= MOST_SETS for number in n_sets) - 1
    # Who may lack all but one attribute may lack all: of that set nothing is asked.
    most += most == n - 1
    sizes, marks = largest_sets(rows.columns(), rows.by_values, rows.counts, k, most)
    n_lost = rows.n_known - sizes
    if most < n:
        n_beyond = np.maximum(0, most + 1 - (n - rows.n_known))
        marks[n_lost >= n_beyond] = ANY
        n_lost = np.minimum(n_lost, n_beyond)
    return Alone(n_lost, marks)


def alone_with_values(rows: Rows, n: int) -> Alone:
    """Return what a record of each row loses at least for n values in its block.

    It loses no fewer cells than the nearest pattern whose guests have n values in each
    column of values. Subsets are tried one by one. A record that has none by the
    subsets of a size that are tried, where these are not all, is taken to lose no more
    than by that size.
    """
    everyone = np.arange(len(rows.counts))
    is_left = ~BlockTarget(l=n).is_met_by(rows)
    n_lost = np.where(is_left, rows.n_known, 0)
    marks = np.full(len(everyone), ANY)
    for size in range(rows.n_attributes, -1, -1):
        left = np.flatnonzero(is_left & (rows.n_known >= size))
        if not len(left):
            continue
        marks[left] = 0
        if not rows.tries_all(size):
            found = left
            marks[left] = ANY
        else:
            for kept in rows.subsets(size):
                own = _with_values(rows, rows.having(left, kept), kept, n)
                marks[own] |= mark_of(kept)
            found = left[marks[left] > 0]
        n_lost[found] = rows.n_known[found] - size
        is_left[found] = False
    return Alone(n_lost, marks)


def _with_values(rows: Rows, own: Integers, kept: int, n: int) -> Integers:
    """Return those rows for whose pattern of a subset there are guests of n values."""
    if not len(own):
        return own
    near = rows.near(rows.having(np.arange(len(rows.counts)), kept), own, kept)
    groups = grouped_rows(rows.kept(np.concatenate([own, near]), kept))
    of_near = Groups(groups.each[len(own) :], groups.n)
    is_met = has_values(of_near, rows.values_of(near), n)
    return own[is_met[groups.each[: len(own)]]]


@dataclass(frozen=True)
class Pieces:
    """Records of a row that keep the same attributes, a piece after the other."""

    rows: Integers
    kept: AttributeSets  # Set of the attributes that its records keep
    n: Integers  # How many records

    def n_lost(self, rows: Rows) -> Integers:
        return rows.n_known[self.rows] - size_of(self.kept)

    def n_cells(self, rows: Rows) -> int:
        return int((self.n_lost(rows) * self.n).sum())


def sums_so_far(numbers: Integers, groups: Integers) -> Integers:
    """Return sums up to each number, itself among them, within groups in order.

    >>> sums_so_far(np.array([1, 2, 3, 4]), np.array([0, 0, 2, 2])).tolist()
    [1, 3, 3, 7]
    """
    sums = np.cumsum(numbers)
    return np.asarray(sums - (sums - numbers)[np.searchsorted(groups, groups)])


def size_of(sets: AttributeSets) -> Integers:
    return np.bitwise_count(sets).astype(np.int64)


@dataclass(frozen=True)
class _Ready:
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
        every = [(np.arange(len(self.n)), self.block, self.n), *self.moved]
        found, block, n = (np.concatenate(part) for part in zip(*every, strict=True))
        some = n > 0
        return Pieces(found[some], self.kept[block[some]], n[some])

    def begin(self, n_lost: int) -> None:
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
        self._keep(np.unique(blocks[self.size[blocks] == 0]), kept)

    def _keep(self, blocks: Integers, kept: int) -> None:
        self.kept[blocks] = kept
        of_kept = self.keeping.get(kept, self.left[:0])
        self.keeping[kept] = np.concatenate([of_kept, blocks])

    def _join(self, left: Integers, blocks: Integers) -> None:
        self.block[left] = blocks
        np.add.at(self.size, blocks, self.n[left])
        self.left = self.left[self.block[self.left] < 0]

    def _move(self, rows: Integers, blocks: Integers, n: Integers) -> None:
        np.subtract.at(self.size, self.block[rows], n)
        np.add.at(self.size, blocks, n)
        self.n[rows] -= n
        self.moved.append((rows, blocks, n))

    def _move_up(self, rows: Integers, kept: int) -> None:
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
        """Return how many records rows, in the order of blocks, can give up."""
