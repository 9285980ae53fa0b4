"""Made-up municipalities, and what all twins' persons have."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from papers.twins.engine.draws import Settings, level, levels, table_of

Interval = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Ends of each municipality's surroundings on the scale of cumulative weights."""


@dataclass(frozen=True)
class Rows:
    """A dataclass whose fields are arrays of one length, an entry each a row."""

    def taken(self, index: NDArray[np.int64] | NDArray[np.bool_]) -> Self:
        """Return the rows at these positions, in their order."""
        return type(self)(*(column[index] for column in self._columns()))

    def joined(self, others: Self) -> Self:
        """Return all of these rows and then the others."""
        pairs = zip(self._columns(), others._columns(), strict=True)
        return type(self)(*(np.concatenate(pair) for pair in pairs))

    def __len__(self) -> int:
        return len(next(self._columns()))

    def _columns(self) -> Iterator[NDArray[Any]]:
        return (getattr(self, each.name) for each in fields(self))


@dataclass(frozen=True)
class Municipalities:
    """Municipalities sorted by state and micro-region, the centre of each first."""

    code: NDArray[np.int64]  # State's code and five digits
    state: NDArray[np.int64]  # Code of the state
    weight: NDArray[np.float64]  # Students who live there, relative
    centre: NDArray[np.int64]  # Position of the micro-region's largest municipality
    cumulative: NDArray[np.float64]
    within: dict[str, Interval]  # Surroundings by name: microregion, state, country

    def drawn(
        self, around: NDArray[np.int64], surroundings: str, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Another municipality in the surroundings of each, by weight.

        A municipality alone in its surroundings gives itself or the next one.
        """
        low, high = (ends[around] for ends in self.within[surroundings])
        own = self.weight[around]
        point = low + rng.random(len(around)) * (high - low - own)
        # What lies at and above the municipality's own stretch moves past it.
        point += own * (point >= self.cumulative[around] - own)
        found = np.searchsorted(self.cumulative, point, side="right")
        return np.minimum(found, len(self.code) - 1)


def municipalities(settings: Settings) -> Municipalities:
    """All municipalities of the country; nothing is drawn."""
    states = np.array(settings["states"], dtype=np.int64)
    n_each = states[:, 1]
    state = np.repeat(states[:, 0], n_each)
    parts = [_ranks(int(number), settings) for number in n_each]
    region = np.concatenate([part[0] for part in parts]) + state * 1000
    zipf = np.concatenate([part[1] for part in parts])
    weight = zipf * np.repeat(states[:, 2], n_each)
    number = np.concatenate([np.arange(1, int(n) + 1) for n in n_each])
    cumulative = np.cumsum(weight)
    return Municipalities(
        code=state * 100_000 + number * 10 + number % 10,
        state=state,
        weight=weight,
        centre=np.searchsorted(region, region),
        cumulative=cumulative,
        within={
            "microregion": _interval(region, cumulative),
            "state": _interval(state, cumulative),
            "country": _interval(np.zeros_like(state), cumulative),
        },
    )


def _ranks(
    number: int, settings: Settings
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Micro-region and share of each municipality of one state, in order.

    The largest municipalities are spread over the micro-regions, one each.
    """
    shape = settings["municipalities"]
    rank = np.arange(number)
    region = rank % -(-number // shape["a_microregion"])
    order = np.lexsort((rank, region))
    share = (rank + 1.0) ** -shape["zipf"]
    return region[order], (share / share.sum())[order]


def _interval(group: NDArray[np.int64], cumulative: NDArray[np.float64]) -> Interval:
    first = np.searchsorted(group, group, side="left")
    last = np.searchsorted(group, group, side="right") - 1
    return np.append(0.0, cumulative)[first], cumulative[last]


BRAZIL = 76
"""Brazil's number in ISO 3166."""


class Origins(NamedTuple):
    """Where each person comes from."""

    # Official codes
    nationality: NDArray[np.int8]
    country: NDArray[np.int16]
    born_in: NDArray[np.int64]  # Position among the municipalities


def near(
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


def origins_of(
    born_in: NDArray[np.int64], settings: Settings, rng: np.random.Generator
) -> Origins:
    """Nationality and country, and birthplaces of which those abroad are missing."""
    abroad = [settings["naturalised_share"], settings["foreign_share"]]
    codes = np.array([1, 2, 3], dtype=np.int16)
    law = table_of(codes, [1 - sum(abroad), *abroad])
    nationality = law[levels(len(born_in), rng)].astype(np.int8)
    foreign = np.flatnonzero(nationality != 1)
    country = np.full(len(born_in), BRAZIL, dtype=np.int16)
    weights: dict[int, float] = settings["countries"]
    law = table_of(np.array(list(weights), dtype=np.int16), list(weights.values()))
    country[foreign] = law[levels(len(foreign), rng)]
    kept = level(settings["foreign_with_municipality"])
    known = born_in.copy()
    known[foreign[levels(len(foreign), rng) >= kept]] = -1
    return Origins(nationality, country, known)


def declared_races(
    state: NDArray[np.int64], settings: Settings, rng: np.random.Generator
) -> NDArray[np.int16]:
    """Race that each person would declare, by the law of a state's region."""
    codes = np.arange(1, 6, dtype=np.int16)
    shares: dict[int, list[float]] = settings["races"]
    laws = np.stack([table_of(codes, shares[region]) for region in sorted(shares)])
    return laws[state // 10 - 1, levels(len(state), rng)]


def days_between(
    start: NDArray[np.datetime64],
    stop: NDArray[np.datetime64],
    rng: np.random.Generator,
) -> NDArray[np.datetime64]:
    """Day from `start` up to but not on `stop` for each, all equally likely."""
    length = (stop - start).astype(np.int64)
    # 2**32 possible points make the days of a year equally likely to 1e-7.
    point = rng.integers(0, 1 << 32, len(start), dtype=np.uint32).astype(np.int64)
    days: NDArray[np.datetime64] = start + (point * length >> 32)
    return days
