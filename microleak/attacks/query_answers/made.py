"""Statistics of groups that are made of a release, and the values beside them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import prod
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.query_answers.definitions import SquareSum
from microleak.attacks.query_answers.published import (
    MOST_RECORDS,
    NO_END,
    NUMBER,
    Domains,
    PublishedGroup,
    ValueRange,
    cells_of,
    check_size,
)
from microleak.attacks.query_answers.section import Answered, Crossing, QueryAnswers
from microleak.base.arrays import Codes, Integers
from microleak.base.errors import TableError
from microleak.protection.methods import DataColumn
from microleak.protection.protect import coded_columns
from microleak.records.chunks import ROWS_A_CHUNK, Given, chunks_of
from microleak.study_file.published import STATISTICS, VARIANCE
from microleak.study_file.totals import COUNT

_BITS: Final = 32
"""Units are summed in two parts: the sum of many of a billion with six digits after
the point would be too large."""


@dataclass(frozen=True)
class Made:
    """Statistics of a region of a release, and the values that they are of."""

    region: str  # Its value
    n_records: int  # Records that have a value
    n_answers: int  # Statistics that are published
    answers: tuple[PublishedGroup, ...]  # What is published
    cells: Integers  # Cell of each record, and its value in units, sorted by both
    values: Integers  # Value of each record in units

    @property
    def is_tried(self) -> bool:
        """Whether there are few enough records for all databases to be looked at."""
        return self.n_records <= MOST_RECORDS


class _Records(NamedTuple):
    """Records with a value: of each its region, cell and value in units."""

    region: Codes
    cell: Codes
    value: Codes
    value_of: Integers  # The units of each code of a value
    is_told: NDArray[np.bool_]


def made_answers(
    people: Given, analysis: QueryAnswers, where: str
) -> tuple[Domains, int, Iterator[Made]]:
    """Return the values of attributes, how many regions, and what each publishes."""
    names = analysis.attributes
    chunks = chunks_of([people], ROWS_A_CHUNK)
    columns = coded_columns(chunks, (*names, analysis.attribute))
    value_of = units_of(columns[analysis.attribute], analysis, where)
    domains = {
        name: tuple(v for v, n in zip(column.values, column.counts, strict=True) if n)
        for name, column in sorted(columns.items())
        if name in names and name != analysis.region
    }
    region = columns.get(analysis.region or "")
    n_regions = int(np.count_nonzero(region.counts)) if region else 1
    check_size(domains, n_regions, analysis.region, where)
    records = _records(columns, domains, value_of, analysis)
    if not records.is_told.any():
        raise TableError(
            f"{where}: no record has {analysis.attribute}. Name another attribute."
        )
    n_told = np.count_nonzero(np.bincount(records.region[records.is_told]))
    of_regions = region.values if region else ("",)
    return domains, int(n_told), _regions(records, of_regions, domains, analysis)


def _records(
    columns: Mapping[str, DataColumn],
    domains: Domains,
    value_of: Integers,
    analysis: QueryAnswers,
) -> _Records:
    value = columns[analysis.attribute].codes
    cell = np.zeros(len(value), dtype=np.uint8)  # `MOST_CELLS` are few
    for name, values in domains.items():
        is_used = columns[name].counts > 0
        place = (np.cumsum(is_used) - 1).astype(np.uint8)
        cell = cell * np.uint8(len(values)) + place[columns[name].codes]
    region = columns.get(analysis.region or "")
    return _Records(
        region.codes if region else np.zeros(len(value), dtype=np.uint8),
        cell,
        value,
        value_of,
        (value_of >= analysis.least * analysis.scale)[value],
    )


def units_of(column: DataColumn, analysis: QueryAnswers, where: str) -> Integers:
    """Return the value of each code in units of the last digit; -1 below if missing."""
    low = analysis.least * analysis.scale
    found = np.full(len(column.values), low - 1, dtype=np.int64)
    for code, text in enumerate(column.values):
        if text is None or not column.counts[code]:
            continue
        units = Fraction(text) * analysis.scale if NUMBER.fullmatch(text) else None
        is_within = units is not None and low <= units < low + analysis.n_values
        if units is None or not is_within or units.denominator > 1:
            raise TableError(
                f"{where}: {analysis.attribute} has values that are no numbers from "
                f"{analysis.least} to {analysis.most} with {analysis.decimals} digits "
                "after the point. Correct least, most or decimals."
            )
        found[code] = int(units)
    return found


def _regions(
    records: _Records,
    names: tuple[str | None, ...],
    domains: Domains,
    analysis: QueryAnswers,
) -> Iterator[Made]:
    assert analysis.release
    groups = _groups(domains, analysis.release, analysis.region)
    n_cells = prod(map(len, domains.values()))
    is_of = np.zeros((len(groups), n_cells), dtype=np.int64)
    for place, (group, _) in enumerate(groups):
        is_of[place, group.cells] = 1
    counts, high, low = _totals(records, len(names), n_cells)
    n_of = counts.sum(axis=1)
    chosen = np.flatnonzero(records.is_told & (n_of <= MOST_RECORDS)[records.region])
    chosen = chosen[np.argsort(records.region[chosen], kind="stable")]
    starts = np.searchsorted(records.region[chosen], np.arange(len(names) + 1))
    for code in np.flatnonzero(n_of).tolist():
        mine = chosen[starts[code] : starts[code + 1]]
        cell = records.cell[mine].astype(np.int64)
        values = records.value_of[records.value[mine]]
        order = np.lexsort((values, cell))
        cell, values = cell[order], values[order]
        answers, n_answers = [], 0
        sums = ((is_of @ each[code]).tolist() for each in (counts, high, low))
        for (group, how), n, above, rest in zip(groups, *sums, strict=True):
            total = (above << _BITS) + rest
            if n > 1 and not len(mine):
                exact = {"sum": Fraction(total), "mean": Fraction(total, n)}
            elif n > 1:
                exact = _statistics(np.sort(values[np.isin(cell, group.cells)]))
            else:
                exact = _statistics(np.array([total] * n))
            answers.append(_published(group, how, n, exact, analysis))
            n_answers += _n_published(how, n, analysis.release)
        made = tuple(answers), cell, values
        yield Made(names[code] or "", int(n_of[code]), n_answers, *made)


def _totals(
    records: _Records, n_regions: int, n_cells: int
) -> tuple[Integers, Integers, Integers]:
    found = np.zeros((3, n_regions * n_cells), dtype=np.int64)
    for start in range(0, len(records.cell), ROWS_A_CHUNK):
        rows = slice(start, start + ROWS_A_CHUNK)
        chosen = start + np.flatnonzero(records.is_told[rows])
        joint = records.region[chosen].astype(np.int64) * n_cells + records.cell[chosen]
        units = records.value_of[records.value[chosen]]
        np.add.at(found[0], joint, 1)
        np.add.at(found[1], joint, units >> _BITS)
        np.add.at(found[2], joint, units & ((1 << _BITS) - 1))
    counts, high, low = found.reshape(3, n_regions, n_cells)
    return counts, high, low


def _groups(
    domains: Domains, release: Answered, region: str | None
) -> list[tuple[PublishedGroup, Crossing]]:
    found = []
    for crossing in release.crossings:
        by = [name for name in crossing.by if name != region]
        for values in product(*(domains[name] for name in by)):
            group = dict(zip(by, values, strict=True))
            cells = cells_of(group, domains)
            nothing = PublishedGroup(
                ", ".join(crossing.by), 0, group, cells, (0, NO_END), {}
            )
            found.append((nothing, crossing))
    return found


def _statistics(values: Integers) -> dict[str, Fraction]:
    n = len(values)
    if n == 0:
        return {}
    total = int(values.sum())
    squares = SquareSum(np.arange(n), 0, 0, None)
    return {
        "sum": Fraction(total),
        "mean": Fraction(total, n),
        "median": Fraction(int(values[(n - 1) // 2 : n // 2 + 1].sum()), 2 - n % 2),
        "min": Fraction(int(values[0])),
        "max": Fraction(int(values[-1])),
        VARIANCE: Fraction(squares.sum(values), n**2),
    }


def _published(
    group: PublishedGroup,
    crossing: Crossing,
    n: int,
    exact: Mapping[str, Fraction],
    analysis: QueryAnswers,
) -> PublishedGroup:
    assert analysis.release
    below = analysis.release.below or 0
    if n < below:
        return replace(group, count=(0, below - 1))
    is_counted = COUNT in crossing.statistics or n == 0
    count = (n, n) if is_counted else (max(1, below), NO_END)
    numbers: dict[str, ValueRange] = {}
    for name in STATISTICS:
        if name in exact and name in crossing.statistics:
            scale = analysis.scale ** (2 if name == VARIANCE else 1)
            number, half = exact[name] / scale, Fraction(0)
            if name in ("mean", VARIANCE):
                half = Fraction(1, 2 * 10**analysis.release.digits)
                number = (number + half) // (2 * half) * 2 * half
            numbers[name] = (number - half, number + half)
    return replace(group, count=count, numbers=numbers)


def _n_published(crossing: Crossing, n: int, release: Answered) -> int:
    if n < (release.below or 0):
        return 0
    return len(crossing.statistics) if n else 1
