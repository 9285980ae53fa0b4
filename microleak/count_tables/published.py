"""Tables of counts as files have them, and what they say of a region."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import prod
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

import numpy as np
from pydantic import Field, StrictInt, model_validator

from microleak.base.arrays import Floats, Integers
from microleak.base.errors import StudyError
from microleak.count_tables.contradiction import UNBOUNDED, System
from microleak.definitions.exact import repeated_places
from microleak.study_file.printed import Printed
from microleak.study_file.published import (
    STATISTICS,
    Form,
    Row,
    check_domain,
    check_spelling,
    check_values,
    read_rows,
)
from microleak.study_file.section import NotEmpty, Positive, Section, refuse
from microleak.study_file.totals import COUNT, TOTALS

TOTAL: Final = -1
"""Their code."""

MOST_CELLS: Final = 1 << 20
"""Cells of the joint table of a region, at most."""


_COUNT = r"-?\d{1,12}"

TableDomains = Mapping[str, tuple[str | None, ...]]
"""Values of each attribute, sorted, a missing one first."""


Base = Annotated[StrictInt, Field(ge=2, le=1_000_000)]


class PublishedTable(Section):
    """A table of counts of persons, as it was published."""

    file: NotEmpty
    """A CSV file, UTF-8 with commas: a column for each attribute, and `count`. An empty
    value of an attribute, or `*`, stands for all of its values. The path is relative to
    the folder that the command is run in."""

    printed: Printed | None = None
    """What the lines and columns of the file are, if it is as an office printed it: a
    CSV file in any form, or a workbook."""

    suppressed: tuple[str, ...] = ()
    """Texts in the place of a count that was suppressed, besides an empty one."""

    below: Base | None = None
    """Counts from 1 to one less than it were suppressed, and no others; without it a
    suppressed count may be any."""

    rounded_to: Base | None = None
    """Counts were rounded to multiples of it."""

    rounding: Literal["nearest", "down", "random"] | None = None
    """How - to the `nearest` multiple, which is taken if none is given, `down`, or at
    random to one of the two multiples around."""

    noise: Positive | None = None
    """Counts are up to so many above or below the true ones."""

    unlisted: Literal["unknown", "zero"] = "unknown"
    """What holds of combinations of values that no row of the file has: nothing is
    known, or nobody has them."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.rounding is not None and self.rounded_to is None:
            refuse("has rounding without rounded_to. Give the base of the rounding.")
        return self


@dataclass(frozen=True)
class CountTable:
    """A table of counts."""

    name: str  # The path of its file, or what it crosses
    attributes: tuple[str, ...]  # What it crosses, sorted
    # Place of each row's values in their domains, or `TOTAL`, shape (n_rows,
    # n_attributes)
    codes: Integers
    # What the true count of each row can be
    low: Integers
    high: Integers
    published: Floats
    lines: Integers  # Line of each row in its file, 0 if it has none

    def by(self, attribute: str, n_codes: int) -> Iterator["CountTable"]:
        """Yield the rows of each value of an attribute, without the attribute."""
        place = self.attributes.index(attribute)
        order = np.argsort(self.codes[:, place], kind="stable")
        starts = np.searchsorted(self.codes[order, place], np.arange(n_codes + 1))
        others = np.delete(self.codes, place, axis=1)
        names = (*self.attributes[:place], *self.attributes[place + 1 :])
        columns: list[Any] = [others, self.low, self.high, self.published, self.lines]
        for code in range(n_codes):
            chosen = order[starts[code] : starts[code + 1]]
            yield CountTable(self.name, names, *(column[chosen] for column in columns))


@dataclass(frozen=True)
class Region:
    """What tables say of a region."""

    system: System  # The rows of all tables
    # Number of the table of each of these rows, and its place there
    tables: Integers
    rows: Integers
    published: Floats  # What was published of each of these rows
    n_records: int | None


def region_of(tables: Sequence[CountTable], shape: Mapping[str, int]) -> Region:
    """Return what tables say together of the joint table of all attributes."""
    parts = []
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
            n_of = np.diff(starts)[keys]
            _, at = repeated_places(n_of, starts[keys])
            low, high = table.low[rows], table.high[rows]
            if n_records is None and len(rows) == prod(sizes) and (low == high).all():
                n_records = int(low.sum())
            numbers = np.full_like(rows, number)
            told = rows, low, high, table.published[rows]
            parts.append((order[at], n_of, numbers, *told))
    cells, n_cells, numbers, rows, low, high, published = map(
        np.concatenate, zip(*parts, strict=True)
    )
    starts = np.append(0, np.cumsum(n_cells))
    system = System(prod(shape.values()), starts, cells, low, high)
    return Region(system, numbers, rows, published, n_records)


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


