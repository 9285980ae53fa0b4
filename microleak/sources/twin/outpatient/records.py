"""Records of the outpatient files, some of them invalid, in a dBase table."""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from microleak.sources.formats.dbf import SYNTHETIC
from microleak.sources.twin.engine.draws import generator, levels, table_of
from microleak.sources.twin.engine.text import Text
from microleak.sources.twin.outpatient.lines import N_AGES, Clinic, Lines

_ORDER = 22
_OLDEST_LAG = 3


@dataclass(frozen=True)
class Spelling:
    """Texts of the values that differ between records, by position."""

    clinic: Clinic

    @cached_property
    def unit(self) -> Text:
        """Code of each unit."""
        return _texts(self.clinic.units.code, 7)

    @cached_property
    def unit_place(self) -> Text:
        """Code of each unit's municipality."""
        return self.place[self.clinic.units.place]

    @cached_property
    def place(self) -> Text:
        """Code of each municipality."""
        return _texts(self.clinic.population.places.code, 6)

    @cached_property
    def procedure(self) -> Text:
        """Code of each procedure, in the state's order."""
        number = self.clinic.settings["procedures"]["country"]
        rng = generator(0, _ORDER, self.clinic.population.state.code)
        return np.array([_procedure(int(code)) for code in rng.permutation(number)])

    @cached_property
    def age(self) -> Text:
        """Ages in years."""
        return _texts(np.arange(N_AGES), 3)

    def columns(self, lines: Lines, year: int, month: int) -> dict[str, Text]:
        """Columns of lines that are processed in a month, as if all were valid."""
        own = self.clinic.units.place[lines.unit]
        is_away = lines.place != own
        is_abroad = lines.place >= self.clinic.population.places.n_own
        return {
            "PA_CODUNI": self.unit[lines.unit],
            "PA_UFMUN": self.unit_place[lines.unit],
            "PA_CMP": _months(year, month)[lines.lag],
            "PA_PROC_ID": self.procedure[lines.procedure],
            "PA_DOCORIG": np.full(len(own), b"I"),
            "PA_IDADE": self.age[lines.age],
            "PA_SEXO": _SEXES[lines.is_woman.view(np.int8)],
            "PA_RACACOR": _RACES[lines.race],
            "PA_MUNPCN": self.place[lines.place],
            "PA_UFDIF": _FLAGS[is_abroad.view(np.int8)],
            "PA_MNDIF": _FLAGS[is_away.view(np.int8)],
        }

    def spoil(
        self, columns: dict[str, Text], n_valid: int, rng: np.random.Generator
    ) -> None:
        """Make the records after the first `n_valid` invalid, in their arrays."""
        kinds = self.clinic.settings["invalid"]
        weights = [kind["weight"] for kind in kinds]
        which = table_of(np.arange(len(kinds), dtype=np.int16), weights)
        of_line = which[levels(len(columns["PA_IDADE"]) - n_valid, rng)]
        for at, kind in enumerate(kinds):
            spoilt = n_valid + np.flatnonzero(of_line == at)
            for name in kind.keys() - {"weight"}:
                value = kind[name].format(state=self.clinic.population.state.code)
                columns[name][spoilt] = value.encode()


_SEXES = np.array([b"M", b"F"])
_RACES = np.array([f"{code:02}".encode() for code in range(6)])
_FLAGS = np.array([b"0", b"1"])


def _texts(numbers: NDArray[np.int64], width: int) -> Text:
    return np.array([f"{number:0{width}}".encode() for number in numbers.tolist()])


def _months(year: int, month: int) -> Text:
    """Texts of a month and those before it, in six digits."""
    since = year * 12 + month - 1 - np.arange(_OLDEST_LAG + 1)
    return _texts(since // 12 * 100 + since % 12 + 1, 6)


def _procedure(number: int) -> bytes:
    """Ten digits: group, subgroup, form of organisation, number, check digit.

    >>> _procedure(0), _procedure(4499)
    (b'0101010010', b'0405060123')
    """
    rest, group = divmod(number, 8)
    rest, subgroup = divmod(rest, 6)
    rest, form = divmod(rest, 8)
    digit = number * 7 % 10
    head = f"{group + 1:02}{subgroup + 1:02}{form + 1:02}"
    return f"{head}{rest + 1:03}{digit}".encode()


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
