"""The synthetic School Census as the office would have released it."""

import zipfile
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np

from microleak.errors import StudyError
from microleak.files import whole
from microleak.progress import Advance, progress
from microleak.sources.definition import source_definition
from microleak.sources.twin.cohort import students_of
from microleak.sources.twin.municipalities import municipalities
from microleak.sources.twin.parameters import Parameters, parameters
from microleak.sources.twin.school_census import MOST_SCHOOLS, Census, records_of
from microleak.sources.twin.schools import schools_of
from microleak.sources.twin.students import World
from microleak.sources.twin.text import lines

REGIONS = {"CO": 5, "NORDESTE": 2, "NORTE": 1, "SUDESTE": 3, "SUL": 4}
"""First digit of the states' codes of each regional file, in the files' order."""

_NOTE = "SYNTHETIC / SINTETICO: made up by microleak; no record is a person's."
_NOTE_NAME = "LEIA-ME-SINTETICO.txt"
_FASTEST = 1
_DELIMITER = b"|"
_NETWORK, _STUDENTS, _RECORDS = 0, 1, 2


@dataclass(frozen=True)
class _Batch:
    """Schools that are made together."""

    number: int
    region: str
    schools: slice


@dataclass(frozen=True)
class _Page:
    """The records of a batch, as text."""

    n_schools: int
    n_records: int
    text: bytes


def write_school_census(path: Path, year: int, schools: int, seed: int) -> int:
    """Write a synthetic release of one year, in the raw form of that year.

    Parameters
    ----------
    path
        Zip file to write, whole or not at all.
    year
        Census year, 2014 to 2020. From 2014 to 2017 students keep their
        identifiers, if `schools` and `seed` are the same.
    schools
        Number of schools, from 1; 183,706 is the country of 2018. Their mean
        size is the country's, 262 students, whatever their number.
    seed
        From 0 up. The same arguments give the same bytes.

    Returns
    -------
    int
        Number of records written, about 1.076 a student (1.133 in 2014).

    Raises
    ------
    StudyError
        If the year was not released by student, or an argument is out of range.
    """
    settings = parameters()
    _check(year, schools, seed, settings)
    census = _census(year, schools, seed, settings)
    with whole(path) as aside, progress("writing", schools) as advance:
        return _write(aside, census, seed, advance)


def _check(year: int, schools: int, seed: int, settings: Parameters) -> None:
    years = sorted(settings["members"])
    if year not in years:
        raise StudyError(
            f"releases: there is no synthetic School Census of {year}; "
            f"the years are {years[0]} to {years[-1]}. Correct releases in the study."
        )
    if not 1 <= schools <= MOST_SCHOOLS:
        raise StudyError(
            f"synthetic.schools is {schools}; it must be from 1 to {MOST_SCHOOLS}. "
            "Correct it under releases in the study file."
        )
    if seed < 0:
        raise StudyError(f"seed is {seed}; it must be 0 or more. Correct the study.")


def _census(year: int, schools: int, seed: int, settings: Parameters) -> Census:
    rng = _generator(seed, _NETWORK)
    places = municipalities(settings)
    network = schools_of(schools, settings, places, rng)
    world = World(settings, places, network)
    return Census(world, year, offset=int(rng.integers(1 << 39)))


def _generator(seed: int, *purpose: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=purpose))


def _write(path: Path, census: Census, seed: int, advance: Advance) -> int:
    names = source_definition("inep_school_census", str(census.year), {}).names
    header = "|".join(names.values()) + "\n"
    rows = 0
    with zipfile.ZipFile(
        path, "w", zipfile.ZIP_DEFLATED, compresslevel=_FASTEST
    ) as archive:
        archive.comment = _NOTE.encode("ascii")
        with archive.open(_NOTE_NAME, "w") as note:
            note.write(f"{_NOTE}\n".encode("ascii"))
        for region in REGIONS:
            name = _member(region, census)
            with archive.open(name, "w", force_zip64=True) as member:
                member.write(header.encode("latin-1"))
                pages = _pages(region, list(names), census, seed)
                rows += _written(member, pages, advance)
    return rows


def _member(region: str, census: Census) -> str:
    path: str = census.world.settings["members"][census.year]
    return path.format(upper=region, lower=region.lower())


def _written(member: IO[bytes], pages: Iterator[_Page], advance: Advance) -> int:
    """Write pages in order, each while the next one is made; count the rows."""
    rows = 0
    writing: Future[int] | None = None
    with ThreadPoolExecutor(max_workers=1) as writer:
        for page in pages:
            if writing is not None:
                writing.result()
            writing = writer.submit(member.write, page.text)
            rows += page.n_records
            advance(page.n_schools)
        if writing is not None:
            writing.result()
    return rows


def _pages(
    region: str, attributes: list[str], census: Census, seed: int
) -> Iterator[_Page]:
    """Pages of a region's schools, one a batch."""
    first = census.world.settings.first_year(census.year)
    for batch in _batches(census.world):
        if batch.region == region:
            start, stop = batch.schools.start, batch.schools.stop
            students = students_of(
                census.year,
                batch.schools,
                census.world,
                _generator(seed, _STUDENTS, start, first),
            )
            rng = _generator(seed, _RECORDS, start, census.year)
            records = records_of(students, batch.number, census, rng)
            columns = [records[name] for name in attributes]
            text = lines(columns, _DELIMITER)
            yield _Page(stop - start, len(columns[0]), text)


def _batches(world: World) -> Iterator[_Batch]:
    """All schools in batches of neighbours, none across regions."""
    region_of = world.places.state[world.schools.municipality] // 10
    size, number = world.settings["schools"]["neighbours"], 0
    for region, digit in sorted(REGIONS.items(), key=lambda item: item[1]):
        low, high = np.searchsorted(region_of, [digit, digit + 1])
        for start in range(int(low), int(high), size):
            yield _Batch(number, region, slice(start, min(start + size, int(high))))
            number += 1
