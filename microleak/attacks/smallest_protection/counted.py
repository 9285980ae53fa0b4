"""What was counted of nodes, none twice."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
        """Keep what was counted of nodes, in the order of all their numbers."""
        numbers = np.concatenate([self.nodes, nodes])
        order = np.argsort(numbers)
        before = self._risks or [column[:0] for column in found]
        self.nodes = numbers[order]
        self._risks = [
            np.concatenate(pair)[order] for pair in zip(before, found, strict=True)
        ]

    def others(self, nodes: Integers) -> list[list[tuple[Whole, Integers]]]:
        """Return what is counted of others at some nodes, by sensitive attribute."""
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
        """Return what the own record adds at some nodes, by sensitive attribute."""
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
