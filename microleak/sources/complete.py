"""Whether the files of a release of months can be used, before a record is read."""

from collections.abc import Callable, Sequence
from pathlib import Path

from microleak.errors import ArchiveError
from microleak.sources.archive import NoMemberError, is_zip, members
from microleak.sources.dbc import n_bytes_of
from microleak.sources.definition import SourceDefinition
from microleak.sources.months import check_months, no_files

_MOST_NAMED = 3


def check_files(
    path: Path, definition: SourceDefinition, attributes: Sequence[str]
) -> None:
    """Refuse a release of months of which a file is missing or cannot be used.

    Only names, lengths and headers are looked at, those of all files: what is wrong
    with them is told in one line. A release that is not made of months is not
    looked at.

    Raises
    ------
    ArchiveError
        Naming the first faulty files, and how many more there are.
    TableError
        If a table lacks an attribute or has no record.
    """
    if not definition.is_monthly:
        return
    if path.is_file() and not is_zip(path):
        raise _alone(path, definition)
    names: list[str] = []
    faults: list[ArchiveError] = []
    try:
        for member in members(path, definition.members):
            names.append(member.name)
            faults += _faults(n_bytes_of, member, definition, attributes)
    except NoMemberError as error:
        raise no_files(path.name, error.names, definition) from None
    faults = [*_faults(check_months, path.name, names, definition), *faults]
    if faults:
        raise faults[0] if len(faults) == 1 else _together(path.name, faults)


def _alone(path: Path, definition: SourceDefinition) -> ArchiveError:
    return ArchiveError(
        f"{path.name} is one file; {definition.release} is made of those of twelve "
        "months. Set archive in the study file to the folder, or to a zip, that has "
        "them all."
    )


def _faults(check: Callable[..., object], *given: object) -> list[ArchiveError]:
    """Give what a check finds wrong with a file, to be told with other faults."""
    try:
        check(*given)
    except ArchiveError as fault:
        return [fault]
    return []


def _together(where: str, faults: Sequence[ArchiveError]) -> ArchiveError:
    """One error that says the first faults, each without what to do about it."""
    said = [
        str(fault).removeprefix(f"{where}: ").partition(". ")[0]
        for fault in faults[:_MOST_NAMED]
    ]
    if n_more := len(faults) - len(said):
        said.append(f"{n_more} more")
    return ArchiveError(
        f"{where}: {len(faults)} faults in its files: {'; '.join(said)}. Fetch these "
        "files again, or correct archive under releases in the study file."
    )
