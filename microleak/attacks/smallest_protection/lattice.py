"""Nodes of a lattice of generalisations as sets of attributes that a walk counts.

A node says on which level each QID is. What a level tells beyond the coarser one is an
*increment* of the QID: the number of a label among those that the coarser level joins.
The increments from the coarsest level down to some level say what that level says, so a
node is a set of increments, and what counts sets of QIDs counts nodes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod

import numpy as np
from numpy.typing import NDArray

from microleak.base.arrays import Codes, Integers
from microleak.base.errors import TableError
from microleak.kernels.records import Records, Values
from microleak.kernels.tree import QidMasks
from microleak.records.chunks import Chunks
from microleak.records.coding import (
    SingleValue,
    coded_with,
    codes_of,
    less_frequent,
    texts_of,
)
from microleak.records.exposed import exposed_values
from microleak.records.hierarchy import HierarchyGiven, level_names, levels_of
from microleak.records.memory import Memory, counted_values

MOST_INCREMENTS = 62  # Increments of all QIDs together, which are bits of a number


@dataclass(frozen=True)
class Levels:
    """The levels of one QID."""

    of_code: Integers  # The label's number by level and code
    is_changed: NDArray[np.bool_]  # Whether the label is another text than the value
    counts: Integers  # Records of each code
    names: Sequence[str]

    @property
    def n_levels(self) -> int:
        """Levels, the first of which has the values as they are."""
        return len(self.of_code)

    @property
    def increments(self) -> list[Integers]:
        """What each level tells beyond the coarser one, by code, coarsest first."""
        return [
            _number_within(self.of_code[level], self.of_code[level + 1])
            for level in range(self.n_levels - 2, -1, -1)
        ]

    def lost(self, level: int) -> float:
        """Return the bits of a record that a level takes: H(value | label)."""
        labels = np.bincount(self.of_code[level], self.counts)
        return _entropy(self.counts) - _entropy(labels)


def _entropy(counts: NDArray[np.float64] | Integers) -> float:
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log2(shares)).sum()) if len(shares) > 1 else 0.0


def _number_within(finer: Integers, coarser: Integers) -> Integers:
    """Return the number of each finer label among those that its coarser one joins."""
    pairs = np.unique(np.stack([coarser, finer]), axis=1)
    starts = np.searchsorted(pairs[0], pairs[0])
    place = np.empty(int(finer.max()) + 1, dtype=np.int64)
    place[pairs[1]] = np.arange(pairs.shape[1]) - starts
    return place[finer]


def label_numbers(labels: Sequence[Sequence[str | None]]) -> Integers:
    """Return the number of each label by level, in the order in which they come."""
    found = []
    for level in labels:
        number = {label: i for i, label in enumerate(dict.fromkeys(level))}
        found.append([number[label] for label in level])
    return np.array(found, dtype=np.int64)


@dataclass(frozen=True)
class Lattice:
    """All nodes over some QIDs, and the records whose increments are walked."""

    # Nodes are numbered as in an array of `shape`, the last QID's level running
    # fastest. `marked` has the same records, with the values of sensitive attributes
    # but the most frequent, where these are few, in the place of the attributes:
    # `rarer`.

    qids: tuple[str, ...]
    levels: tuple[Levels, ...]
    records: Records
    rarer: tuple[SingleValue, ...]
    marked: Records

    @property
    def shape(self) -> tuple[int, ...]:
        """Levels of each QID."""
        return tuple(each.n_levels for each in self.levels)

    @property
    def n_nodes(self) -> int:
        return prod(self.shape)

    def sets(self, nodes: Integers) -> QidMasks:
        """Return the increments of nodes, as bit masks in their order."""
        masks = np.zeros(len(nodes), dtype=np.int64)
        n_before = 0
        for level, each in zip(
            np.unravel_index(nodes, self.shape), self.levels, strict=True
        ):
            n_told = each.n_levels - 1 - level
            masks |= ((np.int64(1) << n_told) - 1) << n_before
            n_before += each.n_levels - 1
        return masks

    @property
    def loss(self) -> NDArray[np.float64]:
        """Share of the QIDs' information that each node takes, in [0, 1], by `shape`.

        The bits of all QIDs that it takes, H(value | label), over those that they have;
        to 12 digits, so that sums that are equal are so in any order.
        """
        whole = sum(_entropy(each.counts) for each in self.levels)
        lost = [
            np.array([each.lost(level) for level in range(each.n_levels)])
            for each in self.levels
        ]
        found = reduce(np.add.outer, lost)
        return np.round(found / whole, 12) if whole else found


def lattice_of(
    chunks: Chunks,
    qids: Sequence[str],
    sensitive: Sequence[str],
    hierarchies: Mapping[str, HierarchyGiven],
    memory: Memory,
) -> Lattice:
    names = (*qids, *sensitive)
    known = counted_values(chunks, names, memory)
    levels = []
    for name in qids:
        where = f"{memory.where}: {name}"
        labels = levels_of(hierarchies[name], texts_of(known[name].values), where)
        names_of_levels = level_names(hierarchies[name], len(labels))
        is_changed = np.array(
            [[a != b for a, b in zip(each, labels[0], strict=True)] for each in labels]
        )
        levels.append(
            Levels(
                label_numbers(labels), is_changed, known[name].counts, names_of_levels
            )
        )
    increments = [each.increments for each in levels]
    place = [(q, i) for q, each in enumerate(increments) for i in range(len(each))]
    if len(place) > MOST_INCREMENTS:
        raise TableError(
            f"{memory.where}: the hierarchies of its QIDs have {len(place)} levels "
            f"above the values together, more than the {MOST_INCREMENTS} that can be "
            "searched. Leave out levels or QIDs."
        )
    values = [
        Values(
            np.bincount(increments[q][i], levels[q].counts).astype(np.int64),
            of_whole=_entropy(levels[q].counts),
        )
        for q, i in place
    ]

    def chunk(number: int, wanted: Sequence[int]) -> list[Codes]:
        columns = [
            qids[place[n][0]] if n < len(place) else sensitive[n - len(place)]
            for n in wanted
        ]
        table = chunks.read(number, list(dict.fromkeys(columns)))
        found = {name: codes_of(table[name], known[name]) for name in set(columns)}
        return [
            increments[place[n][0]][place[n][1]][found[name]]
            if n < len(place)
            else found[name]
            for n, name in zip(wanted, columns, strict=True)
        ]

    own = [Values(known[name].counts) for name in sensitive]
    records = Records(values, own, chunks.n_chunks, chunk)
    rarer = tuple(
        value
        for name in sensitive
        for value in less_frequent(known, name)
        or exposed_values(chunks, known, qids, name, memory)
    )
    marked = _marked(records, coded_with(chunks, known, [], rarer))
    return Lattice(tuple(qids), tuple(levels), records, rarer, marked)


def _marked(records: Records, marks: Records) -> Records:
    """Return records with other sensitive attributes."""
    n_qids = len(records.qids)

    def chunk(number: int, wanted: Sequence[int]) -> list[Codes]:
        own = [n for n in wanted if n < n_qids]
        others = [n - n_qids for n in wanted if n >= n_qids]
        found = [*records.chunk(number, own), *marks.chunk(number, others)]
        of = dict(zip([*own, *(n + n_qids for n in others)], found, strict=True))
        return [of[n] for n in wanted]

    return Records(records.qids, marks.sensitive, records.n_chunks, chunk)
