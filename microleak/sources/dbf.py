"""Records of a dBase table, as a stream.

All are equally long, so a block of them is a matrix of bytes, and a column of
the table some of its columns. No record is looked at alone.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from microleak.progress import Advance
from microleak.sources.dbf_header import Column, DbfHeader
from microleak.sources.fixed_width import Lines, present, texts
from microleak.sources.shape import Readable, filled

Numbers = npt.NDArray[np.intp]
"""Which records of a table some are, counted from 1, shape (n_records,)."""

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
    columns: Sequence[Column],
    missing: Sequence[str],
    block_bytes: int,
    advance: Advance,
) -> Iterator[pa.RecordBatch]:
    """Give the records that are not marked as deleted, about `block_bytes` at a time.

    `advance` is told `header.n_bytes` in all. Blanks and zero bytes at the end of
    a value are filling, in numbers, dates and flags also those before it. A value
    of nothing else, or then among `missing`, is null.

    Raises
    ------
    FaultyRecordError
        At a record that is cut, is marked neither as deleted nor as not, or has a
        zero byte inside a value; after the last one, at anything but the mark of
        the end and zero bytes.
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
) -> tuple[Lines, Numbers]:
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


def _values(lines: Lines, column: Column, encoding: str) -> pa.StringArray:
    values = texts(lines[:, slice(*column.place)], encoding)
    trim = pc.ascii_rtrim if column.is_text else pc.ascii_trim
    return trim(values, _FILLING)


def _refuse_zero_bytes(values: pa.StringArray, numbers: Numbers) -> None:
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
