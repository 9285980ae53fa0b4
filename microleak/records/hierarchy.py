"""Hierarchies of an attribute's values: ever coarser partitions of them.

Level 0 has the values as they are. Each level joins values that the one before tells
apart, and tells none apart that it joins: a hierarchy is a tree. On the last one all
values are alike, `*`, a missing one too; below, a missing value stays missing.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cache
from gettext import gettext as _
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

from microleak.base.errors import StudyError, TableError
from microleak.base.paths import CONFIG
from microleak.base.strict_csv import check_exists, read_csv, read_divided

ALIKE = "*"
"""Label of all values on the last level."""

Labels = tuple[str | None, ...]
"""Of some values: what they are called on a level, None for a missing one."""

_NUMBER = r"-?\d{1,15}"

DIVISIONS: Mapping[str, int] = {"micro_region": 5, "state": 2, "region": 1}
"""Divisions of Brazil that a municipality is in, each in those behind it: the digits of
their codes, the first ones of the micro-region's (IBGE)."""

MUNICIPALITIES = CONFIG / "divisions/ibge_municipality.csv"
"""The municipalities of Brazil by their codes, each with its micro-region."""


class HierarchyGiven(Protocol):
    """What a study says of a hierarchy; at most one of the first five."""

    file: str | None  # A CSV file of values with their labels by level
    widths: tuple[int, ...] | None  # Widths of ranges of whole numbers by level
    prefixes: tuple[int, ...] | None  # Characters that are left by level
    divisions: tuple[Any, ...] | None  # Those of `DIVISIONS` that a municipality is in
    date: str | None  # How dates are written
    bottom: int | None  # Numbers up to it are alike from level 1 on
    top: int | None  # Numbers from it on are alike from level 1 on


def levels_of(
    given: HierarchyGiven, values: Sequence[str | None], where: str
) -> list[Labels]:
    if given.file is not None:
        levels = _of_file(Path(given.file), values, where)
    else:
        levels = [
            tuple(None if text is None else name(text) for text in values)
            for name in _namers(given, where).values()
        ]
    found = [tuple(values), *levels]
    if len({*found[-1]}) > 1 or found[-1] == found[0]:
        found.append((ALIKE,) * len(values))
    return found


def level_names(given: HierarchyGiven, n_levels: int) -> list[str]:
    """Return what each level is, as fields that a page can word.

    `as it is`, `width N`, `prefix N`, a division, `month`, `year`, `years N`, `bounds`,
    `level N` of a file, and `left out`.

    >>> from microleak.study_file.hierarchies import HierarchySection
    >>> level_names(HierarchySection(widths=(5, 10)), 4)
    ['as it is', 'width 5', 'width 10', 'left out']
    """
    if given.file is not None:
        between = [f"level {n}" for n in range(1, n_levels)]
    else:
        between = [*_namers(given, "")]
    return ["as it is", *between[: n_levels - 2], "left out"]


def _namers(given: HierarchyGiven, where: str) -> dict[str, Callable[[str], str]]:
    """Return what labels values on each level, by what it is, unless a file does."""
    if given.prefixes is not None:
        return {f"prefix {n}": _by_prefix(n) for n in given.prefixes}
    if given.divisions is not None:
        return {name: _by_division(name, where) for name in given.divisions}
    if given.date is not None:
        names = {"month": 0, "year": 1, "years 5": 5, "years 10": 10}
        return {name: _by_date(given.date, n, where) for name, n in names.items()}
    if given.widths is not None:
        # Bounds hold on each of these levels; alone they are one.
        return {f"width {n}": _by_range(n, given, where) for n in given.widths}
    has_bounds = given.bottom is not None or given.top is not None
    return {"bounds": _by_range(1, given, where)} if has_bounds else {}


def _by_prefix(n: int) -> Callable[[str], str]:
    return lambda text: text[:n]


