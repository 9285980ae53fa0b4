"""Synthetic outpatient procedures (SIA-PA) as DATASUS would have released them."""

import shutil
import struct
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from microleak.base.errors import StudyError
from microleak.base.files import UNFINISHED, whole_file, whole_folder
from microleak.base.progress import Advance, progress
from microleak.sources.files.member import NOTE
from microleak.sources.formats.dbf import SYNTHETIC
from microleak.sources.twin import Twin
from papers.twins.engine.draws import (
    cumulatively_rounded,
    generator,
    levels,
    table_of,
)
from papers.twins.engine.writing import Text
from papers.twins.outpatient.lines import N_AGES, Clinic, Lines, Population
from papers.twins.outpatient.units import (
    Outpatient,
    State,
    outpatient,
    places_of,
    units_of,
)

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
    """Columns of a table, and where they lie in a record."""

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


LEAST_RECORDS, MOST_RECORDS = 1_200, 200_000_000
"""Fewer leave a file without records; more have no state."""

_NOTE = """SYNTHETIC / SINTETICO: made up by microleak; no record is a person's.
Dados inventados; nenhum registro e de uma pessoa, e nada se conclui deles.
"""
_PARTS = "abcde"
_UNITS, _LINES = 20, 21
_LINES_A_BLOCK = 1 << 16
_WORKERS = 2


@dataclass(frozen=True)
class _Counts:
    """Lines of each unit in each month, each of shape (n_units, 12)."""

    valid: NDArray[np.int64]
    invalid: NDArray[np.int64]

    def of(self, units: slice, month: int) -> NDArray[np.int64]:
        """Give the valid lines of these units, then their invalid ones."""
        valid, invalid = self.valid[units, month - 1], self.invalid[units, month - 1]
        return np.concatenate([valid, invalid])


@dataclass(frozen=True)
class _Year:
    """What all files of a state's year share."""

    clinic: Clinic
    spelling: Spelling
    counts: _Counts
    year: int
    seed: int

    @property
    def state(self) -> State:
        """State whose records they are."""
        return self.clinic.population.state

    def page(self, units: slice, month: int, record: Page, layout: Layout) -> Page:
        """Make the records of neighbouring units in a month, valid ones first."""
        purpose = self.state.code, self.year, month, units.start
        rng = generator(self.seed, _LINES, *purpose)
        counts = self.counts.of(units, month)
        unit = np.arange(units.start, units.stop)
        lines = self.clinic.lines(np.concatenate([unit, unit]), counts, rng)
        columns = self.spelling.columns(lines, self.year, month)
        self.spelling.spoil(columns, int(counts[: len(unit)].sum()), rng)
        return layout.page(record, columns)


def write_outpatient(
    folder: Path, state: str, year: int, records: int, seed: int
) -> int:
    """Write the synthetic files of a state's year, in the office's own form."""
    settings = outpatient()
    _check(settings, state, year, records, seed)
    release = _year(settings.state(state), year, records, seed, settings)
    with whole_folder(folder) as aside, progress("writing", records) as advance:
        (aside / NOTE).write_text(_NOTE, encoding="ascii", newline="\n")
        return sum(_month(aside, release, at, advance) for at in range(1, 13))


def write_zip(path: Path, release: str, records: int, seed: int) -> None:
    """Write the files of a state's year, as in RR-2023, in a zip as one archive."""
    state, _, year = release.partition("-")
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=UNFINISHED, dir=path.parent) as name:
        folder = Path(name) / release
        write_outpatient(folder, state, int(year), records, seed)
        with whole_file(path) as aside, zipfile.ZipFile(aside, "w") as archive:
            for file in sorted(folder.iterdir()):
                entry = zipfile.ZipInfo(file.name)  # has no time of its own
                entry.compress_type = zipfile.ZIP_DEFLATED
                with (
                    archive.open(entry, "w", force_zip64=True) as member,
                    file.open("rb") as lines,
                ):
                    shutil.copyfileobj(lines, member, 1 << 20)


