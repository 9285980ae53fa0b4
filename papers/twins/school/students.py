"""Made-up students, and those of one year: who stays, moves, leaves."""

from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from papers.twins.engine.draws import (
    LEVELS,
    Levels,
    at_most,
    level,
    levels,
    table_of,
)
from papers.twins.engine.persons import (
    Municipalities,
    Rows,
    days_between,
    declared_races,
    near,
    origins_of,
)
from papers.twins.school.schools import Parameters, Schools

_CUT_OFF = 3
"""Months before the school year's cut-off date, 31 March."""


@dataclass(frozen=True)
class World:
    """What all years and students share."""

    settings: Parameters
    places: Municipalities
    schools: Schools


@dataclass(frozen=True)
class Students(Rows):
    """Students of one year, one entry each in every array."""

    number: NDArray[np.int64]
    # Positions among the schools and the stages
    school: NDArray[np.int64]
    stage: NDArray[np.int64]
    born_on: NDArray[np.datetime64]  # Day of birth, numpy days
    # Positions among the municipalities
    born_in: NDArray[np.int64]
    home: NDArray[np.int64]
    # Official codes
    country: NDArray[np.int16]
    nationality: NDArray[np.int8]
    sex: NDArray[np.int8]
    race: NDArray[np.int16]
    # The person's draws, compared with the school's levels
    undeclared: Levels
    transport: Levels
    needs: Levels


def school_age(born_on: NDArray[np.datetime64], year: int) -> NDArray[np.int64]:
    """Age in years on 31 March of `year`, by which stages are assigned.

    >>> born = np.array(["2008-03-31", "2008-04-01"], dtype="datetime64[D]")
    >>> school_age(born, 2014).tolist()
    [6, 5]
    """
    shifted = born_on.astype("datetime64[M]") - _CUT_OFF
    return year - 1971 - shifted.astype("datetime64[Y]").astype(np.int64)


def new_students(
    seats: tuple[NDArray[np.int64], NDArray[np.int64]],
    first_number: int,
    year: int,
    world: World,
    rng: np.random.Generator,
) -> Students:
    """Persons for the given seats, one each, twins side by side."""
    school, stage = seats
    n = len(school)
    places = world.schools.municipality[school]
    home = homes(school, world, rng)
    born_in = near(home, world.settings["birth"], world.places, rng)
    origins = origins_of(born_in, world.settings, rng)
    male = level(world.settings["male_share"])
    draws = (levels(n, rng) for _ in range(3))
    students = Students(
        first_number + np.arange(n),
        school,
        stage,
        _birthdays(stage, year, world.settings, rng),
        origins.born_in,
        home,
        origins.country,
        origins.nationality,
        np.where(levels(n, rng) < male, 1, 2).astype(np.int8),
        declared_races(world.places.state[places], world.settings, rng),
        *draws,
    )
    return _with_twins(students, world.settings, rng)


