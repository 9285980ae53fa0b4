"""Tables of counts that are made of a release, protected, and the truth beside them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Final

import numpy as np

from microleak.attacks.table_rebuilding.definitions import (
    CellKeys,
    added,
    most_of_sum,
    range_of,
    range_of_known,
)
from microleak.attacks.table_rebuilding.kernels.controlled_rounding import (
    controlled_rounding,
)
from microleak.attacks.table_rebuilding.section import Protect, TableRebuilding
from microleak.base.arrays import Floats, Integers
from microleak.base.errors import TableError
from microleak.count_tables.published import TOTAL, CountTable, TableDomains, shape_of
from microleak.protection.methods import DataColumn
from microleak.protection.protect import coded_columns
from microleak.records.chunks import ROWS_A_CHUNK, Given, chunks_of

Ranges = tuple[Integers, Integers, Floats]
"""Least and largest count that each published one can stand for, and what it is: the
mean of all times, NaN where a count was suppressed or stands for itself alone."""


@dataclass(frozen=True)
class CrossedTable:
    """A table of a release as it is."""

    title: str  # What it crosses, as the study gives it
    names: tuple[str, ...]  # Its attributes, sorted
    axes: tuple[int, ...]
    is_regional: bool  # Whether there are regions
    counts: Integers  # Count of each cell, shape of the attributes' values
    places: Integers  # Cell of each cell of the joint table with records
    # Of the cell-key method, the key of each cell each time, shape (times, n_cells)
    keys: CellKeys


def protected(crossing: CrossedTable, how: Protect, n_cells: int) -> CountTable:
    """Return a table as it is published, with what its counts can stand for."""
    codes = np.indices(crossing.counts.shape).reshape(crossing.counts.ndim, -1).T
    if how.method == "controlled_round":
        codes, ranges = _controlled(crossing, how, codes)
    else:
        ranges = _ranges(crossing, how, n_cells)
    lines = np.zeros(len(codes), dtype=np.int64)
    order = np.lexsort(codes.T[::-1])
    columns: list[Any] = [column[order] for column in (codes, *ranges, lines)]
    return CountTable(crossing.title, crossing.names, *columns)


def _ranges(crossing: CrossedTable, how: Protect, n_cells: int) -> Ranges:
    counts = crossing.counts.ravel()
    none = np.full(len(counts), np.nan)
    if how.method == "suppress":
        assert how.below
        is_small = (counts > 0) & (counts < how.below)
        most = np.where(is_small, how.below - 1, counts)
        return np.where(is_small, 1, counts), most, none
    if how.method == "round":
        assert how.base
        half = how.base // 2
        rounded = (counts + half) // how.base * how.base
        most = rounded + (how.base - 1 - half)
        return np.maximum(rounded - half, 0), most, rounded.astype(float)
    if how.method == "cell_key":
        return _all_of([_by_key(counts, how, keys) for keys in crossing.keys])
    if how.seed is None:
        return counts, counts, none
    rng = _generator(crossing, how)
    if how.method == "geometric":
        return _with_noise(counts, how, rng, (1 - how.chance) / n_cells)
    return _all_of([_drawn(counts, how, rng) for _ in range(how.times)])


def _generator(crossing: CrossedTable, how: Protect) -> np.random.Generator:
    # Draws follow from the seed, the table's title and the place of each cell.
    return np.random.default_rng([how.seed or 0, *crossing.title.encode()])


def _all_of(ranges: list[Ranges]) -> Ranges:
    low, high, published = (np.array(each) for each in zip(*ranges, strict=True))
    return low.max(axis=0), high.min(axis=0), published.mean(axis=0)


def _drawn(counts: Integers, how: Protect, rng: np.random.Generator) -> Ranges:
    if how.base:
        most, rest = how.base - 1, counts % how.base
        is_up = rng.integers(how.base, size=len(counts)) < rest
        published = counts - rest + how.base * is_up
    else:
        most = how.most or 0
        published = counts + rng.integers(-most, most, len(counts), endpoint=True)
    return _within(published, most)


def _within(published: Integers, most: int) -> Ranges:
    """Return what published counts can stand for that are off by so many at most."""
    return np.maximum(published - most, 0), published + most, published.astype(float)


def _by_key(counts: Integers, how: Protect, keys: CellKeys) -> Ranges:
    assert how.most
    published = counts + added(keys, counts, how.most)
    low, high = range_of(published, how.most)
    if how.is_key_known:
        # A cell without a key has no records.
        low, high = range_of_known(published, keys, how.most)
        low, high = np.where(counts > 0, low, 0), np.where(counts > 0, high, 0)
    return low, high, published.astype(float)


def _with_noise(
    counts: Integers, how: Protect, rng: np.random.Generator, chance: float
) -> Ranges:
    """Return what counts can stand for by their mean, but for a chance each."""
    # Of counts published more than once the mean tells more than all ranges.
    total = counts * how.times
    for _ in range(how.times):
        total += rng.geometric(1 - how.alpha, len(counts))
        total -= rng.geometric(1 - how.alpha, len(counts))
    most = most_of_sum(how.alpha, how.times, chance)
    low = np.maximum(-((most - total) // how.times), 0)
    return low, (total + most) // how.times, total / how.times


def _controlled(
    crossing: CrossedTable, how: Protect, codes: Integers
) -> tuple[Integers, Ranges]:
    """Return the cells of a table and its totals, and what counts can stand for."""
    assert how.base
    rng = _generator(crossing, how)
    laid = np.transpose(crossing.counts, crossing.axes)
    n_regions = len(laid) if crossing.is_regional else 1
    tables = laid.reshape(n_regions, -1, laid.shape[-1])
    n_draws = (tables.shape[1] + 1) * (tables.shape[2] + 1)
    most, ranges = how.base - 1, []
    for _ in range(how.times):
        draws = rng.random((n_regions, n_draws))
        rounded = np.stack(
            [
                controlled_rounding(table, how.base, drawn)
                for table, drawn in zip(tables, draws, strict=True)
            ]
        )
        published = np.concatenate([t.ravel() for t in _with_totals(rounded)])
        ranges.append(_within(published, most))
    by_axis = codes.reshape(*crossing.counts.shape, codes.shape[1])
    places = np.transpose(by_axis, (*crossing.axes, len(crossing.axes)))
    cells = places.reshape(*tables.shape, codes.shape[1])
    within = crossing.axes[1:] if crossing.is_regional else crossing.axes
    columns, rows = within[-1:], within[:-1]
    totals = [cells, _total(cells[:, :, 0], columns)]
    if tables.shape[1] > 1:
        totals += [_total(cells[:, 0], rows), _total(cells[:, 0, 0], within)]
    flat = [each.reshape(-1, codes.shape[1]) for each in totals]
    return np.concatenate(flat), _all_of(ranges)


def _with_totals(tables: Integers) -> Iterator[Integers]:
    yield tables
    yield tables.sum(axis=2)
    if tables.shape[1] > 1:
        yield tables.sum(axis=1)
        yield tables.sum(axis=(1, 2))


def _total(codes: Integers, axes: Sequence[int]) -> Integers:
    found = codes.copy()
    found[..., list(axes)] = TOTAL
    return found


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
    sizes = [len(domains[name]) for name in order]
    of_records = np.ravel_multi_index([columns[name].codes for name in order], sizes)
    cells, counts = np.unique(of_records, return_counts=True)
    codes = np.unravel_index(cells, sizes)
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
    """Return how many records of each cell two publications with the same keys tell."""
    assert how.most
    # A count that is another one without a record is of its cell, as keys of all other
    # cells are the same: the difference tells its attributes.
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
