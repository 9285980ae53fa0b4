"""The synthetic Higher Education Census as the office would have released it."""

from collections.abc import Iterator, Mapping
from pathlib import Path

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
from microleak.sources.twin.higher_education.cohort import people_of
from microleak.sources.twin.higher_education.courses import courses_of
from microleak.sources.twin.higher_education.parameters import (
    HigherEducation,
    higher_education,
)
from microleak.sources.twin.higher_education.people import Country
from microleak.sources.twin.higher_education.records import (
    MOST_COURSES,
    Census,
    records_of,
)

_NETWORK, _STUDENTS, _RECORDS, _OFFSET = 10, 11, 12, 13


def write_higher_education_census(
    path: Path, year: int, courses: int, seed: int
) -> int:
    """Write a synthetic release of one year, in the raw form of that year.

    Parameters
    ----------
    path
        Zip file to write, whole or not at all.
    year
        Census year, 2013 to 2019. From 2013 to 2017 students keep their
        identifiers, if `courses` and `seed` are the same.
    courses
        Number of courses, from 1; 38,127 is the country of 2018, 40,564 that of
        2019 and 33,197 that of 2014. Their mean size is the year's, 284 students
        in 2018, whatever their number.
    seed
        From 0 up. The same arguments give the same bytes.

    Returns
    -------
    int
        Number of records written, about 1.114 a student in 2018.

    Raises
    ------
    StudyError
        If there is no twin of the year, or an argument is out of range.
    """
    settings = higher_education()
    size = Size("courses", courses, MOST_COURSES)
    check("Higher Education Census", year, settings.years, size, seed)
    definition = source_definition("inep_higher_education_census", str(year), {})
    census = _census(year, courses, seed, settings, definition.recodes)
    pages = _pages(list(definition.names), census, seed)
    members = {settings["members"][year]: pages}
    header = DELIMITER.decode().join(definition.names.values())
    with whole(path) as aside, progress("writing", courses) as advance:
        return write_archive(aside, header, members, advance)


def _census(
    year: int,
    courses: int,
    seed: int,
    settings: HigherEducation,
    recodes: Mapping[str, Mapping[str, str]],
) -> Census:
    places = municipalities(settings)
    network = courses_of(courses, year, settings, places, generator(seed, _NETWORK))
    offset = int(generator(seed, _OFFSET).integers(1 << 39))
    return Census(Country(settings, places, network), year, offset, recodes)


def _pages(attributes: list[str], census: Census, seed: int) -> Iterator[Page]:
    """Pages of all courses, one a batch of neighbours."""
    country, year = census.country, census.year
    first, n = country.settings.first_year(year), len(country.courses)
    neighbours = country.settings["neighbours"]
    for batch, start in enumerate(range(0, n, neighbours)):
        own = slice(start, min(start + neighbours, n))
        rng = generator(seed, _STUDENTS, start, first)
        people = people_of(year, own, country, rng)
        rng = generator(seed, _RECORDS, start, year)
        records = records_of(people, batch, census, rng)
        columns = [records[name] for name in attributes]
        text = lines(columns, DELIMITER)
        yield Page(own.stop - own.start, len(columns[0]), text)
