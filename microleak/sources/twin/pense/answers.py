"""Records of the synthetic survey of students' health, as texts by attribute."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from microleak.sources.twin.engine.draws import level, levels, table_of
from microleak.sources.twin.engine.settings import Settings
from microleak.sources.twin.engine.text import Text
from microleak.sources.twin.pense.design import Design, Respondents
from microleak.sources.twin.school.records import Census
from microleak.sources.twin.school.students import Students

_NOT_ANSWERED, _SKIPPED = 99, -1
_YOUNGEST, _OLDEST = 11, 19
_WIDTH = "S7"

Codes = NDArray[np.int64]
"""Code of each student, shape (n_students,)."""


@dataclass(frozen=True)
class Survey:
    """What all records of one year share.

    Attributes
    ----------
    settings
        Parameters of pense.yaml.
    census
        The School Census of that year.
    design
        Sample of its schools.
    """

    settings: Settings
    census: Census
    design: Design


def records_of(
    respondents: Respondents, survey: Survey, rng: np.random.Generator
) -> dict[str, Text]:
    """Texts of all attributes but the student's number, in the students' order."""
    students = respondents.students
    constants = survey.settings["constants"]
    codes = {
        **{name: np.full(len(students), code) for name, code in constants.items()},
        **_places(students, survey),
        **_persons(students, survey, rng),
        **_answers(len(students), survey.settings, rng),
        "escola": survey.design.school_number[students.school],
        "turma": respondents.class_number,
    }
    return {name: column.astype(_WIDTH) for name, column in codes.items()}


def _places(students: Students, survey: Survey) -> dict[str, Codes]:
    world = survey.census.world
    place = world.schools.municipality[students.school]
    is_capital = survey.design.is_capital[students.school]
    state = world.places.state[place]
    return {
        "REGEOGR": state // 10,
        "UFCENSO": state,
        "MUNICIPIO_CAP": np.where(is_capital, world.places.code[place], 0),
        "TIPO_MUNIC": np.where(is_capital, 1, 2),
    }


def _persons(
    students: Students, survey: Survey, rng: np.random.Generator
) -> dict[str, Codes]:
    """Sex, race, age and birth; who does not tell month or year still tells the age."""
    settings, unanswered = survey.settings, survey.settings["unanswered"]
    born = students.born_on.astype("datetime64[M]").astype(np.int64)
    asked = (survey.census.year - 1970) * 12 + settings["month"] - 1
    race = _unanswered(_races(students.race, settings, rng), unanswered["race"], rng)
    return {
        "VB01001": students.sex,
        "VB01002": race,
        "VB01003": np.clip((asked - born) // 12, _YOUNGEST, _OLDEST),
        "VB01004": _unanswered(born % 12 + 1, unanswered["month"], rng),
        "VB01005": _unanswered(born // 12 + 1970, unanswered["year"], rng),
    }


def _races(
    declared: NDArray[np.int16], settings: Settings, rng: np.random.Generator
) -> Codes:
    """Race that each answers, in the survey's codes."""
    law = settings["other_races"]
    others = table_of(np.array(list(law), dtype=np.int16), list(law.values()))
    has_other = levels(len(declared), rng) < level(settings["another_race"])
    race = np.where(has_other, others[levels(len(declared), rng)], declared)
    codes = settings["races"]
    return np.array([0, *(codes[race] for race in sorted(codes))])[race]


def _answers(
    number: int, settings: Settings, rng: np.random.Generator
) -> dict[str, Codes]:
    """Answers to the other questions, which depend on nothing but earlier answers."""
    answers: dict[str, Codes] = {}
    for question, law in settings["answers"].items():
        table = table_of(np.array(list(law), dtype=np.int16), list(law.values()))
        answer = table[levels(number, rng)].astype(np.int64)
        answer = _unanswered(answer, settings["unanswered"]["others"], rng)
        if skip := settings["skipped"].get(question):
            is_skipped = answers[skip["after"]] == skip["at"]
            answer = np.where(is_skipped, _SKIPPED, answer)
        answers[question] = answer
    return answers


def _unanswered(codes: Codes, share: float, rng: np.random.Generator) -> Codes:
    """Codes of which a share is not answered."""
    return np.where(levels(len(codes), rng) < level(share), _NOT_ANSWERED, codes)
