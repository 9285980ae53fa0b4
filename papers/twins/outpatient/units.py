"""Made-up units of a state, and the parameters of the twin."""

from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from papers.twins.engine.draws import (
    Settings,
    at_least_one,
    level,
    log_normal_parts,
    read_settings,
)
from papers.twins.engine.persons import municipalities


@dataclass(frozen=True)
class State:
    """A state; outpatient.yaml says what each field is.

    `modal`, `usual` and `home` are shares in [0, 1], `prior` too; `size` is in
    lines a year, `lines` in lines a visit.
    """

    name: str
    code: int
    records: int
    prior: float
    modal: float
    size: float
    usual: float
    home: float
    lines: float


@dataclass(frozen=True)
class Outpatient(Settings):
    """All parameters, by the names of outpatient.yaml."""

    @property
    def years(self) -> list[int]:
        """Years that the twin has, sorted."""
        first, last = self["years"]
        return list(range(first, last + 1))

    @property
    def names(self) -> list[str]:
        """Names of the states, sorted."""
        return sorted(self["fitted"])

    def state(self, name: str) -> State:
        """Parameters of a state, which is one of `names`."""
        return State(name, **self["fitted"][name])

    def n_parts(self, state: str, year: int, month: int) -> int:
        """Files of a state's month, 1 if it is not released in parts."""
        since: dict[int, int] = self["parts"].get(state, {})
        starts = sorted(since)
        before = bisect_right(starts, year * 100 + month)
        return since[starts[before - 1]] if before else 1

    def kept(self, state: str, year: int) -> float:
        """Share of all lines of a state's year that are valid, in [0, 1]."""
        by_year: dict[int, float] = self["kept"].get(state, self["kept"]["others"])
        return float(np.interp(year, list(by_year), list(by_year.values())))


@lru_cache(maxsize=1)
def outpatient() -> Outpatient:
    """Parameters of outpatient.yaml and country.yaml."""
    return Outpatient(read_settings(Path(__file__).parent.with_suffix(".yaml")))


Keys = NDArray[np.uint64]
"""64 random bits of each of n things, shape (n,)."""

_QUANTILES = 4096
_GOLDEN = (5**0.5 - 1) / 2
_STEPS = 20
_LEAST, _MOST = 0.04, 0.98
_CODES, _FIRST_CODE = 8_999_993, 1_000_000
_STRIDE = 1_299_709
"""A prime: its multiples modulo _CODES, which is another one, all differ."""


@dataclass(frozen=True)
class Places:
    """Municipalities that patients come from."""

    code: NDArray[np.int64]  # Six digits each
    weight: NDArray[np.float64]
    n_own: int  # How many are of the state


@dataclass(frozen=True)
class Units:
    """Units of a state, in the order of the files."""

    weight: NDArray[np.float64]  # Share of the state's lines
    place: NDArray[np.int64]  # Position of the municipality
    code: NDArray[np.int64]  # Seven digits each, all different
    modal: NDArray[np.int32]
    procedure: NDArray[np.int64]  # Position of that procedure
    key: Keys  # Random bits that everything else of the unit follows from

    def __len__(self) -> int:
        return len(self.weight)


def mixed(keys: Keys) -> Keys:
    """Random bits that follow from these, by the steps of SplitMix64.

    >>> mixed(np.zeros(1, np.uint64)).tolist()
    [16294208416658607535]
    """
    bits = keys + np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


def places_of(state: State, settings: Outpatient) -> Places:
    """Municipalities of a state, and those of the one its patients come from too."""
    country = municipalities(settings)
    exponent = settings["units"]["concentration"]

    def falling(code: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return a state's municipalities, the largest first, and their weights."""
        own = np.flatnonzero(country.state == code)
        order = own[np.argsort(-country.weight[own], kind="stable")]
        # DATASUS leaves the check digit out, which is the last.
        return country.code[order] // 10, country.weight[order] ** exponent

    code, weight = falling(state.code)
    n_own = len(code)
    if state.code in settings["neighbours"]:
        others, theirs = falling(settings["neighbours"][state.code])
        code = np.concatenate([code, others])
        weight = np.concatenate([np.zeros(n_own), theirs])
    return Places(code, weight, n_own)


def units_of(
    state: State,
    records: int,
    least: int,
    settings: Outpatient,
    rng: np.random.Generator,
) -> Units:
    """Units that have so many lines a year, at least `least` of them.

    Their mean size is the state's whatever the number of records, and so is that
    of their municipalities, as far as these are whole.
    """
    shape = settings["units"]
    number = max(least, round(records / state.size))
    weight = log_normal_parts(number, shape["spread"]) / number
    weight = weight[rng.permutation(number)]
    modal = _modal_shares(weight, state, shape["modal"], rng)
    is_top = _with_top(weight, modal, state.prior)
    n_others = settings["procedures"]["country"] - 1
    position = np.arange(number, dtype=np.int64)
    first = rng.integers(_CODES)
    return Units(
        weight=weight,
        place=_placed(number, state, records, settings),
        code=_FIRST_CODE + (first + position * _STRIDE) % _CODES,
        modal=level(modal),
        procedure=np.where(is_top, 0, 1 + rng.permutation(number) % n_others),
        key=mixed(position.astype(np.uint64) + rng.integers(1 << 63, dtype=np.uint64)),
    )


def _modal_shares(
    weight: NDArray[np.float64],
    state: State,
    concentration: float,
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """Share of each unit's most frequent procedure, by a beta law of this mean.

    Quantiles are dealt out evenly by size, as the largest units weigh much, and
    moved until the mean over lines is right. No unit alone has more lines of a
    procedure than the state's most frequent one.
    """
    place = np.empty(len(weight))
    place[_by_size(weight)] = (rng.random() + np.arange(len(weight)) * _GOLDEN) % 1.0
    alike = state.modal * concentration, (1 - state.modal) * concentration
    law = np.sort(rng.beta(*alike, _QUANTILES))
    share = law[(place * _QUANTILES).astype(np.int64)]
    most = np.clip(state.prior / weight, _LEAST, _MOST)
    for _ in range(_STEPS):
        off = state.modal - float(np.sum(weight * share))
        share = np.clip(share + off, _LEAST, most)
    return share


def _with_top(
    weight: NDArray[np.float64], modal: NDArray[np.float64], prior: float
) -> NDArray[np.bool_]:
    """Units chosen so that their modal lines are the share `prior` of all lines.

    From the largest down, one is chosen when that brings the share nearer to the
    wanted one of the units so far.
    """
    is_top = np.zeros(len(weight), dtype=np.bool_)
    wanted = 0.0
    for unit in _by_size(weight):
        wanted += prior * weight[unit]
        gain = weight[unit] * modal[unit]
        if wanted >= gain / 2:
            is_top[unit] = True
            wanted -= gain
    return is_top


def _placed(
    number: int, state: State, records: int, settings: Outpatient
) -> NDArray[np.int64]:
    """Municipality of each unit: of some of them, if the records are some."""
    n_own = places_of(state, settings).n_own
    share = min(1.0, records / state.records)
    n_chosen = max(1, round(n_own * share))
    chosen = ((np.arange(n_chosen) + 0.5) * n_own / n_chosen).astype(np.int64)
    exponent = settings["municipalities"]["zipf"] * settings["units"]["concentration"]
    return np.repeat(chosen, at_least_one(number, (chosen + 1.0) ** -exponent))


def _by_size(weight: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.argsort(-weight, kind="stable")
