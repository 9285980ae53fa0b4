"""dBase tables: their header, judged before a record is read, and their records.

That of a packed table (.dbc) is the same, and is not packed.

All are equally long, so a block of them is a matrix of bytes, and a column of
the table some of its columns. No record is looked at alone.
"""

import re
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from microleak.base.errors import ArchiveError, TableError, did_you_mean
from microleak.base.progress import Advance
from microleak.sources.files.member import Member
from microleak.sources.formats.fixed_width import (
    LineBytes,
    Readable,
    filled,
    present,
    texts,
)

# Bytes 20 to 27 of a twin's table; dBase reserves them, readers skip them
SYNTHETIC = b"SINTETIC"
SYNTHETIC_BYTES = 28  # First bytes of a table that tell whether a twin made it
# First byte: dBase III and Visual FoxPro, without files of memos beside them
_VERSIONS = frozenset({0x03, 0x30})
# Encoding by byte 29; without one the source's definition says it
_CODE_PAGES = {0x01: "cp437", 0x02: "cp850"}
_FIRST = struct.Struct("<B3xIHH17xB2x")
_COLUMN = struct.Struct("<11sc4xB15x")
_NAME = re.compile(rb"([A-Za-z_][A-Za-z0-9_]*)\0*")
_KINDS_AS_TEXT = "CDFLN"
_KIND_OF_TEXT = "C"


@dataclass(frozen=True)
class DbfColumn:
    """A column: its name, its type's letter and its place in a record."""

    name: str
    kind: str
    place: tuple[int, int]

    @property
    def is_written(self) -> bool:
        return self.kind in _KINDS_AS_TEXT


@dataclass(frozen=True)
class DbfHeader:
    """What a table's header says: its records, also deleted ones, and its columns."""

    n_records: int
    n_header_bytes: int
    n_record_bytes: int
    encoding: str
    columns: tuple[DbfColumn, ...]

    @property
    def n_bytes(self) -> int:
        return self.n_header_bytes + self.n_records * self.n_record_bytes


def dbf_header(member: Member, encoding: str) -> DbfHeader:
    with member.open() as raw:
        first = filled(raw, _FIRST.size)
        _check_kind(first, member)
        _, n_records, n_header, n_record, page = _FIRST.unpack(first)
        n_rest = n_header - _FIRST.size
        rest = filled(raw, max(0, n_rest))
    columns = _columns(rest)
    if len(rest) != n_rest or not columns or columns[-1].place[1] != n_record:
        raise ArchiveError(
            f"{member.where} is damaged or cut short: its header contradicts itself. "
            "Fetch it again."
        )
    if not n_records:
        raise TableError(f"{member.where} has no record. Fetch it again.")
    page_of = _CODE_PAGES.get(page, encoding)
    return DbfHeader(n_records, n_header, n_record, page_of, columns)


def says_synthetic(first: bytes) -> bool:
    return first[:SYNTHETIC_BYTES].endswith(SYNTHETIC)


def check_length(member: Member, header: DbfHeader) -> None:
    if member.n_bytes < header.n_bytes:
        raise ArchiveError(
            f"{member.where} has {member.n_bytes} bytes, {header.n_bytes} expected for "
            f"the {header.n_records} records of its header: it was cut. Fetch it again."
        )


def wanted_columns(
    header: DbfHeader, member: Member, names: Sequence[str]
) -> list[DbfColumn]:
    known = {column.name: column for column in header.columns}
    folded = [column.name.casefold() for column in header.columns]
    for name in names:
        if name not in known:
            raise TableError(
                f"{member.where} has no column {name}.{did_you_mean(name, known)} "
                "Correct the attribute's name in the study file, or fetch the release "
                "again."
            )
        places = [i for i, each in enumerate(folded, 1) if each == name.casefold()]
        if len(places) > 1:
            raise TableError(
                f"{member.where} has {name} as columns {places[0]} and {places[1]}, "
                "either of which could be meant. Remove the attribute from the study "
                "file, or fetch the release again."
            )
        if not known[name].is_written:
            raise TableError(
                f"{member.where}: column {name} is of type {known[name].kind}, which "
                f"is not text; one of {', '.join(_KINDS_AS_TEXT)} expected. Remove "
                "the attribute from the study file."
            )
    return [known[name] for name in names]


