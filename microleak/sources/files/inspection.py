"""A member's bytes, inspected as they stream past to the fast reader.

The fast reader lets through zero bytes, blank lines, quotation marks in odd
places and, in columns it need not give, invalid bytes: each may hide that two
records were merged or one was lost. Here they stop the reading.
"""

import codecs
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from gettext import gettext as _
from itertools import accumulate, islice, takewhile
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from microleak.base.total_words import begins_a_note
from microleak.sources.definitions.definition import SourceDefinition
from microleak.sources.definitions.options import ENCODINGS
from microleak.sources.files.member import Member

BOM = codecs.BOM_UTF8

_FOR_EXCEL = rb'"?sep=([^\r\n]{0,2}?)"?(?:\r\n|\r|\n)'
_LEAD = re.compile(rb"(?:%b)?(?:%b)?" % (BOM, _FOR_EXCEL), re.IGNORECASE)
_MOST_LEAD_BYTES = 13

_FEED, _RETURN = b"\n\r"
_JOINED = re.compile(rb"[\r\n](?=%b|\xff\xfe|\xfe\xff)" % BOM)
_TAIL_BYTES = 1 << 16
_SIGNS = b"\x82\x84\x85\x8b\x91\x92\x93\x94\x95\x96\x97\x9b\xa0\xab\xbb"
_SECONDS = {*range(0x80, 0xC0)} - {*_SIGNS}
_LETTER = b"\1\2"
_KINDS = bytes(
    1 if byte in b"\xc3\xc4\xc5" else 2 * (byte in _SECONDS) for byte in range(256)
)
"""Kinds of bytes: an accented letter of UTF-8 has one of kind 1, one of kind 2.

Signs that may follow a capital in a text of single bytes, as quotation marks, dashes
and blanks, are not of kind 2.
"""

BytePositions = npt.NDArray[np.intp]  # Places of bytes in a block, ascending


def encoding_setting() -> str:
    return _("encoding under options in the study file")


def or_counted() -> str:
    """Return what else a study can do where a last line has no end."""
    return _(", or give n_rows or sha256 under releases in the study file")


class DamagedByteError(Exception):
    """A byte that no well-formed member has there, what it is, and what to do."""

    def __init__(self, offset: int, what: str, remedy: str = "") -> None:
        super().__init__(what)
        self.offset = offset
        self.what = what
        self.remedy = remedy or _("Correct the file, or fetch the release again")


class MissingEndError(DamagedByteError):
    """The last byte, which is no line end."""

    def __init__(self, offset: int) -> None:
        super().__init__(
            offset,
            _("no line end, unlike those above, and may have been cut"),
            _("If the file is whole, end that line (echo >> FILE does)") + or_counted(),
        )


class MarkError(DamagedByteError):
    """A byte order mark at the beginning of a line that is not the first."""

    def __init__(self, offset: int) -> None:
        super().__init__(
            offset,
            _("a byte order mark, as where files were joined"),
            _(
                "Delete the mark, or put the separate files into one folder and give "
                "that folder as archive"
            ),
        )


DamagedBytes = Iterator[DamagedByteError]


@dataclass(frozen=True)
class Lead:
    """Bytes before the header, and the delimiter that a line `sep=` tells, if any."""

    n_bytes: int
    delimiter: str | None

    @property
    def n_lines(self) -> int:
        return int(self.delimiter is not None)


def lead(start: bytes) -> Lead:
    """Return what stands before the header, by a member's first bytes."""
    found = _LEAD.match(start)
    assert found
    told = found[1]
    return Lead(found.end(), None if told is None else told.decode("latin-1"))


@dataclass(frozen=True)
class KnownFile:
    """Whether a study gives the archive's hash, and how many rows there are."""

    sha256: bool = False
    n_rows: bool = False


NOTHING = KnownFile()


@dataclass(frozen=True)
class CsvLayout:
    """Delimiter, quote (None: no quoting), encoding and number of columns."""

    delimiter: str
    quote: str | None
    encoding: str
    n_columns: int
    known: KnownFile = NOTHING


