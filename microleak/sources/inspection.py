"""A member's bytes, inspected as they stream past to the fast reader.

The fast reader lets through zero bytes, blank lines, quotation marks in odd
places and, in columns it need not give, invalid bytes: each may hide that two
records were merged or one was lost. Here they stop the reading.
"""

import codecs
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

BOM = codecs.BOM_UTF8

_FEED, _RETURN = b"\n\r"

Positions = npt.NDArray[np.intp]
"""Places of bytes in a block, ascending."""


class DamagedByteError(Exception):
    """A byte that no well-formed member has there, and what it is."""

    def __init__(self, offset: int, what: str) -> None:
        super().__init__(what)
        self.offset = offset
        self.what = what


class UndecodedByteError(DamagedByteError):
    """A byte that the encoding does not have; most likely the text has another."""


Faults = Iterator[DamagedByteError]


@dataclass(frozen=True)
class Layout:
    """Delimiter, quote (None: no quoting), encoding and number of columns."""

    delimiter: str
    quote: str | None
    encoding: str
    n_columns: int


class Inspected(io.RawIOBase):
    """The bytes of a text as UTF-8, without a byte order mark.

    Raises
    ------
    DamagedByteError
        When made or read, at a zero byte, a byte the encoding does not have, a
        blank line (unless there is only one column, where it is a missing
        value), or a quotation mark that neither opens nor closes a value.
    """

    def __init__(self, raw: BinaryIO, layout: Layout) -> None:
        self._raw = raw
        start = raw.read(len(BOM))
        has_mark = start == BOM
        self._inspector = _Inspector(layout, len(BOM) if has_mark else 0)
        self._ready = self._inspector.passed(start) if start and not has_mark else b""
        self._is_ended = False

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def read(self, size: int = -1) -> bytes:
        r"""Give `size` bytes, at least two; one fewer before a "\n" that ends "\r\n".

        Fewer come only at the end: the CSV reader gives up on a row that lies in
        three blocks. It takes a feed that begins a block after a return for half
        a line end and drops it, also in a quoted value.
        """
        assert size > 1
        while len(self._ready) <= size and not self._is_ended:
            data = self._raw.read(size)
            self._is_ended = not data
            self._ready += self._inspector.passed(data)
        n = size - 1 if self._ready[size - 1 : size + 1] == b"\r\n" else size
        data, self._ready = self._ready[:n], self._ready[n:]
        return data


class _Inspector:
    """Judges blocks in their order, and makes them UTF-8."""

    def __init__(self, layout: Layout, offset: int) -> None:
        self._layout = layout
        self._decoder = codecs.getincrementaldecoder(layout.encoding)()
        self._quotes = _Quotes(layout) if layout.quote else None
        # Two bytes of the block before: the one before the first to inspect,
        # and the last to come, as a mark is judged by both its neighbours.
        self._context = b"\n"
        self._offset = offset

    def passed(self, data: bytes) -> bytes:
        """Text up to the block's last byte, which the next gives; none is the end."""
        window = self._context + (data or b"\n")
        inner = window[1:-1]
        try:
            text = self._decoded(inner, is_last=not data)
            faults = []
        except DamagedByteError as fault:
            faults = [fault]
        faults += self._faults(window, is_last=not data)
        if faults:
            raise min(faults, key=lambda fault: fault.offset)
        self._context = window[-2:]
        self._offset += len(inner)
        return text

    def _faults(self, window: bytes, is_last: bool) -> Faults:
        """Give the first fault of each kind, but for the encoding."""
        yield from self._zero_bytes(window[1:-1])
        if not is_last:
            yield from self._blank_lines(window)
        if self._quotes:
            yield from self._quotes.follow(window, self._offset - 1)
            if is_last:
                yield from self._quotes.finish()

    def _zero_bytes(self, inner: bytes) -> Faults:
        if (at := inner.find(b"\0")) >= 0:
            yield DamagedByteError(self._offset + at, "a zero byte")

    def _blank_lines(self, window: bytes) -> Faults:
        if self._layout.n_columns == 1:
            return
        blanks = _blank_lines(window)
        if self._quotes:
            blanks = self._quotes.outside(window, blanks)
        if len(blanks):
            at = self._offset - 1 + int(blanks.min())
            yield DamagedByteError(at, "a blank line")

    def _decoded(self, inner: bytes, is_last: bool) -> bytes:
        encoding = self._layout.encoding
        n_pending = len(self._decoder.getstate()[0])
        if inner.isascii() and not n_pending:
            return inner
        try:
            text = self._decoder.decode(inner, final=is_last)
        except UnicodeDecodeError as error:
            at = self._offset - n_pending + error.start
            raise UndecodedByteError(at, f"a byte that is not {encoding}") from None
        return inner if encoding == "utf-8" else text.encode()


class _Quotes:
    """Values in quotation marks, followed across the blocks of a member.

    Marks open and close in turn; a doubled mark inside a value closes and opens
    again. One that opens follows a delimiter, a line end or another mark; one
    that closes precedes one of them.
    """

    def __init__(self, layout: Layout) -> None:
        assert layout.quote
        self._mark = layout.quote.encode()
        self._is_edge = np.zeros(256, dtype=np.bool_)
        self._is_edge[list(b"\r\n" + self._mark + layout.delimiter.encode())] = True
        self._n_open = 0
        self._opened_at = 0

    def follow(self, window: bytes, offset: int) -> Faults:
        """Judge every mark but in the first and last place; `offset` is the first's."""
        marks = self._marks(window)
        if not len(marks):
            return
        values = _bytes(window)
        opens, closes = marks[self._n_open :: 2], marks[1 - self._n_open :: 2]
        bad_opens = opens[~self._is_edge[values[opens - 1]]]
        bad_closes = closes[~self._is_edge[values[closes + 1]]]
        bad = np.concatenate([bad_opens, bad_closes])
        if len(bad):
            yield DamagedByteError(
                offset + int(bad.min()),
                "a quotation mark inside a value, or one above that is not closed",
            )
        firsts = opens[values[opens - 1] != self._mark[0]]
        if len(firsts):
            self._opened_at = offset + int(firsts[-1])
        self._n_open = (self._n_open + len(marks)) % 2

    def outside(self, window: bytes, places: Positions) -> Positions:
        """Those of the places that lie in no quoted value; before `follow`."""
        n_before = np.searchsorted(self._marks(window), places)
        is_outside = (n_before + self._n_open) % 2 == 0
        return places.compress(is_outside)

    def finish(self) -> Faults:
        """Judge the end of the member."""
        if self._n_open:
            yield DamagedByteError(
                self._opened_at, "a quotation mark that is never closed"
            )

    def _marks(self, window: bytes) -> Positions:
        return _positions(window[1:-1], self._mark) + 1


def _blank_lines(window: bytes) -> Positions:
    """Places of line ends that follow another line end."""
    values = _bytes(window)
    feeds = _positions(window[:-1], b"\n") + 1
    returns = _positions(window[:-1], b"\r") + 1
    is_blank = (values[feeds] == _FEED) | (values[feeds] == _RETURN)
    is_blank_too = values[returns] == _RETURN
    return np.concatenate([feeds[is_blank], returns[is_blank_too]])


def _positions(data: bytes, byte: bytes) -> Positions:
    if byte not in data:
        return np.empty(0, dtype=np.intp)
    return np.flatnonzero(_bytes(data) == byte[0])


def _bytes(data: bytes) -> npt.NDArray[np.uint8]:
    return np.frombuffer(data, dtype=np.uint8)