def shape_of(domains: TableDomains, region: str | None, where: str) -> dict[str, int]:
    """Return how many values each attribute has but that of the regions."""
    shape = {n: len(values) for n, values in sorted(domains.items()) if n != region}
    if not shape:
        raise StudyError(
            f"{where}: no table has an attribute besides {region}, which is region. "
            "Remove region."
        )
    if prod(shape.values()) > MOST_CELLS:
        raise StudyError(
            f"{where}: {', '.join(shape)} have {prod(shape.values()):,} combinations "
            f"of values, {MOST_CELLS:,} at most can be rebuilt. Leave out tables, or "
            "give coarser ones."
        )
    return shape


@dataclass(frozen=True)
class _File:
    """A file's attributes, sorted, and its rows."""

    given: PublishedTable
    attributes: tuple[str, ...]
    rows: Sequence[Row]


def read_tables(
    given: Sequence[PublishedTable],
    region: str | None,
    domains: Mapping[str, tuple[str, ...]],
    where: str,
) -> tuple[TableDomains, tuple[CountTable, ...]]:
    """Return the values of each attribute, and the tables of files, by their paths."""
    files = [_read(each, region, where) for each in sorted(given, key=lambda t: t.file)]
    check_spelling({f.given.file: f.attributes for f in files}, domains, where)
    rows_of = {f.given.file: f.rows for f in files}
    check_values(rows_of, domains, where)
    found: dict[str, tuple[str | None, ...]] = {}
    for name in sorted({name for file in files for name in file.attributes}):
        found[name] = tuple(sorted({*domains.get(name, ()), *_values(files, name)}))
        if name in domains:
            check_domain(rows_of, name, domains[name])
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
    rows = (row for file in files for row in file.rows if name in row.values)
    yield from (row.values[name] for row in rows if row.values[name] not in TOTALS)


def _coded(file: _File, domains: TableDomains) -> CountTable:
    names = file.attributes
    code = {n: {t: c for c, t in enumerate(domains[n])} for n in names}
    rows = [
        tuple(code[n].get(row.values[n], TOTAL) for n in names) for row in file.rows
    ]
    lines = [row.line for row in file.rows]
    ranges = [range_of(row.numbers.get(COUNT, ""), file.given) for row in file.rows]
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
    form = Form({COUNT: _COUNT}, given.suppressed, region, printed=given.printed)
    rows = read_rows(Path(given.file), form, where)
    if fault := next(_faults(rows, given), ""):
        raise StudyError(f"{Path(given.file)}: {fault}")
    return _File(given, tuple(sorted(rows[0].values)), rows)


def _faults(rows: Sequence[Row], given: PublishedTable) -> Iterator[str]:
    if not rows[0].values:
        yield "line 1 must name attributes besides count. Correct it."
    for name in STATISTICS:
        if name in rows[0].values:
            yield (
                f"line 1 has {name}, which is no attribute: query_answers reads it. "
                "Remove the column here."
            )
    below = given.below or 0
    for row in rows:
        text = row.numbers.get(COUNT)
        if text is None:
            continue
        low, high = range_of(text, given)
        if given.rounded_to and not given.noise and int(text) % given.rounded_to:
            yield (
                f"line {row.line} has a count that is no multiple of rounded_to, "
                f"{given.rounded_to}. Correct one of them."
            )
        elif 0 < low <= high < below:
            yield (
                f"line {row.line} has a count that below, {below}, says to be "
                "suppressed. Correct one of them."
            )
        elif high < 0:
            yield (
                f"line {row.line} has a count below 0. Correct it or, if counts have "
                "noise, say up to what in noise."
            )


def range_of(text: str, given: PublishedTable) -> tuple[int, int]:
    """Return the least and largest count that a published one can stand for.

    >>> range_of("10", PublishedTable(file="a.csv", rounded_to=5))
    (8, 12)
    >>> range_of("", PublishedTable(file="a.csv", below=3))
    (1, 2)
    """
    if text in ("", *given.suppressed):
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