class Inspected(io.RawIOBase):
    """The bytes of a text as UTF-8, from the header on; `tail` are the last so far.

    When made or read it stops at a zero byte, a byte the encoding does not have, a byte
    order mark at the beginning of a line, a letter in UTF-8 where the encoding is
    another, a blank line (unless there is only one column, where it is a missing
    value), or a quotation mark that neither opens nor closes a value. Unless the study
    knows better, also at a quoted value with a line end that may have swallowed rows,
    and at a last line without an end.
    """

    def __init__(self, raw: BinaryIO, layout: CsvLayout) -> None:
        self._raw = raw
        start = raw.read(_MOST_LEAD_BYTES)
        n_before = lead(start).n_bytes
        self._inspector = _Inspector(layout, n_before)
        text = start[n_before:]
        self._ready = self._inspector.passed(text) if text else b""
        self._is_ended = False
        self.tail = self._ready

    def readable(self) -> bool:
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
            text = self._inspector.passed(data)
            self._ready += text
            is_long = len(text) >= _TAIL_BYTES
            self.tail = (text if is_long else self.tail + text)[-_TAIL_BYTES:]
        n = size - 1 if self._ready[size - 1 : size + 1] == b"\r\n" else size
        data, self._ready = self._ready[:n], self._ready[n:]
        return data


class _Inspector:
    """Judges blocks in their order, and makes them UTF-8."""

    def __init__(self, layout: CsvLayout, offset: int) -> None:
        self._layout = layout
        self._decoder = codecs.getincrementaldecoder(layout.encoding)()
        self._quotes = _Quotes(layout) if layout.quote else None
        # Two bytes of the block before: the one before the first to inspect,
        # and the last to come, as a mark is judged by both its neighbours.
        self._context = b"\n"
        # Where a mark begins that is looked for at the beginning of a line.
        self._before = b"\n"
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
        self._before = (self._before + inner[-len(BOM) :])[-len(BOM) :]
        self._offset += len(inner)
        return text

    def _faults(self, window: bytes, is_last: bool) -> DamagedBytes:
        """Give the first fault of each kind, but for the encoding."""
        if (at := window[1:-1].find(b"\0")) >= 0:
            yield DamagedByteError(self._offset + at, _("a zero byte"))
        if not window.isascii():
            yield from self._marks(window)
            if self._layout.encoding != "utf-8":
                yield from self._letters_of_utf8(window)
        if not is_last:
            yield from self._blank_lines(window)
        if self._quotes:
            yield from self._quotes.follow(window, self._offset - 1)
            if is_last:
                yield from self._quotes.finish()
        is_vouched = self._layout.known.sha256 or self._layout.known.n_rows
        if is_last and not is_vouched and self._context[-1:] not in b"\r\n":
            yield MissingEndError(self._offset)

    def _marks(self, window: bytes) -> DamagedBytes:
        """Give the first byte order mark that begins a line, as of a joined file."""
        text = self._before + window[1:-1]
        if not any(mark in text for mark in (BOM, b"\xff\xfe", b"\xfe\xff")):
            return
        found = [mark.start() for mark in _JOINED.finditer(text)]
        places = np.array(found, dtype=np.intp) + 1 - len(self._before)
        if self._quotes:
            places = self._quotes.outside(window, places)
        if len(places):
            yield MarkError(self._offset + int(places.min()))

    def _letters_of_utf8(self, window: bytes) -> DamagedBytes:
        """Give the first letter in UTF-8 in a text of single bytes."""
        if (at := window.translate(_KINDS).find(_LETTER)) >= 0:
            yield DamagedByteError(
                self._offset - 1 + at,
                _("a letter written in UTF-8, but the encoding is {encoding}").format(
                    encoding=self._layout.encoding
                ),
                _(
                    "If the file mixes UTF-8 and another encoding, save all of it as "
                    "UTF-8. Otherwise correct {setting}"
                ).format(setting=encoding_setting()),
            )

    def _blank_lines(self, window: bytes) -> DamagedBytes:
        if self._layout.n_columns == 1:
            return
        blanks = _blank_lines(window)
        if self._quotes:
            blanks = self._quotes.outside(window, blanks)
        if len(blanks):
            at = self._offset - 1 + int(blanks.min())
            yield DamagedByteError(at, _("a blank line"))

    def _decoded(self, inner: bytes, is_last: bool) -> bytes:
        encoding = self._layout.encoding
        n_pending = len(self._decoder.getstate()[0])
        if inner.isascii() and not n_pending:
            return inner
        try:
            text = self._decoder.decode(inner, final=is_last)
        except UnicodeDecodeError as error:
            raise DamagedByteError(
                self._offset - n_pending + error.start,
                _("a byte that is not {encoding}").format(encoding=encoding),
                _("Correct {setting}, which may be {encodings}, or the file").format(
                    setting=encoding_setting(), encodings=", ".join(ENCODINGS.values())
                ),
            ) from None
        return inner if encoding == "utf-8" else text.encode()


