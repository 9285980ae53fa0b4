"""Rates of made-up schools: how many students have what, school by school."""

import numpy as np
from numpy.typing import NDArray

from microleak.sources.twin.parameters import Kind, Parameters

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
