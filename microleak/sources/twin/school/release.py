"""The synthetic School Census as the office would have released it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from microleak.base.files import whole
from microleak.base.progress import progress
from microleak.sources.definitions.definition import source_definition
from microleak.sources.twin.engine.draws import generator
from microleak.sources.twin.engine.municipalities import municipalities
from microleak.sources.twin.engine.text import lines
from microleak.sources.twin.engine.writing import (
    DELIMITER,
    Page,
    Size,
    check,
    write_archive,
)
from microleak.sources.twin.school.cohort import students_of
from microleak.sources.twin.school.parameters import Parameters, parameters
from microleak.sources.twin.school.records import MOST_SCHOOLS, Census, records_of
from microleak.sources.twin.school.schools import schools_of
from microleak.sources.twin.school.students import World

REGIONS = {"CO": 5, "NORDESTE": 2, "NORTE": 1, "SUDESTE": 3, "SUL": 4}
"""First digit of the states' codes of each regional file, in the files' order."""

STUDENTS = 1
"""Key of the draws that make students, beside the seed."""

_NETWORK, _RECORDS = 0, 2


@dataclass(frozen=True)
class Batch:
    """Schools that are made together."""

    number: int
    region: str
    schools: slice


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
    size = Size("schools", schools, MOST_SCHOOLS)
    check("School Census", year, settings.years, size, seed)
    census = census_of(year, schools, seed, settings)
    names = source_definition("inep_school_census", str(year), {}).names
    members = {
        _member(region, census): _pages(region, list(names), census, seed)
        for region in REGIONS
    }
    header = DELIMITER.decode().join(names.values())
    with whole(path) as aside, progress("writing", schools) as advance:
        return write_archive(aside, header, members, advance)


def census_of(year: int, schools: int, seed: int, settings: Parameters) -> Census:
    """Return the schools of a census and where they are; students come by batch."""
    rng = generator(seed, _NETWORK)
    places = municipalities(settings)
    network = schools_of(schools, settings, places, rng)
    world = World(settings, places, network)
    return Census(world, year, offset=int(rng.integers(1 << 39)))


def _member(region: str, census: Census) -> str:
    path: str = census.world.settings["members"][census.year]
    return path.format(upper=region, lower=region.lower())


def _pages(
    region: str, attributes: list[str], census: Census, seed: int
) -> Iterator[Page]:
    """Pages of a region's schools, one a batch."""
    first = census.world.settings.first_year(census.year)
    for batch in batches_of(census.world):
        if batch.region == region:
            start, stop = batch.schools.start, batch.schools.stop
            students = students_of(
                census.year,
                batch.schools,
                census.world,
                generator(seed, STUDENTS, start, first),
            )
            rng = generator(seed, _RECORDS, start, census.year)
            records = records_of(students, batch.number, census, rng)
            columns = [records[name] for name in attributes]
            text = lines(columns, DELIMITER)
            yield Page(stop - start, len(columns[0]), text)


def batches_of(world: World) -> Iterator[Batch]:
    """Yield all schools in batches of neighbours, none across regions."""
    region_of = world.places.state[world.schools.municipality] // 10
    size, number = world.settings["schools"]["neighbours"], 0
    for region, digit in sorted(REGIONS.items(), key=lambda item: item[1]):
        low, high = np.searchsorted(region_of, [digit, digit + 1])
        for start in range(int(low), int(high), size):
            yield Batch(number, region, slice(start, min(start + size, int(high))))
            number += 1
