"""Synthetic outpatient procedures (SIA-PA) as DATASUS would have released them."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from microleak.base.errors import StudyError
from microleak.base.files import whole_folder
from microleak.base.progress import Advance, progress
from microleak.sources.files.member import NOTE
from microleak.sources.twin.engine.draws import cumulatively_rounded, generator
from microleak.sources.twin.outpatient.lines import Clinic, Population
from microleak.sources.twin.outpatient.parameters import Outpatient, State, outpatient
from microleak.sources.twin.outpatient.records import END, Layout, Page, Spelling
from microleak.sources.twin.outpatient.units import places_of, units_of

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
    """Write the synthetic files of a state's year, in the office's own form.

    Parameters
    ----------
    folder
        Folder to write, whole or not at all: a plain dBase file a month of
        processing, or its parts where the state's months have some, and a note.
    state
        Two letters, as RR.
    year
        2019 to 2023. The parameters were fitted to 2023.
    records
        Number of valid records of the year, 1,200 or more; 112,637,066 is São
        Paulo's and 879,370 Acre's in 2023. Units keep their size, whatever it is.
    seed
        From 0 up. The same arguments give the same bytes.

    Returns
    -------
    int
        Number of records written, valid and invalid.

    Raises
    ------
    StudyError
        If the state or the year has no twin, or an argument is out of range.
    """
    settings = outpatient()
    _check(settings, state, year, records, seed)
    release = _year(settings.state(state), year, records, seed, settings)
    with whole_folder(folder) as aside, progress("writing", records) as advance:
        (aside / NOTE).write_text(_NOTE, encoding="ascii", newline="\n")
        return sum(_month(aside, release, at, advance) for at in range(1, 13))


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
