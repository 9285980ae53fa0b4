"""Statistics of groups, as files have them or as they are made of a release."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, product
from math import prod
from pathlib import Path
from typing import Final

import numpy as np

from microleak.attacks.query_answers.analysis import (
    Answered,
    AnswerFile,
    Crossing,
    QueryAnswers,
)
from microleak.attacks.query_answers.definitions.order_statistics import Integers
from microleak.base.errors import StudyError, TableError
from microleak.kernels.records import Codes
from microleak.protection.methods import Column
from microleak.protection.protect import coded_columns
from microleak.records.chunks import ROWS_A_CHUNK, Given, chunks_of
from microleak.study_file.attributes import check_spelling
from microleak.study_file.published import COUNT, TOTALS, read_rows

NUMBERS: tuple[str, ...] = ("sum", "mean", "median", "min", "max")

MOST_CELLS: Final = 200
"""Combinations of values of the attributes that groups are of, at most."""

MOST_REGIONS: Final = 10_000
"""Values of `region`, at most; all proofs are kept until the last one is done."""

MOST_RECORDS: Final = 50
"""Records of a region that is tried, at most."""

_NUMBER = re.compile(r"-?\d{1,12}(\.\d{1,6})?", re.ASCII)
_PATTERNS = {COUNT: r"\d{1,12}", **dict.fromkeys(NUMBERS, _NUMBER.pattern)}
_NO_END = 1 << 40
_ZERO = Fraction(0), Fraction(0)

Range = tuple[Fraction, Fraction]
Domains = Mapping[str, tuple[str | None, ...]]
"""Values of each attribute, sorted, a missing one first."""


@dataclass(frozen=True)
class Published:
    """What was published of a group.

    Attributes
    ----------
    source, line
        Its file and line there; or what is crossed, and 0.
    group
        Values of the attributes that it is of; others may have any.
    cells
        Numbers of the combinations of values of all attributes that it has.
    count
        Least and largest number of its persons.
    numbers
        Range of each statistic.
    """

    source: str
    line: int
    group: Mapping[str, str | None]
    cells: Integers
    count: tuple[int, int]
    numbers: Mapping[str, Range]


def cells_of(group: Mapping[str, str | None], domains: Domains) -> Integers:
    """Return the numbers of the combinations of values that a group has.

    >>> cells_of({"sex": "F"}, {"race": ("B", "W"), "sex": ("F", "M")})
    array([0, 2])
    """
    is_of = [
        all(group.get(name, v) == v for name, v in zip(domains, cell, strict=True))
        for cell in product(*domains.values())
    ]
    return np.flatnonzero(is_of)


def check_size(
    domains: Domains, n_regions: int, analysis: QueryAnswers, where: str
) -> None:
    """Refuse attributes with too many combinations of values, or too many regions.

    Raises
    ------
    StudyError
        How many there are.
    """
    if n_regions > MOST_REGIONS:
        raise StudyError(
            f"{where}: {analysis.region} has {n_regions:,} values, {MOST_REGIONS:,} at "
            "most can be tried. Give a coarser attribute as region."
        )
    if (n := prod(map(len, domains.values()))) > MOST_CELLS:
        raise StudyError(
            f"{where}: {', '.join(domains)} have {n:,} combinations of values, "
            f"{MOST_CELLS:,} at most can be tried. Leave out some, or give coarser "
            "ones."
        )


def read_answers(
    analysis: QueryAnswers, where: str
) -> tuple[Domains, tuple[Published, ...]]:
    """Return the values of each attribute but the region, and the rows of all files.

    Raises
    ------
    StudyError
        If a file is faulty: its line, and never the content of a cell.
    """
    region = analysis.region
    rows = [r for given in analysis.tables or () for r in _rows(given, region, where)]
    names_of: dict[str, set[str]] = {}
    for row in rows:
        names_of.setdefault(row.source, set()).update(row.group)
    check_spelling(names_of, analysis.domains, where)
    names = sorted({*chain.from_iterable(names_of.values())} - {analysis.region})
    domains: dict[str, tuple[str | None, ...]] = {}
    for name in names:
        known = {row.group[name] for row in rows if name in row.group}
        domains[name] = analysis.domains.get(name) or tuple(sorted(known, key=str))
        for row in rows:
            if row.group.get(name, domains[name][0]) not in domains[name]:
                raise StudyError(
                    f"{row.source}: line {row.line} has a value that is not among "
                    f"domains of {name}. Correct it, or add it there."
                )
    if unknown := sorted({*analysis.domains} - {*domains}):
        raise StudyError(
            f"{where}: domains has {unknown[0]}, but no table has a column of it with "
            "a value besides totals. Correct or remove it."
        )
    n_regions = len({row.group[analysis.region] for row in rows if analysis.region})
    check_size(domains, n_regions, analysis, where)
    placed = (replace(row, cells=cells_of(row.group, domains)) for row in rows)
    return domains, tuple(placed)


def _rows(given: AnswerFile, region: str | None, where: str) -> Iterator[Published]:
    for row in read_rows(given.file, given.suppressed, _PATTERNS, region, where):
        told = row.numbers
        group = {name: text for name, text in row.values.items() if text not in TOTALS}
        numbers = {name: range_of(told[name]) for name in NUMBERS if name in told}
        # The sum of nobody's values is 0; other statistics are of somebody.
        low, high = numbers.get("sum", _ZERO)
        least = 1 if {*numbers} - {"sum"} or not low <= 0 <= high else 0
        count = (least, _NO_END)
        if COUNT in told:
            count = (max(least, int(told[COUNT])), int(told[COUNT]))
        elif given.below:
            count = (given.below, _NO_END) if numbers else (0, given.below - 1)
        source = str(Path(given.file))
        yield Published(source, row.line, group, np.arange(0), count, numbers)


def range_of(text: str) -> Range:
    """Return the numbers that round to a printed one, both ends included.

    >>> range_of("36.7")
    (Fraction(733, 20), Fraction(147, 4))
    """
    half = Fraction(1, 2 * 10 ** len(text.partition(".")[2]))
    return Fraction(text) - half, Fraction(text) + half


@dataclass(frozen=True)
class Made:
    """Statistics of a region of a release, and the values that they are of.

    Attributes
    ----------
    region
        Its value; empty if there are no regions or it is a missing one.
    n_records
        Records that have a value.
    answers
        What is published; if there are more records than are tried, of groups of one.
    cells
        Cell of each record, and its value in units, sorted by both; of the records in
        these groups.
    """

    region: str
    n_records: int
    answers: tuple[Published, ...]
    cells: Integers
    values: Integers


def made_answers(
    people: Given, analysis: QueryAnswers, where: str
) -> tuple[Domains, Iterator[Made]]:
    """Return the values of attributes, and what is published of each region.

    Raises
    ------
    StudyError, TableError
        If there are too many groups, or a value is no number within bounds.
    """
    names = analysis.attributes
    chunks = chunks_of([people], ROWS_A_CHUNK)
    columns = coded_columns(chunks, (*names, analysis.attribute))
    value_of = units_of(columns[analysis.attribute], analysis, where)
    used = {
        name: np.flatnonzero(columns[name].counts)
        for name in sorted({*names} - {analysis.region})
    }
    domains = {
        name: tuple(columns[name].values[code] for code in codes)
        for name, codes in used.items()
    }
    region = columns.get(analysis.region or "")
    n_regions = int(np.count_nonzero(region.counts)) if region else 1
    check_size(domains, n_regions, analysis, where)
    return domains, _regions(columns, value_of, used, domains, analysis)


def units_of(column: Column, analysis: QueryAnswers, where: str) -> Integers:
    """Return the value of each code in units of the last digit; -1 below if missing.

    Raises
    ------
    TableError
        If one is no number within bounds. It is not shown.
    """
    low = analysis.least * analysis.scale
    found = np.full(len(column.values), low - 1, dtype=np.int64)
    for code, text in enumerate(column.values):
        if text is None or not column.counts[code]:
            continue
        units = Fraction(text) * analysis.scale if _NUMBER.fullmatch(text) else None
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
    columns: Mapping[str, Column],
    value_of: Integers,
    used: Mapping[str, Integers],
    domains: Domains,
    analysis: QueryAnswers,
) -> Iterator[Made]:
    """Yield what is published of each region, in the order of their names."""
    value_codes = columns[analysis.attribute].codes
    has_value = value_of >= analysis.least * analysis.scale
    is_told = has_value[value_codes]
    if analysis.region is None:
        names: Sequence[str | None] = ("",)
        region: Codes = np.zeros(len(value_codes), dtype=np.uint8)
    else:
        names, region = columns[analysis.region].values, columns[analysis.region].codes
    assert analysis.release
    groups = _groups(domains, analysis.release, analysis.region)
    n_cells = prod(map(len, domains.values()))
    cell_of = np.zeros(len(value_codes), dtype=np.uint8)  # `MOST_CELLS` are few
    for attribute, values in domains.items():
        codes = np.arange(len(columns[attribute].counts))
        place = np.searchsorted(used[attribute], codes).astype(np.uint8)
        cell_of = cell_of * np.uint8(len(values)) + place[columns[attribute].codes]
    joint = region.astype(np.int32) * n_cells + cell_of
    counts = np.bincount(joint[is_told], minlength=len(names) * n_cells)
    n_of_cell = counts.reshape(len(names), n_cells)
    n_of = n_of_cell.sum(axis=1)
    is_tried = (n_of <= MOST_RECORDS)[region] | (counts == 1)[joint]
    records = np.flatnonzero(is_told & is_tried)
    records = records[np.argsort(region[records], kind="stable")]
    starts = np.searchsorted(region[records], np.arange(len(names) + 1))
    for code, name in enumerate(names):
        mine = records[starts[code] : starts[code + 1]]
        cell, values_of = cell_of[mine].astype(np.int64), value_of[value_codes[mine]]
        order = np.lexsort((values_of, cell))
        cell, values_of = cell[order], values_of[order]
        is_small = n_of[code] <= MOST_RECORDS
        answers = (
            _published(
                each, how, np.sort(values_of[np.isin(cell, each.cells)]), analysis
            )
            for each, how in (groups if len(mine) else ())
            if is_small or n_of_cell[code, each.cells].sum() == 1
        )
        if n_of[code]:
            n_records = int(n_of[code])
            yield Made(name or "", n_records, tuple(answers), cell, values_of)


def _groups(
    domains: Domains, release: Answered, region: str | None
) -> list[tuple[Published, Crossing]]:
    """Return the groups of each crossing, of which nothing is published yet."""
    found = []
    for crossing in release.crossings:
        by = [name for name in crossing.by if name != region]
        for values in product(*(domains[name] for name in by)):
            group = dict(zip(by, values, strict=True))
            cells = cells_of(group, domains)
            nothing = Published(
                ", ".join(crossing.by), 0, group, cells, (0, _NO_END), {}
            )
            found.append((nothing, crossing))
    return found


def _published(
    group: Published, crossing: Crossing, values: Integers, analysis: QueryAnswers
) -> Published:
    """Return what is published of the values of a group, which are sorted."""
    assert analysis.release
    n, below = len(values), analysis.release.below or 0
    if n < below:
        return replace(group, count=(0, below - 1))
    is_counted = COUNT in crossing.statistics or n == 0
    count = (n, n) if is_counted else (max(1, below), _NO_END)
    exact = {
        "sum": Fraction(int(values.sum())),
        "mean": Fraction(int(values.sum()), max(1, n)),
        "median": Fraction(int(values[(n - 1) // 2 : n // 2 + 1].sum()), 2 - n % 2),
        "min": Fraction(int(values[0])) if n else Fraction(0),
        "max": Fraction(int(values[-1])) if n else Fraction(0),
    }
    numbers: dict[str, Range] = {}
    for name in NUMBERS:
        if n and name in crossing.statistics:
            number, half = exact[name] / analysis.scale, Fraction(0)
            if name == "mean":
                half = Fraction(1, 2 * 10**analysis.release.digits)
                number = (number + half) // (2 * half) * 2 * half
            numbers[name] = (number - half, number + half)
    return replace(group, count=count, numbers=numbers)
