"""Whether the files of a release made of months are all there, once, and whole.

Months are published one after another, so a year may end before December.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path

from microleak.base.errors import ArchiveError
from microleak.sources.definitions.definition import SourceDefinition
from microleak.sources.files.archive import NoMemberError, is_zip, released_files
from microleak.sources.formats.dbc import n_bytes_of

MONTHS = tuple(f"{month:02}" for month in range(1, 13))
_MOST_NAMED = 5
_PARTS = "abcdefghijklmnopqrstuvwxyz"
# Part of a month, "" for all of it in one file -> name of the file, in order
MonthFiles = Mapping[str, str]


def check_months(
    where: str, names: Collection[str], definition: SourceDefinition
) -> None:
    """Refuse a release unless each month to the last is one file, or all its parts."""
    # Parts are a, b, c and so on. That the last one is missing cannot be seen, nor that
    # the months after the last were published.
    if not definition.is_monthly:
        return
    months: dict[str, dict[str, str]] = {month: {} for month in MONTHS}
    for name in sorted(names):
        if found := _placed(name, definition):
            files, part = months[found["month"]], found["part"].lower()
            if part in files:
                raise ArchiveError(
                    f"{where}: {files[part]} and {name} are the same file of one "
                    "month, which would be read twice. Keep one of them."
                )
            files[part] = name
    for month in MONTHS:
        if months[month]:
            _check_parts(where, months[month])
    n_months = months_of(names, definition)
    if not n_months:
        raise no_files(where, names, definition)
    missing = [month for month in MONTHS[:n_months] if not months[month]]
    if missing:
        raise ArchiveError(
            f"{where}: {definition.release} has no file of month {', '.join(missing)}. "
            "Fetch it, or correct the release's archive or url in the study file."
        )


def months_of(names: Iterable[str], definition: SourceDefinition) -> int:
    """Count the months of the year up to the last that files of these names are of."""
    found = (_placed(name, definition) for name in names)
    return max((int(each["month"]) for each in found if each), default=0)


def is_of_release(name: str, definition: SourceDefinition) -> bool:
    return _placed(name, definition) is not None


def no_files(
    where: str, names: Collection[str], definition: SourceDefinition
) -> ArchiveError:
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


def _check_parts(where: str, files: MonthFiles) -> None:
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


_MOST_FAULTS = 3


def check_files(
    path: Path, definition: SourceDefinition, attributes: Sequence[str]
) -> None:
    """Refuse a release of months of which a file is missing or cannot be used."""
    # Only names, lengths and headers are looked at, those of all files: what is wrong
    # with them is told in one line. A release that is not made of months is not looked
    # at.
    if not definition.is_monthly:
        return
    if path.is_file() and not is_zip(path):
        raise ArchiveError(
            f"{path.name} is one file; {definition.release} is made of those of its "
            "months. Set archive in the study file to the folder, or to a zip, that "
            "has them all."
        )
    names: list[str] = []
    faults: list[ArchiveError] = []
    try:
        for member in released_files(path, definition):
            names.append(member.name)
            faults += _faults(n_bytes_of, member, definition, attributes)
    except NoMemberError as error:
        raise no_files(path.name, error.names, definition) from None
    faults = [*_faults(check_months, path.name, names, definition), *faults]
    if faults:
        raise faults[0] if len(faults) == 1 else _together(path.name, faults)


def _faults(check: Callable[..., object], *given: object) -> list[ArchiveError]:
    try:
        check(*given)
    except ArchiveError as fault:
        return [fault]
    return []


def _together(where: str, faults: Sequence[ArchiveError]) -> ArchiveError:
    said = [
        str(fault).removeprefix(f"{where}: ").partition(". ")[0]
        for fault in faults[:_MOST_FAULTS]
    ]
    if n_more := len(faults) - len(said):
        said.append(f"{n_more} more")
    return ArchiveError(
        f"{where}: {len(faults)} faults in its files: {'; '.join(said)}. Fetch these "
        "files again, or correct archive under releases in the study file."
    )
