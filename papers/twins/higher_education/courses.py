"""Made-up institutions and their courses, and the parameters of the twin."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from papers.twins.engine.draws import (
    LEVELS,
    Settings,
    apportioned,
    at_least_one,
    cumulatively_rounded,
    level,
    log_normal_parts,
    read_settings,
    table_of,
)
from papers.twins.engine.persons import Municipalities, Rows


class HigherEducation(Settings):
    """All parameters, by the names of higher_education.yaml."""

    @cached_property
    def kinds(self) -> list[str]:
        """Kinds of course, in order: public and private, presence and distance."""
        return list(self["courses"])

    def of_kinds(self, name: str) -> NDArray[Any]:
        """One parameter of every kind of course."""
        return np.array([self["courses"][kind][name] for kind in self.kinds])

    def of_institutions(self, name: str) -> NDArray[Any]:
        """One parameter of every kind of institution."""
        return np.array([kind[name] for kind in self["institutions"]])


@lru_cache(maxsize=1)
def higher_education() -> HigherEducation:
    """Parameters of higher_education.yaml and country.yaml."""
    return HigherEducation(read_settings(Path(__file__).parent.with_suffix(".yaml")))


_QUANTILES = 4096
_STEPS = 50
_NORMAL = np.array(
    [NormalDist().inv_cdf((at + 0.5) / _QUANTILES) for at in range(_QUANTILES)]
)

_IRRATIONALS = [prime**0.5 for prime in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29)]

Rates = dict[str, NDArray[np.float64]]
"""Rates in [0, 1] by name, one each course."""


@dataclass(frozen=True)
class Places(Rows):
    """What rates depend on, one entry each course."""

    institution: NDArray[np.int64]  # Position of the institution
    is_private: NDArray[np.bool_]  # Whether it is private
    seats: NDArray[np.int64]  # Students of the course


def rates_of(
    courses: Places,
    year: int,
    laws: Mapping[str, Mapping[str, Any]],
    rng: np.random.Generator,
) -> Rates:
    """Rates of all courses in a year.

    Each has a generator of its own, so its parameters change no other rate. In
    linked years a course keeps its place in each law.
    """
    rates = {}
    own = zip(laws.items(), _IRRATIONALS, rng.spawn(len(laws)), strict=False)
    for (name, law), step, own_rng in own:
        rates[name] = np.zeros(len(courses.seats))
        among = np.flatnonzero(courses.is_private | (law["among"] == "all"))
        if len(among):
            place = _places(courses.taken(among), step, law)
            seats = courses.seats[among]
            rates[name][among] = _rates(place, seats, _of_year(law, year), own_rng)
    return rates


def _of_year(law: Mapping[str, Any], year: int) -> dict[str, Any]:
    """Law whose parameters by year are that year's."""
    return {
        name: value[year] if isinstance(value, dict) else value
        for name, value in law.items()
    }


def _rates(
    place: NDArray[np.float64],
    seats: NDArray[np.int64],
    law: Mapping[str, Any],
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """Quantile of a beta law at each place, or zero at the first ones.

    The log odds are shifted until the mean over students is the law's.
    """
    mean, none, shape = law["mean"], law["none"], law["shape"]
    other = shape * ((1.0 - none) / mean - 1.0)
    quantiles = np.sort(rng.beta(shape, other, _QUANTILES))
    above = np.maximum(place - none, 0.0) / (1.0 - none)
    found = np.where(place < none, 0.0, quantiles[(above * _QUANTILES).astype(int)])
    return _shifted(found, mean, seats)


def _places(
    courses: Places, step: float, law: Mapping[str, Any]
) -> NDArray[np.float64]:
    """Share of students in courses that come before, in [0, 1).

    Courses come in the order of a normal score, a part of whose variance is
    their institution's.
    """
    own = _scores(courses.seats, step)
    largest = np.zeros(int(courses.institution[-1]) + 1)
    np.maximum.at(largest, courses.institution, courses.seats)
    shared = _scores(largest, step + 0.5)
    part = law["of_institution"]
    score = part**0.5 * shared[courses.institution] + (1.0 - part) ** 0.5 * own
    place, order = np.empty(len(own)), np.argsort(score, kind="stable")
    seats = courses.seats[order]
    place[order] = (np.cumsum(seats) - seats / 2) / seats.sum()
    return place


def _scores(size: NDArray[Any], step: float) -> NDArray[np.float64]:
    """Scores of a normal law, the same for the largest whatever the seed.

    Multiples of an irrational step, modulo 1, fill every stretch of sizes
    evenly, so that no chance gives the few that hold many students their rates.
    """
    place = np.empty(len(size))
    place[np.argsort(-size, kind="stable")] = (0.5 + np.arange(len(size)) * step) % 1.0
    scores: NDArray[np.float64] = _NORMAL[(place * _QUANTILES).astype(np.int64)]
    return scores


def _shifted(
    rates: NDArray[np.float64], mean: float, seats: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Rates whose mean over students is as wanted, zeros still zero."""
    has = rates > 0.0
    clipped = np.clip(rates[has], 1e-9, 1.0 - 1e-9)
    odds, weight = clipped / (1.0 - clipped), seats[has] / seats.sum()
    low, high = -8.0, 8.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        shifted = odds * np.exp(middle)
        if (weight * (shifted / (1.0 + shifted))).sum() < mean:
            low = middle
        else:
            high = middle
    result = np.zeros(len(rates))
    shifted = odds * np.exp(low)
    result[has] = shifted / (1.0 + shifted)
    return result


PRIVATE = 4
"""Lowest administrative category of private institutions."""


@dataclass(frozen=True)
class Courses:
    """Courses sorted by institution; every array has one entry each."""

    institution: NDArray[np.int64]  # Position of the institution
    municipality: NDArray[np.int64]  # Position among the municipalities
    # Official codes of the institution
    category: NDArray[np.int64]
    organisation: NDArray[np.int64]
    kind: NDArray[np.int64]  # Position among the parameters' kinds of course
    # Official codes
    degree: NDArray[np.int64]
    turn: NDArray[np.int64]
    seats: NDArray[np.int64]  # Students of the course in every year
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
