"""Records of a member that has no header, but fields at fixed places of its lines.

A block of lines, all of one length, is a matrix of bytes; a field is some of its
columns. No line is looked at alone.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from microleak.sources.shape import Readable, Shape, filled

Lines = npt.NDArray[np.uint8]
"""Bytes of lines with their ends, shape (n_lines, bytes of each)."""

Fields = Mapping[str, tuple[int, int]]
"""Name -> first byte in the line, from 0, and the byte after the last."""

_BLANK = 0x20
_FIRST_OF_TWO = 0x80
"""Latin-1 letters from this one on take two bytes as UTF-8, all others one."""


class UnevenLineError(Exception):
    """A block holds a line that is not as the first; which, it does not say."""


def records(
    raw: Readable,
    shape: Shape,
    fields: Fields,
    missing: Sequence[str],
    block_bytes: int,
) -> Iterator[pa.RecordBatch]:
    r"""Give the records of a Latin-1 text, those of about `block_bytes` at a time.

    Blanks around a value are not part of it. A value that is all blanks, or is
    then among `missing`, is null.

    Raises
    ------
    UnevenLineError
        At a line of another length or end, one that has more than blanks after
        the layout, or a zero byte.

    Examples
    --------
    >>> import io
    >>> text = io.BytesIO(" 7São\n12   ".encode("latin-1"))
    >>> fields = {"age": (0, 2), "place": (2, 5)}
    >>> (batch,) = records(text, Shape(5, 5, b"\n"), fields, [], 100)
    >>> batch.to_pylist()
    [{'age': '7', 'place': 'São'}, {'age': '12', 'place': None}]
    """
    absent = pa.array(["", *missing], pa.string())
    size = max(1, block_bytes // shape.stride) * shape.stride
    while data := filled(raw, size):
        if len(data) < size and len(data) % shape.stride == shape.n_bytes:
            data += shape.end
        lines = _lines(data, shape)
        columns = [
            _column(lines[:, slice(*place)], absent) for place in fields.values()
        ]
        yield pa.RecordBatch.from_arrays(columns, list(fields))


def _lines(data: bytes, shape: Shape) -> Lines:
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


def _column(field: Lines, absent: pa.StringArray) -> pa.StringArray:
    """Values of one field, made UTF-8, without blanks around them."""
    text = pa.py_buffer(field.tobytes().decode("latin-1").encode())
    offsets = np.zeros(len(field) + 1, np.int32)
    n_bytes = field.shape[1] + (field >= _FIRST_OF_TWO).sum(axis=1)
    np.cumsum(n_bytes, out=offsets[1:])
    values = pa.StringArray.from_buffers(len(field), pa.py_buffer(offsets), text)
    values = pc.ascii_trim(values, " ")
    return pc.if_else(pc.is_in(values, value_set=absent), None, values)
