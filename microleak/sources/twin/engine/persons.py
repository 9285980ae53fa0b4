"""What all twins' persons have: birthplace, origin, race, day of birth."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from microleak.sources.twin.engine.draws import level, levels, table_of
from microleak.sources.twin.engine.municipalities import Municipalities
from microleak.sources.twin.engine.settings import Settings

BRAZIL = 76
"""Brazil's number in ISO 3166."""


class Origins(NamedTuple):
    """Where each person comes from.

    Attributes
    ----------
    nationality, country
        Official codes.
    born_in
        Position among the municipalities; -1 is missing.
    """

    nationality: NDArray[np.int8]
    country: NDArray[np.int16]
    born_in: NDArray[np.int64]


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
    """Nationality and country, and birthplaces of which those abroad are missing.

    Parameters
    ----------
    born_in
        Municipality where each person is born if in Brazil.
    """
    abroad = [settings["naturalised_share"], settings["foreign_share"]]
    codes = np.array([1, 2, 3], dtype=np.int16)
    law = table_of(codes, [1 - sum(abroad), *abroad])
    nationality = law[levels(len(born_in), rng)].astype(np.int8)
    foreign = np.flatnonzero(nationality != 1)
    country = np.full(len(born_in), BRAZIL, dtype=np.int16)
    country[foreign] = _countries(settings)[levels(len(foreign), rng)]
    kept = level(settings["foreign_with_municipality"])
    known = born_in.copy()
    known[foreign[levels(len(foreign), rng) >= kept]] = -1
    return Origins(nationality, country, known)


def _countries(settings: Settings) -> NDArray[np.int16]:
    weights: dict[int, float] = settings["countries"]
    return table_of(np.array(list(weights), dtype=np.int16), list(weights.values()))


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
