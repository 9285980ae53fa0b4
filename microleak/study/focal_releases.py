"""Collective analyses of many releases, taken apart into one for each."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from microleak.errors import StudyError

ALL = "all"
"""What stands for every release, unless a release has that name."""

Given = Mapping[str, Any]
"""A collective analysis as the study file gives it."""


def one_by_one(given: Given, releases: Collection[str], where: str) -> Iterator[Given]:
    """Yield an analysis for each focal release, as if it stood in the study file.

    An analysis of one release stays as it is. Of those of a list, or of `all`,
    each is named `NAME-RELEASE` and says under `part_of` whose it is, also
    where the list has one entry.

    Parameters
    ----------
    given
        The analysis.
    releases
        Names of the table's releases, in the study file's order.
    where
        Beginning of the message.

    Raises
    ------
    StudyError
        If releases are linked to several focal ones, or one is given twice.

    Examples
    --------
    >>> of_all = {"name": "states", "focal": "all"}
    >>> [part["name"] for part in one_by_one(of_all, ["RR-2023", "AC-2023"], "")]
    ['states-RR-2023', 'states-AC-2023']
    """
    focal = given["focal"]
    if focal == ALL and ALL not in releases:
        focal = list(releases)
    if not isinstance(focal, list):
        yield {**given, "focal": str(focal), "part_of": ""}
        return
    several = list(map(str, focal))
    _check_several(several, given, where)
    name = given["name"]
    for release in several:
        yield {**given, "name": f"{name}-{release}", "focal": release, "part_of": name}


def check_names(given: Sequence[Given], each: Sequence[Given], where: str) -> None:
    """Refuse an analysis of one of many releases that is named as another analysis.

    Parameters
    ----------
    given
        The analyses of the study file.
    each
        All that became of them.
    where
        Beginning of the message.

    Raises
    ------
    StudyError
        The name, and the analysis of many releases it came from.
    """
    taken = {part["name"] for part in given}
    for part in each:
        name, part_of = part["name"], part["part_of"]
        if not part_of:
            continue
        if name in taken:
            raise StudyError(
                f"{where}: analysis {part_of!r} becomes {name!r} for its focal release "
                f"{part['focal']}, and another analysis has that name. Rename one of "
                "them."
            )
        taken.add(name)


def _check_several(several: Sequence[str], given: Given, where: str) -> None:
    if given.get("auxiliary"):
        raise StudyError(
            f"{where}: auxiliary releases are linked to one focal release, but focal "
            "is a list or all. Name one focal release, or remove auxiliary."
        )
    for i, release in enumerate(several):
        if release in several[:i]:
            raise StudyError(
                f"{where}: release {release} is given twice in focal. Remove one."
            )
