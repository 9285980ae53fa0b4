"""Tables of counts that are made of a release, protected, and the truth beside them."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Final

import numpy as np

from microleak.attacks.table_rebuilding.analysis import Protect, TableRebuilding
from microleak.attacks.table_rebuilding.definitions.contradiction import Integers
from microleak.attacks.table_rebuilding.published import (
    CountTable,
    Domains,
    shape_of,
)
from microleak.base.errors import TableError
from microleak.protection.methods import Column, parts
from microleak.protection.protect import coded_columns
from microleak.records.chunks import ROWS_A_CHUNK, Given, chunks_of

MOST_ROWS: Final = 1 << 24
"""Rows of a table, at most."""


@dataclass(frozen=True)
class Made:
    """Tables of a release.

    Attributes
    ----------
    domains
        Values of each attribute that records have.
    tables
        The tables.
    cells, counts
        Cells of the joint table of all attributes, region first and the others sorted,
        that have records, in order, and how many.
    """

    domains: Domains
    tables: tuple[CountTable, ...]
    cells: Integers
    counts: Integers


def made_tables(people: Given, analysis: TableRebuilding) -> Made:
    """Return the tables that an analysis makes of a release.

    Parameters
    ----------
    people
        One record a person; only the attributes of the tables are read.
    analysis
        An analysis of a release.

    Raises
    ------
    StudyError, TableError
        If a table would have too many rows, or the joint table too many cells.
    """
    assert analysis.release
    region = () if analysis.region is None else (analysis.region,)
    chunks = chunks_of([people], ROWS_A_CHUNK)
    columns = {
        name: _used(column)
        for name, column in coded_columns(chunks, analysis.attributes).items()
    }
    domains = {name: column.values for name, column in columns.items()}
    shape_of(domains, analysis.region, f"analysis {analysis.name!r}")
    tables = []
    for crossing in analysis.release.crossings:
        names = tuple(sorted({*region, *crossing}))
        crossed = [columns[name] for name in names]
        sizes = tuple(len(column.values) for column in crossed)
        title = ", ".join(crossing)
        if prod(sizes) > MOST_ROWS:
            raise TableError(
                f"analysis {analysis.name!r}: the crossing {title} has "
                f"{prod(sizes):,} rows, {MOST_ROWS:,} at most can be rebuilt. Leave "
                "out attributes of it, or generalise them."
            )
        counts = np.zeros(prod(sizes), dtype=np.int64)
        for part in parts(chunks.n_rows):
            counts += np.bincount(_joint(crossed, part), minlength=len(counts))
        low, high = protected(counts, analysis.release.protect, title)
        codes = np.indices(sizes).reshape(len(sizes), -1).T
        none = np.zeros(len(counts), dtype=np.int64)
        tables.append(CountTable(title, names, codes, low, high, none))
    order = [*region, *sorted({*analysis.attributes} - {*region})]
    every = _joint([columns[name] for name in order], slice(None))
    cells, n_of_cells = np.unique(every, return_counts=True)
    by_name = tuple(sorted(tables, key=lambda table: table.name))
    return Made(domains, by_name, cells, n_of_cells)


def protected(counts: Integers, how: Protect, title: str) -> tuple[Integers, Integers]:
    """Return what protected counts can stand for, least and largest.

    Draws follow from the seed, the table's title and the place of each cell.

    >>> protected(np.array([0, 2, 7]), Protect(method="suppress", below=3), "sex")
    (array([0, 1, 7]), array([0, 2, 7]))
    """
    if how.method == "suppress":
        assert how.below
        is_small = (counts > 0) & (counts < how.below)
        return np.where(is_small, 1, counts), np.where(is_small, how.below - 1, counts)
    if how.method == "round":
        assert how.base
        half = how.base // 2
        rounded = (counts + half) // how.base * how.base
        return np.maximum(rounded - half, 0), rounded + (how.base - 1 - half)
    if how.seed is not None:
        rng = np.random.default_rng([how.seed, *title.encode()])
        drawn = [_drawn(counts, how, rng) for _ in range(how.times)]
        low, high = (np.array(each) for each in zip(*drawn, strict=True))
        return low.max(axis=0), high.min(axis=0)
    return counts, counts


def _drawn(
    counts: Integers, how: Protect, rng: np.random.Generator
) -> tuple[Integers, Integers]:
    """Return what counts can stand for that were protected by draws, once."""
    if how.base:
        most, rest = how.base - 1, counts % how.base
        is_up = rng.integers(how.base, size=len(counts)) < rest
        published = counts - rest + how.base * is_up
    else:
        most = how.most or 0
        published = counts + rng.integers(-most, most, len(counts), endpoint=True)
    return np.maximum(published - most, 0), published + most


def _used(column: Column) -> Column:
    """Return a column with the values alone that records have."""
    used = np.flatnonzero(column.counts)
    code = np.zeros(len(column.values), dtype=column.codes.dtype)
    code[used] = np.arange(len(used))
    return Column(tuple(column.values[each] for each in used), code[column.codes])


def _joint(columns: Sequence[Column], part: slice) -> Integers:
    """Return the cell of some records in the table that crosses columns."""
    found = np.zeros(len(columns[0].codes[part]), dtype=np.int64)
    for column in columns:
        found = found * len(column.values) + column.codes[part]
    return found
