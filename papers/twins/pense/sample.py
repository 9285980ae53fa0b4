"""Sample of the survey of students' health: parameters, schools, classes, answers."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from papers.twins.engine.draws import (
    Settings,
    at_most,
    grouped_order,
    level,
    levels,
    rank_in_group,
    read_settings,
    table_of,
)
from papers.twins.engine.writing import Text
from papers.twins.school.release import Census
from papers.twins.school.students import Students, World


@lru_cache(maxsize=1)
def pense() -> Settings:
    """Parameters of pense.yaml and country.yaml."""
    return Settings(read_settings(Path(__file__).parent.with_suffix(".yaml")))


@dataclass(frozen=True)
class Design:
    """What is drawn; the arrays have one entry each school of the School Census."""

    stage: int  # Position of the stage that is asked
    class_size: int  # Students a class of it
    is_capital: NDArray[np.bool_]
    n_classes: NDArray[np.int64]  # Classes that are drawn

    @property
    def school_number(self) -> NDArray[np.int64]:
        """Number of each drawn school in the file, from 1."""
        return np.cumsum(self.n_classes > 0)

    @property
    def classes_before(self) -> NDArray[np.int64]:
        """Drawn classes of the schools before each."""
        return np.cumsum(self.n_classes) - self.n_classes


@dataclass(frozen=True)
class Respondents:
    """Students who answered, those of a class together."""

    students: Students  # As the School Census has them
    class_number: NDArray[np.int64]  # Number of each one's class in the file, from 1


def design_of(world: World, settings: Settings, rng: np.random.Generator) -> Design:
    """Draw schools by state, in the capital and in the rest of it, at least one each.

    Only schools with students of the stage are drawn, those of a stratum with the
    same chance; then one or two classes of each.
    """
    stage = [each.code for each in world.settings.stages].index(settings["stage"])
    class_size = world.settings.stages[stage].class_size
    seats = world.schools.seats[:, stage]
    is_capital = _is_capital(world)
    asked = np.flatnonzero(seats)
    stratum = 2 * world.places.state[world.schools.municipality] + is_capital
    drawn = asked[at_most(stratum[asked], _limits(stratum[asked], settings), rng)]
    n_classes = np.zeros(len(seats), dtype=np.int64)
    has_two = seats[drawn] > (settings["two_classes_from"] - 1) * class_size
    n_classes[drawn] = 1 + has_two
    return Design(stage, class_size, is_capital, n_classes)


def respondents_of(
    students: Students, design: Design, absent: float, rng: np.random.Generator
) -> Respondents:
    """Students of the drawn classes but for a share who were absent."""
    is_asked = students.stage == design.stage
    students = students.taken(is_asked & (design.n_classes[students.school] > 0))
    number = _class_numbers(students.school, design, rng)
    was_present = levels(len(students), rng) >= level(absent)
    present = np.flatnonzero((number > 0) & was_present)
    order = present[grouped_order(number[present], rng)]
    return Respondents(students.taken(order), number[order])


def _is_capital(world: World) -> NDArray[np.bool_]:
    """Whether each school is in the largest municipality of its state's."""
    own, places = world.schools.municipality, world.places
    hosts = np.unique(own)
    smallest_first = hosts[np.lexsort((-hosts, places.weight[hosts]))]
    capital = np.empty(int(places.state.max()) + 1, dtype=np.int64)
    # Of the municipalities of one state the last, the largest, stays.
    capital[places.state[smallest_first]] = smallest_first
    is_capital: NDArray[np.bool_] = own == capital[places.state[own]]
    return is_capital


def _limits(stratum: NDArray[np.int64], settings: Settings) -> NDArray[np.int64]:
    """How many schools of each stratum are drawn; odd ones are of capitals."""
    n_schools = np.bincount(stratum)
    shares = settings["schools"]
    is_capital = np.arange(len(n_schools)) % 2 == 1
    share = np.where(is_capital, shares["capital"], shares["other"])
    n_drawn: NDArray[np.int64] = np.rint(n_schools * share).astype(np.int64)
    return np.maximum(n_drawn, 1)


def _class_numbers(
    school: NDArray[np.int64], design: Design, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Give the number in the file of each student's class; 0 if it is not drawn.

    `school` is sorted; its students fill its classes in order.
    """
    starts = np.flatnonzero(rank_in_group(school) % design.class_size == 0)
    owner = school[starts]
    drawn = np.sort(at_most(owner, design.n_classes, rng))
    number = np.zeros(len(starts), dtype=np.int64)
    before = design.classes_before[owner[drawn]]
    number[drawn] = before + rank_in_group(owner[drawn]) + 1
    class_of = np.searchsorted(starts, np.arange(len(school)), side="right") - 1
    of_student: NDArray[np.int64] = number[class_of]
    return of_student


_NOT_ANSWERED, _SKIPPED = 99, -1
_YOUNGEST, _OLDEST = 11, 19
_WIDTH = "S7"

Codes = NDArray[np.int64]
"""Code of each student, shape (n_students,)."""


@dataclass(frozen=True)
class Survey:
    """What all records of one year share."""

    settings: Settings  # Parameters of pense.yaml
    census: Census  # The School Census of that year
    design: Design  # Sample of its schools


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
