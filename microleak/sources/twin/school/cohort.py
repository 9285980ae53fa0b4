"""Students of one year, from those of the year before: who stays, moves, leaves."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from microleak.sources.twin.engine.draws import LEVELS, at_most, level, levels
from microleak.sources.twin.school.students import (
    Students,
    World,
    homes,
    new_students,
    school_age,
)

Seats = tuple[NDArray[np.int64], NDArray[np.int64]]
"""School and stage of each seat."""


def students_of(
    year: int, own: slice, world: World, rng: np.random.Generator
) -> Students:
    """Students of the schools `own` in a year, sorted by school and stage.

    In the years that can be linked each year's students come of those of the
    year before; any other year's are made anew.

    Parameters
    ----------
    year
        Census year.
    own
        Schools that exchange students, and nobody else's.
    world
        Parameters, municipalities and schools.
    rng
        Generator of these schools' students; the same for all linked years.
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
        students = _sorted(kept.joined(entrants))
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


def _sorted(students: Students) -> Students:
    order = np.lexsort((students.stage, students.school))
    return students.taken(order)


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
