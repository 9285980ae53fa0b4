"""What was counted of nodes, none twice, and what is known of them in a search."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.smallest_protection.definitions.nodes import Flags
from microleak.attacks.smallest_protection.definitions.own_record import (
    Whole,
    own_record,
)
from microleak.attacks.smallest_protection.kernels.left_out import left_out
from microleak.attacks.smallest_protection.kernels.risks import RiskRows, risks
from microleak.attacks.smallest_protection.lattice import Lattice
from microleak.base.arrays import Integers
from microleak.base.progress import progress
from microleak.kernels.kinds import choices_of
from microleak.kernels.walk import Work
from microleak.records.memory import Memory

ALL_TOLD = 2_000  # Nodes up to which the table has all of them
EVERY = 30_000  # Nodes up to which each is counted, so that the frontier is whole
EVERY_OF_FEW, FEW_RECORDS = 200_000, 100_000  # The same of a release of so few records


def is_every_counted(n_nodes: int, n_records: int) -> bool:
    """Return whether all of so many nodes are counted, in a minute of a processor."""
    return n_nodes <= EVERY or (n_nodes <= EVERY_OF_FEW and n_records <= FEW_RECORDS)


def always_told(shape: tuple[int, ...]) -> Flags:
    """Return the nodes that are told whatever is found: of few nodes all."""
    # Of more the release and single changes.
    found = np.full(shape, np.prod(shape) <= ALL_TOLD)
    for axis in range(len(shape)):
        found[tuple(slice(None) if q == axis else 0 for q in range(len(shape)))] = True
    return found


class CountedNodes:
    """The numbers of nodes of a lattice that were asked for."""

    def __init__(self, lattice: Lattice, memory: Memory) -> None:
        self._lattice = lattice
        self._memory = memory
        self.nodes: Integers = np.empty(0, dtype=np.int64)
        self._risks: list[NDArray[Any]] = []
        self._others: dict[int, list[Integers]] = {}

    def risks(self, nodes: Integers) -> RiskRows:
        """Return the risks of some nodes, given by numbers; in their order."""
        new = np.setdiff1d(nodes, self.nodes)
        if len(new):
            sets = self._lattice.sets(new)
            wanted, place = np.unique(sets, return_inverse=True)
            records = self._lattice.records
            with progress("counting nodes", records.n_records * len(wanted)) as advance:
                found = risks(records, wanted, self._work(advance))
            self._keep(new, [column[place] for column in vars(found).values()])
        place = np.searchsorted(self.nodes, nodes)
        return RiskRows(*(column[place] for column in self._risks))

    def _keep(self, nodes: Integers, found: list[NDArray[Any]]) -> None:
        numbers = np.concatenate([self.nodes, nodes])
        order = np.argsort(numbers)
        before = self._risks or [column[:0] for column in found]
        self.nodes = numbers[order]
        self._risks = [
            np.concatenate(pair)[order] for pair in zip(before, found, strict=True)
        ]

    def others(self, nodes: Integers) -> list[list[tuple[Whole, Integers]]]:
        asked = [node for node in set(nodes.tolist()) if node not in self._others]
        if asked:
            sets = self._lattice.sets(np.array(asked))
            wanted, place = np.unique(sets, return_inverse=True)
            records = self._lattice.records
            n_walked = records.n_records * len(wanted) * len(records.sensitive)
            with progress("counting nodes", n_walked) as advance:
                work = self._work(advance)
                each = [
                    list(left_out(records, s, wanted, work))
                    for s in range(len(records.sensitive))
                ]
            for node, at in zip(asked, place.tolist(), strict=True):
                self._others[node] = [found[at] for found in each]
        return [
            list(zip(self.whole, self._others[node], strict=True))
            for node in nodes.tolist()
        ]

    def own_records(self, nodes: Integers) -> list[list[Fraction]]:
        return [[own_record(*pair) for pair in each] for each in self.others(nodes)]

    @cached_property
    def whole(self) -> Sequence[Whole]:
        """Each sensitive attribute in the whole table."""
        return [
            Whole(self._lattice.records.n_records, max(counts), choices_of(counts))
            for counts in (v.counts.tolist() for v in self._lattice.records.sensitive)
        ]

    def _work(self, advance: Any) -> Work:
        return self._memory.work(self._lattice.records, advance)


@dataclass
class KnownNodes:
    """What is known of the nodes over some QIDs, all others on their last level."""

    # A coarser node meets the bounds that a finer one meets. What the own record adds
    # goes up and down; where it has no bound, it adds little at every node.

    places: tuple[int, ...]  # The QIDs, as places among those of the lattice
    meets_bounds: Flags  # As do then all coarser nodes
    breaks_bounds: Flags  # As do then all finer nodes
    counted: Flags  # Nodes that were counted to know it
    adds_little_above: Flags  # The own record, at this and all coarser nodes
    adds_much_below: Flags  # At this and all finer nodes
    adds_little: Flags  # At this node, which tells nothing of others
    adds_much: Flags

    @property
    def unknown(self) -> Flags:
        """Nodes of which it is not known whether they keep to the monotone bounds."""
        return ~(self.meets_bounds | self.breaks_bounds)

    @property
    def holds(self) -> Flags:
        return self.meets_bounds & (self.adds_little_above | self.adds_little)

    @property
    def fails(self) -> Flags:
        return self.breaks_bounds | self.adds_much_below | self.adds_much

    @property
    def may_hold(self) -> Flags:
        """Nodes not known not to."""
        return ~self.fails

    @property
    def reasons(self) -> dict[str, Flags]:
        """Nodes by why they are decided, as table `cuts` calls it."""
        of_coarser = self.meets_bounds & self.adds_little_above
        of_finer = self.breaks_bounds | self.adds_much_below
        little, much = self.meets_bounds & self.adds_little, self.adds_much & ~of_finer
        return {
            "held": of_coarser & self.counted,
            "coarser": of_coarser & ~self.counted,
            "held_itself": little & ~of_coarser,
            "failed": of_finer & self.counted,
            "finer": of_finer & ~self.counted,
            "failed_itself": much,
            "dearer": ~(self.holds | self.fails),
        }


def nothing_known(
    shape: tuple[int, ...], places: tuple[int, ...], is_within: bool
) -> KnownNodes:
    """Return what is known at first of nodes over some QIDs of a lattice's shape."""
    # `is_within` says whether what the own record adds has no bound.
    shape = tuple(shape[q] for q in places)
    _, *names = (each.name for each in fields(KnownNodes))
    flags = {name: np.zeros(shape, dtype=np.bool_) for name in names}
    flags["adds_little_above"][...] = is_within
    return KnownNodes(places, **flags)


def flags_at(nodes: Flags, values: Flags) -> Flags:
    """Return flags at some nodes, in their order, False elsewhere.

    >>> flags_at(np.array([True, False, True]), np.array([False, True])).tolist()
    [False, False, True]
    """
    found = np.zeros_like(nodes)
    found[nodes] = values
    return found
