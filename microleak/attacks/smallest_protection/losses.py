"""What every node of a lattice loses, by the measure that the search makes least.

A loss depends on the levels of some QIDs alone: of a table of counts, on those that the
table is of. So it is weighed of all combinations of their levels, which are few, and is
then known of every node, whether it is monotone or not.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from math import prod

import numpy as np

from microleak.attacks.smallest_protection.lattice import Lattice, label_numbers
from microleak.attacks.smallest_protection.section import Loss, Search
from microleak.base.arrays import Floats, Integers
from microleak.base.errors import TableError
from microleak.base.progress import progress
from microleak.definitions.coefficients import Regressed
from microleak.definitions.exact import first_places, kind_sums
from microleak.definitions.tabulated import (
    TabulatedCells,
    largest_error,
    total_variation,
)
from microleak.protection.methods import DataColumn, blocks_and_sizes, count_codes
from microleak.protection.protect import coded_columns
from microleak.records.chunks import Chunks
from microleak.records.hierarchy import levels_of

LabelNumbers = Integers
"""Number of the label of each code, -1 of a value that no record has."""

DIGITS = 12  # Digits after the point of a loss; those beyond are rounding of floats

MOST_WEIGHED = 2_000_000_000
"""Combinations of levels times cells of a table up to which a loss is weighed."""


class Losses:
    """What nodes of a lattice lose; each table is read and labelled once."""

    def __init__(
        self, lattice: Lattice, analysis: Search, chunks: Chunks, where: str
    ) -> None:
        self._lattice, self._analysis, self._where = lattice, analysis, where
        tables = dict.fromkeys((*analysis.tables, *analysis.compared.values()))
        names = list(dict.fromkeys(name for table in tables for name in table))
        columns = coded_columns(chunks, names) if names else {}
        # Codes of all records are not kept: only rows that differ.
        self._values = {name: columns[name].values for name in names}
        self._labels = {name: self._levels(name, columns[name]) for name in names}
        self._rows = {table: _rows(columns, table) for table in tables}
        for table, rows in self._rows.items():
            _check_size(rows, [self._labels[name] for name in table], where)

    def of_nodes(self) -> Floats:
        """Return the loss of each node, by the lattice's shape."""
        lattice, analysis = self._lattice, self._analysis
        if analysis.loss == "information":
            return lattice.loss
        if analysis.loss == "cells":
            # The share of the QIDs' cells that are not as they were.
            changed = [each.is_changed @ each.counts for each in lattice.levels]
            n_cells = lattice.records.n_records * len(lattice.levels)
            return reduce(np.add.outer, changed) / n_cells
        found = np.zeros(lattice.shape)
        for table in analysis.tables:
            rows = self._rows[table]
            weigh = _weighing(analysis.loss, rows, self._values, self._where)
            levels = [self._labels[name] for name in table]
            found = np.maximum(found, _by_node(lattice, rows, levels, weigh))
        # Rows are sorted by their values: a sum has one order whatever that of records
        # is.
        return np.round(found, DIGITS)

    def changed_tables(self, nodes: Integers) -> list[str]:
        """Return which tabulations change at nodes, as `NAME:SHARE` joined by `|`."""
        # The share is that of the records in wrong cells (total variation), exact until
        # it is divided; a table without any does not change. The tabulations are those
        # `compared`, the nodes numbers of shape (n_nodes,).
        lattice = self._lattice
        at = np.array(np.unravel_index(nodes, lattice.shape)).T
        found: list[list[str]] = [[] for _ in range(len(nodes))]
        for tabulation, table in self._analysis.compared.items():
            axes = [lattice.qids.index(n) if n in lattice.qids else -1 for n in table]
            known: dict[tuple[int, ...], float] = {}
            for place, node in enumerate(at.tolist()):
                key = tuple(0 if axis < 0 else node[axis] for axis in axes)
                if key not in known:
                    pairs = zip(table, key, strict=True)
                    labels = [self._labels[name][level] for name, level in pairs]
                    cells = table_cells(self._rows[table], labels)
                    known[key] = float(total_variation(cells))
                if known[key]:
                    found[place].append(f"{tabulation}:{known[key]:.{DIGITS}g}")
        return ["|".join(each) for each in found]

    def _levels(self, name: str, column: DataColumn) -> list[LabelNumbers]:
        """Return an attribute's labels on each level; on one if it is no QID."""
        used = np.flatnonzero(column.counts)
        values = [column.values[code] for code in used.tolist()]
        levels: Sequence[Sequence[str | None]] = [values]
        if name in self._lattice.qids:
            given = self._analysis.hierarchies[name]
            levels = levels_of(given, values, f"{self._where}: {name}")
        found = np.full((len(levels), len(column.values)), -1)
        found[:, used] = label_numbers(levels)
        return list(found)


