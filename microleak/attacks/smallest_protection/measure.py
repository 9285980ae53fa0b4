"""The smallest protection of a release, from one record a person to the tables."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from microleak.attacks.smallest_protection.analysis import Search
from microleak.attacks.smallest_protection.definitions.nodes import (
    Flags,
    below_coarsest,
    coarser,
    finer,
    maximal,
    minimal,
    not_dominated,
)
from microleak.base.errors import TableError
from microleak.base.machine import Resources
from microleak.base.progress import progress
from microleak.kernels.risks import Risks, risks
from microleak.kernels.walk import Work
from microleak.records.chunks import Given
from microleak.records.lattice import Lattice, lattice_of
from microleak.records.memory import Memory, full_disk_said
from microleak.tables.spec import tables_of

TABLES = tables_of("microleak.attacks.smallest_protection")

ALL_TOLD = 2_000
"""Nodes up to which the table has all of them."""

EVERY = 30_000
"""Nodes of a lattice up to which each is counted, so that the frontier is whole."""

MOST_NODES = 20_000_000

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class ProtectionTables:
    """The tables of one search (docs/results.md describes their columns)."""

    smallest_protection: pd.DataFrame
    witnesses: pd.DataFrame
    cuts: pd.DataFrame


def protection_tables(
    people: Given, analysis: Search, resources: Resources
) -> ProtectionTables:
    """Return the smallest protection with its proof, and what others bring.

    Parameters
    ----------
    people
        One record a person; only the attributes of the analysis are read, chunk by
        chunk.
    analysis
        The search. A missing value of an attribute is a value like any other.
    resources
        Bounds, which do not change what is returned.

    Raises
    ------
    StudyError, TableError
        If a hierarchy does not fit the values, there are too many nodes, or no node
        keeps to the target.
    MicroleakError
        If memory or temporary space does not suffice.
    """
    memory = Memory(resources, f"analysis {analysis.name!r}")
    n_columns = len(analysis.qids) + len(analysis.sensitive)
    with full_disk_said(memory.where, resources.scratch):
        chunks, memory = memory.chunks(people, n_columns)
        lattice = lattice_of(
            chunks, analysis.qids, analysis.sensitive, analysis.hierarchies, memory
        )
        if lattice.n_nodes > MOST_NODES:
            raise TableError(
                f"{memory.where}: its hierarchies have {lattice.n_nodes:,} nodes, more "
                f"than the {MOST_NODES:,} that can be searched. Leave out levels."
            )
        found = _Search(lattice, analysis, memory)
        found.decide()
        return found.tables()


@dataclass
class _Known:
    """What is known of the nodes over some QIDs, all others on their last level.

    Attributes
    ----------
    places
        The QIDs, as places among those of the lattice.
    holds, fails
        Nodes known to keep to the target, and not to.
    counted
        Those of them that were counted.
    step
        How far below the coarsest node of which it is not known the next ones are.
    """

    places: tuple[int, ...]
    holds: Flags
    fails: Flags
    counted: Flags
    step: int = 0

    @property
    def unknown(self) -> Flags:
        """Nodes of which it is not known."""
        return ~(self.holds | self.fails)


def _claim(is_so: bool | np.bool_) -> str:
    """Write whether something is so, as tables have it."""
    return str(bool(is_so)).lower()


def _taken(found: Risks, places: Integers) -> Risks:
    return Risks(*(column[places] for column in vars(found).values()))


class _Search:
    """A search under way."""

    def __init__(self, lattice: Lattice, analysis: Search, memory: Memory) -> None:
        self._lattice = lattice
        self._analysis = analysis
        self._memory = memory
        self._n_records = lattice.records.n_records
        self._known = [self._nothing(places) for places in analysis.known]
        self._n_alone = np.full(lattice.n_nodes, -1)
        self._last: tuple[Integers, Risks] | None = None

    def _nothing(self, places: tuple[int, ...]) -> _Known:
        shape = tuple(self._lattice.shape[q] for q in places)
        holds, fails, counted = (np.zeros(shape, dtype=np.bool_) for _ in range(3))
        return _Known(places, holds, fails, counted)

    def _numbers(self, known: _Known, nodes: Flags) -> Integers:
        """Return the lattice's numbers of some nodes over some QIDs."""
        levels = [np.full(nodes.sum(), n - 1) for n in self._lattice.shape]
        for q, level in zip(known.places, np.nonzero(nodes), strict=True):
            levels[q] = level
        return np.ravel_multi_index(tuple(levels), self._lattice.shape)

    def _risks(self, nodes: Integers) -> Risks:
        """Return the risks of some nodes, given by numbers; in their order.

        Those that were counted last are not counted again.
        """
        if self._last is not None and np.isin(nodes, self._last[0]).all():
            numbers, found = self._last
            return _taken(found, np.searchsorted(numbers, nodes))
        sets = self._lattice.sets(nodes)
        wanted, place = np.unique(sets, return_inverse=True)
        records = self._lattice.records
        with progress("counting nodes", records.n_records * len(wanted)) as advance:
            found = risks(records, wanted, self._work(advance))
        return _taken(found, place)

    def _work(self, advance: Any) -> Work:
        return self._memory.work(self._lattice.records, advance)

    def decide(self) -> None:
        """Find out of every node whether it keeps to the target, in rounds.

        Of each set of QIDs nodes near the coarsest of which it is not known are
        counted, all sets in one walk; further below while all of them hold. One that
        keeps to the target decides all coarser ones, and one that does not all finer
        ones.
        """
        is_small = sum(each.holds.size for each in self._known) <= EVERY
        while left := [known for known in self._known if known.unknown.any()]:
            asked = [
                each.unknown if is_small else below_coarsest(each.unknown, each.step)
                for each in left
            ]
            numbers = [self._numbers(*pair) for pair in zip(left, asked, strict=True)]
            distinct, place = np.unique(np.concatenate(numbers), return_inverse=True)
            found = self._risks(distinct)
            self._last = distinct, found
            self._n_alone[distinct] = found.by_size[:, 1]
            ends = np.cumsum([len(each) for each in numbers])[:-1]
            holds = np.split(self._holds(found)[place], ends)
            for known, nodes, here in zip(left, asked, holds, strict=True):
                is_held = np.zeros_like(nodes)
                is_held[nodes] = here
                known.counted |= nodes
                known.holds |= coarser(is_held)
                known.fails |= finer(nodes & ~is_held)
                known.step = 2 * known.step + 1 if here.all() else known.step // 2
        if not self._kept.any():
            self._refuse()

    def _holds(self, found: Risks) -> NDArray[np.bool_]:
        """Say of each node whether it keeps to the target, by whole numbers."""
        target, n = self._analysis.target, self._n_records

        def most(share: str | None) -> int:
            """Return the most records that a share allows; all without one."""
            return n if share is None else int(Fraction(share) * n)

        is_kept = found.smallest >= (target.k or 1)
        is_kept &= found.by_size[:, 1] <= most(target.alone)
        is_kept &= found.n_blocks <= most(target.reidentified)
        is_kept &= (found.n_certain <= most(target.certain)).all(axis=1)
        is_kept &= (found.n_modal <= most(target.inferred)).all(axis=1)
        is_kept &= (found.least_distinct >= (target.l or 1)).all(axis=1)
        return is_kept

    def _refuse(self) -> None:
        """Refuse a target that nothing reaches, with the best that can be reached."""
        shape = self._lattice.shape
        last = np.array([np.ravel_multi_index([n - 1 for n in shape], shape)])
        found, target, n = self._risks(last), self._analysis.target, self._n_records
        best = {
            "k": found.smallest[0],
            "alone": found.by_size[0, 1] / n,
            "reidentified": found.n_blocks[0] / n,
            "certain": found.n_certain[0].max(initial=0) / n,
            "inferred": found.n_modal[0].max(initial=0) / n,
            "l": found.least_distinct[0].min(initial=n),
        }
        said = ", ".join(
            f"{name} {best[name]:,.4g}" for name in best if getattr(target, name)
        )
        raise TableError(
            f"{self._memory.where}: no node keeps to target, not even without any QID: "
            f"the best that can be reached is {said}. Correct target."
        )

    @cached_property
    def _kept(self) -> Flags:
        """Nodes that keep to the target by each of the sets of QIDs."""
        kept = np.ones(self._lattice.shape, dtype=np.bool_)
        for known in self._known:
            shape = [1] * kept.ndim
            for q in known.places:
                shape[q] = kept.shape[q]
            kept &= known.holds.reshape(shape)
        return kept

    def tables(self) -> ProtectionTables:
        """Return the tables."""
        rows = [row for known in self._known for row in self._witnesses(known)]
        return ProtectionTables(
            TABLES["smallest_protection"].frame(self._nodes()),
            TABLES["witnesses"].frame(rows),
            TABLES["cuts"].frame(
                row for known in self._known for row in self._cuts(known)
            ),
        )

    def _answer(self) -> int:
        """Return the node of least loss; of equals the lowest, and then the first."""
        nodes = np.flatnonzero(self._kept)
        levels = np.sum(np.unravel_index(nodes, self._lattice.shape), axis=0)
        order = np.lexsort((nodes, levels, self._lattice.loss.flat[nodes]))
        return int(nodes[order[0]])

    def _nodes(self) -> Iterator[dict[str, Any]]:
        """Yield the release, single changes, answer and frontier; of few nodes all."""
        shape = self._lattice.shape
        levels = np.array(np.unravel_index(np.arange(self._lattice.n_nodes), shape))
        singles = np.flatnonzero((levels > 0).sum(axis=0) <= 1)
        answer, frontier = self._answer(), self._frontier()
        shown = np.unique(np.concatenate([singles, frontier, [answer]]))
        if self._lattice.n_nodes <= ALL_TOLD:
            shown = np.arange(self._lattice.n_nodes)
        found, loss = self._risks(shown), self._lattice.loss.flat[shown]
        for place in np.argsort(loss, kind="stable").tolist():
            node = shown[place]
            of_node = {
                "target": self._analysis.target.text,
                "n_known": len(self._known[0].places),
                **self._which(levels[:, node], range(len(shape))),
                "holds": _claim(self._kept.flat[node]),
                "loss": float(loss[place]),
                "is_answer": _claim(node == answer),
                "on_frontier": _claim(node in frontier),
            }
            yield from self._measured(of_node, found, place)

    def _frontier(self) -> Integers:
        """Return the nodes with fewer alone than any of no more loss; none of sets."""
        if len(self._known) > 1:
            return np.empty(0, dtype=np.int64)
        counted = np.flatnonzero(self._n_alone >= 0)
        loss = self._lattice.loss.flat[counted]
        return counted[not_dominated(self._n_alone[counted], loss)]

    def _witnesses(self, known: _Known) -> Iterator[dict[str, Any]]:
        """Yield nodes that decide all: the finest that hold, the coarsest that fail."""
        decisive = ((True, minimal(known.holds)), (False, maximal(known.fails)))
        for holds, nodes in decisive:
            numbers = self._numbers(known, nodes)
            if not len(numbers):
                continue
            found = self._risks(numbers)
            levels = np.array(np.unravel_index(numbers, self._lattice.shape))
            for place in range(len(numbers)):
                which = self._which(levels[:, place], known.places)
                yield from self._measured(
                    {**which, "holds": _claim(holds)}, found, place
                )

    def _cuts(self, known: _Known) -> Iterator[dict[str, Any]]:
        """Yield how many nodes were decided for which reason."""
        names = [self._analysis.qids[q] for q in known.places]
        for reason, nodes in (
            ("held", known.counted & known.holds),
            ("coarser", ~known.counted & known.holds),
            ("failed", known.counted & known.fails),
            ("finer", ~known.counted & known.fails),
        ):
            yield {
                **self._who(),
                "qids": "|".join(names),
                "n_qids": len(names),
                "reason": reason,
                "n_nodes": int(nodes.sum()),
            }

    def _who(self) -> dict[str, str]:
        analysis = self._analysis
        return {
            "analysis": analysis.name,
            "table": analysis.table,
            "focal": analysis.focal,
        }

    def _which(self, levels: Integers, places: Sequence[int]) -> dict[str, Any]:
        """Say on which level each QID is that is not as it is."""
        shape = self._lattice.shape
        changed = [q for q in places if levels[q]]
        left_out = [q for q in changed if levels[q] == shape[q] - 1]
        coarse = [q for q in changed if q not in left_out]
        names = self._analysis.qids
        return {
            **self._who(),
            "qids": "|".join(names[q] for q in places),
            "n_qids": len(places),
            "left_out": "|".join(names[q] for q in left_out),
            "levels": "|".join(
                f"{names[q]}:{self._lattice.levels[q].names[levels[q]]}" for q in coarse
            ),
            "n_changed": len(changed),
        }

    def _measured(
        self, of_node: dict[str, Any], found: Risks, place: int
    ) -> Iterator[dict[str, Any]]:
        """Yield the rows of a node: re-identification, then each inference."""
        n = self._n_records
        n_alone = int(found.by_size[place, 1])
        yield {
            **of_node,
            "sensitive": "",
            "n_records": n,
            "n_blocks": int(found.n_blocks[place]),
            "smallest_block": int(found.smallest[place]),
            "n_alone": n_alone,
            "n_certain": n_alone,
            "posterior_prob": int(found.n_blocks[place]) / n,
            "least_distinct": None,
            "largest_success": 1 / int(found.smallest[place]),
        }
        for s, sensitive in enumerate(self._analysis.sensitive):
            yield {
                **of_node,
                "sensitive": sensitive,
                "n_records": n,
                "n_blocks": int(found.n_blocks[place]),
                "smallest_block": int(found.smallest[place]),
                "n_alone": n_alone,
                "n_certain": int(found.n_certain[place, s]),
                "posterior_prob": int(found.n_modal[place, s]) / n,
                "least_distinct": int(found.least_distinct[place, s]),
                "largest_success": int(found.best[place, s])
                / int(found.best_of[place, s]),
            }
