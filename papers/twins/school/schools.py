"""Made-up schools, and the parameters of the twin."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from papers.twins.engine.draws import (
    Settings,
    Table,
    age_law,
    apportioned,
    at_least_one,
    cumulatively_rounded,
    dealt_out,
    level,
    log_normal_parts,
    rank_in_group,
    read_settings,
)
from papers.twins.engine.persons import Municipalities


@dataclass(frozen=True)
class Kind:
    """A kind of school; school.yaml says what each field is."""

    kind: str
    dependency: int
    location: int
    schools: float
    size: int
    no_transport: float
    few_transport: float
    transport: float
    undeclared: float
    mix: Mapping[str, float]
    needs: float | None = None


@dataclass(frozen=True)
class Stage:
    """One stage of education."""

    code: int  # Official code since 2015
    group: int  # Position of the stage's group
    share: float  # Share of the group's seats
    age: int  # Regular age at the start of the school year, in years
    following: int  # Position of the next stage, -1 if there is none
    class_size: int  # Students a class
    # Oldest age that stays in the stage, and shares a year
    until_age: int
    repeat: float
    leave: float
    ages: Table  # Quantiles of the age in years


@dataclass(frozen=True)
class Parameters(Settings):
    """All parameters, by the names of school.yaml."""

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
    """Parameters of school.yaml and country.yaml."""
    return Parameters(read_settings(Path(__file__).parent.with_suffix(".yaml")))


_QUANTILES = 4096
_IRRATIONALS = {
    "needs": 2**0.5,
    "transport": (5**0.5 - 1) / 2,
    "undeclared": 3**0.5,
    "away": 7**0.5,
    "activities": 11**0.5,
}

Rates = dict[str, NDArray[np.float64]]
"""Rates in [0, 1] by name, one each school; of needs and transport, each stage too."""


def rates_of(
    kind: NDArray[np.int64], size: NDArray[np.int64], settings: Parameters
) -> Rates:
    """Rates of schools of these kinds and sizes; nothing is drawn.

    So no chance decides on the few large schools, which have many students.
    """
    rates = {name: _rates(name, kind, size, settings) for name in _IRRATIONALS}
    order = np.lexsort((-size, kind))
    for name in ("transport", "needs"):
        odds = np.empty((len(kind), len(settings.groups)))
        odds[order] = _odds(name, len(kind), settings)
        rates[name] = _by_stage(rates[name], odds, settings)
    return rates


def _rates(
    name: str,
    kind: NDArray[np.int64],
    size: NDArray[np.int64],
    settings: Parameters,
) -> NDArray[np.float64]:
    """Rate of each school: zero, low, or a quantile of its kind's law.

    Schools without and with few are dealt out by size, the largest first, so that
    they have their share of a kind's students. Among the others, multiples of an
    irrational number, modulo 1, fill the unit interval evenly in every stretch of a
    kind's schools sorted by size. So few large schools weigh little.
    """
    none, few = _shares_apart(name, settings)
    laws = np.stack([_law(name, each, settings) for each in settings.kinds])
    order = np.lexsort((-size, kind))
    some = order[~dealt_out(none[kind[order]], size[order])]
    has_few = dealt_out(few[kind[some]], size[some])
    low, many = some[has_few], some[~has_few]
    rate = np.zeros(len(kind))
    least, most = settings["few"].get(name, (1.0, 1.0))
    rate[low] = least * (most / least) ** _evenly(len(low), name)
    place = (_evenly(len(many), name) * _QUANTILES).astype(np.int64)
    rate[many] = laws[kind[many], place]
    return rate


def _evenly(number: int, name: str) -> NDArray[np.float64]:
    """Points that fill the unit interval evenly, whichever part of them is taken."""
    steps = np.arange(number, dtype=np.float64)
    points: NDArray[np.float64] = (0.5 + steps * _IRRATIONALS[name]) % 1.0
    return points


def _shares_apart(
    name: str, settings: Parameters
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Shares of each kind's schools whose rate is zero, and of the others low."""
    kinds = settings.kinds
    ordinary = np.array([kind.needs is None for kind in kinds])
    no_transport = np.array([kind.no_transport for kind in kinds])
    few = np.array([kind.few_transport for kind in kinds]) / (1.0 - no_transport)
    nobody = np.zeros(len(kinds))
    none = {"needs": ordinary * settings["no_needs"], "transport": no_transport}
    return none.get(name, nobody), {"transport": few}.get(name, nobody)


