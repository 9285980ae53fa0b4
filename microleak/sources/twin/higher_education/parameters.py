"""Parameters of the Higher Education Census twin, and the rates of its courses."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microleak.sources.twin.engine.settings import Settings, read_settings


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
    return HigherEducation(read_settings("higher_education"))


_QUANTILES = 4096
_STEPS = 50
_NORMAL = np.array(
    [NormalDist().inv_cdf((at + 0.5) / _QUANTILES) for at in range(_QUANTILES)]
)

_IRRATIONALS = [prime**0.5 for prime in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29)]

Rates = dict[str, NDArray[np.float64]]
"""Rates in [0, 1] by name, one each course."""


@dataclass(frozen=True)
class Places:
    """What rates depend on, one entry each course.

    Attributes
    ----------
    institution
        Position of the institution.
    is_private
        Whether it is private.
    seats
        Students of the course.
    """

    institution: NDArray[np.int64]
    is_private: NDArray[np.bool_]
    seats: NDArray[np.int64]

    def taken(self, index: NDArray[np.int64]) -> "Places":
        """Courses at these positions."""
        return Places(
            self.institution[index], self.is_private[index], self.seats[index]
        )


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
