"""The tree of decisions that yields the block profile of every QID subset.

One QID after another is decided on, from the most identifying to the least:
with it, blocks are split; without it, rows that become equal are merged. Every
subset is a leaf, and what two subsets have in common is done once. Blocks that
can no longer split leave the table, and QIDs that no longer split anything are
decided for both at once.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from microleak.kernels import blocks
from microleak.kernels.blocks import Keys, Table, Weights
from microleak.kernels.keys import BitField, Packed
from microleak.kernels.tally import Tally, copy_tally, empty_tally, n_bytes

Subset = int
"""A set of QIDs as a bit mask: bit i is the i-th QID given."""

Subsets = NDArray[np.int64]


@dataclass(frozen=True)
class Node:
    """A place in the tree: a table, what is still to decide, what is wanted.

    `wanted` are the subsets that agree with the decisions so far.
    """

    table: Table
    level: int
    undecided: tuple[BitField, ...]
    wanted: Subsets


@dataclass
class Tree:
    """The tree below some node, whose blocks go to `add` by subset.

    What was found waits until it takes more than `most_bytes`. Subsets with
    equal blocks share one tally.
    """

    packed: Packed
    add: Callable[[Mapping[Subset, Tally]], None]
    most_bytes: int
    _found: dict[Subset, Tally] = field(default_factory=dict)
    _n_bytes: int = 0

    def visit(self, node: Node) -> None:
        """Profile all subsets wanted of a node; its table is used up."""
        while True:
            node = self._settled(node)
            if not node.undecided:
                self._store(node)
                return
            has = node.wanted >> node.undecided[0].qid & 1 == 1
            if not has.all():
                self.visit(self._without(node, node.wanted[~has]))
            if not has.any():
                return
            node = self.with_first(node, node.wanted[has])

    def with_first(self, node: Node, wanted: Subsets) -> Node:
        """Decide for the first undecided QID: split every block by it."""
        first, *rest = node.undecided
        keep, final = self._masks(node.level, rest)
        table = blocks.split(
            node.table, np.uint64(first.mask), keep, final, self.packed.fields
        )
        return Node(_typed(table), node.level, tuple(rest), wanted)

    def _without(self, node: Node, wanted: Subsets) -> Node:
        """Decide against the first undecided QID, and those nobody wants."""
        needed = int(np.bitwise_or.reduce(wanted))
        rest = [f for f in node.undecided[1:] if needed >> f.qid & 1]
        keep, final = self._masks(node.level, rest)
        tally = copy_tally(node.table.tally)
        table = blocks.drop(
            node.table._replace(tally=tally), keep, final, self.packed.fields
        )
        return Node(_typed(table), node.level, tuple(rest), wanted)

    def _settled(self, node: Node) -> Node:
        """Leave out what no longer splits anything; go on to the next level."""
        varying = int(node.table.varying)
        level, table = node.level, node.table
        undecided = tuple(f for f in node.undecided if f.mask & varying)
        while not undecided and not self.packed.is_last(level):
            table = table._replace(keys=self.packed.descend(level, table.keys))
            level += 1
            undecided = self.packed.levels[level].fields if len(table.keys) else ()
        return Node(table, level, undecided, node.wanted)

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
        table = node.table
        if len(table.keys):  # nothing was left to split by from the start
            zero, rest = np.uint64(0), np.uint64(self.packed.sensitive_bits)
            table = blocks.split(table, zero, rest, zero, self.packed.fields)
        self._found.update(dict.fromkeys(node.wanted.tolist(), table.tally))
        self._n_bytes += n_bytes(table.tally)
        if self._n_bytes > self.most_bytes:
            self.hand_over()

    def hand_over(self) -> None:
        """Give away what was found."""
        self.add(self._found)
        self._found.clear()
        self._n_bytes = 0


def one_block(keys: Keys, weights: Weights, n_sensitive: int) -> Table:
    """Return a table of one block, whose every bit may vary."""
    starts = np.array([0, len(keys)], dtype=np.int32)
    everything = np.uint64(2**64 - 1)
    return Table(keys, weights, starts, empty_tally(n_sensitive), everything)


def _typed(table: Table) -> Table:
    return table._replace(varying=np.uint64(table.varying))
