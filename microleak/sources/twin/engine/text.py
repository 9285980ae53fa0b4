"""Values as columns of bytes, and columns as lines of delimited text."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Text = NDArray[np.bytes_]
"""Value of each record as ASCII bytes, shape (n_records,); empty is missing."""

_PAGE = 4096
"""Records written at a time: their text stays in the processor's cache."""

_IDS = 900_000_000_000
_STEP = 15_485_863
"""A prime below 2**24: its multiples modulo _IDS are all different."""

_QUADS = np.array([f"{at:04d}".encode() for at in range(10_000)])
_HEX_QUADS = np.array([f"{at:04X}".encode() for at in range(1 << 16)])


def table(values: Sequence[int | str] | NDArray[np.integer]) -> Text:
    """Each value's text, and an empty one at the end, which is position -1.

    >>> table([7, 11])[[1, -1]].tolist()
    [b'11', b'']
    """
    return np.array([*(str(value).encode() for value in values), b""])


def digits(numbers: NDArray[np.integer], width: int) -> Text:
    """Numbers from 0 with leading zeros, all of one even width.

    >>> digits(np.array([31]), 6).tolist()
    [b'000031']
    """
    text = np.empty((len(numbers), width), dtype=np.uint8)
    for end in range(width, 0, -4):
        quad = _QUADS[numbers // 10 ** (width - end) % 10_000]
        start = max(end - 4, 0)
        text[:, start:end] = _bytes(quad)[:, 4 - (end - start) :]
    return text.view(f"S{width}").ravel()


def identifiers(number: NDArray[np.int64], batch: int, offset: int) -> Text:
    """12 digits, different for every number below 2**22 of every batch.

    Parameters
    ----------
    number
        From 0 up among the batch's own.
    batch
        Below 2**17.
    offset
        Start of the identifiers, any whole number.
    """
    assert number.max(initial=0) < 1 << 22
    serial = number.astype(np.uint64) + np.uint64(batch << 22)
    mixed = (serial * np.uint64(_STEP) + np.uint64(offset % _IDS)) % np.uint64(_IDS)
    return digits((mixed + np.uint64(10**11)).astype(np.int64), 12)


def hexadecimal(number: int, rng: np.random.Generator) -> Text:
    """Random texts of 32 upper-case hexadecimal digits."""
    quads = np.frombuffer(rng.bytes(16 * number), dtype="<u2")
    text: Text = _HEX_QUADS[quads].view("S32")
    return text


def lines(columns: Sequence[Text], delimiter: bytes) -> bytes:
    r"""Text of the records, one a line, without quotes.

    >>> lines([np.array([b"1", b""]), np.array([b"20", b"3"])], b"|")
    b'1|20\n|3\n'
    """
    starts = range(0, len(columns[0]), _PAGE)
    pages = ([column[at : at + _PAGE] for column in columns] for at in starts)
    return b"".join(_page(page, delimiter) for page in pages)


def _page(columns: Sequence[Text], delimiter: bytes) -> bytes:
    widths = [column.dtype.itemsize + 1 for column in columns]
    page = np.full((len(columns[0]), sum(widths)), delimiter[0], dtype=np.uint8)
    end = 0
    for column, width in zip(columns, widths, strict=True):
        page[:, end : end + width - 1] = _bytes(column)
        end += width
    page[:, -1] = b"\n"[0]
    # NumPy fills short texts with NUL, which no value holds.
    text: bytes = page[page != 0].tobytes()
    return text


def _bytes(column: Text) -> NDArray[np.uint8]:
    whole = np.ascontiguousarray(column)
    return whole.view(np.uint8).reshape(len(column), column.dtype.itemsize)
