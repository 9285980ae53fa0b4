"""Hierarchies as a study file gives them."""

import re
from collections.abc import Collection, Mapping
from datetime import datetime
from gettext import gettext as _
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, StrictInt, model_validator

from microleak.base.errors import StudyError, did_you_mean
from microleak.base.files import sha256_of
from microleak.records.hierarchy import DIVISIONS, MUNICIPALITIES, read_hierarchy
from microleak.study_file.section import Attribute, NotEmpty, Positive, Section, refuse

Ascending = Annotated[tuple[Positive, ...], Field(min_length=1)]


class HierarchySection(Section):
    """Ever coarser levels of an attribute's values.

    Level 0 has the values as they are, and on the last level all are alike: that one
    is added where it is not given, and is the only other of `{}`.
    """

    file: NotEmpty | None = None
    """A CSV file without a header: a value and then its label on level 1, 2 and so on,
    divided by `;` or by commas, as ARX and sdcMicro have them. Labels of one level that
    are equal have equal labels on the next. No label is empty. An empty value is a
    missing one, which stays missing where it or its label is not given. The path is
    relative to the folder that the command is run in."""

    widths: Ascending | None = None
    """Ranges of whole numbers, each width a multiple of the one before, as `[5, 10]`;
    ranges begin at multiples of it."""

    prefixes: Ascending | None = None
    """Characters that are left of a code, fewer on each level, as `[2]`, the state of
    a municipality of IBGE."""

    divisions: (
        Annotated[
            tuple[Literal["micro_region", "state", "region"], ...], Field(min_length=1)
        ]
        | None
    ) = None
    """Divisions of Brazil that a municipality is in, larger on each level, as
    `[micro_region, state]`, for codes of IBGE of seven digits or the first six."""

    date: NotEmpty | None = None
    """How dates are written, as `"%d/%m/%Y"`, with the year and the month, and none
    twice; the levels are month, year, five and ten years."""

    bottom: StrictInt | None = None
    """Whole numbers up to it are alike from level 1 on; alone or with `top` and
    `widths`."""

    top: StrictInt | None = None
    """Whole numbers from it on are alike from level 1 on."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        given = {name for name, value in vars(self).items() if value is not None}
        ways, bounds = given - {"bottom", "top"}, given & {"bottom", "top"}
        widths, prefixes = self.widths or (1,), self.prefixes or (1,)
        places = [[*DIVISIONS].index(name) for name in self.divisions or ()]
        if len(ways) > 1:
            refuse(
                "must give only one of file, widths, prefixes, divisions and date. "
                "Correct it."
            )
        if bounds and ways - {"widths"}:
            refuse("has bottom or top with something else than widths. Correct it.")
        if any(wide % narrow or wide == narrow for narrow, wide in pairwise(widths)):
            refuse("has a width that is no multiple of the one before. Correct it.")
        if any(fewer >= more for more, fewer in pairwise(prefixes)):
            refuse("has prefixes that do not grow shorter. Correct it.")
        if any(larger <= smaller for smaller, larger in pairwise(places)):
            refuse("has divisions that do not grow larger. Correct it.")
        if self.date is not None and not _has_year_and_month(self.date):
            refuse(
                "has a date that does not tell the year and the month, each once, as "
                '"%d/%m/%Y" does. Correct it.'
            )
        low, high = self.bottom, self.top
        if low is not None and high is not None and low >= high:
            refuse("has a bottom that is not below top. Correct it.")
        return self


def _has_year_and_month(form: str) -> bool:
    """Return whether a date that is written in a form can be read again, by month."""
    day = datetime(2001, 2, 3)
    try:
        found = datetime.strptime(day.strftime(form), form)
    except (ValueError, re.error):
        return False
    return (found.year, found.month) == (day.year, day.month)


Hierarchies = dict[Attribute, HierarchySection]  # Hierarchies by attribute


def files_of(hierarchies: Hierarchies) -> dict[str, str]:
    """Return the SHA-256 of each file that hierarchies are read from, by its path."""
    # The list of municipalities is microleak's own, so it has no path but its name.
    files = {each.file for each in hierarchies.values() if each.file is not None}
    found = {file: sha256_of(file) for file in sorted(files)}
    if any(each.divisions is not None for each in hierarchies.values()):
        found[MUNICIPALITIES.name] = sha256_of(MUNICIPALITIES)
    return found


def n_levels(hierarchy: HierarchySection, where: str) -> int:
    """Return the last level that a hierarchy has, on which all values are alike."""
    if hierarchy.file is not None:
        labels = [*read_hierarchy(Path(hierarchy.file), where).values()]
        return len(labels[0]) + (len({each[-1] for each in labels}) > 1)
    if hierarchy.date is not None:
        return 5
    has_bounds = hierarchy.bottom is not None or hierarchy.top is not None
    widths = hierarchy.widths or (1,) * has_bounds
    return 1 + len(hierarchy.prefixes or hierarchy.divisions or widths)


def check_hierarchies(
    hierarchies: Mapping[str, HierarchySection], attributes: Collection[str], where: str
) -> None:
    """Refuse an attribute without a hierarchy, and a faulty file."""
    for name in attributes:
        if name not in hierarchies:
            said = _(
                "{where}: {name} has no hierarchy.{nearest} Correct it, or give one "
                "under hierarchies; {name}: {none} has it as it is, or left out."
            )
            raise StudyError(
                said,
                where=where,
                name=name,
                none="{}",
                nearest=did_you_mean(name, hierarchies),
            )
        if (file := hierarchies[name].file) is not None:
            read_hierarchy(Path(file), f"{where}: {name}")
