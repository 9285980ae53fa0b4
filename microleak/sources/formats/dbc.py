"""Packed tables (.dbc), unpacked as they are read.

Their header is not packed; after it come a checksum and the packed records.
"""

import re
from collections.abc import Generator, Sequence
from functools import partial

from microleak.base.errors import ArchiveError
from microleak.sources.definitions.definition import ROW, SourceDefinition
from microleak.sources.files.member import Member
from microleak.sources.files.tables import joined
from microleak.sources.formats.dbf import (
    DbfHeader,
    check_length,
    dbf_header,
    wanted_columns,
)
from microleak.sources.formats.fixed_width import filled

_SUM_BYTES = 4
_PIECE_BYTES = 1 << 20
# After a header: a checksum of four and two that say how is packed, or a record
_BEGINNING_BYTES = 6
_PACKED = re.compile(rb".{4}[\x00\x01][\x04-\x06]", re.DOTALL)
_PLAIN = re.compile(rb"[ *](?!.{3}[\x00\x01][\x04-\x06])", re.DOTALL)
# Unpacked bytes a packed one: a copy takes 22 bits or more, for 518 bytes or fewer
_MOST_RATIO = 200


def is_packed(member: Member) -> bool:
    return member.name.lower().endswith(".dbc")


def n_bytes_of(
    member: Member, definition: SourceDefinition, attributes: Sequence[str]
) -> int:
    if not definition.is_dbf:
        return member.n_bytes
    header = _judged(member, definition)
    wanted_columns(header, member, [name for name in attributes if name != ROW])
    return header.n_bytes


def unpacked(member: Member, definition: SourceDefinition) -> Member:
    """Give the table that is packed in a member, or any other member itself."""
    # It is unpacked while it is read, each time anew, and has at most its `n_bytes`.
    if not (definition.is_dbf and is_packed(member)):
        return member
    header = _judged(member, definition)
    n_first = header.n_header_bytes
    n_most = n_first + _MOST_RATIO * member.n_bytes
    return Member(
        member.name,
        member.where,
        n_most,
        lambda: joined(_parts(member, n_first)),
    )


def _parts(member: Member, n_header_bytes: int) -> Generator[bytes]:
    from microleak.kernels.explode import (  # noqa: PLC0415
        DamagedStreamError,
        exploded_bytes,
    )

    with member.open() as raw:
        yield filled(raw, n_header_bytes)
        filled(raw, _SUM_BYTES)
        try:
            yield from exploded_bytes(iter(partial(raw.read, _PIECE_BYTES), b""))
        except DamagedStreamError as damage:
            raise ArchiveError(
                f"{member.where} cannot be unpacked: it {damage}. Fetch it again."
            ) from None


def _judged(member: Member, definition: SourceDefinition) -> DbfHeader:
    header = dbf_header(member, definition.encoding)
    _check_form(member, header)
    if not is_packed(member):
        check_length(member, header)
    elif header.n_bytes > _MOST_RATIO * member.n_bytes:
        raise ArchiveError(
            f"{member.where} is damaged or cut short: {member.n_bytes} packed bytes "
            f"cannot hold the {header.n_records} records of its header. Fetch it again."
        )
    return header


def _check_form(member: Member, header: DbfHeader) -> None:
    """Refuse a plain table that is called a packed one, or the other way round."""
    with member.open() as raw:
        filled(raw, header.n_header_bytes)
        first = filled(raw, _BEGINNING_BYTES)
    if is_packed(member) and _PLAIN.match(first):
        raise ArchiveError(
            f"{member.where} is an unpacked table with the ending of a packed one. "
            "Rename it to end in .dbf."
        )
    if not is_packed(member) and _PACKED.match(first):
        raise ArchiveError(
            f"{member.where} is a packed table with the ending of an unpacked one. "
            "Rename it to end in .dbc."
        )