@dataclass(frozen=True)
class DistinctCells:
    """Rows of some attributes that differ: the cells of a table that are not empty."""

    codes: Mapping[str, Integers]  # Codes of each attribute's values by row
    n_records: Integers  # Records of each row


def _rows(
    columns: Mapping[str, DataColumn], attributes: Sequence[str]
) -> DistinctCells:
    place, n_records = blocks_and_sizes([columns[name].codes for name in attributes])
    first = first_places(place, len(n_records))
    codes = {name: columns[name].codes[first].astype(np.int64) for name in attributes}
    return DistinctCells(codes, n_records)


def _check_size(
    rows: DistinctCells, levels: Sequence[Sequence[LabelNumbers]], where: str
) -> None:
    n_cells, n_levels = len(rows.n_records), prod(map(len, levels))
    n_alike = prod(int(each[0].max()) + 1 for each in levels)
    if n_levels * n_cells > MOST_WEIGHED or n_alike * rows.n_records.sum() >= 1 << 63:
        raise TableError(
            f"{where}: a table of counts has {n_cells:,} cells that are not empty, of "
            f"{n_alike:,}, and {n_levels:,} combinations of levels, more than can be "
            "weighed. Name tables of fewer attributes."
        )


Weigh = Callable[[Sequence[LabelNumbers]], float]
"""Returns the loss of a table whose attributes have these labels."""


def _weighing(
    loss: Loss,
    rows: DistinctCells,
    values: Mapping[str, Sequence[str | None]],
    where: str,
) -> Weigh:
    if loss.regression is not None:
        of_table = {name: values[name] for name in rows.codes}
        return Regressed(of_table, rows.codes, rows.n_records, where).largest_change
    if loss.total_variation is not None:
        return lambda labels: float(total_variation(table_cells(rows, labels)))
    n = int(rows.n_records.sum())
    return lambda labels: float(largest_error(table_cells(rows, labels)) / n)


def table_cells(rows: DistinctCells, labels: Sequence[LabelNumbers]) -> TabulatedCells:
    """Return the cells of a table, with what a reader of labels has in their place."""
    codes = [*rows.codes.values()]
    told = [label[own] for label, own in zip(labels, codes, strict=True)]
    group, n_filled = blocks_and_sizes(told)
    n_labelled = kind_sums(group, rows.n_records, len(n_filled))
    n_alike = np.ones(len(n_filled), dtype=np.int64)
    first = first_places(group, len(n_filled))
    for label, own in zip(labels, told, strict=True):
        n_alike *= count_codes(label[label >= 0], int(label.max()) + 1)[own[first]]
    places = np.concatenate([group, np.flatnonzero(n_filled < n_alike)])
    true = np.zeros(len(places), dtype=np.int64)
    true[: len(group)] = rows.n_records
    n = int(rows.n_records.sum())
    return TabulatedCells(true, n_labelled[places], n_alike[places], n, n)


def _by_node(
    lattice: Lattice,
    rows: DistinctCells,
    levels: Sequence[Sequence[LabelNumbers]],
    weigh: Weigh,
) -> Floats:
    """Return the loss of each node, of one level of QIDs that a table is not of."""
    names = [*rows.codes]
    axes = [lattice.qids.index(n) if n in lattice.qids else None for n in names]
    shape = [n if q in axes else 1 for q, n in enumerate(lattice.shape)]
    found = np.zeros(shape)
    with progress("weighing losses", prod(map(len, levels))) as advance:
        for level in product(*(range(len(each)) for each in levels)):
            node = [0] * len(shape)
            for axis, at in zip(axes, level, strict=True):
                if axis is not None:
                    node[axis] = at
            labels = [each[at] for each, at in zip(levels, level, strict=True)]
            found[tuple(node)] = weigh(labels)
            advance(1)
    return found
