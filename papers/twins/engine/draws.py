"""Draws from discrete laws by table look-up, and the parameters of a twin by name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microleak.base.paths import package_yaml

Table = NDArray[np.int16]
"""Quantiles of a discrete law, shape (LEVELS,): a uniform level gives a value."""

Levels = NDArray[np.uint16]
"""A uniform draw for each of n things, shape (n,), from 0 to LEVELS - 1."""

LEVELS = 1 << 16


def generator(seed: int, *purpose: int) -> np.random.Generator:
    """Return a seed's generator for one purpose, which is a few whole numbers."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=purpose))


def levels(number: int, rng: np.random.Generator) -> Levels:
    """Uniform draws; `draw < level(share)` is true for that share of them."""
    return rng.integers(0, LEVELS, number, dtype=np.uint16)


def level(share: NDArray[np.float64] | float) -> NDArray[np.int32]:
    """Count of levels that make up a share in [0, 1].

    >>> int(level(0.25))
    16384
    """
    number: NDArray[np.int32] = np.rint(np.asarray(share) * LEVELS).astype(np.int32)
    return number


def apportioned(
    total: int, shares: NDArray[np.float64] | Sequence[float]
) -> NDArray[np.int64]:
    """Whole numbers in the proportions of `shares` that sum to `total`.

    By largest remainder; of equal remainders the first wins.

    >>> apportioned(10, [1, 1, 1]).tolist()
    [4, 3, 3]
    """
    exact = np.asarray(shares, dtype=np.float64)
    exact = exact / exact.sum() * total
    whole: NDArray[np.int64] = np.floor(exact).astype(np.int64)
    rest = np.argsort(np.round(whole - exact, 9), kind="stable")
    whole[rest[: total - int(whole.sum())]] += 1
    return whole


def at_least_one(number: int, weights: NDArray[Any]) -> NDArray[np.int64]:
    """Whole numbers by weight, none of them 0 unless there are too few.

    >>> at_least_one(5, np.array([8, 1, 1])).tolist()
    [3, 1, 1]
    """
    least = 1 if number >= len(weights) else 0
    return least + apportioned(number - least * len(weights), weights)


def log_normal_parts(number: int, sigma: float) -> NDArray[np.float64]:
    """Means of equal parts of a log-normal law of mean 1, in order.

    The part of a log-normal law's mean below its p-quantile is
    Phi(Phi^-1(p) - sigma).

    >>> log_normal_parts(2, 1.0).round(3).tolist()
    [0.317, 1.683]
    """
    normal = NormalDist()
    inner = (normal.inv_cdf(at / number) for at in range(1, number))
    below = [0.0, *(normal.cdf(point - sigma) for point in inner), 1.0]
    return np.diff(below) * number


def table_of(
    values: NDArray[np.int16], shares: NDArray[np.float64] | Sequence[float]
) -> Table:
    """Quantiles of the law that gives each value its share.

    >>> table_of(np.array([7, 9], dtype=np.int16), [3, 1])[[0, 49151, 49152]].tolist()
    [7, 7, 9]
    """
    return np.repeat(values, apportioned(LEVELS, shares))


def cumulatively_rounded(exact: NDArray[np.float64]) -> NDArray[np.int64]:
    """Whole numbers near `exact` whose sums along the last axis are near too.

    >>> cumulatively_rounded(np.array([0.4, 0.4, 0.4, 0.8])).tolist()
    [0, 1, 0, 1]
    """
    ends = np.rint(np.cumsum(exact, axis=-1)).astype(np.int64)
    return np.diff(ends, axis=-1, prepend=0)


def grouped_order(
    groups: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Positions sorted by group, in random order within each group.

    Groups are below 2**23 and positions below 2**24. All keys differ, so the
    order does not depend on how the machine sorts.
    """
    number = len(groups)
    assert number < 1 << 24
    noise = levels(number, rng).astype(np.int64)
    keys = (groups << 40) | (noise << 24) | np.arange(number)
    keys.sort()
    return keys & ((1 << 24) - 1)


def dealt_out(
    shares: NDArray[np.float64], weights: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Choose things so that their weight stays near the sum of share times weight.

    One after the other: what was chosen too much or too little so far decides on
    the next. It is never more than half of the heaviest. With the heaviest first,
    the many light ones make up for the few heavy ones.

    >>> dealt_out(np.full(4, 0.5), np.array([4, 2, 1, 1])).tolist()
    [True, False, False, False]
    """
    chosen, owed = np.zeros(len(weights), dtype=bool), 0.0
    parts = (shares * weights).tolist()
    for at, (part, weight) in enumerate(zip(parts, weights.tolist(), strict=True)):
        owed += part
        if 2.0 * owed >= weight:
            chosen[at] = True
            owed -= weight
    return chosen


def rank_in_group(sorted_groups: NDArray[np.int64]) -> NDArray[np.int64]:
    """Position of each element within its run of equal groups, from 0.

    >>> rank_in_group(np.array([4, 4, 4, 7, 7])).tolist()
    [0, 1, 2, 0, 1]
    """
    starts = np.flatnonzero(np.diff(sorted_groups, prepend=-1))
    lengths = np.diff(starts, append=len(sorted_groups))
    return np.arange(len(sorted_groups)) - np.repeat(starts, lengths)


def at_most(
    group: NDArray[np.int64], limit: NDArray[Any], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Positions chosen at random, at most `limit` of each group.

    >>> group, limit = np.array([0, 0, 0, 1]), np.array([2, 0])
    >>> len(at_most(group, limit, np.random.default_rng(1)))
    2
    """
    order = grouped_order(group, rng)
    within = group[order]
    return order[rank_in_group(within) < limit[within]]


@dataclass(frozen=True)
class Settings:
    """Parameters of one twin, by the names of its file and of country.yaml."""

    settings: Mapping[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.settings[name]

    @property
    def years(self) -> list[int]:
        """Years that the twin has, sorted."""
        return sorted(self["members"])

    def first_year(self, year: int) -> int:
        """First of the years whose students can be linked with those of `year`."""
        first, last = self["linked_years"]
        return int(first) if first <= year <= last else year

    def is_linked(self, year: int) -> bool:
        """Whether students keep their identifier from and to other years."""
        first, last = self["linked_years"]
        return bool(first <= year <= last)


def read_settings(file: Path) -> dict[str, Any]:
    """Parameters of a twin's file, and of country.yaml, which all twins share."""
    country = package_yaml(Path(__file__).parents[1] / "country.yaml")
    return {**country, **package_yaml(file)}


def age_law(regular: int, bands: list[list[float]]) -> Table:
    """Quantiles of the age in years, uniform within each band of offsets."""
    ages = [
        (regular + offset, share / (last - first + 1))
        for first, last, share in bands
        for offset in range(int(first), int(last) + 1)
    ]
    values, shares = zip(*ages, strict=True)
    return table_of(np.array(values, dtype=np.int16), np.array(shares))
