"""Packed tables (.dbc), unpacked to a temporary file beside what is made of them.

A process of its own unpacks: the package holds Python's lock for as long as it
works, so that within this one nobody could see how far it is, or interrupt it.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import datasus_dbc

from microleak.errors import ArchiveError
from microleak.files import UNFINISHED
from microleak.progress import Advance
from microleak.sources.dbf_header import DbfHeader, dbf_header, wanted_columns
from microleak.sources.definition import SourceDefinition
from microleak.sources.member import Member

_UNPACK = (
    f"import sys, {datasus_dbc.__name__} as package; package.decompress(*sys.argv[1:])"
)
_LOOK_EVERY_S = 0.25
_MOST_RATIO = 200
"""Unpacked bytes a packed one: a copy takes 22 bits or more, for 518 bytes or fewer."""


def is_packed(member: Member) -> bool:
    """Whether a member is a packed table, by its name."""
    return member.name.lower().endswith(".dbc")


def n_bytes_of(
    member: Member, definition: SourceDefinition, attributes: Sequence[str]
) -> int:
    """Bytes to unpack and to read, which take about the same time each.

    Of a packed table they are those of the unpacked one, twice.

    Raises
    ------
    ArchiveError, TableError
        If the header of a table is not as it should be, or lacks an attribute:
        better now than after hours with the tables before it.
    """
    if not definition.is_dbf:
        return member.n_bytes
    header = dbf_header(member, definition.encoding)
    wanted_columns(header, member, attributes)
    return 2 * header.n_bytes if is_packed(member) else header.n_bytes


@contextmanager
def unpacked(
    member: Member, definition: SourceDefinition, scratch: Path, advance: Advance
) -> Iterator[Member]:
    """Give the table that is packed in a member, or any other member itself.

    Parameters
    ----------
    scratch
        Folder for the unpacked table, which is removed at the end.
    advance
        Told the bytes as they are unpacked.

    Raises
    ------
    ArchiveError
        If the member is damaged, or the disk of `scratch` has no room for it.
    """
    if not (definition.is_dbf and is_packed(member)):
        yield member
        return
    header = dbf_header(member, definition.encoding)
    _check_ratio(member, header)
    with tempfile.TemporaryDirectory(prefix=UNFINISHED, dir=scratch) as folder:
        table = Path(folder, "table.dbf")
        packed = table.with_suffix(".dbc")
        _check_room(member, header, table.parent)
        with member.open() as raw, packed.open("wb") as file:
            shutil.copyfileobj(raw, file, 1 << 20)
        if not _is_done(packed, table, header, advance):
            raise ArchiveError(
                f"{member.where} is damaged or cut short: it cannot be unpacked. Fetch "
                "it again."
            )
        packed.unlink()
        n_bytes = table.stat().st_size
        yield Member(member.name, member.where, n_bytes, lambda: table.open("rb"))


def _check_ratio(member: Member, header: DbfHeader) -> None:
    if header.n_bytes > _MOST_RATIO * member.n_bytes:
        raise ArchiveError(
            f"{member.where} is damaged or cut short: {member.n_bytes} packed bytes "
            f"cannot hold the {header.n_records} records of its header. Fetch it again."
        )


def _check_room(member: Member, header: DbfHeader, folder: Path) -> None:
    n_free = shutil.disk_usage(folder).free
    n_needed = header.n_bytes + member.n_bytes
    if n_free < n_needed:
        raise ArchiveError(
            f"{member.where} needs {n_needed} bytes to be unpacked, and the disk of "
            f"the results has {n_free}. Make room there."
        )


def _is_done(packed: Path, table: Path, header: DbfHeader, advance: Advance) -> bool:
    """Unpack, tell how far it is and, at the end, whether it succeeded."""
    words = [sys.executable, "-I", "-c", _UNPACK, str(packed), str(table)]
    n_told = 0
    with subprocess.Popen(words, stderr=subprocess.DEVNULL) as process:
        try:
            while (status := _status(process)) is None:
                n_done = _n_written(table, header)
                advance(n_done - n_told)
                n_told = n_done
        finally:
            process.kill()
    advance(header.n_bytes - n_told)
    return status == 0


def _status(process: subprocess.Popen[bytes]) -> int | None:
    """Exit status, or None if it has not ended after a while."""
    try:
        return process.wait(_LOOK_EVERY_S)
    except subprocess.TimeoutExpired:
        return None


def _n_written(table: Path, header: DbfHeader) -> int:
    n_bytes = table.stat().st_size if table.exists() else 0
    return min(n_bytes, header.n_bytes)