class _Quotes:
    """Values in quotation marks, followed across the blocks of a member."""

    # Marks open and close in turn; a doubled mark inside a value closes and opens
    # again. One that opens follows a delimiter, a line end or another mark; one that
    # closes precedes one of them. Where two marks are missing, the rows between them
    # become one value, which has a line end and as many delimiters as a row.

    def __init__(self, layout: CsvLayout) -> None:
        assert layout.quote
        self._mark = layout.quote.encode()
        self._delimiter = layout.delimiter.encode()
        self._is_edge = np.zeros(256, dtype=np.bool_)
        self._is_edge[list(b"\r\n" + self._mark + self._delimiter)] = True
        self._n_open = 0
        self._opened_at = 0
        self._n_columns = layout.n_columns
        self._is_counted = layout.known.n_rows
        # Line ends and delimiters so far in the value that was opened last.
        self._n_within = (0, 0)

    def follow(self, window: bytes, offset: int) -> DamagedBytes:
        """Judge every mark but in the first and last place; `offset` is the first's."""
        marks = self._marks(window)
        if not (len(marks) or self._n_open):
            return
        values = _bytes(window)
        opens, closes = marks[self._n_open :: 2], marks[1 - self._n_open :: 2]
        bad_opens = opens[~self._is_edge[values[opens - 1]]]
        bad_closes = closes[~self._is_edge[values[closes + 1]]]
        bad = np.concatenate([bad_opens, bad_closes])
        if len(bad):
            yield DamagedByteError(
                offset + int(bad.min()),
                _("a quotation mark inside a value, or one above that is not closed"),
            )
        firsts = opens[values[opens - 1] != self._mark[0]]
        if not self._is_counted:
            yield from self._swallowing(window, marks, firsts, offset)
        if len(firsts):
            self._opened_at = offset + int(firsts[-1])
        self._n_open = (self._n_open + len(marks)) % 2

    def outside(self, window: bytes, places: BytePositions) -> BytePositions:
        """Those of the places that lie in no quoted value; before `follow`."""
        n_before = np.searchsorted(self._marks(window), places)
        is_outside = (n_before + self._n_open) % 2 == 0
        return places.compress(is_outside)

    def finish(self) -> DamagedBytes:
        if self._n_open:
            yield DamagedByteError(
                self._opened_at, _("a quotation mark that is never closed")
            )

    def _swallowing(
        self, window: bytes, marks: BytePositions, firsts: BytePositions, offset: int
    ) -> DamagedBytes:
        """Give the first value that may have swallowed rows; `firsts` open values."""
        is_open = (self._n_open + len(marks)) % 2 == 1 or window[-2:] == 2 * self._mark
        before = self._n_within
        self._n_within = self._n_in_last(window, firsts) if is_open else (0, 0)
        feeds = self._inside(window, b"\n", marks)
        ends = np.concatenate([feeds, self._inside(window, b"\r", marks)])
        if not (len(ends) or before[0]):
            return
        delimiters = self._inside(window, self._delimiter, marks)
        is_bad = _n_each(ends, firsts, before[0]) > 0
        is_bad &= _n_each(delimiters, firsts, before[1]) >= self._n_columns - 1
        is_bad[-1] &= not is_open
        bad = np.flatnonzero(is_bad)
        if len(bad):
            opened = np.append(self._opened_at, offset + firsts)
            yield DamagedByteError(
                int(opened[bad[0]]),
                "a quoted value with a line end and as many delimiters as a row, as "
                "if quotation marks were missing around it",
                "Correct the file or, if the value is right, give n_rows under "
                "releases in the study file",
            )

    def _n_in_last(self, window: bytes, firsts: BytePositions) -> tuple[int, int]:
        """Line ends and delimiters so far in a value that is not over yet."""
        value = window[int(firsts[-1]) if len(firsts) else 1 : -1]
        n_ends = value.count(b"\n") + value.count(b"\r")
        n_delimiters = value.count(self._delimiter)
        if len(firsts):
            return n_ends, n_delimiters
        return self._n_within[0] + n_ends, self._n_within[1] + n_delimiters

    def _inside(
        self, window: bytes, byte: bytes, marks: BytePositions
    ) -> BytePositions:
        """Places of a byte that lie in quoted values; before the marks are counted."""
        places = _positions(window[1:-1], byte) + 1
        is_inside = (np.searchsorted(marks, places) + self._n_open) % 2 == 1
        return places.compress(is_inside)

    def _marks(self, window: bytes) -> BytePositions:
        return _positions(window[1:-1], self._mark) + 1


