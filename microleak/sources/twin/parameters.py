"""Parameters of the School Census twin, read from school_census.yaml."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from microleak.sources.twin.draws import Table, table_of

_FILE = Path(__file__).with_name("school_census.yaml")


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
class Parameters:
    """All parameters, by the names of school_census.yaml."""

    settings: Mapping[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.settings[name]

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

    def first_year(self, year: int) -> int:
        """First of the years whose students can be linked with those of `year`."""
        first, last = self["linked_years"]
        return int(first) if first <= year <= last else year

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
                ages=_ages(own["age"] + at, own["ages"]),
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
    """Parameters of school_census.yaml, which are data of this package."""
    return Parameters(yaml.safe_load(_FILE.read_text("utf-8")))


def _ages(regular: int, bands: list[list[float]]) -> Table:
    """Quantiles of the age, uniform within each band of offsets."""
    ages = [
        (regular + offset, share / (last - first + 1))
        for first, last, share in bands
        for offset in range(int(first), int(last) + 1)
    ]
    values, shares = zip(*ages, strict=True)
    return table_of(np.array(values, dtype=np.int16), np.array(shares))
