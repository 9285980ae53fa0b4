"""The synthetic School Census as the office would have released it."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from microleak.base.files import whole_file
from microleak.base.progress import progress
from microleak.sources.definitions.definition import source_definition
from microleak.sources.twin import Twin
from papers.twins.engine.draws import (
    generator,
    grouped_order,
    level,
    levels,
    rank_in_group,
)
from papers.twins.engine.persons import Rows, municipalities
from papers.twins.engine.writing import (
    DELIMITER,
    Page,
    Size,
    Text,
    check,
    digits,
    hexadecimal,
    identifiers,
    lines,
    table,
    write_archive,
)
from papers.twins.school.schools import Parameters, parameters, schools_of
from papers.twins.school.students import (
    Students,
    World,
    has_needs_in,
    students_of,
    uses_transport_in,
)

_CLASSES = 128
_STAGES = 32
MOST_SCHOOLS = 10**9 // (_CLASSES * _STAGES)
"""Schools whose classes have codes of 10 digits."""


@dataclass(frozen=True)
class Enrolments(Rows):
    """Records of one year: whose, where and in what, one entry each."""

    student: NDArray[np.int64]  # Position among the students
    # Positions among the schools and the stages
    school: NDArray[np.int64]
    stage: NDArray[np.int64]
    rank: NDArray[np.int64]


@dataclass(frozen=True)
class Census:
    """What all records of one year share."""

    world: World  # Parameters, municipalities and schools
    year: int  # Census year
    offset: int  # Start of the identifiers, which depends on the seed

    @property
    def is_linked(self) -> bool:
        """Whether students keep their identifier from other years."""
        return self.world.settings.is_linked(self.year)

    @cached_property
    def schools(self) -> Text:
        """Code of each school."""
        return table(self.world.schools.code)

    @cached_property
    def places(self) -> Text:
        """Code of each municipality."""
        return table(self.world.places.code)

    @cached_property
    def stages(self) -> Text:
        """Code of each stage, as that year spells it."""
        old = self.world.settings["old_codes"]
        codes = [stage.code for stage in self.world.settings.stages]
        if self.year <= old["until"]:
            codes = [old["codes"].get(code, code) for code in codes]
        return table(codes)


def records_of(
    students: Students, batch: int, census: Census, rng: np.random.Generator
) -> dict[str, Text]:
    """Texts of all attributes, records of a school together and in random order."""
    has_needs = has_needs_in(census.year, students, census.world)
    enrolments = _enrolments(students, has_needs, census, rng)
    order = grouped_order(enrolments.school, rng)
    shuffled = enrolments.taken(order)
    persons = _person_texts(students, has_needs, batch, census, rng)
    yearly = census.offset + census.year * 1_000_000_007
    return {
        "ID_MATRICULA": identifiers(order, batch, yearly),
        **{name: text[shuffled.student] for name, text in persons.items()},
        **_place_texts(shuffled, census),
    }


def _enrolments(
    students: Students,
    has_needs: NDArray[np.bool_],
    census: Census,
    rng: np.random.Generator,
) -> Enrolments:
    """Each student's own record, and then the extra ones."""
    cell = students.school * _STAGES + students.stage
    extra = _extra(students, has_needs, census, rng)
    return Enrolments(
        np.append(np.arange(len(students)), extra.student),
        np.append(students.school, extra.school),
        np.append(students.stage, extra.stage),
        np.append(rank_in_group(cell), extra.rank),
    )


def _extra(
    students: Students,
    has_needs: NDArray[np.bool_],
    census: Census,
    rng: np.random.Generator,
) -> Enrolments:
    """Second records, mostly without a stage, sometimes at a school nearby.

    That school is never one where nobody has special needs or uses transport: one
    visitor would spoil the certainty about all of its students.
    """
    settings = census.world.settings
    share, with_needs = float(has_needs.mean()), settings["extra_with_needs"]
    wanted = settings["extra_records"][census.year]
    others = max(0.0, (wanted - with_needs * share) / (1.0 - share))
    activities = census.world.schools.activities[students.school]
    relative = activities / max(float(activities.mean()), 1.0)
    chance = np.where(has_needs, level(with_needs), relative * level(others))
    who = np.flatnonzero(levels(len(students), rng) < chance)
    elsewhere = levels(len(who), rng) >= level(settings["extra_in_own_school"])
    no_stage = levels(len(who), rng) < level(settings["extra_without_stage"])
    own = students.school[who]
    nearby, schools = _nearby(own, census.world, rng), census.world.schools
    for level_of in (schools.needs, schools.transport):
        elsewhere &= level_of[nearby].any(axis=1)
    return Enrolments(
        student=who,
        school=np.where(elsewhere, nearby, own),
        stage=np.where(no_stage, -1, _second_stage(students.stage[who], census.world)),
        rank=rng.integers(0, 64, len(who)),
    )


