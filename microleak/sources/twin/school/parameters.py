"""Parameters of the School Census twin, and the rates of its schools."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from microleak.sources.twin.engine.draws import Table
from microleak.sources.twin.engine.settings import Settings, age_law, read_settings


@dataclass(frozen=True)
class Kind:
    """A kind of school; school_census.yaml says what each field is."""

    kind: str
    dependency: int
    location: int
    schools: float
    size: int
    no_transport: float
    transport: float
    undeclared: float
    mix: Mapping[str, float]
    needs: float | None = None


@dataclass(frozen=True)
class Stage:
    """One stage of education.

    Attributes
    ----------
    code
        Official code since 2015.
    group
        Position of the stage's group.
    share
        Share of the group's seats.
    age
        Regular age at the start of the school year, in years.
    following
        Position of the next stage, -1 if there is none.
    class_size
        Students a class.
    until_age, repeat, leave
        Oldest age that stays in the stage, and shares a year.
    ages
        Quantiles of the age in years.
    """

    code: int
    group: int
    share: float
    age: int
    following: int
    class_size: int
    until_age: int
    repeat: float
    leave: float
    ages: Table


@dataclass(frozen=True)
class Parameters(Settings):
    """All parameters, by the names of school_census.yaml."""

    @property
    def groups(self) -> list[str]:
        """Names of the groups of stages, in order."""
        return list(self["groups"])

    @cached_property
    def kinds(self) -> list[Kind]:
        """Kinds of school, in order."""
        return [Kind(**kind) for kind in self["kinds"]]

    @cached_property
    def stages(self) -> list[Stage]:
        """Stages of all groups, in order."""
        return [stage for group in self.groups for stage in self._stages_of(group)]

    def _stages_of(self, group: str) -> list[Stage]:
        own = self["groups"][group]
        first, number = self._first_stage(group), len(own["codes"])
        ends = self._first_stage(self["after"].get(group))
        total = sum(own["shares"])
        return [
            Stage(
                code=code,
                group=self.groups.index(group),
                share=own["shares"][at] / total,
                age=own["age"] + at,
                following=first + at + 1 if at + 1 < number else ends,
                class_size=own["class_size"],
                until_age=own["until_age"],
                repeat=own["repeat"],
                leave=own["leave"],
                ages=age_law(own["age"] + at, own["ages"]),
            )
            for at, code in enumerate(own["codes"])
        ]

    def _first_stage(self, group: str | None) -> int:
        if group is None:
            return -1
        before = self.groups[: self.groups.index(group)]
        return sum(len(self["groups"][name]["codes"]) for name in before)


@lru_cache(maxsize=1)
def parameters() -> Parameters:
    """Parameters of school_census.yaml and country.yaml."""
    return Parameters(read_settings("school_census"))


_QUANTILES = 4096
_IRRATIONALS = {
    "needs": 2**0.5,
    "transport": (5**0.5 - 1) / 2,
    "undeclared": 3**0.5,
    "away": 7**0.5,
    "activities": 11**0.5,
}

Rates = dict[str, NDArray[np.float64]]
"""Rates in [0, 1] by name, one each school; of transport, one each stage too."""


def rates_of(
    kind: NDArray[np.int64],
    size: NDArray[np.int64],
    settings: Parameters,
    rng: np.random.Generator,
) -> Rates:
    """Rates of schools of these kinds and sizes.

    Each has a generator of its own, so its parameters change no other rate.
    """
    *own, of_stages = rng.spawn(len(_IRRATIONALS) + 1)
    rates = {
        name: _rates(name, kind, size, settings, own_rng)
        for name, own_rng in zip(_IRRATIONALS, own, strict=True)
    }
    return rates | {"transport": _by_stage(rates["transport"], settings, of_stages)}


def _rates(
    name: str,
    kind: NDArray[np.int64],
    size: NDArray[np.int64],
    settings: Parameters,
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """Rate of each school: a quantile of its kind's law, dealt out evenly by size.

    Multiples of an irrational number, modulo 1, fill the unit interval evenly in
    every stretch of a kind's schools sorted by size, so few large schools weigh
    little. Quantiles below the share of schools with a rate of zero give zero.
    """
    order = np.lexsort((size, kind))
    place = np.empty(len(kind))
    place[order] = (rng.random() + np.arange(len(kind)) * _IRRATIONALS[name]) % 1.0
    none = np.array([_share_without(name, each, settings) for each in settings.kinds])
    laws = np.stack([_law(name, each, settings, rng) for each in settings.kinds])
    above = (place - none[kind]) / np.maximum(1.0 - none[kind], 1e-9)
    found = laws[kind, np.maximum(above * _QUANTILES, 0.0).astype(np.int64)]
    return np.where(above >= 0.0, found, 0.0)


def _by_stage(
    rate: NDArray[np.float64], settings: Parameters, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Rate of each stage of a school, whose odds depart from the school's."""
    shape = len(rate), len(settings.groups)
    odds = np.exp(rng.normal(0.0, settings["transport_noise"], shape))
    odds *= [settings["transport_of_stages"][group] for group in settings.groups]
    part = rate[:, None] * odds
    of_group: NDArray[np.float64] = part / (1.0 - rate[:, None] + part)
    return of_group[:, [stage.group for stage in settings.stages]]


def _share_without(name: str, kind: Kind, settings: Parameters) -> float:
    """Share of a kind's schools whose rate is zero."""
    needs = settings["no_needs"] if kind.needs is None else 0.0
    return float({"transport": kind.no_transport, "needs": needs}.get(name, 0.0))


def _law(
    name: str, kind: Kind, settings: Parameters, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Quantiles of a kind's rate where it is not zero: a beta law between bounds."""
    if name == "needs" and kind.needs is not None:
        return np.full(_QUANTILES, kind.needs)
    means = {"transport": kind.transport, "undeclared": kind.undeclared}
    mean = means[name] if name in means else settings["shares"][name]
    if mean == 0.0:
        return np.zeros(_QUANTILES)
    shape = settings["clustering"][name]
    low, high = settings["bounds"].get(name, (0.0, 1.0))
    within = (mean - low * mean) / (high - low * mean)
    beta = np.sort(rng.beta(shape, shape * (1 / within - 1), _QUANTILES))
    law: NDArray[np.float64] = low * mean + (high - low * mean) * beta
    return law