def _n_each(
    places: BytePositions, firsts: BytePositions, n_before: int
) -> BytePositions:
    n_each = np.bincount(np.searchsorted(firsts, places), minlength=len(firsts) + 1)
    n_each[0] += n_before
    return n_each


def _blank_lines(window: bytes) -> BytePositions:
    """Places of line ends that follow another line end."""
    values = _bytes(window)
    feeds = _positions(window[:-1], b"\n") + 1
    returns = _positions(window[:-1], b"\r") + 1
    is_blank = (values[feeds] == _FEED) | (values[feeds] == _RETURN)
    is_blank_too = values[returns] == _RETURN
    return np.concatenate([feeds[is_blank], returns[is_blank_too]])


def _positions(data: bytes, byte: bytes) -> BytePositions:
    if byte not in data:
        return np.empty(0, dtype=np.intp)
    return np.flatnonzero(_bytes(data) == byte[0])


def _bytes(data: bytes) -> npt.NDArray[np.uint8]:
    return np.frombuffer(data, dtype=np.uint8)


def n_lines(member: Member) -> int:
    with _lines(member) as lines:
        return sum(1 for _ in lines)


def line_of_offset(member: Member, offset: int) -> int:
    with _lines(member) as lines:
        ends = accumulate(len(line) for line in lines)
        return 1 + sum(1 for _ in takewhile(lambda end: end <= offset, ends))


def line_of_record(member: Member, definition: SourceDefinition, record: int) -> int:
    if definition.is_fixed_width(member.name):
        return record + 1
    with _lines(member) as lines:
        rows = _rows(lines, definition.of(member).quote)
        return next(islice((line for line, _ in rows), record + 1, None))


def uneven_row(
    member: Member, definition: SourceDefinition, n_columns: int
) -> tuple[int, int, bool] | None:
    with _lines(member) as lines:
        for line, row in _rows(lines, definition.quote):
            n_values = _n_values(row, definition)
            if n_values != n_columns:
                data = row.strip().encode("latin-1")
                text = data.decode(definition.encoding, "replace")
                return line, n_values, n_values == 1 and begins_a_note(text)
    return None


def repeated_header(member: Member, definition: SourceDefinition) -> int | None:
    """Line of the first row that is the header once more, if there is one."""
    # It has the same names, in any order and case, with or without spaces around them.
    # A row of names is a record where other rows have each in its own column, or
    # nothing else there, as where each column is an answer that may be ticked; so is it
    # where most rows have all names, as where options are ranked.
    with _lines(member) as lines:
        rows = (
            (line, _names(row, definition))
            for line, row in _rows(lines, definition.quote)
        )
        _, header = next(rows)
        names, found, n_found, n_rows = sorted(header), 0, 0, 0
        is_there, is_other = [False] * len(header), [False] * len(header)
        for line, row in rows:
            n_rows += 1
            if sorted(row) == names:
                found = found or line
                n_found += 1
                continue
            for i, (cell, name) in enumerate(zip(row, header, strict=False)):
                is_there[i] |= cell == name
                is_other[i] |= cell not in ("", name)
    each = zip(is_there, is_other, strict=True)
    is_record = any(is_there) and all(there or not other for there, other in each)
    is_ranked = n_found > 2 and 2 * n_found > n_rows
    return None if is_record or is_ranked else found or None


def _names(row: str, definition: SourceDefinition) -> list[str]:
    data = row.encode("latin-1").removeprefix(BOM)
    text = data.decode(definition.encoding, "replace").casefold()
    unquoted = text.replace(definition.quote or "\n", "")
    return [name.strip() for name in unquoted.split(definition.delimiter)]


def _rows(lines: Iterator[str], quote: str | None) -> Iterator[tuple[int, str]]:
    """Line where each row begins, and its text, of which quoted values hold lines."""
    # A line for Excel above the header is no row.
    first, row = 1, ""
    for number, line in enumerate(lines, 1):
        if number == 1 and lead(line.encode("latin-1")).n_lines:
            first = 2
            continue
        row += line
        if quote is None or row.count(quote) % 2 == 0:
            yield first, row
            first, row = number + 1, ""


def _n_values(row: str, definition: SourceDefinition) -> int:
    outside = row.split(definition.quote)[::2] if definition.quote else [row]
    return sum(text.count(definition.delimiter) for text in outside) + 1


@contextmanager
def _lines(member: Member) -> Iterator[Iterator[str]]:
    """Lines with their ends; a character a byte, which suits every encoding."""
    with member.open() as raw:
        yield io.TextIOWrapper(raw, encoding="latin-1", newline="")