def _nearby(
    school: NDArray[np.int64], world: World, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Any school of the same municipality."""
    place = world.schools.municipality
    first = np.searchsorted(place, place[school], side="left")
    last = np.searchsorted(place, place[school], side="right")
    return first + (rng.random(len(school)) * (last - first)).astype(np.int64)


def _second_stage(stage: NDArray[np.int64], world: World) -> NDArray[np.int64]:
    """Stage of a second record: the concurrent one if there is one, or the same."""
    settings = world.settings
    codes = [each.code for each in settings.stages]
    second = {
        group: codes.index(code) for group, code in settings["extra_stage"].items()
    }
    of_stage = [
        second.get(settings.groups[each.group], at)
        for at, each in enumerate(settings.stages)
    ]
    return np.array(of_stage)[stage]


def _person_texts(
    students: Students,
    has_needs: NDArray[np.bool_],
    batch: int,
    census: Census,
    rng: np.random.Generator,
) -> dict[str, Text]:
    """Texts that all records of a student have in common."""
    schools, small, countries = (
        census.world.schools,
        table(range(10)),
        table(range(1000)),
    )
    undeclared = students.undeclared < schools.undeclared[students.school]
    transport = uses_transport_in(census.year, students, census.world)
    return {
        "ID_ALUNO": identifiers(students.number, batch, census.offset)
        if census.is_linked
        else hexadecimal(len(students), rng),
        **_birth_texts(students, census.year),
        "TP_SEXO": small[students.sex],
        "TP_COR_RACA": small[np.where(undeclared, 0, students.race)],
        "TP_NACIONALIDADE": small[students.nationality],
        "CO_PAIS_ORIGEM": countries[students.country],
        "CO_MUNICIPIO_NASC": census.places[students.born_in],
        "CO_MUNICIPIO_END": census.places[students.home],
        "IN_NECESSIDADE_ESPECIAL": small[has_needs.astype(np.int64)],
        "IN_TRANSPORTE_PUBLICO": small[transport.astype(np.int64)],
    }


def _birth_texts(students: Students, year: int) -> dict[str, Text]:
    month = students.born_on.astype("datetime64[M]")
    day = (students.born_on - month.astype("datetime64[D]")).astype(np.int64)
    since_1970 = month.astype(np.int64)
    years, numbers = table(range(1900, 2030)), table(range(1, 32))
    since_1900 = since_1970 // 12 + 70
    return {
        "NU_DIA": numbers[day],
        "NU_MES": numbers[since_1970 % 12],
        "NU_ANO": years[since_1900],
        "NU_IDADE": table(range(130))[year - 1900 - since_1900],
    }


def _place_texts(records: Enrolments, census: Census) -> dict[str, Text]:
    """Texts on the school and the class of each record."""
    schools, kinds = census.world.schools, census.world.settings.kinds
    kind = schools.kind[records.school]
    dependency = table([each.dependency for each in kinds])
    location = table([each.location for each in kinds])
    year = np.full(len(kind), str(census.year).encode())
    return {
        "NU_ANO_CENSO": year,
        "TP_ETAPA_ENSINO": census.stages[records.stage],
        "ID_TURMA": _classes(records, census),
        "CO_ENTIDADE": census.schools[records.school],
        "CO_MUNICIPIO": census.places[schools.municipality[records.school]],
        "TP_DEPENDENCIA": dependency[kind],
        "TP_LOCALIZACAO": location[kind],
    }


def _classes(records: Enrolments, census: Census) -> Text:
    """Codes of 10 digits: a class is one of a school, a stage and a year."""
    sizes = [stage.class_size for stage in census.world.settings.stages]
    # Records without a stage are spread over classes by their rank alone.
    size = np.array([*sizes, 16])[records.stage]
    number = np.minimum(records.rank // size, _CLASSES - 1)
    stage = records.stage + 1
    code = (records.school * _STAGES + stage) * _CLASSES + number
    return digits(code + (census.year - 2011) * 10**9, 10)


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
    """Write a synthetic release of one year, in the raw form of that year."""
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
    with whole_file(path) as aside, progress("writing", schools) as advance:
        return write_archive(aside, header, members, advance)


TWIN = Twin(
    "schools",
    262,
    parameters().years,
    lambda path, year, *others: write_school_census(path, int(year), *others),
)


def census_of(year: int, schools: int, seed: int, settings: Parameters) -> Census:
    """Return the schools of a census and where they are; students come by batch."""
    rng = generator(seed, _NETWORK)
    places = municipalities(settings)
    world = World(settings, places, schools_of(schools, settings, places, rng))
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
            yield Page(stop - start, len(columns[0]), lines(columns, DELIMITER))


def batches_of(world: World) -> Iterator[Batch]:
    """Yield all schools in batches of neighbours, none across regions."""
    region_of = world.places.state[world.schools.municipality] // 10
    size, number = world.settings["schools"]["neighbours"], 0
    for region, digit in sorted(REGIONS.items(), key=lambda item: item[1]):
        low, high = np.searchsorted(region_of, [digit, digit + 1])
        for start in range(int(low), int(high), size):
            yield Batch(number, region, slice(start, min(start + size, int(high))))
            number += 1
