"""Made-up students of one year: who stays, moves, leaves and enters."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from microleak.sources.twin.engine.draws import at_most, level, levels
from microleak.sources.twin.higher_education.parameters import HigherEducation
from microleak.sources.twin.higher_education.people import (
    STUDYING,
    Country,
    People,
    newcomers,
)

PAUSING, LEFT, MOVED, GRADUATED = 3, 4, 5, 6
"""Official codes of what has become of an enrolment at the end of the year."""


def people_of(
    year: int, own: slice, country: Country, rng: np.random.Generator
) -> People:
    """Students of the courses `own` in a year, sorted by course.

    In the years that can be linked each year's students come of those of the
    year before; any other year's are made anew.

    Parameters
    ----------
    year
        Census year.
    own
        Courses that exchange students, and nobody else's.
    country
        Parameters, municipalities and courses.
    rng
        Generator of these courses' students; the same for all linked years.
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
        people = _sorted(kept.joined(entrants))
        people = _with_year(people, next_year, country.settings, rng)
    return people


def _sorted(people: People) -> People:
    return people.taken(np.argsort(people.course, kind="stable"))


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
