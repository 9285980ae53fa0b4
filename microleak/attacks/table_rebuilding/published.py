"""Tables of counts as files have them, and what they say of a region."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import prod
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.table_rebuilding.analysis import PublishedTable
from microleak.attacks.table_rebuilding.definitions.contradiction import (
    UNBOUNDED,
    Integers,
    System,
)
from microleak.base.errors import StudyError
from microleak.study_file.attributes import check_spelling
from microleak.study_file.matrix import read_lines

COUNT: Final = "count"
TOTALS: Final = ("", "*")
"""Texts that stand for all values of an attribute."""

TOTAL: Final = -1
"""Their code."""

MOST_CELLS: Final = 1 << 20
"""Cells of the joint table of a region, at most."""

Reals = NDArray[np.float64]

_COUNT = r"-?\d{1,12}"

Domains = Mapping[str, tuple[str | None, ...]]
"""Values of each attribute, sorted, a missing one first."""


@dataclass(frozen=True)
class CountTable:
    """A table of counts.

    Attributes
    ----------
    name
        The path of its file, or what it crosses.
    attributes
        What it crosses, sorted.
    codes
        Place of each row's values in their domains, or `TOTAL`, shape (n_rows,
        n_attributes); rows are sorted by them.
    low, high
        What the true count of each row can be; `UNBOUNDED` is no bound.
    published
        Of tables of a release, what was published of each row, in the mean; NaN where
        nothing was, or where the files alone are known.
    lines
        Line of each row in its file, 0 if it has none.
    """

    name: str
    attributes: tuple[str, ...]
    codes: Integers
    low: Integers
    high: Integers
    published: Reals
    lines: Integers

    def by(self, attribute: str, n_codes: int) -> Iterator["CountTable"]:
        """Yield the rows of each value of an attribute, without the attribute."""
        place = self.attributes.index(attribute)
        order = np.argsort(self.codes[:, place], kind="stable")
        starts = np.searchsorted(self.codes[order, place], np.arange(n_codes + 1))
        others = np.delete(self.codes, place, axis=1)
        for code in range(n_codes):
            chosen = order[starts[code] : starts[code + 1]]
            yield CountTable(
                self.name,
                (*self.attributes[:place], *self.attributes[place + 1 :]),
                others[chosen],
                self.low[chosen],
                self.high[chosen],
                self.published[chosen],
                self.lines[chosen],
            )


@dataclass(frozen=True)
class Region:
    """What tables say of a region.

    Attributes
    ----------
    system
        The rows of all tables.
    tables, rows
        Number of the table of each of these rows, and its place there.
    published
        What was published of each of these rows.
    n_records
        Records of the region, if some table gives all counts exactly.
    """

    system: System
    tables: Integers
    rows: Integers
    published: Reals
    n_records: int | None


def region_of(tables: Sequence[CountTable], shape: Mapping[str, int]) -> Region:
    """Return what tables say together of the joint table of all attributes.

    Parameters
    ----------
    tables
        Tables of one region.
    shape
        How many values each attribute has, attributes sorted.
    """
    parts: list[tuple[Integers, Integers, Integers, int]] = []
    low, high, published = [], [], []
    n_records = None
    for number, table in enumerate(tables):
        is_told = table.codes != TOTAL
        weights = 1 << np.arange(len(table.attributes))
        patterns = (is_told * weights).sum(axis=1)
        for pattern in np.unique(patterns).tolist():
            rows = np.flatnonzero(patterns == pattern)
            places = [i for i in range(len(table.attributes)) if pattern >> i & 1]
            kept = tuple(table.attributes[place] for place in places)
            sizes = tuple(shape[name] for name in kept)
            order, starts = _cells_of(tuple(shape.items()), kept)
            keys = _place(table.codes[rows][:, places].T, sizes)
            for row, key in zip(rows.tolist(), keys.tolist(), strict=True):
                cells = order[starts[key] : starts[key + 1]]
                parts.append((cells, np.array([number]), np.array([row]), len(cells)))
            low.append(table.low[rows])
            high.append(table.high[rows])
            published.append(table.published[rows])
            is_exact = (low[-1] == high[-1]).all()
            if n_records is None and is_exact and len(rows) == prod(sizes):
                n_records = int(low[-1].sum())
    cells_of, numbers, rows_of, sizes_of = zip(*parts, strict=True)
    system = System(
        prod(shape.values()),
        np.append(0, np.cumsum(sizes_of)),
        np.concatenate(cells_of),
        np.concatenate(low),
        np.concatenate(high),
    )
    return Region(
        system,
        np.concatenate(numbers),
        np.concatenate(rows_of),
        np.concatenate(published),
        n_records,
    )


@cache
def _cells_of(
    shape: tuple[tuple[str, int], ...], kept: tuple[str, ...]
) -> tuple[Integers, Integers]:
    """Return the cells of a joint table in the order of a coarser one's, and starts."""
    sizes = dict(shape)
    codes = np.indices(tuple(sizes.values())).reshape(len(sizes), -1)
    places = [list(sizes).index(name) for name in kept]
    key = _place(codes[places], tuple(sizes[name] for name in kept))
    n = prod(sizes[name] for name in kept)
    order = np.argsort(key, kind="stable")
    return order, np.searchsorted(key[order], np.arange(n + 1))


