"""Tables of counts that are made of a release, protected, and the truth beside them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Final

import numpy as np

from microleak.attacks.table_rebuilding.analysis import Protect, TableRebuilding
from microleak.attacks.table_rebuilding.definitions.cell_key import CellKeys, added
from microleak.attacks.table_rebuilding.protected import CrossedTable, protected
from microleak.attacks.table_rebuilding.published import (
    CountTable,
    TableDomains,
    shape_of,
)
from microleak.base.arrays import Integers
from microleak.base.errors import TableError
from microleak.protection.methods import DataColumn
from microleak.protection.protect import coded_columns
from microleak.records.chunks import ROWS_A_CHUNK, Given, chunks_of

MOST_ROWS: Final = 1 << 24
"""Rows of a table, at most."""


@dataclass(frozen=True)
class TablesMade:
    """Tables of a release."""

    domains: TableDomains  # Values of each attribute that records have
    tables: tuple[CountTable, ...]
    # Cells of the joint table of all attributes, region first and the others sorted,
    # that have records, in order, and how many
    cells: Integers
    counts: Integers
    n_differenced: Integers | None


@dataclass(frozen=True)
class _Joint:
    """Cells of the joint table that have records."""

    codes: Mapping[str, Integers]  # Code of each cell by attribute
    counts: Integers  # Their counts
    keys: CellKeys


def made_tables(people: Given, analysis: TableRebuilding) -> TablesMade:
    """Return the tables that an analysis makes of a release."""
    assert analysis.release
    how, where = analysis.release.protect, f"analysis {analysis.name!r}"
    chunks = chunks_of([people], ROWS_A_CHUNK)
    columns = {
        name: _used(column)
        for name, column in coded_columns(chunks, analysis.attributes).items()
    }
    domains = {name: column.values for name, column in columns.items()}
    shape = shape_of(domains, analysis.region, where)
    order = [*({*domains} - {*shape}), *shape]
    cells, counts = np.unique(_joint([columns[n] for n in order]), return_counts=True)
    codes = np.unravel_index(cells, [len(domains[name]) for name in order])
    n_keys = how.times + 1 if how.method == "cell_key" else 0
    rng = np.random.default_rng([how.seed or 0])
    keys = rng.integers(1 << 64, size=(n_keys, len(cells)), dtype=np.uint64)
    joint = _Joint(dict(zip(order, codes, strict=True)), counts, keys)
    crossings = [
        _crossing(joint, domains, attributes, analysis.region, where)
        for attributes in analysis.release.crossings
    ]
    n_cells = sum(each.counts.size for each in crossings)
    tables = [protected(each, how, n_cells) for each in crossings]
    by_name = tuple(sorted(tables, key=lambda table: table.name))
    differenced = _differenced(joint, crossings, how) if n_keys == 2 else None
    return TablesMade(domains, by_name, cells, counts, differenced)


def _crossing(
    joint: _Joint,
    domains: TableDomains,
    attributes: Sequence[str],
    region: str | None,
    where: str,
) -> CrossedTable:
    """Return a table of the joint one."""
    laid = [name for name in attributes if name != region]
    laid = laid if region is None else [region, *laid]
    names = tuple(sorted(laid))
    sizes = tuple(len(domains[name]) for name in names)
    title = ", ".join(attributes)
    if prod(sizes) > MOST_ROWS:
        raise TableError(
            f"{where}: the crossing {title} has {prod(sizes):,} rows, {MOST_ROWS:,} at "
            "most can be rebuilt. Leave out attributes of it, or generalise them."
        )
    places = np.ravel_multi_index([joint.codes[name] for name in names], sizes)
    counts = np.zeros(prod(sizes), dtype=np.int64)
    np.add.at(counts, places, joint.counts)
    keys = np.zeros((max(0, len(joint.keys) - 1), prod(sizes)), dtype=np.uint64)
    for of_table, of_cells in zip(keys, joint.keys, strict=False):
        np.add.at(of_table, places, of_cells)
    axes = tuple(names.index(name) for name in laid)
    return CrossedTable(
        title, names, axes, region is not None, counts.reshape(sizes), places, keys
    )


def _differenced(
    joint: _Joint, crossings: Sequence[CrossedTable], how: Protect
) -> Integers:
    """Return how many records of each cell two publications with the same keys tell.

    A published count that is another one without a record is of its cell, as the keys
    of all other cells are the same: the difference tells its attributes.
    """
    assert how.most
    without = np.where(joint.counts > 1, joint.keys[1], np.uint64(0))
    is_told = {name: np.zeros(len(joint.counts), dtype=bool) for name in joint.codes}
    for each in crossings:
        counts, keys = each.counts.ravel()[each.places], each.keys[0, each.places]
        before = counts + added(keys, counts, how.most)
        keys = keys - joint.keys[0] + without
        after = counts - 1 + added(keys, counts - 1, how.most)
        for name in each.names:
            is_told[name] |= before != after
    return np.where(np.all([*is_told.values()], axis=0), joint.counts, 0)


def _used(column: DataColumn) -> DataColumn:
    """Return a column with the values alone that records have."""
    used = np.flatnonzero(column.counts)
    code = np.zeros(len(column.values), dtype=column.codes.dtype)
    code[used] = np.arange(len(used))
    return DataColumn(tuple(column.values[each] for each in used), code[column.codes])


def _joint(columns: Sequence[DataColumn]) -> Integers:
    """Return the cell of each record in the table that crosses columns."""
    found = np.zeros(len(columns[0].codes), dtype=np.int64)
    for column in columns:
        found *= len(column.values)
        found += column.codes
    return found
