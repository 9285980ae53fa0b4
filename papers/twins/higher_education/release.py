"""The synthetic Higher Education Census as the office would have released it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from microleak.base.files import whole_file
from microleak.base.progress import progress
from microleak.sources.definitions.definition import source_definition
from microleak.sources.twin import Twin
from papers.twins.engine.draws import LEVELS, generator, grouped_order
from papers.twins.engine.persons import Rows, municipalities
from papers.twins.engine.writing import (
    DELIMITER,
    Page,
    Size,
    Text,
    check,
    hexadecimal,
    identifiers,
    lines,
    table,
    write_archive,
)
from papers.twins.higher_education.courses import (
    PRIVATE,
    courses_of,
    higher_education,
)
from papers.twins.higher_education.students import (
    LEFT,
    MOVED,
    Country,
    People,
    people_of,
)

MOST_COURSES = 900_000
"""Courses whose codes have 7 digits."""

EARLIEST = 1900
"""Year that a position of 0 stands for."""

_FIRST_CODE = 1_000_000


@dataclass(frozen=True)
class Census:
    """What all records of one year share."""

    country: Country  # Parameters, municipalities and courses
    year: int  # Census year
    offset: int  # Start of the identifiers, which depends on the seed
    recodes: Mapping[str, Mapping[str, str]]

    @cached_property
    def larger(self) -> dict[str, Text]:
        """Texts of the attributes that are not small codes, by position."""
        places, courses = self.country.places, self.country.courses
        institutions = range(1, int(courses.institution[-1]) + 2)
        years = table(range(EARLIEST, self.year + 1))
        return {
            "NU_ANO_CENSO": years,
            "NU_ANO_NASCIMENTO": years,
            "NU_ANO_INGRESSO": years,
            "NU_IDADE": table(range(130)),
            "NU_DIA_NASCIMENTO": table(range(1, 32)),
            "NU_MES_NASCIMENTO": table(range(1, 13)),
            "CO_PAIS_ORIGEM": table(range(1000)),
            "CO_UF_NASCIMENTO": table(places.state),
            "CO_MUNICIPIO_NASCIMENTO": table(places.code),
            "CO_IES": table(institutions),
            "CO_CURSO": table(range(_FIRST_CODE, _FIRST_CODE + len(courses))),
        }

    def texts(self, attribute: str) -> Text:
        """Texts of an attribute by position, as that year spells them."""
        if attribute in self.larger:
            return self.larger[attribute]
        newest = self.recodes.get(attribute, {})
        old = {new: code for code, new in newest.items()}
        return table([old.get(str(code), str(code)) for code in range(10)])


_DECLINED, _UNAVAILABLE = 0, 9

Codes = Mapping[str, NDArray[np.integer]]
"""By attribute, each record's position in the attribute's texts; -1 is missing."""


@dataclass(frozen=True)
class Enrolments(Rows):
    """Records of one year: whose and in what, one entry each."""

    person: NDArray[np.int64]  # Position among the people
    course: NDArray[np.int64]  # Position among the courses
    entered: NDArray[np.int64]  # Year of entry to the course
    situation: NDArray[np.int64]  # Official code of what has become of the enrolment


def records_of(
    people: People, batch: int, census: Census, rng: np.random.Generator
) -> dict[str, Text]:
    """Texts of all attributes, records of a course together and in random order."""
    enrolments = enrolments_of(people, census)
    order = grouped_order(enrolments.course, rng)
    shuffled = enrolments.taken(order)
    codes = codes_of(people, shuffled, census)
    yearly = census.offset + census.year * 1_000_000_007
    persons = (
        identifiers(people.number, batch, census.offset)
        if census.country.settings.is_linked(census.year)
        else hexadecimal(len(people), rng)
    )
    return {
        "ID_ALUNO": persons[shuffled.person],
        "CO_ALUNO_CURSO": identifiers(order, batch, yearly),
        **{name: census.texts(name)[code] for name, code in codes.items()},
    }


def enrolments_of(people: People, census: Census) -> Enrolments:
    """Each student's own record, and then those in a second course, which ended."""
    both = np.flatnonzero(people.second >= 0)
    second = people.second[both]
    institution = census.country.courses.institution
    same = institution[second] == institution[people.course[both]]
    return Enrolments(
        person=np.append(np.arange(len(people)), both),
        course=np.append(people.course, second),
        entered=np.append(people.entered, np.full(len(both), census.year - 1)),
        situation=np.append(people.situation, np.where(same, MOVED, LEFT)),
    )


