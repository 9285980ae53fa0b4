"""Made-up municipalities: as many a state as there are, of skewed sizes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from microleak.sources.twin.engine.settings import Settings

Interval = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Ends of each municipality's surroundings on the scale of cumulative weights."""


@dataclass(frozen=True)
class Municipalities:
    """Municipalities sorted by state and micro-region, the centre of each first.

    Attributes
    ----------
    code
        State's code and five digits.
    state
        Code of the state.
    weight
        Students who live there, relative.
    centre
        Position of the micro-region's largest municipality.
    cumulative
        Sums of the weights up to and with each municipality.
    within
        Surroundings by name: microregion, state, country.
    """

    code: NDArray[np.int64]
    state: NDArray[np.int64]
    weight: NDArray[np.float64]
    centre: NDArray[np.int64]
    cumulative: NDArray[np.float64]
    within: dict[str, Interval]

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
