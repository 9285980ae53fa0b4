"""The walk over QID subsets that yields every subset's block profile.

The walk decides on one attribute after another, from the most identifying to
the least: with it, blocks are split; without it, rows that become equal are
merged. Every subset is a leaf of this tree of decisions, and what two subsets
have in common is done once. Blocks that can no longer split leave the table,
and attributes that no longer split anything are decided for both at once.
"""

import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from microleak.kernels import blocks
from microleak.kernels.blocks import Table
from microleak.kernels.keys import Attribute, Packed, pack
from microleak.kernels.tally import Histogram, copy_tally, empty_tally, histogram

Subset = int
"""A set of QIDs as a bit mask: bit i is the i-th QID given."""


def walk(
    qids: Sequence[Attribute],
    sensitive: Sequence[Attribute],
    subsets: Sequence[Subset],
    n_threads: int = 1,
) -> dict[Subset, Histogram]:
    """Return the block profile of each of the QID subsets wanted.

    Parameters
    ----------
    qids, sensitive
        Coded attributes of at least one record and fewer than 2**31. Without a
        sensitive attribute, blocks are profiled for one with equal values.
    subsets
        Subsets of the QIDs, in any order; 0 is the empty one, whose only block
        holds all records.
    n_threads
        Threads that share the work; the result does not depend on it.

    Results are the same for any order of records, attributes or subsets.
    Subsets with equal blocks share one histogram.
    """
    wanted = np.unique(np.array(subsets, dtype=np.int64))
    used = [q for q in range(len(qids)) if np.any(wanted >> q & 1)]
    packed = pack(
        [qids[q] for q in used] or [_constant(qids)], sensitive or [_constant(qids)]
    )
    walker = _Walker(packed, used, n_threads)
    return walker.run(wanted)


def _constant(qids: Sequence[Attribute]) -> Attribute:
    return Attribute(np.zeros(len(qids[0].codes), dtype=np.uint8), 1)


@dataclass(frozen=True)
class _Node:
    """A place in the tree: a table, what is still to decide, what is wanted."""

    table: Table
    level: int
    undecided: tuple[tuple[int, int], ...]
    wanted: NDArray[np.int64]


@dataclass
class _Walker:
    packed: Packed
    qids: list[int]
    n_threads: int
    found: dict[Subset, Histogram] = field(default_factory=dict)
    tasks: list[Future[None]] = field(default_factory=list)

    def run(self, wanted: NDArray[np.int64]) -> dict[Subset, Histogram]:
        self.idle = threading.Semaphore(self.n_threads - 1)
        root = _Node(self._root(), 0, self.packed.levels[0].fields, wanted)
        with ThreadPoolExecutor(max_workers=self.n_threads) as self.pool:
            self._visit(root)
            for task in self.tasks:  # tasks append to the list while we wait
                task.result()
        return self.found

    def _root(self) -> Table:
        keys, weights = np.unique(self.packed.keys, return_counts=True)
        tally = empty_tally(len(self.packed.fields.shifts))
        starts = np.array([0, len(keys)], dtype=np.int32)
        everything = np.uint64(2**64 - 1)
        return Table(keys, weights.astype(np.int32), starts, tally, everything)

    def _visit(self, node: _Node) -> None:
        while True:
            node = self._settled(node)
            if not node.undecided:
                self._store(node)
                return
            qid, _ = node.undecided[0]
            has = node.wanted >> self.qids[qid] & 1 == 1
            if not has.all():
                self._fork(self._without(node, node.wanted[~has]))
            if not has.any():
                return
            node = self._with(node, node.wanted[has])

    def _settled(self, node: _Node) -> _Node:
        """Leave out what no longer splits anything; go on to the next level."""
        varying = int(node.table.varying)
        level, table, undecided = node.level, node.table, node.undecided
        undecided = tuple(f for f in undecided if f[1] & varying)
        while not undecided and level + 1 < len(self.packed.levels):
            above = self.packed.levels[level]
            ranks = table.keys & np.uint64(above.rank_mask)
            table = table._replace(keys=above.next_keys[ranks])
            level += 1
            undecided = self.packed.levels[level].fields
            if not len(table.keys):
                undecided = ()
        return _Node(table, level, undecided, node.wanted)

    def _masks(
        self, level: int, undecided: Sequence[tuple[int, int]]
    ) -> tuple[np.uint64, np.uint64]:
        """Bits to keep, and those in which the rows of a final block agree."""
        qid_bits = sum(mask for _, mask in undecided)
        if level + 1 < len(self.packed.levels):
            qid_bits |= self.packed.levels[level].rank_mask
            return np.uint64(qid_bits), np.uint64(qid_bits)
        return np.uint64(qid_bits | self._sensitive_bits()), np.uint64(qid_bits)

    def _sensitive_bits(self) -> int:
        shifts, masks, _ = self.packed.fields
        return sum(int(m) << int(s) for s, m in zip(shifts, masks, strict=True))

    def _with(self, node: _Node, wanted: NDArray[np.int64]) -> _Node:
        (_, bits), *rest = node.undecided
        keep, final = self._masks(node.level, rest)
        table = blocks.split(
            node.table, np.uint64(bits), keep, final, self.packed.fields
        )
        return _Node(_typed(table), node.level, tuple(rest), wanted)

    def _without(self, node: _Node, wanted: NDArray[np.int64]) -> _Node:
        needed = int(np.bitwise_or.reduce(wanted))
        rest = [f for f in node.undecided[1:] if needed >> self.qids[f[0]] & 1]
        keep, final = self._masks(node.level, rest)
        tally = copy_tally(node.table.tally)
        table = blocks.drop(
            node.table._replace(tally=tally), keep, final, self.packed.fields
        )
        return _Node(_typed(table), node.level, tuple(rest), wanted)

    def _fork(self, node: _Node) -> None:
        """Visit a subtree, on another thread if one has nothing to do."""
        if self.idle.acquire(blocking=False):
            self.tasks.append(self.pool.submit(self._task, node))
        else:
            self._visit(node)

    def _task(self, node: _Node) -> None:
        try:
            self._visit(node)
        finally:
            self.idle.release()

    def _store(self, node: _Node) -> None:
        table = node.table
        if len(table.keys):  # QIDs that are all constant were never split by
            zero, rest = np.uint64(0), np.uint64(self._sensitive_bits())
            table = blocks.split(table, zero, rest, zero, self.packed.fields)
        found = histogram(table.tally)
        self.found.update(dict.fromkeys(node.wanted.tolist(), found))


def _typed(table: Table) -> Table:
    return table._replace(varying=np.uint64(table.varying))
