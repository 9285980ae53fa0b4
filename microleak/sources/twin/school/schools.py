"""Made-up schools: where they are, how large, of what kind, with which rates."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from microleak.sources.twin.engine.draws import (
    apportioned,
    at_least_one,
    cumulatively_rounded,
    level,
    log_normal_parts,
)
from microleak.sources.twin.engine.municipalities import Municipalities
from microleak.sources.twin.school.parameters import Parameters, rates_of


@dataclass(frozen=True)
class Schools:
    """Schools sorted by state and municipality; every array has one entry each.

    Attributes
    ----------
    code
        State's code and six digits.
    municipality
        Position among the municipalities.
    kind
        Position among the parameters' kinds.
    seats
        Students of each stage, shape (n_schools, n_stages).
    needs, transport, undeclared, away, activities
        Levels below which a student's draw means special needs, use of school
        transport, race not declared, a home in another municipality, and a
        record of a complementary activity (relative); `transport` by stage,
        shape (n_schools, n_stages).
    origins
        Municipalities of those homes, the commonest first, shape
        (n_schools, n_origins).
    """

    code: NDArray[np.int64]
    municipality: NDArray[np.int64]
    kind: NDArray[np.int64]
    seats: NDArray[np.int32]
    needs: NDArray[np.int32]
    transport: NDArray[np.int32]
    undeclared: NDArray[np.int32]
    away: NDArray[np.int32]
    activities: NDArray[np.int32]
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
    kind = rng.permutation(_kinds(number, settings))
    size = _sizes(kind, settings, rng)
    rates = rates_of(kind, size, settings, rng)
    return Schools(
        code=_codes(places.state[municipality]),
        municipality=municipality,
        kind=kind,
        seats=_seats(kind, size, settings, rng),
        origins=_origins(municipality, settings, places, rng),
        **{name: level(rate) for name, rate in rates.items()},
    )


def _codes(state: NDArray[np.int64]) -> NDArray[np.int64]:
    first = np.searchsorted(state, state)
    return state * 1_000_000 + np.arange(len(state)) - first + 1


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


def _kinds(number: int, settings: Parameters) -> NDArray[np.int64]:
    n_each = apportioned(number, [kind.schools for kind in settings.kinds])
    return np.repeat(np.arange(len(n_each)), n_each)


def _sizes(
    kind: NDArray[np.int64], settings: Parameters, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Students of each school, at least 1; larger kinds tend to the upper ranks."""
    shape = settings["schools"]
    typical = np.log([kind.size for kind in settings.kinds])[kind]
    noise = rng.normal(0.0, shape["size_noise"], len(kind))
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