_PRIMES = (13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53)
"""One a group of stages: multiples of their roots are dealt out as those of rates."""

_NORMAL = [NormalDist().inv_cdf((at + 0.5) / _QUANTILES) for at in range(_QUANTILES)]


def _odds(name: str, number: int, settings: Parameters) -> NDArray[np.float64]:
    """Odds of each group of stages relative to the school's, sorted by kind and size.

    Shape (n_schools, n_groups): log-normal around the group's own.
    """
    roots = np.sqrt(_PRIMES[: len(settings.groups)])
    place = (0.5 + np.arange(number)[:, None] * roots) % 1.0
    noise = np.array(_NORMAL)[(place * _QUANTILES).astype(np.int64)]
    usual = [settings[f"{name}_of_stages"][group] for group in settings.groups]
    odds: NDArray[np.float64] = np.exp(settings["noise"][name] * noise) * usual
    return odds


def _by_stage(
    rate: NDArray[np.float64], odds: NDArray[np.float64], settings: Parameters
) -> NDArray[np.float64]:
    """Rate of each stage of a school, whose odds depart from the school's."""
    part = rate[:, None] * odds
    of_group: NDArray[np.float64] = part / (1.0 - rate[:, None] + part)
    return of_group[:, [stage.group for stage in settings.stages]]


def _law(name: str, kind: Kind, settings: Parameters) -> NDArray[np.float64]:
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
    beta = _beta_quantiles(shape, shape * (1 / within - 1))
    law: NDArray[np.float64] = low * mean + (high - low * mean) * beta
    return law


def _beta_quantiles(first: float, second: float) -> NDArray[np.float64]:
    """Quantiles of a beta law, from the density of its log odds."""
    log_odds = np.linspace(-60.0, 60.0, 2 * _QUANTILES)
    density = np.exp(
        -first * np.logaddexp(0.0, -log_odds) - second * np.logaddexp(0.0, log_odds)
    )
    below = (np.cumsum(density) - density / 2) / density.sum()
    place = (np.arange(_QUANTILES) + 0.5) / _QUANTILES
    found = np.interp(place, below, log_odds)
    quantiles: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-found))
    return quantiles


@dataclass(frozen=True)
class Schools:
    """Schools sorted by state and municipality; every array has one entry each."""

    code: NDArray[np.int64]  # State's code and six digits
    municipality: NDArray[np.int64]  # Position among the municipalities
    kind: NDArray[np.int64]  # Position among the parameters' kinds
    seats: NDArray[np.int32]  # Students of each stage, shape (n_schools, n_stages)
    # Levels below which a student's draw means special needs, use of school transport,
    # race not declared, a home in another municipality, and a record of a complementary
    # activity (relative)
    needs: NDArray[np.int32]
    transport: NDArray[np.int32]
    undeclared: NDArray[np.int32]
    away: NDArray[np.int32]
    activities: NDArray[np.int32]
    # Municipalities of those homes, the commonest first, shape (n_schools, n_origins)
    origins: NDArray[np.int64]


def schools_of(
    number: int,
    settings: Parameters,
    places: Municipalities,
    rng: np.random.Generator,
) -> Schools:
    """Schools that keep the country's sizes, kinds and rates, whatever their number.

    Sizes and kinds are quantiles dealt out at random, not independent draws, so
    that few schools have the mean size and mix of many.
    """
    municipality = _places(number, settings, places)
    n_each = apportioned(number, [kind.schools for kind in settings.kinds])
    kind = rng.permutation(np.repeat(np.arange(len(n_each)), n_each))
    size = _sizes(kind, settings, rng)
    rates = rates_of(kind, size, settings)
    state = places.state[municipality]
    place = np.arange(len(state)) - np.searchsorted(state, state)
    return Schools(
        code=state * 1_000_000 + place + 1,
        municipality=municipality,
        kind=kind,
        seats=_seats(kind, size, settings, rng),
        origins=_origins(municipality, settings, places, rng),
        **{name: level(rate) for name, rate in rates.items()},
    )