def homes(
    school: NDArray[np.int64], world: World, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Municipality of residence of students of these schools."""
    settings, schools = world.settings, world.schools
    home = near(schools.municipality[school], settings["home"], world.places, rng)
    away = np.flatnonzero(levels(len(school), rng) < schools.away[school])
    shares = settings["origins"]
    which = table_of(np.arange(len(shares), dtype=np.int16), shares)
    home[away] = schools.origins[school[away], which[levels(len(away), rng)]]
    return home


def _birthdays(
    stage: NDArray[np.int64], year: int, settings: Parameters, rng: np.random.Generator
) -> NDArray[np.datetime64]:
    """Days of birth, uniform in the year up to 31 March that fits the age."""
    laws = np.stack([each.ages for each in settings.stages])
    age = laws[stage, levels(len(stage), rng)].astype(np.int64)
    years = np.arange(age.max(initial=0) + 2)
    starts = np.array(
        [f"{year - int(age)}-04-01" for age in years], dtype="datetime64[D]"
    )
    return days_between(starts[age + 1], starts[age], rng)


def _with_twins(
    students: Students, settings: Parameters, rng: np.random.Generator
) -> Students:
    """Students of whom some are the twin of the one before, on the next seat."""
    seat = np.stack([students.school, students.stage])
    pair = levels(len(students), rng) < level(settings["twin_share"] / 2)
    pair &= (seat == np.roll(seat, 1, axis=1)).all(axis=0)
    pair[:1] = False
    pair &= ~np.roll(pair, 1)
    # Half of those whose sex is drawn alone share it by chance.
    same_sex = levels(len(students), rng) < level(2 * settings["twins_same_sex"] - 1)
    twin_of = np.arange(len(students)) - pair
    alone = {"number", "school", "stage", "needs", "sex"}
    shared = {
        each.name: getattr(students, each.name)[twin_of]
        for each in fields(students)
        if each.name not in alone
    }
    sex = students.sex[np.arange(len(students)) - (pair & same_sex)]
    return replace(students, sex=sex, **shared)


def has_needs_in(year: int, students: Students, world: World) -> NDArray[np.bool_]:
    """Whether each has special needs; rates rise over the years but where special.

    They are higher for those who are two years and more behind their stage, and lower
    for those who were not born in the municipality of the school.
    """
    settings, stages = world.settings, world.settings.stages
    ordinary = np.array([kind.needs is None for kind in settings.kinds])
    rise = np.where(ordinary, settings["needs_growth"][year], 1.0)
    of_late = [settings["needs_of_late"].get(group, 1.0) for group in settings.groups]
    factor = np.array([of_late[stage.group] for stage in stages])[students.stage]
    regular = np.array([stage.age for stage in stages])[students.stage]
    is_late = school_age(students.born_on, year) >= regular + 2
    born_elsewhere = students.born_in != world.schools.municipality[students.school]
    share = world.schools.needs[students.school, students.stage] / LEVELS
    share = _at_odds(share, born_elsewhere, settings["needs_of_born_elsewhere"])
    limit = LEVELS * share * rise[world.schools.kind[students.school]]
    found: NDArray[np.bool_] = students.needs < limit * np.where(is_late, factor, 1.0)
    return found


def uses_transport_in(year: int, students: Students, world: World) -> NDArray[np.bool_]:
    """Whether each uses school transport: none where the school has none.

    Where it has, the odds are higher for those whose home is in another
    municipality.
    """
    own = world.schools.transport[students.school, students.stage]
    share = own * (world.settings["transport_growth"][year] / LEVELS)
    elsewhere = students.home != world.schools.municipality[students.school]
    limit = level(_at_odds(share, elsewhere, world.settings["transport_of_away"]))
    found: NDArray[np.bool_] = students.transport < limit
    return found


def _at_odds(
    share: NDArray[np.float64], are_others: NDArray[np.bool_], odds: float
) -> NDArray[np.float64]:
    """Chance of each: the share, or for others what has `odds` times its odds."""
    part = np.where(are_others, odds, 1.0) * share
    return part / (1.0 - share + part)


Seats = tuple[NDArray[np.int64], NDArray[np.int64]]
"""School and stage of each seat."""


def students_of(
    year: int, own: slice, world: World, rng: np.random.Generator
) -> Students:
    """Students of the schools `own` in a year, sorted by school and stage.

    In the years that can be linked each year's students come of those of the
    year before; any other year's are made anew.
    """
    first = world.settings.first_year(year)
    seats = _seats(world.schools.seats[own], own)
    students = new_students(seats, 0, first, world, rng)
    n_persons = len(students)
    for next_year in range(first + 1, year + 1):
        kept = _kept(students, next_year, own, world, rng)
        seats = _seats(_free(world.schools.seats[own], kept, own), own)
        entrants = new_students(seats, n_persons, next_year, world, rng)
        n_persons += len(entrants)
        students = kept.joined(entrants)
        students = students.taken(np.lexsort((students.stage, students.school)))
    return students


def _seats(free: NDArray[np.int32], own: slice) -> Seats:
    """School and stage of each seat, in order."""
    n_stages = free.shape[1]
    cell = np.repeat(np.arange(free.size), free.ravel())
    return own.start + cell // n_stages, cell % n_stages


def _free(seats: NDArray[np.int32], taken: Students, own: slice) -> NDArray[np.int32]:
    cell = _cell(taken.school, taken.stage, seats, own)
    return seats - np.bincount(cell, minlength=seats.size).reshape(seats.shape)


def _cell(
    school: NDArray[np.int64],
    stage: NDArray[np.int64],
    seats: NDArray[np.int32],
    own: slice,
) -> NDArray[np.int64]:
    cell: NDArray[np.int64] = (school - own.start) * seats.shape[1] + stage
    return cell


def _kept(
    before: Students, year: int, own: slice, world: World, rng: np.random.Generator
) -> Students:
    """Those who go on, each on a seat of the next year."""
    seats = world.schools.seats[own]
    students = _promoted(before, year, world, rng)
    would_stay = levels(len(students), rng) >= level(world.settings["moving_share"])
    candidates = np.flatnonzero(would_stay)
    cell = _cell(students.school, students.stage, seats, own)
    staying = candidates[at_most(cell[candidates], seats.ravel(), rng)]
    stayers = students.taken(staying)
    seekers = students.taken(np.delete(np.arange(len(students)), staying))
    free = _seats(_free(seats, stayers, own), own)
    return stayers.joined(_resettled(seekers, free, world, rng))


def _promoted(
    before: Students, year: int, world: World, rng: np.random.Generator
) -> Students:
    """Those who do not leave, on the stage they go on to."""
    stages = world.settings.stages
    until_age = np.array([stage.until_age for stage in stages])[before.stage]
    following = np.array([stage.following for stage in stages])[before.stage]
    repeat = level(np.array([stage.repeat for stage in stages]))[before.stage]
    leave = level(np.array([stage.leave for stage in stages]))[before.stage]
    draw = levels(len(before), rng)
    stays = (school_age(before.born_on, year) <= until_age) | (draw < repeat)
    stage = np.where(stays, before.stage, following)
    going_on = np.flatnonzero((stage >= 0) & (draw < LEVELS - leave))
    return replace(before, stage=stage).taken(going_on)


def _resettled(
    seekers: Students, free: Seats, world: World, rng: np.random.Generator
) -> Students:
    """Seekers matched with free seats of their stage, mostly near their school."""
    school, stage = free
    n_stages = len(world.settings.stages)
    wanted = np.bincount(seekers.stage, minlength=n_stages)
    limit = np.minimum(wanted, np.bincount(stage, minlength=n_stages))
    found = at_most(seekers.stage, limit, rng)
    seat = np.sort(at_most(stage, limit, rng))
    reach = world.settings["moving_reach"]
    place = seekers.school[found] + rng.integers(-reach, reach + 1, len(found))
    found = found[np.lexsort((place, seekers.stage[found]))]
    seat = seat[np.argsort(stage[seat], kind="stable")]
    return _arrived(seekers.taken(found), school[seat], world, rng)


def _arrived(
    movers: Students,
    school: NDArray[np.int64],
    world: World,
    rng: np.random.Generator,
) -> Students:
    """Movers at their new school, and at a new home if its municipality is new."""
    place = world.schools.municipality[school]
    elsewhere = place != world.schools.municipality[movers.school]
    home = np.where(elsewhere, homes(school, world, rng), movers.home)
    return replace(movers, school=school, home=home)