def _check_kind(first: bytes, member: Member) -> None:
    if not first:
        raise ArchiveError(f"{member.where} is empty. Fetch it again.")
    if first.lstrip().startswith(b"<"):
        raise ArchiveError(
            f"{member.where} is a web page, not a released file. Fetch it again."
        )
    if len(first) < _FIRST.size or first[0] not in _VERSIONS:
        raise ArchiveError(
            f"{member.where} does not begin as a table of dBase does (.dbf, or .dbc "
            "where it is packed). Fetch it again."
        )


def _columns(rest: bytes) -> tuple[DbfColumn, ...]:
    """Columns that a header describes after its first part, up to what is none."""
    # DATASUS leaves zero bytes where the mark of their end should be (CNES-ST from 2020
    # on). Whether these are all columns is told by the length of a record.
    columns: list[DbfColumn] = []
    start = 1
    for name, kind, width in _COLUMN.iter_unpack(rest[: len(rest) // 32 * 32]):
        known = _NAME.match(name)
        if known is None or not (kind.isalnum() and width):
            break
        place = (start, start + width)
        columns.append(DbfColumn(known[1].decode(), kind.decode(), place))
        start += width
    return tuple(columns)


# Which records of a table some are, counted from 1, shape (n_records,)
RecordNumbers = npt.NDArray[np.intp]
_LIVE, _DELETED = b" *"
_END = b"\x1a"
_FILLING = " \0"
_REST_BYTES = 1 << 16


class FaultyRecordError(Exception):
    """A record, counted from 1, and what is wrong with it."""

    def __init__(self, record: int, what: str) -> None:
        super().__init__(what)
        self.record = record
        self.what = what


def dbf_records(
    raw: Readable,
    header: DbfHeader,
    columns: Sequence[DbfColumn],
    missing: Sequence[str],
    block_bytes: int,
    advance: Advance,
) -> Iterator[pa.RecordBatch]:
    """Give the records that are not marked as deleted, about `block_bytes` at a time.

    `advance` is told `header.n_bytes` in all. Blanks and zero bytes at the end of
    a value are filling, in numbers, dates and flags also those before it. A value
    of nothing else, or then among `missing`, is null.
    """
    advance(len(filled(raw, header.n_header_bytes)))
    absent = pa.array(["", *missing], pa.string())
    names = [column.name for column in columns]
    n_in_block = max(1, block_bytes // header.n_record_bytes)
    for first in range(0, header.n_records, n_in_block):
        n_records = min(n_in_block, header.n_records - first)
        lines, numbers = _block(raw, header.n_record_bytes, first, n_records)
        values = [_values(lines, column, header.encoding) for column in columns]
        for column in values:
            _refuse_zero_bytes(column, numbers)
        yield pa.RecordBatch.from_arrays([present(v, absent) for v in values], names)
        advance(n_records * header.n_record_bytes)
    _check_rest(raw, header.n_records)


def _block(
    raw: Readable, n_record_bytes: int, first: int, n_records: int
) -> tuple[LineBytes, RecordNumbers]:
    """Those of the next records that are not deleted; `first` were before."""
    data = filled(raw, n_records * n_record_bytes)
    if len(data) < n_records * n_record_bytes:
        raise FaultyRecordError(first + len(data) // n_record_bytes + 1, "is cut")
    lines = np.frombuffer(data, np.uint8).reshape(n_records, n_record_bytes)
    marks = lines[:, 0]
    is_live = marks == _LIVE
    is_faulty = ~is_live & (marks != _DELETED)
    if is_faulty.any():
        record = first + int(is_faulty.argmax()) + 1
        raise FaultyRecordError(record, "does not begin with the mark of a record")
    return lines[is_live], first + 1 + np.flatnonzero(is_live)


def _values(lines: LineBytes, column: DbfColumn, encoding: str) -> pa.StringArray:
    values = texts(lines[:, slice(*column.place)], encoding)
    trim = pc.ascii_rtrim if column.kind == _KIND_OF_TEXT else pc.ascii_trim
    return trim(values, _FILLING)


def _refuse_zero_bytes(values: pa.StringArray, numbers: RecordNumbers) -> None:
    place = pc.index(pc.match_substring(values, "\0"), True).as_py()
    if place >= 0:
        raise FaultyRecordError(int(numbers[place]), "has a zero byte inside a value")


def _check_rest(raw: Readable, n_records: int) -> None:
    mark = raw.read(1)
    rest = mark
    while rest:
        if mark != _END or rest.strip(_END + b"\0"):
            raise FaultyRecordError(
                n_records, "is the last by the header, but others follow"
            )
        rest = raw.read(_REST_BYTES)
