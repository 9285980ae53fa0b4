"""Whether the files of a release that is made of months are all there, and once."""

import re
from collections.abc import Collection, Mapping, Sequence

from microleak.errors import ArchiveError
from microleak.sources.definition import SourceDefinition

MONTHS = tuple(f"{month:02}" for month in range(1, 13))

_MOST_NAMED = 5
_PARTS = "abcdefghijklmnopqrstuvwxyz"

Files = Mapping[str, str]
"""Part of a month, "" for all of it in one file -> name of the file, in order."""


def check_months(
    where: str, names: Collection[str], definition: SourceDefinition
) -> None:
    """Refuse a release unless each month is one file, or all its parts.

    Parts are a, b, c and so on. That the last one is missing cannot be seen.

    Parameters
    ----------
    where
        Where the files lie, for messages.
    names
        Base names; those that the definition's `members` does not match do not
        count. A release that is not made of months may have any.

    Raises
    ------
    ArchiveError
        Naming what is missing, or is there twice.

    Examples
    --------
    >>> from microleak.sources.definition import source_definition
    >>> roraima = source_definition("datasus_sia_pa", "RR-2023", {})
    >>> check_months("RR", [f"PARR23{month}.dbc" for month in MONTHS], roraima)
    """
    if not definition.is_monthly:
        return
    months: dict[str, dict[str, str]] = {month: {} for month in MONTHS}
    for name in sorted(names):
        if found := _placed(name, definition):
            month, part = found["month"], found["part"].lower()
            _add(where, months[month], part, name)
    for month in MONTHS:
        if months[month]:
            _check_parts(where, months[month])
    missing = [month for month in MONTHS if not months[month]]
    if len(missing) == len(MONTHS):
        raise no_files(where, names, definition)
    if missing:
        raise ArchiveError(
            f"{where}: {definition.release} has no file of month {', '.join(missing)}. "
            "Fetch it, or correct the release's archive or url in the study file."
        )


def is_of_release(name: str, definition: SourceDefinition) -> bool:
    """Whether a file of this base name is one of the release."""
    return _placed(name, definition) is not None


def no_files(
    where: str, names: Collection[str], definition: SourceDefinition
) -> ArchiveError:
    """Error that says which files a release has, and of which others files are there.

    Parameters
    ----------
    where, names
        As `check_months` takes them.
    """
    assert definition.monthly
    file = definition.monthly.file
    first, last = (file.format(month=month) for month in (MONTHS[0], MONTHS[-1]))
    said = f"{where} has no files {first} to {last}"
    others = definition.monthly.releases(names)
    if not others:
        return ArchiveError(
            f"{said} (.dbc or .dbf). Correct archive or url under releases in the "
            "study file."
        )
    meant = f"is the release {others[0]}" if len(others) == 1 else "is it one of these"
    return ArchiveError(
        f"{said}; it has files of {_first_few(others)}: {meant}? Rename it under "
        "releases in the study file, or correct its archive or url."
    )


def _first_few(names: Sequence[str]) -> str:
    n_more = len(names) - _MOST_NAMED
    more = f" and {n_more} more" if n_more > 0 else ""
    return ", ".join(names[:_MOST_NAMED]) + more


def _placed(name: str, definition: SourceDefinition) -> re.Match[str] | None:
    return re.fullmatch(definition.members, name, re.IGNORECASE)


def _add(where: str, files: dict[str, str], part: str, name: str) -> None:
    if part in files:
        raise ArchiveError(
            f"{where}: {files[part]} and {name} are the same file of one month, which "
            "would be read twice. Keep one of them."
        )
    files[part] = name


def _check_parts(where: str, files: Files) -> None:
    parts = "".join(sorted(files))
    first = files[min(files)]
    if "" in files:
        if len(files) > 1:
            raise ArchiveError(
                f"{where}: {first} is a whole month, but there are also its parts "
                f"{', '.join(parts)}. Keep either."
            )
        return
    expected = _PARTS[: max(2, _PARTS.index(parts[-1]) + 1)]
    missing = [part for part in expected if part not in files]
    if missing:
        raise ArchiveError(
            f"{where}: {first} is one of several parts of its month, of which "
            f"{', '.join(missing)} is missing. Fetch all parts."
        )
