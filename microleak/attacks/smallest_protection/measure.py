"""The smallest protection of a release, from one record a person to the tables."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain
from math import prod
from typing import Any

import numpy as np
import pandas as pd

from microleak.attacks.smallest_protection.definitions.nodes import (
    Flags,
    maximal,
    minimal,
)
from microleak.attacks.smallest_protection.kernels.risks import RiskRows
from microleak.attacks.smallest_protection.lattice import lattice_of
from microleak.attacks.smallest_protection.losses import Losses
from microleak.attacks.smallest_protection.minimality import minimality
from microleak.attacks.smallest_protection.search import EVERY, Decisions, KnownNodes
from microleak.attacks.smallest_protection.section import Search
from microleak.base.arrays import Integers
from microleak.base.errors import TableError
from microleak.base.machine import Resources
from microleak.base.progress import progress
from microleak.kernels.walk import walk_subsets
from microleak.records.chunks import Given
from microleak.records.memory import Memory, full_disk_said
from microleak.records.subsets import which
from microleak.tables.rows import as_table
from microleak.tables.spec import tables_of

TABLES = tables_of("microleak.attacks.smallest_protection")
MOST_NODES = 20_000_000


def protection_tables(
    people: Given, analysis: Search, resources: Resources
) -> dict[str, pd.DataFrame]:
    """Return the smallest protection with its proof, and what others bring."""
    memory = Memory(resources, f"analysis {analysis.name!r}")
    ((*_, names),) = analysis.needs
    with full_disk_said(memory.where, resources.scratch):
        chunks, memory = memory.chunks(people, len(names))
        lattice = lattice_of(
            chunks, analysis.qids, analysis.sensitive, analysis.hierarchies, memory
        )
        of_sets = (prod(lattice.shape[q] for q in known) for known in analysis.known)
        n_nodes = max(lattice.n_nodes, sum(of_sets))
        if n_nodes > MOST_NODES:
            raise TableError(
                f"{memory.where}: its hierarchies have {n_nodes:,} combinations of "
                f"levels, more than the {MOST_NODES:,} that can be searched. Leave out "
                "levels"
                f"{' or lower with_any' if len(analysis.known) > 1 else ''}."
            )
        losses = Losses(lattice, analysis, chunks, memory.where)
        found = Decisions(lattice, analysis, losses.of_nodes(), memory)
        found.decide()
        tables = _Tables(found, analysis)
        nodes = tables.told
        changed = losses.changed_tables(nodes)
        return tables.made(dict(zip(nodes.tolist(), changed, strict=True)), memory)


def _claim(is_so: bool | np.bool_) -> str:
    return str(bool(is_so)).lower()


class _Tables:
    """Makes the tables of a search that is done."""

    def __init__(self, found: Decisions, analysis: Search) -> None:
        self._found = found
        self._lattice = found.lattice
        self._analysis = analysis
        self._kept = found.kept
        # The node of least loss; of equals the lowest, and then the first.
        nodes = np.flatnonzero(self._kept)
        levels = np.sum(np.unravel_index(nodes, self._lattice.shape), axis=0)
        order = np.lexsort((nodes, levels, found.loss.flat[nodes]))
        self._answer = int(nodes[order[0]])

    @property
    def told(self) -> Integers:
        """The answer, and nodes with a change of one QID."""
        shown = np.flatnonzero(self._found.shown)
        n_changed = np.count_nonzero(np.unravel_index(shown, self._lattice.shape), 0)
        return np.union1d(shown[n_changed == 1], [self._answer])

    def made(
        self, changed: Mapping[int, str], memory: Memory
    ) -> dict[str, pd.DataFrame]:
        every = self._found.known
        rows = {
            "smallest_protection": self._nodes(changed),
            "witnesses": chain.from_iterable(map(self._witnesses, every)),
            "cuts": [
                self._who(known.places)
                | {"reason": reason, "n_nodes": int(nodes.sum())}
                for known in every
                for reason, nodes in known.reasons.items()
            ],
            "lattice": self._every(),
            "minimality": (
                self._which_of(node) | row
                for node, row in minimality(self._found, self._analysis, self._answer)
            ),
            "exposed": self._exposed(memory),
        }
        return {
            name: as_table(TABLES[name], of_table) for name, of_table in rows.items()
        }

    def _nodes(self, changed: Mapping[int, str]) -> Iterator[dict[str, Any]]:
        """Yield the release, single changes, answer and frontier; of few nodes all."""
        shape = self._lattice.shape
        is_shown = self._found.shown.copy()
        is_shown.flat[self._answer] = True
        shown = np.flatnonzero(is_shown)
        loss = self._found.loss.flat[shown]
        information = self._lattice.loss.flat[shown]
        on_frontier = np.isin(shown, self._found.frontier)
        order = np.argsort(loss, kind="stable")
        measured = self._measured(shown[order], range(len(shape)))
        for place, rows in zip(order.tolist(), measured, strict=True):
            node = shown[place]
            for row in rows:
                yield row | {
                    "target": self._analysis.target.text,
                    "n_known": len(self._found.known[0].places),
                    "holds": _claim(self._kept.flat[node]),
                    "loss_of": self._analysis.loss_text,
                    "loss": float(loss[place]),
                    "information": float(information[place]),
                    "tables_changed": changed.get(int(node), ""),
                    "is_answer": _claim(node == self._answer),
                    "on_frontier": _claim(on_frontier[place]),
                }

    def _witnesses(self, known: KnownNodes) -> Iterator[dict[str, Any]]:
        """Yield nodes that decide all that lose no more than the answer."""
        # The finest of those that hold with all coarser ones, the coarsest of those
        # that fail with all finer ones, and those between that decide themselves alone.
        of_coarser = known.meets_bounds & known.adds_little_above
        of_finer = known.breaks_bounds | known.adds_much_below
        for holds, decides, nodes in (
            (True, "coarser", minimal(of_coarser)),
            (True, "itself", self._cheap(known, known.adds_little & ~of_coarser)),
            (False, "finer", maximal(of_finer)),
            (False, "itself", self._cheap(known, known.adds_much & ~of_finer)),
        ):
            numbers = self._found.numbers(known, nodes)
            if len(numbers):
                for rows in self._measured(numbers, known.places):
                    for row in rows:
                        yield row | {"holds": _claim(holds), "decides": decides}

    def _cheap(self, known: KnownNodes, nodes: Flags) -> Flags:
        """Return those of some nodes of which one loses no more than the answer."""
        loss, axes = self._found.loss, self._found.others_of(known)
        found: Flags = nodes & (loss.min(axes) <= loss.flat[self._answer])
        return found

    def _every(self) -> Iterator[dict[str, Any]]:
        """Yield every node of a lattice of which all are counted, whatever it loses."""
        if self._lattice.n_nodes > EVERY:
            return
        fails = ~self._found.may_hold.ravel()
        nodes = np.arange(self._lattice.n_nodes)
        risks = self._found.counted.risks(nodes)
        for node, loss in enumerate(self._found.loss.flat):
            is_known = self._kept.flat[node] or fails[node]
            found = {
                **self._who(),
                "node": node,
                "holds": _claim(self._kept.flat[node]) if is_known else "",
                "loss": float(loss),
            }
            for row in self._of_node(risks, (), node):
                yield found | row

    def _exposed(self, memory: Memory) -> Iterator[dict[str, Any]]:
        """Yield who is exposed by the release as it is, and by the answer."""
        # Of each value but the most frequent; it is certain of those in whose block
        # everybody has it.
        if not self._lattice.rarer:
            return
        nodes = np.unique(np.array([0, self._answer]))
        sets, records = self._lattice.sets(nodes), self._lattice.marked
        n_walked = records.n_records * len(np.unique(sets))
        with progress("counting values", n_walked) as advance:
            work = memory.work(records, advance)
            found = dict(walk_subsets(records, sets.tolist(), work))
        for node, of_node in zip(nodes.tolist(), sets.tolist(), strict=True):
            for place, value in enumerate(self._lattice.rarer):
                blocks = found[of_node].of(place, 0)
                is_certain = blocks.modal_count == blocks.block_size
                members = blocks.modal_count * blocks.n_blocks
                yield self._which_of(node) | {
                    "is_answer": _claim(node == self._answer),
                    "sensitive": value.attribute,
                    "value": value.text,
                    "is_missing": _claim(value.text is None),
                    "n_members": int(members.sum()),
                    "n_certain": int(members[is_certain].sum()),
                }

    def _who(self, places: Sequence[int] = ()) -> dict[str, Any]:
        return which(self._analysis, [self._analysis.qids[q] for q in places])

    def _which_of(self, node: int) -> dict[str, Any]:
        levels = np.array(np.unravel_index(node, self._lattice.shape))
        return self._which(levels, range(len(levels)))

    def _which(self, levels: Integers, places: Sequence[int]) -> dict[str, Any]:
        """Say on which level each QID is that is not as it is."""
        shape = self._lattice.shape
        changed = [q for q in places if levels[q]]
        left_out = [q for q in changed if levels[q] == shape[q] - 1]
        coarse = [q for q in changed if q not in left_out]
        names = self._analysis.qids
        return {
            **self._who(places),
            "left_out": "|".join(names[q] for q in left_out),
            "levels": "|".join(
                f"{names[q]}:{self._lattice.levels[q].names[levels[q]]}" for q in coarse
            ),
            "n_changed": len(changed),
        }

    def _measured(
        self, nodes: Integers, places: Sequence[int]
    ) -> Iterator[list[dict[str, Any]]]:
        """Yield the rows of each node: re-identification, then each inference."""
        found, own = self._found.counted.risks(nodes), self._found.own_records(nodes)
        levels = np.array(np.unravel_index(nodes, self._lattice.shape))
        for place in range(len(nodes)):
            which = self._which(levels[:, place], places)
            rows = self._of_node(found, own[place], place)
            yield [{**which, **row} for row in rows]

    def _of_node(
        self, found: RiskRows, own: Sequence[Fraction], place: int
    ) -> Iterator[dict[str, Any]]:
        n = self._found.n_records
        of_blocks = {
            "n_records": n,
            "n_blocks": int(found.n_blocks[place]),
            "smallest_block": int(found.smallest[place]),
            "n_alone": int(found.n_alone[place]),
        }
        yield {
            **of_blocks,
            "sensitive": "",
            "n_certain": of_blocks["n_alone"],
            "posterior_prob": of_blocks["n_blocks"] / n,
            "least_distinct": None,
            "largest_success": 1 / of_blocks["smallest_block"],
            "own_record": None,
        }
        for s, sensitive in enumerate(self._analysis.sensitive):
            best = int(found.best[place, s]), int(found.best_of[place, s])
            yield {
                **of_blocks,
                "sensitive": sensitive,
                "n_certain": int(found.n_certain[place, s]),
                "posterior_prob": int(found.n_modal[place, s]) / n,
                "least_distinct": int(found.least_distinct[place, s]),
                "largest_success": best[0] / best[1],
                "own_record": float(own[s]) if own else None,
            }
