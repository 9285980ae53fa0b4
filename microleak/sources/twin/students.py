"""Made-up students: what stays with a person, whatever the school."""

from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from microleak.sources.twin.draws import (
    Levels,
    level,
    levels,
    table_of,
)
from microleak.sources.twin.municipalities import Municipalities
from microleak.sources.twin.parameters import Parameters
from microleak.sources.twin.schools import Schools

BRAZIL = 76
"""Brazil's number in ISO 3166."""

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
    nationality, country, born_in = _origins(home, world, rng)
    draws = (levels(n, rng) for _ in range(3))
    students = Students(
        first_number + np.arange(n),
        school,
        stage,
        _birthdays(stage, year, world.settings, rng),
        born_in,
        home,
        country,
        nationality,
        _sexes(n, world.settings, rng),
        _races(places, world, rng),
        *draws,
    )
    return _with_twins(students, world.settings, rng)


def homes(
    school: NDArray[np.int64], world: World, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Municipality of residence of students of these schools."""
    settings, schools = world.settings, world.schools
    home = _near(schools.municipality[school], settings["home"], world.places, rng)
    away = np.flatnonzero(levels(len(school), rng) < schools.away[school])
    shares = settings["origins"]
    which = table_of(np.arange(len(shares), dtype=np.int16), shares)
    home[away] = schools.origins[school[away], which[levels(len(away), rng)]]
    return home


def _near(
    around: NDArray[np.int64],
    shares: dict[str, float],
    places: Municipalities,
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Municipality itself, or for given shares the centre or one around it."""
    found = around.copy()
    which = table_of(np.arange(len(shares), dtype=np.int16), list(shares.values()))
    draw = which[levels(len(around), rng)]
    for at, name in enumerate(shares):
        moving = np.flatnonzero(draw == at)
        if name == "centre":
            found[moving] = places.centre[around[moving]]
        elif name in places.within:
            found[moving] = places.drawn(around[moving], name, rng)
    return found


def _origins(
    home: NDArray[np.int64], world: World, rng: np.random.Generator
) -> tuple[NDArray[np.int8], NDArray[np.int16], NDArray[np.int64]]:
    """Nationality, country and municipality of birth, which go together."""
    settings = world.settings
    born_in = _near(home, settings["birth"], world.places, rng)
    abroad = [settings["naturalised_share"], settings["foreign_share"]]
    codes = np.array([1, 2, 3], dtype=np.int16)
    law = table_of(codes, [1 - sum(abroad), *abroad])
    nationality = law[levels(len(home), rng)].astype(np.int8)
    foreign = np.flatnonzero(nationality != 1)
    country = np.full(len(home), BRAZIL, dtype=np.int16)
    country[foreign] = _countries(settings)[levels(len(foreign), rng)]
    kept = level(settings["foreign_with_municipality"])
    born_in[foreign[levels(len(foreign), rng) >= kept]] = -1
    return nationality, country, born_in


def _countries(settings: Parameters) -> NDArray[np.int16]:
    weights: dict[int, float] = settings["countries"]
    return table_of(np.array(list(weights), dtype=np.int16), list(weights.values()))


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
    lengths = (starts[:-1] - starts[1:]).astype(np.int64)
    # 2**32 possible points make the days of a year equally likely to 1e-7.
    point = rng.integers(0, 1 << 32, len(stage), dtype=np.uint32).astype(np.int64)
    days: NDArray[np.datetime64] = starts[age + 1] + (point * lengths[age] >> 32)
    return days


def _sexes(
    number: int, settings: Parameters, rng: np.random.Generator
) -> NDArray[np.int8]:
    male = levels(number, rng) < level(settings["male_share"])
    return np.where(male, 1, 2).astype(np.int8)


def _races(
    places: NDArray[np.int64], world: World, rng: np.random.Generator
) -> NDArray[np.int16]:
    codes = np.arange(1, 6, dtype=np.int16)
    shares: dict[int, list[float]] = world.settings["races"]
    laws = np.stack([table_of(codes, shares[region]) for region in sorted(shares)])
    region = world.places.state[places] // 10
    return laws[region - 1, levels(len(places), rng)]


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