TWIN = Twin("records", 1, outpatient().years, write_zip)


def _check(
    settings: Outpatient, state: str, year: int, records: int, seed: int
) -> None:
    years = settings.years
    if state not in settings.names or year not in years:
        raise StudyError(
            f"releases: there are no synthetic outpatient data named {state}-{year}; "
            f"the states are {', '.join(settings.names)} and the years {years[0]} to "
            f"{years[-1]}. Correct releases in the study."
        )
    if not LEAST_RECORDS <= records <= MOST_RECORDS:
        raise StudyError(
            f"synthetic.records is {records}; it must be from {LEAST_RECORDS} to "
            f"{MOST_RECORDS}. Correct it under releases in the study file."
        )
    if seed < 0:
        raise StudyError(f"seed is {seed}; it must be 0 or more. Correct the study.")


def _year(
    state: State, year: int, records: int, seed: int, settings: Outpatient
) -> _Year:
    rng = generator(seed, _UNITS, state.code, year)
    least = max(settings.n_parts(state.name, year, month) for month in range(1, 13))
    units = units_of(state, records, least, settings, rng)
    kept = settings.kept(state.name, year)
    months = np.array(settings["months"])
    shares = np.outer(units.weight, months / months.sum()).ravel()
    n_invalid = round(records * (1 - kept) / kept)
    valid, invalid = (
        cumulatively_rounded(shares * number).reshape(-1, len(months))
        for number in (records, n_invalid)
    )
    population = Population(state, places_of(state, settings), settings)
    clinic = Clinic(population, units, valid.sum(axis=1))
    return _Year(clinic, Spelling(clinic), _Counts(valid, invalid), year, seed)


def _month(folder: Path, release: _Year, month: int, advance: Advance) -> int:
    """Write the files of a month; return their number of records."""
    state, year = release.state.name, release.year
    n_parts = release.clinic.settings.n_parts(state, year, month)
    ends = np.linspace(0, len(release.clinic.units), n_parts + 1).astype(int).tolist()
    written = 0
    for part in range(n_parts):
        units = slice(ends[part], ends[part + 1])
        name = f"PA{state}{year % 100:02}{month:02}{_PARTS[part] * (n_parts > 1)}.dbf"
        with (folder / name).open("wb") as file:
            written += _file(file, release, month, units, advance)
    return written


def _file(
    file: IO[bytes], release: _Year, month: int, units: slice, advance: Advance
) -> int:
    """Write the file of some units in a month, blocks made two at a time."""
    settings, state = release.clinic.settings, release.state
    layout = Layout(settings["columns"])
    same = {"PA_GESTAO": f"{state.code}0000", "PA_MVM": f"{release.year}{month:02}"}
    record = layout.record({**settings["constants"], **same})
    n_records = int(release.counts.of(units, month).sum())
    file.write(layout.header(n_records, release.year, month))
    blocks = list(_blocks(release.counts, units))
    with ThreadPoolExecutor(_WORKERS) as workers:
        pages = (
            workers.submit(release.page, block, month, record, layout)
            for block in blocks
        )
        ahead = list(islice(pages, _WORKERS))
        for block in blocks:
            file.write(ahead.pop(0).result().data)
            ahead.extend(islice(pages, 1))
            advance(int(release.counts.valid[block, month - 1].sum()))
    file.write(END)
    return n_records


def _blocks(counts: _Counts, units: slice) -> Iterator[slice]:
    """Neighbouring units that have about so many lines a month."""
    a_month = (counts.valid[units] + counts.invalid[units]).sum(axis=1) / 12
    number = (np.cumsum(a_month) // _LINES_A_BLOCK).astype(np.int64)
    starts = units.start + np.flatnonzero(np.diff(number, prepend=-1))
    for start, stop in zip(starts, [*starts[1:], units.stop], strict=True):
        yield slice(int(start), int(stop))