def codes_of(people: People, enrolments: Enrolments, census: Census) -> Codes:
    """Positions of all values but the identifiers', in the newest coding."""
    courses, course = census.country.courses, enrolments.course
    return {
        **_birth_codes(people, enrolments, census),
        **_answers(people, enrolments, census),
        "NU_ANO_CENSO": np.full(len(course), census.year - EARLIEST),
        "CO_IES": courses.institution[course],
        "TP_CATEGORIA_ADMINISTRATIVA": courses.category[course],
        "TP_ORGANIZACAO_ACADEMICA": courses.organisation[course],
        "CO_CURSO": course,
        "TP_TURNO": courses.turn[course],
        "TP_GRAU_ACADEMICO": courses.degree[course],
        "TP_MODALIDADE_ENSINO": 1 + courses.is_distance[course],
        "TP_NIVEL_ACADEMICO": np.ones(len(course), dtype=np.int64),
        "TP_SITUACAO": enrolments.situation,
        "NU_ANO_INGRESSO": enrolments.entered - EARLIEST,
    }


def _birth_codes(people: People, enrolments: Enrolments, census: Census) -> Codes:
    own = enrolments.person
    born_on = people.born_on[own]
    month = born_on.astype("datetime64[M]")
    since_1970 = month.astype(np.int64)
    year = since_1970 // 12 + 1970
    missing = _has("birthplace_missing", people.born_given, enrolments, census)
    born_in = np.where(missing, -1, people.born_in[own])
    return {
        "NU_DIA_NASCIMENTO": (born_on - month.astype("datetime64[D]")).astype(np.int64),
        "NU_MES_NASCIMENTO": since_1970 % 12,
        "NU_ANO_NASCIMENTO": year - EARLIEST,
        "NU_IDADE": census.year - year,
        "TP_NACIONALIDADE": people.nationality[own],
        "CO_PAIS_ORIGEM": people.country[own],
        "CO_UF_NASCIMENTO": born_in,
        "CO_MUNICIPIO_NASCIMENTO": born_in,
    }


def _answers(people: People, enrolments: Enrolments, census: Census) -> Codes:
    """Codes that depend on the person's draws and on what the course records."""
    own = enrolments.person
    asked = {
        name: _has(name, draw, enrolments, census)
        for name, draw in {
            "undeclared": people.race_given,
            # The other end of the same draw, so that no record is both.
            "race_unavailable": LEVELS - 1 - people.race_given,
            "school_unavailable": people.school_given,
            "silent": people.silent,
            "disabled": people.disabled,
            "financed": people.financed,
        }.items()
    }
    race = np.where(asked["race_unavailable"], _UNAVAILABLE, people.race[own])
    is_private = census.country.courses.category[enrolments.course] >= PRIVATE
    return {
        "TP_SEXO": people.sex[own],
        "TP_COR_RACA": np.where(asked["undeclared"], _DECLINED, race),
        "TP_ESCOLA_CONCLUSAO_ENS_MEDIO": np.where(
            asked["school_unavailable"], _UNAVAILABLE, people.school[own]
        ),
        "IN_DEFICIENCIA": np.where(asked["silent"], _UNAVAILABLE, asked["disabled"]),
        "IN_FINANCIAMENTO_ESTUDANTIL": np.where(is_private, asked["financed"], -1),
    }


def _has(
    rate: str, draw: NDArray[np.integer], enrolments: Enrolments, census: Census
) -> NDArray[np.bool_]:
    """Whether each record's person is below the level of the record's course."""
    levels = census.country.courses.levels[rate]
    below: NDArray[np.bool_] = draw[enrolments.person] < levels[enrolments.course]
    return below


_NETWORK, _STUDENTS, _RECORDS, _OFFSET = 10, 11, 12, 13


def write_higher_education_census(
    path: Path, year: int, courses: int, seed: int
) -> int:
    """Write a synthetic release of one year, in the raw form of that year."""
    settings = higher_education()
    size = Size("courses", courses, MOST_COURSES)
    check("Higher Education Census", year, settings.years, size, seed)
    definition = source_definition("inep_higher_education_census", str(year), {})
    places = municipalities(settings)
    network = courses_of(courses, year, settings, places, generator(seed, _NETWORK))
    offset = int(generator(seed, _OFFSET).integers(1 << 39))
    country = Country(settings, places, network)
    census = Census(country, year, offset, definition.recodes)
    pages = _pages(list(definition.names), census, seed)
    members = {settings["members"][year]: pages}
    header = DELIMITER.decode().join(definition.names.values())
    with whole_file(path) as aside, progress("writing", courses) as advance:
        return write_archive(aside, header, members, advance)


TWIN = Twin(
    "courses",
    284,
    higher_education().years,
    lambda path, year, *others: write_higher_education_census(path, int(year), *others),
)


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
        yield Page(own.stop - own.start, len(columns[0]), lines(columns, DELIMITER))
