"""Made-up institutions and their courses: where, how large, of what kind."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from microleak.sources.twin.engine.draws import (
    LEVELS,
    apportioned,
    at_least_one,
    cumulatively_rounded,
    level,
    log_normal_parts,
    table_of,
)
from microleak.sources.twin.engine.municipalities import Municipalities
from microleak.sources.twin.engine.settings import Settings
from microleak.sources.twin.higher_education.parameters import (
    HigherEducation,
    Places,
    rates_of,
)

PRIVATE = 4
"""Lowest administrative category of private institutions."""


@dataclass(frozen=True)
class Courses:
    """Courses sorted by institution; every array has one entry each.

    Attributes
    ----------
    institution
        Position of the institution; these are sorted by municipality.
    municipality
        Position among the municipalities.
    category, organisation
        Official codes of the institution.
    kind
        Position among the parameters' kinds of course.
    degree, turn
        Official codes; -1 is missing.
    seats
        Students of the course in every year.
    levels
        By name of a rate, levels below which a student's draw means it.
    """

    institution: NDArray[np.int64]
    municipality: NDArray[np.int64]
    category: NDArray[np.int64]
    organisation: NDArray[np.int64]
    kind: NDArray[np.int64]
    degree: NDArray[np.int64]
    turn: NDArray[np.int64]
    seats: NDArray[np.int64]
    levels: Mapping[str, NDArray[np.int32]]

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def is_distance(self) -> NDArray[np.bool_]:
        """Whether each course is taught at a distance."""
        odd: NDArray[np.bool_] = self.kind % 2 == 1
        return odd


def courses_of(
    number: int,
    year: int,
    settings: HigherEducation,
    places: Municipalities,
    rng: np.random.Generator,
) -> Courses:
    """Courses that keep the country's sizes, kinds and rates, whatever their number.

    Sizes and rates are quantiles dealt out at random, not independent draws, so
    that few courses have the means of many. Linked years have the same courses
    but for the rates, which are the year's.
    """
    sort, institution = _institutions(number, settings, rng)
    is_private = settings.of_institutions("category")[sort] >= PRIVATE
    is_distance = _taught_at_a_distance(sort, settings, rng)
    kind = 2 * is_private + is_distance
    seats = _seats(kind, year, settings, rng)
    levels = {
        name: level(rate)
        for name, rate in rates_of(
            Places(institution, is_private, seats), year, settings["rates"], rng
        ).items()
    }
    return Courses(
        institution=institution,
        municipality=_municipalities(institution, settings, places),
        category=settings.of_institutions("category")[sort],
        organisation=settings.of_institutions("organisation")[sort],
        kind=kind,
        degree=_degrees(is_distance, settings, rng),
        turn=_turns(is_private, is_distance, settings, rng),
        seats=seats,
        levels=levels,
    )


def _institutions(
    number: int, settings: HigherEducation, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Kind and position of each course's institution, which are in random order."""
    sizes, sorts = [], []
    n_each = apportioned(number, settings.of_institutions("courses"))
    means = settings.of_institutions("each")
    for sort, (n_courses, mean) in enumerate(zip(n_each, means, strict=True)):
        if n_courses:
            n = max(1, round(n_courses / mean))
            parts = log_normal_parts(n, settings["institution_sigma"])
            sizes.append(at_least_one(int(n_courses), parts))
            sorts.append(np.full(n, sort))
    size, sort_of = np.concatenate(sizes), np.concatenate(sorts)
    order = rng.permutation(len(size))
    institution = np.repeat(np.arange(len(size)), size[order])
    return sort_of[order][institution], institution


def _taught_at_a_distance(
    sort: NDArray[np.int64], settings: HigherEducation, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """As many courses of each kind of institution as its share says."""
    n_each = np.bincount(sort, minlength=len(settings["institutions"]))
    wanted = cumulatively_rounded(n_each * settings.of_institutions("distance"))
    found = np.zeros(len(sort), dtype=np.bool_)
    for at, n in enumerate(wanted):
        found[rng.permutation(np.flatnonzero(sort == at))[:n]] = True
    return found


def _seats(
    kind: NDArray[np.int64],
    year: int,
    settings: HigherEducation,
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Students of each course, at least 1: quantiles of its kind's law."""
    size = np.empty(len(kind))
    laws = (settings.of_kinds(name) for name in ("size", "sigma", "cap"))
    for at, (mean, sigma, cap) in enumerate(zip(*laws, strict=True)):
        own = np.flatnonzero(kind == at)
        if len(own):
            parts = np.minimum(log_normal_parts(len(own), sigma) * mean, cap)
            size[rng.permutation(own)] = parts * (mean / parts.mean())
    wanted = settings["mean_size"][year] * len(kind)
    return np.maximum(1, cumulatively_rounded(size * (wanted / size.sum())))


def _municipalities(
    institution: NDArray[np.int64], settings: Settings, places: Municipalities
) -> NDArray[np.int64]:
    """Municipality of each course, spread evenly over students, the large first."""
    weight = np.cumsum(places.weight ** settings["concentration"])
    n = int(institution[-1]) + 1
    points = (np.arange(n) + 0.5) / n * weight[-1]
    found: NDArray[np.int64] = np.searchsorted(weight, points)[institution]
    return found


def _degrees(
    is_distance: NDArray[np.bool_],
    settings: Settings,
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    codes = np.arange(1, 4, dtype=np.int16)
    laws = [table_of(codes, settings["degrees"][x]) for x in ("presence", "distance")]
    draw = rng.integers(0, LEVELS, len(is_distance))
    return np.stack(laws)[is_distance.astype(np.int64), draw].astype(np.int64)


def _turns(
    is_private: NDArray[np.bool_],
    is_distance: NDArray[np.bool_],
    settings: Settings,
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Time of the day of courses in presence."""
    codes = np.arange(1, 5, dtype=np.int16)
    laws = [table_of(codes, settings["turns"][x]) for x in ("public", "private")]
    draw = rng.integers(0, LEVELS, len(is_private))
    found = np.stack(laws)[is_private.astype(np.int64), draw].astype(np.int64)
    return np.where(is_distance, -1, found)