def _place(codes: Integers, sizes: tuple[int, ...]) -> Integers:
    """Return the cell that codes of attributes are of, one column a cell."""
    found = np.zeros(codes.shape[1], dtype=np.int64)
    for code, size in zip(codes, sizes, strict=True):
        found = found * size + code
    return found


def shape_of(domains: Domains, region: str | None, where: str) -> dict[str, int]:
    """Return how many values each attribute has but that of the regions.

    Raises
    ------
    StudyError
        If the joint table has too many cells.
    """
    shape = {n: len(values) for n, values in sorted(domains.items()) if n != region}
    if prod(shape.values()) > MOST_CELLS:
        raise StudyError(
            f"{where}: {', '.join(shape)} have {prod(shape.values()):,} combinations "
            f"of values, {MOST_CELLS:,} at most can be rebuilt. Leave out tables, or "
            "give coarser ones."
        )
    return shape


@dataclass(frozen=True)
class _File:
    """A file's attributes, the texts of its rows, and what they say."""

    given: PublishedTable
    attributes: tuple[str, ...]
    texts: list[tuple[str, ...]]
    ranges: list[tuple[int, int]]
    lines: list[int]


def read_tables(
    given: Sequence[PublishedTable],
    region: str | None,
    domains: Mapping[str, tuple[str, ...]],
    where: str,
) -> tuple[Domains, tuple[CountTable, ...]]:
    """Return the values of each attribute, and the tables of files, by their paths.

    Raises
    ------
    StudyError
        If a file is faulty: its line, and never the content of a cell.
    """
    files = [_read(each, region, where) for each in sorted(given, key=lambda t: t.file)]
    check_spelling({f.given.file: f.attributes for f in files}, domains, where)
    found: dict[str, tuple[str | None, ...]] = {}
    for name in sorted({name for file in files for name in file.attributes}):
        found[name] = tuple(sorted({*domains.get(name, ()), *_values(files, name)}))
        if name in domains:
            _check_domain(files, name, domains[name])
        if not found[name]:
            raise StudyError(
                f"{where}: no table has a value of {name} besides totals. List its "
                f"values in domains, or remove the column {name}."
            )
    if unknown := sorted({*domains} - {*found}):
        raise StudyError(
            f"{where}: domains has {unknown[0]}, which no table has. Correct it."
        )
    return found, tuple(_coded(file, found) for file in files)


def _values(files: Sequence[_File], name: str) -> Iterator[str]:
    for file in files:
        if name in file.attributes:
            place = file.attributes.index(name)
            yield from (t[place] for t in file.texts if t[place] not in TOTALS)


def _check_domain(files: Sequence[_File], name: str, domain: Sequence[str]) -> None:
    for file in files:
        if name in file.attributes:
            place = file.attributes.index(name)
            for line, texts in zip(file.lines, file.texts, strict=True):
                if texts[place] not in (*TOTALS, *domain):
                    raise StudyError(
                        f"{file.given.file}: line {line} has a value that is not among "
                        f"domains of {name}. Correct it, or add it there."
                    )


