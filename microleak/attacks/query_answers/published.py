"""Statistics of groups, as files have them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, product
from math import prod
from pathlib import Path
from typing import Annotated, Final

import numpy as np
from pydantic import Field, StrictInt

from microleak.base.arrays import Integers
from microleak.base.errors import StudyError
from microleak.study_file.published import (
    STATISTICS,
    Form,
    Row,
    check_domain,
    check_spelling,
    check_values,
    read_rows,
)
from microleak.study_file.section import NotEmpty, Section
from microleak.study_file.totals import COUNT, TOTALS

MOST_CELLS: Final = 200
"""Combinations of values of the attributes that groups are of, at most."""

MOST_REGIONS: Final = 10_000
"""Values of `region`, at most; all proofs are kept until the last one is done."""

MOST_RECORDS: Final = 50
"""Records of a region that is tried, at most."""

NUMBER: Final = re.compile(r"-?\d{1,12}(\.\d{1,6})?", re.ASCII)
_PATTERNS = {COUNT: r"\d{1,12}", **dict.fromkeys(STATISTICS, NUMBER.pattern)}
NO_END: Final = 1 << 40
"""More persons than there are: no bound."""
_ZERO = Fraction(0), Fraction(0)

ValueRange = tuple[Fraction, Fraction]
Domains = Mapping[str, tuple[str | None, ...]]
"""Values of each attribute, sorted, a missing one first."""

WholeRange = Annotated[StrictInt, Field(ge=2, le=1_000_000)]


class AnswerFile(Section):
    """A table of statistics of groups, as it was published."""

    file: NotEmpty
    """A CSV file, UTF-8 with commas: a column for each attribute that groups are of,
    and some of `count`, `sum`, `mean`, `median`, `min`, `max` and `variance` (divided
    by the count, not by one less). An empty value of an attribute, or `*`, stands for
    all of its values. A number stands for all that round to it with as many digits. The
    path is relative to the folder that the command is run in."""

    suppressed: tuple[str, ...] = ()
    """Texts in the place of a number that was suppressed, besides an empty one."""

    below: WholeRange | None = None
    """Groups of fewer persons were suppressed, and no others; without it a suppressed
    group may have any number."""


@dataclass(frozen=True)
class PublishedGroup:
    """What was published of a group."""

    # Its file and line there
    source: str
    line: int
    group: Mapping[str, str | None]  # Values of the attributes that it is of
    cells: Integers
    count: tuple[int, int]  # Least and largest number of its persons
    numbers: Mapping[str, ValueRange]  # Range of each statistic


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
    domains: Domains, n_regions: int, region: str | None, where: str
) -> None:
    """Refuse attributes with too many combinations of values, or too many regions."""
    if n_regions > MOST_REGIONS:
        raise StudyError(
            f"{where}: {region} has {n_regions:,} values, {MOST_REGIONS:,} at "
            "most can be tried. Give a coarser attribute as region."
        )
    if (n := prod(map(len, domains.values()))) > MOST_CELLS:
        raise StudyError(
            f"{where}: {', '.join(domains)} have {n:,} combinations of values, "
            f"{MOST_CELLS:,} at most can be tried. Leave out some, or give coarser "
            "ones."
        )


def read_answers(
    tables: Sequence[AnswerFile],
    region: str | None,
    domains: Mapping[str, tuple[str, ...]],
    where: str,
) -> tuple[Domains, tuple[PublishedGroup, ...]]:
    """Return the values of each attribute but the region, and the rows of all files."""
    files = {
        given: read_rows(
            Path(given.file), Form(_PATTERNS, given.suppressed, region), where
        )
        for given in tables
    }
    rows = [_published(r, given) for given, own in files.items() for r in own]
    names_of: dict[str, set[str]] = {}
    for row in rows:
        names_of.setdefault(row.source, set()).update(row.group)
    check_spelling(names_of, domains, where)
    told = {str(Path(given.file)): own for given, own in files.items()}
    check_values(told, domains, where)
    names = sorted({*chain.from_iterable(names_of.values())} - {region})
    found: dict[str, tuple[str | None, ...]] = {}
    for name in names:
        known = {row.group[name] for row in rows if name in row.group}
        found[name] = domains.get(name) or tuple(sorted(known, key=str))
        if name in domains:
            check_domain(told, name, domains[name])
    if unknown := sorted({*domains} - {*found}):
        raise StudyError(
            f"{where}: domains has {unknown[0]}, but no table has a column of it with "
            "a value besides totals. Correct or remove it."
        )
    n_regions = len({row.group[region] for row in rows if region})
    check_size(found, n_regions, region, where)
    placed = (replace(row, cells=cells_of(row.group, found)) for row in rows)
    return found, tuple(placed)


def _published(row: Row, given: AnswerFile) -> PublishedGroup:
    told = row.numbers
    values = sorted(row.values.items())
    group = {name: text for name, text in values if text not in TOTALS}
    numbers = {name: range_of(told[name]) for name in STATISTICS if name in told}
    # The sum of nobody's values is 0; other statistics are of somebody.
    low, high = numbers.get("sum", _ZERO)
    least = 1 if {*numbers} - {"sum"} or not low <= 0 <= high else 0
    count = (least, NO_END)
    if COUNT in told:
        count = (max(least, int(told[COUNT])), int(told[COUNT]))
    elif given.below:
        count = (given.below, NO_END) if numbers else (0, given.below - 1)
    source = str(Path(given.file))
    return PublishedGroup(source, row.line, group, np.arange(0), count, numbers)


def range_of(text: str) -> ValueRange:
    """Return the numbers that round to a printed one, both ends included.

    >>> range_of("36.7")
    (Fraction(733, 20), Fraction(147, 4))
    """
    half = Fraction(1, 2 * 10 ** len(text.partition(".")[2]))
    return Fraction(text) - half, Fraction(text) + half
