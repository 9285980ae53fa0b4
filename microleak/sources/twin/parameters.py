"""Parameters of the School Census twin, read from school_census.yaml."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from microleak.sources.twin.draws import Table
from microleak.sources.twin.settings import Settings, age_law, read_settings


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
class Parameters(Settings):
    """All parameters, by the names of school_census.yaml."""

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
    """Parameters of school_census.yaml and country.yaml."""
    return Parameters(read_settings("school_census"))
