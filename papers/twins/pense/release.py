"""The synthetic survey of students' health (PeNSE) as IBGE would have released it."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from microleak.base.errors import StudyError
from microleak.base.files import whole_file
from microleak.base.progress import progress
from microleak.sources.twin import Twin
from papers.twins.engine.draws import generator
from papers.twins.engine.writing import (
    Page,
    Size,
    Text,
    check,
    identifiers,
    lines,
    write_archive,
)
from papers.twins.pense.sample import (
    Respondents,
    Survey,
    design_of,
    pense,
    records_of,
    respondents_of,
)
from papers.twins.school.release import (
    MOST_SCHOOLS,
    STUDENTS,
    batches_of,
    census_of,
)
from papers.twins.school.schools import parameters
from papers.twins.school.students import students_of

_DELIMITER = ";"

_DESIGN, _PRESENCE, _ANSWERS = 30, 31, 32


class _Sampled(NamedTuple):
    """Schools of the School Census that are made together, and who answered there."""

    number: int
    start: int
    n_schools: int
    respondents: Respondents


def write_pense(path: Path, year: int, schools: int, seed: int) -> int:
    """Write a synthetic release of sample 1, in its raw form.

    Its students are of the synthetic School Census of the same year, number of
    schools and seed.
    """
    survey = _survey(year, schools, seed)
    member, pages = survey.settings["members"][year], _pages(survey, seed)
    n_schools = int(np.count_nonzero(survey.design.n_classes))
    with whole_file(path) as aside, progress("writing", n_schools) as advance:
        header = _DELIMITER.join(survey.settings["columns"])
        return write_archive(aside, header, {member: pages}, advance)


TWIN = Twin(
    "schools",  # of the School Census that the sample is drawn from
    1,
    pense().years,
    lambda path, year, *others: write_pense(path, int(year), *others),
)


def pense_persons(year: int, schools: int, seed: int) -> Text:
    """Who the students of a synthetic release are in the School Census of its year.

    For tests and calibration: no release says it.
    """
    survey = _survey(year, schools, seed)
    offset = survey.census.offset
    return np.concatenate(
        [
            identifiers(batch.respondents.students.number, batch.number, offset)
            for batch in _sampled(survey, seed)
        ]
    )


def _survey(year: int, schools: int, seed: int) -> Survey:
    settings = pense()
    size = Size("schools", schools, MOST_SCHOOLS)
    check("survey of students' health", year, settings.years, size, seed)
    census = census_of(year, schools, seed, parameters())
    design = design_of(census.world, settings, generator(seed, _DESIGN, year))
    if not design.n_classes.any():
        raise StudyError(
            f"synthetic.schools is {schools}, and none of them has a 9th grade. Give "
            "more under releases in the study file."
        )
    return Survey(settings, census, design)


def _sampled(survey: Survey, seed: int) -> Iterator[_Sampled]:
    """Batches of the School Census with a drawn school, in the order of the file."""
    census, settings = survey.census, survey.settings
    first = census.world.settings.first_year(census.year)
    for batch in batches_of(census.world):
        start = batch.schools.start
        if n_schools := int(np.count_nonzero(survey.design.n_classes[batch.schools])):
            students = students_of(
                census.year,
                batch.schools,
                census.world,
                generator(seed, STUDENTS, start, first),
            )
            rng = generator(seed, _PRESENCE, start, census.year)
            present = respondents_of(students, survey.design, settings["absent"], rng)
            yield _Sampled(batch.number, start, n_schools, present)


def _pages(survey: Survey, seed: int) -> Iterator[Page]:
    """Pages of the file, one a batch, whose students are numbered through."""
    n_before = 0
    for batch in _sampled(survey, seed):
        n_records = len(batch.respondents.students)
        rng = generator(seed, _ANSWERS, batch.start, survey.census.year)
        records = records_of(batch.respondents, survey, rng)
        numbers = np.arange(n_before + 1, n_before + n_records + 1)
        records["aluno"] = numbers.astype("S9")
        columns = [records[name] for name in survey.settings["columns"]]
        yield Page(batch.n_schools, n_records, lines(columns, _DELIMITER.encode()))
        n_before += n_records
