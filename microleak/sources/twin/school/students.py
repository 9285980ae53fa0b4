"""Made-up students: what stays with a person, whatever the school."""

from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from microleak.sources.twin.engine.draws import Levels, level, levels, table_of
from microleak.sources.twin.engine.municipalities import Municipalities
from microleak.sources.twin.engine.persons import (
    days_between,
    declared_races,
    near,
    origins_of,
)
from microleak.sources.twin.school.parameters import Parameters
from microleak.sources.twin.school.schools import Schools

_CUT_OFF = 3
"""Months before the school year's cut-off date, 31 March."""


@dataclass(frozen=True)
class World:
    """What all years and students share."""

    settings: Parameters
    places: Municipalities
    schools: Schools


@dataclass(frozen=True)
class Students:
    """Students of one year, one entry each in every array.

    Attributes
    ----------
    number
        Number of the person, from 0 up among the schools made together.
    school, stage
        Positions among the schools and the stages.
    born_on
        Day of birth, numpy days.
    born_in, home
        Positions among the municipalities; -1 is missing.
    country, nationality, sex, race
        Official codes; the race is the one that would be declared.
    undeclared, transport, needs
        The person's draws, compared with the school's levels.
    """

    number: NDArray[np.int64]
    school: NDArray[np.int64]
    stage: NDArray[np.int64]
    born_on: NDArray[np.datetime64]
    born_in: NDArray[np.int64]
    home: NDArray[np.int64]
    country: NDArray[np.int16]
    nationality: NDArray[np.int8]
    sex: NDArray[np.int8]
    race: NDArray[np.int16]
    undeclared: Levels
    transport: Levels
    needs: Levels

    def __len__(self) -> int:
        return len(self.number)

    def taken(self, index: NDArray[np.int64] | NDArray[np.bool_]) -> "Students":
        """Students at these positions, in their order."""
        return Students(*(getattr(self, each.name)[index] for each in fields(self)))

    def joined(self, others: "Students") -> "Students":
        """All of these students and then the others."""
        both = ((getattr(self, f.name), getattr(others, f.name)) for f in fields(self))
        return Students(*(np.concatenate(pair) for pair in both))


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
        _sexes(n, world.settings, rng),
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


def _sexes(
    number: int, settings: Parameters, rng: np.random.Generator
) -> NDArray[np.int8]:
    male = levels(number, rng) < level(settings["male_share"])
    return np.where(male, 1, 2).astype(np.int8)


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
    """Whether each has special needs; rates rise over the years but where special."""
    ordinary = np.array([kind.needs is None for kind in world.settings.kinds])
    growth = world.settings["needs_growth"][year]
    limit = world.schools.needs * np.where(ordinary, growth, 1.0)[world.schools.kind]
    found: NDArray[np.bool_] = students.needs < limit[students.school]
    return found


def uses_transport_in(year: int, students: Students, world: World) -> NDArray[np.bool_]:
    """Whether each uses school transport: none where the school has none.

    Where it has, those whose home is in another municipality use it at least at a
    share of their own.
    """
    own = world.schools.transport[students.school, students.stage]
    elsewhere = students.home != world.schools.municipality[students.school]
    least = np.where(elsewhere, level(world.settings["away_transport"]), 0)
    limit = np.maximum(own * world.settings["transport_growth"][year], least)
    found: NDArray[np.bool_] = (students.transport < limit) & (own > 0)
    return found
