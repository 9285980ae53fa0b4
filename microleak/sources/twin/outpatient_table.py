"""A dBase table of the outpatient files: its header, and pages of records."""

import struct
from collections.abc import Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from microleak.sources.dbf_header import SYNTHETIC
from microleak.sources.twin.text import Text

END = b"\x1a"
"""What follows the last record."""

Page = NDArray[np.uint8]
"""Records as bytes, shape (n_records, n_record_bytes)."""

_VERSION = 3
_FIRST = struct.Struct("<4BIHH8x8s4x")
_COLUMN = struct.Struct("<11sc4xBB14x")
_END_OF_COLUMNS = b"\r"
_BLANK = b" "[0]
_ROWS = 4096
"""Records filled at a time: their text stays in the processor's cache."""


class Layout:
    """Columns of a table, and where they lie in a record.

    Parameters
    ----------
    columns
        Name -> type and width, and decimals if any, as N20.2; in order.
    """

    def __init__(self, columns: Mapping[str, str]) -> None:
        self.columns = columns

    @cached_property
    def places(self) -> dict[str, slice]:
        """Bytes of each column; the first byte is the mark of deletion."""
        ends = 1 + np.cumsum([_width(kind) for kind in self.columns.values()])
        return {
            name: slice(int(end) - _width(kind), int(end))
            for (name, kind), end in zip(self.columns.items(), ends, strict=True)
        }

    @property
    def n_record_bytes(self) -> int:
        """Bytes of a record."""
        return 1 + sum(map(_width, self.columns.values()))

    def header(self, n_records: int, year: int, month: int) -> bytes:
        """Header of a table of a month, which stands in it as date of change.

        The bytes that are reserved in it say that the table is synthetic.
        """
        size = _FIRST.size + _COLUMN.size * len(self.columns) + len(_END_OF_COLUMNS)
        date = (year - 1900, month, 1)
        sizes = n_records, size, self.n_record_bytes
        first = _FIRST.pack(_VERSION, *date, *sizes, SYNTHETIC)
        each = b"".join(_described(*column) for column in self.columns.items())
        return first + each + _END_OF_COLUMNS

    def record(self, values: Mapping[str, str]) -> Page:
        """Record with these values, the other columns blank; shape (1, bytes)."""
        record = np.full((1, self.n_record_bytes), _BLANK, dtype=np.uint8)
        for name, value in values.items():
            kind = self.columns[name]
            is_number = kind.startswith("N")
            text = value.rjust(_width(kind)) if is_number else value.ljust(_width(kind))
            record[0, self.places[name]] = np.frombuffer(text.encode(), np.uint8)
        return record

    def page(self, record: Page, values: Mapping[str, Text]) -> Page:
        """Make records that are this one but for these columns, which they fill."""
        n_records = len(next(iter(values.values())))
        page = np.empty((n_records, self.n_record_bytes), dtype=np.uint8)
        for at in range(0, n_records, _ROWS):
            rows = page[at : at + _ROWS]
            rows[:] = record
            for name, column in values.items():
                place = self.places[name]
                part = column[at : at + _ROWS].view(np.uint8)
                rows[:, place] = part.reshape(len(rows), place.stop - place.start)
        return page


def _described(name: str, kind: str) -> bytes:
    decimals = int(kind.partition(".")[2] or 0)
    return _COLUMN.pack(name.encode(), kind[0].encode(), _width(kind), decimals)


def _width(kind: str) -> int:
    return int(kind[1:].partition(".")[0])
