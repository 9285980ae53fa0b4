"""SHA-256 of the files of a folder, noted when first seen and checked ever after."""

import re
from collections.abc import Mapping
from pathlib import Path

from microleak.errors import ArchiveError
from microleak.files import write_text

SUMS = "SHA256SUMS"
"""Name of the file that has them, a line a file as `sha256sum` writes it."""

_LINE = re.compile(r"([0-9a-fA-F]{64}) [ *](.+)")

Sums = Mapping[str, str]
"""Base name of a file -> SHA-256 of its bytes, 64 lower-case hexadecimal digits."""


def read_sums(folder: Path) -> dict[str, str]:
    """Give the sums that lie in a folder; none if there are not any.

    Raises
    ------
    ArchiveError
        At a line that is not of the form, or a second one for a file.
    """
    path = folder / SUMS
    if not path.exists():
        return {}
    sums: dict[str, str] = {}
    lines = path.read_text("utf-8", errors="replace").splitlines()
    for number, line in enumerate(lines, 1):
        found = _LINE.fullmatch(line)
        if found is None or found[2] in sums:
            raise ArchiveError(
                f"{folder.name}: {SUMS}, line {number}: a hash, two blanks and the "
                "name of a file expected, each file once. Correct the line."
            )
        sums[found[2]] = found[1].lower()
    return sums


def sums_text(sums: Sums) -> str:
    """Text of the file, sorted by name."""
    return "".join(f"{sums[name]}  {name}\n" for name in sorted(sums))


def write_sums(folder: Path, sums: Sums) -> None:
    """Note the sums of a folder's files, in the place of those there were."""
    write_text(folder / SUMS, sums_text(sums))


def check_sums(folder: Path, found: Sums) -> None:
    """Refuse files that are not those that were first seen, or are there twice.

    Parameters
    ----------
    folder
        Where they lie, and perhaps a `SHA256SUMS` that someone wrote.
    found
        Of the files that are to be read.

    Raises
    ------
    ArchiveError
        If two have the same bytes, or one is not as in `SHA256SUMS` or not in it.
    """
    known = read_sums(folder)
    first: dict[str, str] = {}
    for name, sha256 in found.items():
        if sha256 in first:
            raise ArchiveError(
                f"{folder.name}: {first[sha256]} and {name} have the same bytes, so "
                "one of them is not what its name says. Fetch both again."
            )
        first[sha256] = name
        if known and name not in known:
            raise ArchiveError(
                f"{folder.name}: {name} is not in {SUMS}. Remove the file, or add its "
                "line there."
            )
        if known and known[name] != sha256:
            raise ArchiveError(
                f"{folder.name}: {name} has SHA-256 {sha256}, {known[name]} when first "
                f"seen ({SUMS}): it was changed. Fetch it again."
            )
