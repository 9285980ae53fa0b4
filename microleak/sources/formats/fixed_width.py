"""Records of a member that has no header, but fields at fixed places of its lines.

All are equally long: as long as the layout, or all longer by the same number of
blanks. All end as the first, with a line feed or a carriage return and a line feed;
the last need not end. So where each line begins follows from the first.

A block of lines, all of one length, is a matrix of bytes; a field is some of its
columns. No line is looked at alone.
"""

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from microleak.base.errors import TableError
from microleak.sources.definitions.definition import SourceDefinition
from microleak.sources.files.foreign import HEAD_BYTES, refuse_foreign
from microleak.sources.files.member import Member

MAX_LINE_BYTES = 1 << 16

_EDIT = "Fetch the release again, or correct its layout in config/layouts/."


class Readable(Protocol):
    """What gives bytes, at most as many as asked for, and none at its end."""

    def read(self, size: int, /) -> bytes:
        """Give the next bytes."""


@dataclass(frozen=True)
class Shape:
    """Bytes of the layout, of each line without its end, and the end of all lines."""

    n_used: int
    n_bytes: int
    end: bytes

    @property
    def stride(self) -> int:
        """Bytes from the beginning of a line to that of the next."""
        return self.n_bytes + len(self.end)


def shape_of(member: Member, definition: SourceDefinition) -> Shape:
    if definition.layout is None:
        raise TableError(
            f"{member.where} has fields at fixed places, which are not known for "
            f"{definition.release}. Add them to config/layouts/"
            f"{definition.source}.csv, or set archive to the release in delimited text."
        )
    with member.open() as raw:
        head = filled(raw, MAX_LINE_BYTES)
    refuse_foreign(head[:HEAD_BYTES], member.where)
    if not head:
        raise TableError(f"{member.where}: line 1: a record expected, but it is empty.")
    line, feed, _ = head.partition(b"\n")
    end = b"\r\n" if feed and line.endswith(b"\r") else b"\n"
    text = line.removesuffix(b"\r").decode("latin-1")
    n_used = definition.layout.n_bytes
    shape = Shape(n_used, max(n_used, len(text)), end)
    if fault := _fault(text, shape):
        raise TableError(f"{member.where}: line 1 {fault}. {_EDIT}")
    return shape


def uneven_line(member: Member, shape: Shape) -> TableError:
    """Error that names the first line that is not as the first; a second scan."""
    with member.open() as raw:
        lines = io.TextIOWrapper(raw, encoding="latin-1", newline="")
        for number, line in enumerate(lines, 1):
            if fault := _fault(line, shape):
                return TableError(f"{member.where}: line {number} {fault}. {_EDIT}")
    raise AssertionError("no line is uneven")


def filled(raw: Readable, size: int) -> bytes:
    """Next `size` bytes, fewer only at the end."""
    parts = []
    while size and (data := raw.read(size)):
        parts.append(data)
        size -= len(data)
    return b"".join(parts)


def _fault(line: str, shape: Shape) -> str | None:
    text = line.rstrip("\r\n")
    if len(text) != shape.n_bytes:
        return f"has {len(text)} bytes, {shape.n_bytes} expected"
    if text[shape.n_used :].strip(" "):
        return f"has more than blanks after its {shape.n_used} bytes"
    if "\0" in text:
        return "has a zero byte"
    if line[len(text) :] not in {"", shape.end.decode()}:
        return "has another end than a line feed, or than line 1"
    return None


# Bytes of lines with their ends, shape (n_lines, bytes of each)
LineBytes = npt.NDArray[np.uint8]
_BLANK = 0x20
_ENCODING = "latin-1"


class UnevenLineError(Exception):
    """A block holds a line that is not as the first; which, it does not say."""


def records(
    raw: Readable,
    shape: Shape,
    fields: Mapping[str, tuple[int, int]],
    missing: Sequence[str],
    block_bytes: int,
) -> Iterator[pa.RecordBatch]:
    """Give the records of a Latin-1 text, those of about `block_bytes` at a time."""
    # Blanks around a value are not part of it. A value that is all blanks, or is then
    # among `missing`, is null.
    absent = pa.array(["", *missing], pa.string())
    size = max(1, block_bytes // shape.stride) * shape.stride
    while data := filled(raw, size):
        if len(data) < size and len(data) % shape.stride == shape.n_bytes:
            data += shape.end
        lines = _lines(data, shape)
        bare = [texts(lines[:, slice(*place)], _ENCODING) for place in fields.values()]
        columns = [present(pc.ascii_trim(each, " "), absent) for each in bare]
        yield pa.RecordBatch.from_arrays(columns, list(fields))


def _lines(data: bytes, shape: Shape) -> LineBytes:
    """Lines of a block, each of which is as the first of the member."""
    n_lines, rest = divmod(len(data), shape.stride)
    n_ends = [data.count(byte) for byte in (b"\n", b"\r", b"\0")]
    if rest or n_ends != [n_lines, n_lines * (len(shape.end) - 1), 0]:
        raise UnevenLineError
    lines = np.frombuffer(data, np.uint8).reshape(n_lines, shape.stride)
    is_end = lines[:, shape.n_bytes :] == np.frombuffer(shape.end, np.uint8)
    is_blank = lines[:, shape.n_used : shape.n_bytes] == _BLANK
    if not (is_end.all() and is_blank.all()):
        raise UnevenLineError
    return lines


def texts(field: LineBytes, encoding: str) -> pa.StringArray:
    """Bytes of one field as text, blanks and all."""
    n_records, n_bytes = field.shape
    data = field.tobytes()
    offsets = np.arange(n_records + 1, dtype=np.int32) * np.int32(n_bytes)
    if not data.isascii():
        np.cumsum(_utf8_lengths(encoding)[field].sum(axis=1), out=offsets[1:])
        data = data.decode(encoding).encode()
    return pa.StringArray.from_buffers(
        n_records, pa.py_buffer(offsets), pa.py_buffer(data)
    )


def present(values: pa.StringArray, absent: pa.StringArray) -> pa.StringArray:
    """Values, but null where one is among `absent`."""
    return pc.if_else(pc.is_in(values, value_set=absent), None, values)


@cache
def _utf8_lengths(encoding: str) -> npt.NDArray[np.uint8]:
    """Bytes that the character of each byte takes as UTF-8, shape (256,)."""
    letters = [bytes([byte]).decode(encoding) for byte in range(256)]
    return np.array([len(letter.encode()) for letter in letters], np.uint8)