def _by_division(division: str, where: str) -> Callable[[str], str]:

    def name(text: str) -> str:
        if text not in _micro_regions():
            raise TableError(
                f"{where} has values that are no code of a municipality of IBGE, of "
                "seven digits or the first six. Give its hierarchy by prefixes or as "
                "a file."
            )
        return _micro_regions()[text][: DIVISIONS[division]]

    return name


@cache
def _micro_regions() -> Mapping[str, str]:
    return {
        row["municipality"][:n_digits]: row["micro_region"]
        for row in read_csv(MUNICIPALITIES, str(MUNICIPALITIES)).named()
        # The last is a check digit, which health data leave out.
        for n_digits in (6, 7)
    }


def _by_date(form: str, years: int, where: str) -> Callable[[str], str]:
    # The text of a datetime has no fraction of zeros, and at midnight no time.
    forms = dict.fromkeys([form, form.replace(".%f", ""), form.partition(" %H")[0]])

    def name(text: str) -> str:
        for each in forms:
            with suppress(ValueError):
                day = datetime.strptime(text, each)
                break
        else:
            raise TableError(
                _(
                    "{where} has values that are no dates of the form {form}. Correct "
                    "date of its hierarchy."
                ).format(where=where, form=form)
            )
        if not years:
            return f"{day.year:04}-{day.month:02}"
        first = day.year // years * years
        return str(first) if years == 1 else f"{first}-{first + years - 1}"

    return name


def _by_range(width: int, given: HierarchyGiven, where: str) -> Callable[[str], str]:

    def name(text: str) -> str:
        if not re.fullmatch(_NUMBER, text, re.ASCII):
            raise TableError(
                f"{where} has values that are no whole numbers, so they are in no "
                "range. Give its hierarchy as a file."
            )
        number = int(text)
        if given.bottom is not None and number <= given.bottom:
            return f"<={given.bottom}"
        if given.top is not None and number >= given.top:
            return f">={given.top}"
        first = number // width * width
        return str(number) if width == 1 else f"{first}-{first + width - 1}"

    return name


def _of_file(path: Path, values: Sequence[str | None], where: str) -> list[Labels]:
    labels = read_hierarchy(path, where)
    n_levels = len(next(iter(labels.values())))
    lacking = sum(text is not None and text not in labels for text in values)
    if lacking:
        said = "1 value that is" if lacking == 1 else f"{lacking:,} values that are"
        raise TableError(
            f"{where} has {said} not in its hierarchy, {path}. Compare the values of "
            "this column of the data with the first column of that file, and add a "
            "line for each that it lacks, or correct file under hierarchies. Values "
            "are compared as text, so that 1.0 is not 1."
        )
    empty = labels.get("", (None,) * n_levels)
    return [
        tuple(empty[level] if text is None else labels[text][level] for text in values)
        for level in range(n_levels)
    ]


def read_hierarchy(path: Path, where: str) -> dict[str, Labels]:
    """Return the labels of each value from level 1 on, as a CSV file has them.

    A line has a value and then its label on each level, without a header, as ARX and
    sdcMicro write them. On the line of a missing value an empty label says that it
    stays missing.
    """
    check_exists(path, where)
    said = f"{where}: its hierarchy, {path}"
    found: dict[str, Labels] = {}
    above: dict[tuple[int, str | None], tuple[int, str | None]] = {}
    for number, (value, *cells) in read_divided(path, said).rows:
        if value in found:
            raise StudyError(
                f"{said}: line {number} has the value of an earlier one. Correct it."
            )
        labels = tuple(text or None for text in cells)
        for level, text in enumerate(cells, 1):
            if (value or text) and not text.strip():
                raise StudyError(
                    f"{said}: line {number} has an empty label on level {level}. "
                    "Write a label there, for example other."
                )
        found[value] = labels
        for level, (label, parent) in enumerate(pairwise(labels), 1):
            earlier = above.setdefault((level, label), (number, parent))
            if earlier[1] != parent:
                raise StudyError(
                    f"{said}: lines {earlier[0]} and {number} have the same label on "
                    f"level {level} and different ones on level {level + 1}, so it "
                    "is no tree. Correct one of them."
                )
    return found
