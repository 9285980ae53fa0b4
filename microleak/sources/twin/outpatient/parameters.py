"""Parameters of the outpatient twin, read from outpatient.yaml."""

from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from microleak.sources.twin.engine.settings import Settings, read_settings


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
    return Outpatient(read_settings("outpatient"))
