"""Made-up students of higher education: what stays with a person."""

from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from microleak.sources.twin.engine.draws import Levels, level, levels
from microleak.sources.twin.engine.municipalities import Municipalities
from microleak.sources.twin.engine.persons import (
    days_between,
    declared_races,
    near,
    origins_of,
)
from microleak.sources.twin.engine.settings import age_law
from microleak.sources.twin.higher_education.courses import Courses
from microleak.sources.twin.higher_education.parameters import HigherEducation

STUDYING = 2
"""Official code of an enrolment that goes on."""

_DRAWS = ("silent", "disabled", "financed", "race_given", "school_given", "born_given")


@dataclass(frozen=True)
class Country:
    """What all students of a year share."""

    settings: HigherEducation
    places: Municipalities
    courses: Courses


@dataclass(frozen=True)
class People:
    """Students of one year, one entry each in every array.

    Attributes
    ----------
    number
        Number of the person, from 0 up among the courses made together.
    course
        Position of the course.
    second
        Position of another course left in this year; -1 if there is none.
    entered
        Year of entry to the course.
    situation
        Official code of what has become of the enrolment.
    born_on
        Day of birth, numpy days.
    born_in
        Position among the municipalities; -1 is missing.
    country, nationality, sex, race, school
        Official codes; race and kind of high school are what would be given.
    silent, disabled, financed, race_given, school_given, born_given
        The person's draws, compared with the levels of a course.
    """

    number: NDArray[np.int64]
    course: NDArray[np.int64]
    second: NDArray[np.int64]
    entered: NDArray[np.int64]
    situation: NDArray[np.int64]
    born_on: NDArray[np.datetime64]
    born_in: NDArray[np.int64]
    country: NDArray[np.int16]
    nationality: NDArray[np.int8]
    sex: NDArray[np.int8]
    race: NDArray[np.int16]
    school: NDArray[np.int8]
    silent: Levels
    disabled: Levels
    financed: Levels
    race_given: Levels
    school_given: Levels
    born_given: Levels

    def __len__(self) -> int:
        return len(self.number)

    def taken(self, index: NDArray[np.int64] | NDArray[np.bool_]) -> "People":
        """People at these positions, in their order."""
        return People(*(getattr(self, each.name)[index] for each in fields(self)))

    def joined(self, others: "People") -> "People":
        """All of these people and then the others."""
        both = ((getattr(self, f.name), getattr(others, f.name)) for f in fields(self))
        return People(*(np.concatenate(pair) for pair in both))


def newcomers(
    course: NDArray[np.int64],
    first_number: int,
    entered: NDArray[np.int64],
    country: Country,
    rng: np.random.Generator,
) -> People:
    """Persons for the given seats, one each, some of them recorded twice."""
    n, settings, courses = len(course), country.settings, country.courses
    origins = origins_of(_birthplaces(course, country, rng), settings, rng)
    state = country.places.state[courses.municipality[course]]
    women = levels(n, rng) < courses.levels["women"][course]
    private = levels(n, rng) < courses.levels["private_school"][course]
    people = People(
        number=first_number + np.arange(n),
        course=course,
        second=np.full(n, -1),
        entered=entered,
        situation=np.full(n, STUDYING),
        born_on=_birthdays(course, entered, country, rng),
        born_in=origins.born_in,
        country=origins.country,
        nationality=origins.nationality,
        sex=np.where(women, 1, 2).astype(np.int8),
        race=declared_races(state, settings, rng),
        school=np.where(private, 2, 1).astype(np.int8),
        **{name: levels(n, rng) for name in _DRAWS},
    )
    return _with_doubles(people, settings, rng)


def _birthplaces(
    course: NDArray[np.int64], country: Country, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Municipality of birth, by the law of the kind of course."""
    kind = country.courses.kind[course]
    found = country.courses.municipality[course]
    for at, law in enumerate(country.settings.of_kinds("birth")):
        own = np.flatnonzero(kind == at)
        found[own] = near(found[own], law, country.places, rng)
    return found


def _birthdays(
    course: NDArray[np.int64],
    entered: NDArray[np.int64],
    country: Country,
    rng: np.random.Generator,
) -> NDArray[np.datetime64]:
    """Days of birth, uniform in the calendar year that fits the age at entry."""
    laws = [age_law(0, country.settings["courses"][kind]["ages"])
            for kind in country.settings.kinds]  # fmt: skip
    age = np.stack(laws)[country.courses.kind[course], levels(len(course), rng)]
    born = (entered - age.astype(np.int64) - 1970).astype("datetime64[Y]")
    start, stop = (at.astype("datetime64[D]") for at in (born, born + 1))
    return days_between(start, stop, rng)


def _with_doubles(
    people: People, settings: HigherEducation, rng: np.random.Generator
) -> People:
    """People of whom some are the one before once more, under another number."""
    double = levels(len(people), rng) < level(settings["double_share"] / 2)
    double &= people.course == np.roll(people.course, 1)
    double[:1] = False
    double &= ~np.roll(double, 1)
    of = np.arange(len(people)) - double
    lasting = ("born_on", "born_in", "country", "nationality", "sex", "race", "school")
    return replace(people, **{name: getattr(people, name)[of] for name in lasting})
