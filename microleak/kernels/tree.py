"""The tree of decisions that yields the block profile of every QID subset.

One QID after another is decided on, from the most identifying to the least:
with it, blocks are split; without it, rows that become equal are merged. Every
subset is a leaf, and what two subsets have in common is done once. Blocks that
can no longer split leave the table, and QIDs that no longer split anything are
decided for both at once. Some blocks are counted for all subsets below at once, if
the counter can.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from microleak.base.arrays import QidMask
from microleak.base.progress import Advance, tell_no_progress
from microleak.kernels import blocks
from microleak.kernels.blocks import BlockTable, Final, Keys, Weights
from microleak.kernels.keys import BitField, Packed

QidMasks = NDArray[np.int64]


Counts = Any
"""What a counter has counted of a subset's blocks."""


class Counter(Protocol):
    """What is counted of the final blocks of every subset."""

    @property
    def types(self) -> Sequence[np.dtype[Any]]:
        """Types of the columns of `rows`."""

    @property
    def weight(self) -> np.dtype[Any]:
        """Type of the weights."""

    def weights(self, chunk: int, n_rows: int) -> Weights:
        """Return the weights of the records of a chunk."""

    def begin(self, weights: Weights) -> tuple[Weights, Counts]:
        """Return the weights to walk with in a bucket, and what is counted of none."""

    def copied(self, counts: Counts) -> Counts:
        """Return counts that can be added to without changing these."""

    def counted(self, counts: Counts, final: Final, wanted: QidMasks) -> Counts:
        """Count final blocks of some subsets; the counts given are used up."""

    def added(self, total: Counts, part: Counts) -> Counts:
        """Add counts to others, which are used up."""

    def n_bytes(self, counts: Counts) -> int:
        """Return the bytes that counts take."""

    def rows(self, counts: Counts) -> Sequence[NDArray[Any]]:
        """Return counts as columns."""


@runtime_checkable
class CountsAtOnce(Counter, Protocol):
    """Counts some blocks for many subsets at once, too."""

    def at_once(
        self, table: BlockTable, undecided: Sequence[BitField], wanted: QidMasks
    ) -> tuple[NDArray[np.int32], Sequence[Counts]]:
        """Return which blocks it has counted, and what of them for each subset."""


@dataclass(frozen=True)
class Node:
    """A place in the tree: a table, what is still to decide, what is wanted."""

    table: BlockTable
    counts: Counts
    level: int
    undecided: tuple[BitField, ...]
    wanted: QidMasks


@dataclass
class Tree:
    """The tree below some node, whose counts go to `add` by subset.

    What was found waits until it takes more than `most_bytes`. Subsets with equal
    blocks share their counts.
    """

    packed: Packed
    counter: Counter
    add: Callable[[Mapping[QidMask, Counts]], None]
    most_bytes: int
    advance: Advance = tell_no_progress
    _found: dict[QidMask, Counts] = field(default_factory=dict)
    _n_bytes: int = 0

    def visit(self, node: Node) -> None:
        """Profile all subsets wanted of a node; its table is used up."""
        while True:
            node = self._without_counted(self._settled(node))
            if not node.undecided:
                self._store(node)
                return
            has = node.wanted >> node.undecided[0].qid & 1 == 1
            if not has.all():
                self.visit(self._without(node, node.wanted[~has]))
            if not has.any():
                return
            node = self.with_first(node, node.wanted[has])

    @cached_property
    def _at_once(self) -> CountsAtOnce | None:
        # Once, as Python looks at each attribute of the protocol.
        return self.counter if isinstance(self.counter, CountsAtOnce) else None

    def _without_counted(self, node: Node) -> Node:
        """Count blocks for all subsets wanted, where that saves time."""
        table, counter = node.table, self._at_once
        if counter is None or not self.packed.is_last(node.level):
            return node
        if len(node.wanted) == 1 or not len(table.keys):
            return node
        counted, found = counter.at_once(table, node.undecided, node.wanted)
        if not len(counted):
            return node
        self.add(dict(zip(node.wanted.tolist(), found, strict=True)))
        table = _typed_table(blocks.without_blocks(table, counted))
        undecided = node.undecided if len(table.keys) else ()
        return Node(table, node.counts, node.level, undecided, node.wanted)

    def with_first(self, node: Node, wanted: QidMasks) -> Node:
        """Decide for the first undecided QID: split every block by it."""
        first, *rest = node.undecided
        masks = np.uint64(first.mask), *self._masks(node.level, rest)
        table, counts = self._split(node, masks, wanted)
        return Node(table, counts, node.level, tuple(rest), wanted)

    def _split(
        self, node: Node, masks: tuple[np.uint64, ...], wanted: QidMasks
    ) -> tuple[BlockTable, Counts]:
        table, final = blocks.split_blocks(
            node.table, *masks, self.packed.fields.n_marked
        )
        counts = self.counter.counted(node.counts, final, wanted)
        return _typed_table(
            blocks.without_blocks(_typed_table(table), final.blocks)
        ), counts

    def _without(self, node: Node, wanted: QidMasks) -> Node:
        """Decide against the first undecided QID, and those nobody wants."""
        needed = int(np.bitwise_or.reduce(wanted))
        rest = [f for f in node.undecided[1:] if needed >> f.qid & 1]
        masks = self._masks(node.level, rest)
        table, final = blocks.drop_attributes(
            node.table, *masks, self.packed.fields.n_marked
        )
        counts = self.counter.counted(self.counter.copied(node.counts), final, wanted)
        return Node(_typed_table(table), counts, node.level, tuple(rest), wanted)

    def _settled(self, node: Node) -> Node:
        """Leave out what no longer splits anything; go on to the next level."""
        varying = int(node.table.varying)
        level, table = node.level, node.table
        undecided = tuple(f for f in node.undecided if f.mask & varying)
        while not undecided and not self.packed.is_last(level):
            table = table._replace(keys=self.packed.descend(level, table.keys))
            level += 1
            undecided = self.packed.levels[level].fields if len(table.keys) else ()
        return Node(table, node.counts, level, undecided, node.wanted)

    def _masks(
        self, level: int, undecided: Sequence[BitField]
    ) -> tuple[np.uint64, np.uint64]:
        """Bits to keep, and those in which the rows of a final block agree."""
        qid_bits = sum(f.mask for f in undecided)
        if not self.packed.is_last(level):
            qid_bits |= self.packed.levels[level].mask_behind
            return np.uint64(qid_bits), np.uint64(qid_bits)
        return np.uint64(qid_bits | self.packed.sensitive_bits), np.uint64(qid_bits)

    def _store(self, node: Node) -> None:
        counts = node.counts
        if len(node.table.keys):  # nothing was left to split by from the start
            zero, rest = np.uint64(0), np.uint64(self.packed.sensitive_bits)
            _, counts = self._split(node, (zero, rest, zero), node.wanted)
        self._found.update(dict.fromkeys(node.wanted.tolist(), counts))
        self._n_bytes += self.counter.n_bytes(counts)
        self.advance(len(node.wanted))
        if self._n_bytes > self.most_bytes:
            self.hand_over()

    def hand_over(self) -> None:
        """Return what was found, and forget it."""
        self.add(self._found)
        self._found.clear()
        self._n_bytes = 0


def one_block(keys: Keys, weights: Weights) -> BlockTable:
    """Return a table of one block, whose every bit may vary."""
    starts = np.array([0, len(keys)], dtype=np.int32)
    return BlockTable(keys, weights, starts, np.uint64(2**64 - 1))


def _typed_table(table: BlockTable) -> BlockTable:
    return table._replace(varying=np.uint64(table.varying))