def _coded(file: _File, domains: Domains) -> CountTable:
    names = file.attributes
    code = {n: {t: c for c, t in enumerate(domains[n])} for n in names}
    rows = [
        tuple(code[n].get(t, TOTAL) for n, t in zip(names, texts, strict=True))
        for texts in file.texts
    ]
    lines, ranges = list(file.lines), list(file.ranges)
    if file.given.unlisted == "zero":
        every = product(*(range(len(domains[n])) for n in names))
        others = sorted({*every} - {*rows})
        rows += others
        lines += [0] * len(others)
        ranges += [(0, 0)] * len(others)
    codes = np.array(rows, dtype=np.int64).reshape(len(rows), len(names))
    order = np.lexsort(codes.T[::-1])
    low, high = np.array(ranges, dtype=np.int64)[order].T
    none = np.full(len(order), np.nan)
    return CountTable(
        file.given.file, names, codes[order], low, high, none, np.array(lines)[order]
    )


def _read(given: PublishedTable, region: str | None, where: str) -> _File:
    path = Path(given.file)
    if not path.is_file():
        raise StudyError(
            f"{where}: there is no file {path}. Correct `file`, whose path starts from "
            "the folder in which microleak runs."
        )
    header, lines = read_lines(path)
    if fault := next(_faults(header, lines, given, region), ""):
        raise StudyError(f"{path}: {fault}")
    at = header.index(COUNT)
    order = sorted((name, place) for place, name in enumerate(header) if place != at)
    return _File(
        given,
        tuple(name for name, _ in order),
        [tuple(row[place] for _, place in order) for _, row in lines],
        [range_of(row[at], given) for _, row in lines],
        [number for number, _ in lines],
    )


def _faults(
    header: list[str],
    lines: list[tuple[int, list[str]]],
    given: PublishedTable,
    region: str | None,
) -> Iterator[str]:
    if header.count(COUNT) != 1 or len(header) < 2 or "" in header or not lines:
        yield (
            f"line 1 must name attributes, and {COUNT} once, and lines follow. "
            "Correct it."
        )
    if len({*header}) < len(header):
        yield "line 1 has an attribute twice. Correct it."
    if region is not None and region not in header:
        yield f"line 1 has no {region}, which is region. Add it, or correct region."
    at, seen = header.index(COUNT), dict[tuple[str, ...], int]()
    below = given.below or 0
    for number, row in lines:
        if len(row) != len(header):
            yield (
                f"line {number} has {len(row)} cells, {len(header)} expected. "
                "Correct it."
            )
        if region is not None and row[header.index(region)] in TOTALS:
            yield (
                f"line {number} is of all values of {region}, which is region. Remove "
                "the line, or region."
            )
        cell = tuple("*" if t in TOTALS else t for t in row[:at] + row[at + 1 :])
        if cell in seen:
            yield f"lines {seen[cell]} and {number} are of the same cell. Remove one."
        seen[cell] = number
        if _is_suppressed(row[at], given):
            continue
        if not re.fullmatch(_COUNT, row[at], re.ASCII):
            yield (
                f"line {number}: a whole number is expected as {COUNT}. Correct it, or "
                "name what stands for a suppressed one in suppressed."
            )
        elif given.rounded_to and not given.noise and int(row[at]) % given.rounded_to:
            yield (
                f"line {number} has a count that is no multiple of rounded_to, "
                f"{given.rounded_to}. Correct one of them."
            )
        elif 0 < range_of(row[at], given)[0] <= range_of(row[at], given)[1] < below:
            yield (
                f"line {number} has a count that below, {below}, says to be suppressed."
                " Correct one of them."
            )
        elif range_of(row[at], given)[1] < 0:
            yield (
                f"line {number} has a count below 0. Correct it or, if counts have "
                "noise, say up to what in noise."
            )


def _is_suppressed(text: str, given: PublishedTable) -> bool:
    return text in ("", *given.suppressed)


def range_of(text: str, given: PublishedTable) -> tuple[int, int]:
    """Return the least and largest count that a published one can stand for.

    >>> range_of("10", PublishedTable(file="a.csv", rounded_to=5))
    (8, 12)
    >>> range_of("", PublishedTable(file="a.csv", below=3))
    (1, 2)
    """
    if _is_suppressed(text, given):
        return (1, given.below - 1) if given.below else (0, UNBOUNDED)
    low = high = int(text)
    if base := given.rounded_to:
        half = base // 2
        rounding = given.rounding or "nearest"
        below, above = {
            "nearest": (half, half),
            "down": (0, base - 1),
            "random": (base - 1, base - 1),
        }[rounding]
        low, high = low - below, high + above
    noise = given.noise or 0
    return max(0, low - noise), high + noise
