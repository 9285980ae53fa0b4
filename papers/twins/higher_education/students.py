"""Made-up students of higher education, who stay, move, leave and enter."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from papers.twins.engine.draws import Levels, age_law, at_most, level, levels
from papers.twins.engine.persons import (
    Municipalities,
    Rows,
    days_between,
    declared_races,
    near,
    origins_of,
)
from papers.twins.higher_education.courses import Courses, HigherEducation

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
class People(Rows):
    """Students of one year, one entry each in every array."""

    number: NDArray[np.int64]
    course: NDArray[np.int64]  # Position of the course
    second: NDArray[np.int64]  # Position of another course left in this year
    entered: NDArray[np.int64]  # Year of entry to the course
    situation: NDArray[np.int64]  # Official code of what has become of the enrolment
    born_on: NDArray[np.datetime64]  # Day of birth, numpy days
    born_in: NDArray[np.int64]  # Position among the municipalities
    # Official codes
    country: NDArray[np.int16]
    nationality: NDArray[np.int8]
    sex: NDArray[np.int8]
    race: NDArray[np.int16]
    school: NDArray[np.int8]
    # The person's draws, compared with the levels of a course
    silent: Levels
    disabled: Levels
    financed: Levels
    race_given: Levels
    school_given: Levels
    born_given: Levels


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


PAUSING, LEFT, MOVED, GRADUATED = 3, 4, 5, 6
"""Official codes of what has become of an enrolment at the end of the year."""


def people_of(
    year: int, own: slice, country: Country, rng: np.random.Generator
) -> People:
    """Students of the courses `own` in a year, sorted by course.

    In the years that can be linked each year's students come of those of the
    year before; any other year's are made anew.
    """
    first = country.settings.first_year(year)
    seats = np.repeat(np.arange(own.start, own.stop), country.courses.seats[own])
    entered = first - _elapsed(len(seats), country.settings, rng)
    people = newcomers(seats, 0, entered, country, rng)
    people = _with_year(people, first, country.settings, rng)
    n_persons, away = len(people), people.taken(np.empty(0, dtype=np.int64))
    for next_year in range(first + 1, year + 1):
        kept = _kept(people, seats, next_year, country, rng)
        kept = kept.joined(_back(away, _free(seats, kept.course), country, rng))
        away = people.taken(people.situation == LEFT)
        free = _free(seats, kept.course)
        entered = np.full(len(free), next_year)
        entrants = newcomers(free, n_persons, entered, country, rng)
        n_persons += len(entrants)
        people = kept.joined(entrants)
        people = people.taken(np.argsort(people.course, kind="stable"))
        people = _with_year(people, next_year, country.settings, rng)
    return people


def _free(seats: NDArray[np.int64], taken: NDArray[np.int64]) -> NDArray[np.int64]:
    """Course of each seat that nobody has, sorted."""
    number = int(seats[-1]) + 1
    left = np.bincount(seats, minlength=number) - np.bincount(taken, minlength=number)
    return np.repeat(np.arange(number), left)


def _kept(
    before: People,
    seats: NDArray[np.int64],
    year: int,
    country: Country,
    rng: np.random.Generator,
) -> People:
    """Those who go on, each on a seat of the next year."""
    settings = country.settings
    remaining = np.isin(before.situation, (LEFT, GRADUATED), invert=True)
    remaining &= year - before.entered < settings["longest_stay"]
    people = before.taken(remaining)
    people = replace(people, second=np.full(len(people), -1))
    moving = levels(len(people), rng) < level(settings["moving_share"])
    stayers, movers = people.taken(~moving), people.taken(moving)
    free = _free(seats, stayers.course)
    found = _nearby(movers.course, free, settings["moving_reach"], rng)
    elsewhere = found != movers.course
    both = levels(len(movers), rng) < level(settings["moved_within_year"])
    moved = replace(
        movers,
        course=found,
        second=np.where(elsewhere & both, movers.course, -1),
        entered=np.where(elsewhere, year, movers.entered),
    )
    return stayers.joined(moved)


def _back(
    away: People,
    free: NDArray[np.int64],
    country: Country,
    rng: np.random.Generator,
) -> People:
    """Those who come back to their course after a year, if it has free seats."""
    share = level(country.settings["returning_share"])
    wishing = away.taken(levels(len(away), rng) < share)
    n_free = np.bincount(free, minlength=len(country.courses))
    back = wishing.taken(at_most(wishing.course, n_free, rng))
    return replace(back, second=np.full(len(back), -1))


def _nearby(
    course: NDArray[np.int64],
    seats: NDArray[np.int64],
    reach: int,
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Course of a seat for each, of some chosen at random, mostly near the course.

    `seats` holds the course of each seat, sorted; each is given once.
    """
    chosen = np.sort(rng.choice(len(seats), len(course), replace=False, shuffle=False))
    wish = course + rng.integers(-reach, reach + 1, len(course))
    found = np.empty(len(course), dtype=np.int64)
    found[np.argsort(wish, kind="stable")] = seats[chosen]
    return found


def _with_year(
    people: People, year: int, settings: HigherEducation, rng: np.random.Generator
) -> People:
    """People with second records and with what became of them in the year."""
    return replace(
        people,
        second=_seconds(people, year, settings, rng),
        situation=_situations(people, year, settings, rng),
    )


def _seconds(
    people: People, year: int, settings: HigherEducation, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Second courses, of those who moved and of as many more as the year has."""
    second = people.second.copy()
    alone = np.flatnonzero(second < 0)
    wanted = settings["extra_records"][year] * len(people) - len(people) + len(alone)
    chance = max(0.0, wanted / max(len(alone), 1))
    more = alone[levels(len(alone), rng) < level(chance)]
    course = people.course[more]
    found = _nearby(course, people.course, settings["moving_reach"], rng)
    second[more] = np.where(found != course, found, -1)
    return second


def _situations(
    people: People, year: int, settings: HigherEducation, rng: np.random.Generator
) -> NDArray[np.int64]:
    draw = levels(len(people), rng)
    leaving = level(settings["leaving_share"])
    pausing = leaving + level(settings["pausing_share"])
    is_long = year - people.entered >= settings["graduation_after"]
    left = np.where(is_long, GRADUATED, LEFT)
    stays = np.where(draw < pausing, PAUSING, STUDYING)
    return np.where(draw < leaving, left, stays)


def _elapsed(
    number: int, settings: HigherEducation, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Years since entry, of a course that as many enter as leave every year."""
    years = rng.geometric(settings["leaving_share"], number) - 1
    elapsed: NDArray[np.int64] = np.minimum(years, settings["longest_stay"] - 1)
    return elapsed