def _places(
    number: int, settings: Parameters, places: Municipalities
) -> NDArray[np.int64]:
    """Municipality of each school, sorted."""
    states = np.array(settings["states"], dtype=np.int64)
    n_schools = at_least_one(number, states[:, 2])
    share = min(1.0, number / settings["schools"]["national"])
    chosen = []
    for (state, n_municipalities, _), n in zip(states, n_schools, strict=True):
        if n:
            n_hosts = max(1, min(round(n_municipalities * share), n))
            own = np.flatnonzero(places.state == state)
            hosts = own[_hosts(n_hosts, places.weight[own])]
            chosen.append(np.repeat(hosts, at_least_one(n, places.weight[hosts])))
    return np.concatenate(chosen)


def _hosts(number: int, weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """Positions spread evenly over cumulative weight, each once, sorted."""
    order = np.argsort(-weights, kind="stable")
    ends = np.cumsum(weights[order])
    points = (np.arange(number) + 0.5) / number * ends[-1]
    found = np.unique(np.searchsorted(ends, points))
    unused = np.setdiff1d(np.arange(len(weights)), found)
    return np.sort(order[np.append(found, unused[: number - len(found)])])


def _sizes(
    kind: NDArray[np.int64], settings: Parameters, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Students of each school, at least 1; larger kinds tend to the upper ranks."""
    shape = settings["schools"]
    typical = np.log([kind.size for kind in settings.kinds])[kind]
    order = np.lexsort((rng.random(len(kind)), kind))
    place = (rank_in_group(kind[order]) + 0.5) / np.bincount(kind)[kind[order]]
    normal, noise = NormalDist(0.0, shape["size_noise"]), np.empty(len(kind))
    noise[order] = [normal.inv_cdf(each) for each in place]
    rank = np.argsort(typical + noise, kind="stable")
    size = np.empty(len(kind), dtype=np.int64)
    size[rank] = np.maximum(1, cumulatively_rounded(_quantiles(len(kind), shape)))
    return size


def _quantiles(number: int, shape: dict[str, float]) -> NDArray[np.float64]:
    """Means of `number` equal parts of the log-normal law, capped, in order."""
    sizes = log_normal_parts(number, shape["size_sigma"]) * shape["mean_size"]
    capped: NDArray[np.float64] = np.minimum(sizes, shape["size_cap"])
    return capped * float(shape["mean_size"] / capped.mean())


def _seats(
    kind: NDArray[np.int64],
    size: NDArray[np.int64],
    settings: Parameters,
    rng: np.random.Generator,
) -> NDArray[np.int32]:
    shape, least = settings["schools"]["mix_shape"], settings["schools"]["least_share"]
    mix = np.array(
        [[kind.mix.get(group, 0.0) for group in settings.groups]
         for kind in settings.kinds]
    )[kind]  # fmt: skip
    offered = rng.random(mix.shape) * least < mix
    mix = np.maximum(mix, least) * offered
    mix *= rng.gamma(shape, 1.0 / shape, mix.shape)
    groups = [stage.group for stage in settings.stages]
    shares = mix[:, groups] * [stage.share for stage in settings.stages]
    shares /= shares.sum(axis=1, keepdims=True)
    return cumulatively_rounded(shares * size[:, None]).astype(np.int32)


def _origins(
    municipality: NDArray[np.int64],
    settings: Parameters,
    places: Municipalities,
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Municipalities around each school, from which some of its students come."""
    number = len(settings["origins"])
    drawn = [places.drawn(municipality, "microregion", rng) for _ in range(number)]
    return np.stack(drawn, axis=1)
