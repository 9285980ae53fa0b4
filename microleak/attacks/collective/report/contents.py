"""What the chapters of collective attacks are made from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from microleak.attacks.collective.report.side_by_side import (
    Families,
    SideBySide,
    side_by_side,
    tables_side_by_side,
)
from microleak.report.contents import Headline, Tables
from microleak.tables import rows as tables


@dataclass(frozen=True)
class Scope:
    """What a chapter must know of an analysis beside its tables.

    Attributes
    ----------
    unit
        What a record stands for: `person`, or `record` where a person may have
        many.
    fewer
        The attributes of linked releases that do not have all.
    """

    unit: str
    fewer: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def is_partial(self, row: pd.Series) -> bool:
        """Say whether a release of one row's panel lacks any of its QIDs."""
        known = (self.fewer.get(release) for release in tables.releases_of(row))
        qids = set(tables.qids_of(row))
        return any(names is not None and qids - {*names} for names in known)


@dataclass(frozen=True)
class Listed:
    """A group of values: of which attribute, and how many the study file gives."""

    attribute: str
    n_values: int


@dataclass(frozen=True)
class Adversary:
    """An adversary that the study names: what it knows, and who it is by language."""

    name: str
    qids: tuple[str, ...]
    labels: Mapping[str, str]


@dataclass(frozen=True)
class Facts:
    """What the chapters must know of a study beside its tables.

    Attributes
    ----------
    line_tables, releases
        As a `Headline` has them.
    fewer
        Of each analysis, the attributes of linked releases that do not have all.
    parts
        The name in the study file of what an analysis of one release is part of;
        each has a page of its own. Other analyses are not there.
    groups
        Of each analysis, its groups of values.
    adversaries
        Those that the study file names.
    """

    line_tables: frozenset[str] = field(default_factory=frozenset)
    releases: Mapping[str, Sequence[str]] = field(default_factory=dict)
    fewer: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    parts: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[str, Mapping[str, Listed]] = field(default_factory=dict)
    adversaries: Sequence[Adversary] = ()

    @classmethod
    def of(cls, study: Headline) -> "Facts":
        """Return those of a study, as its family has published them."""
        told = study.families["collective"]
        analyses = told["analyses"].items()
        return cls(
            study.line_tables,
            study.releases,
            fewer={name: part["fewer"] for name, part in analyses},
            parts={n: part["part_of"] for n, part in analyses if part["part_of"]},
            groups={
                name: {group: Listed(**of) for group, of in part["groups"].items()}
                for name, part in analyses
            },
            adversaries=[Adversary(**each) for each in told["adversaries"]],
        )

    def scope(self, analysis: str, table: str) -> Scope:
        """Return what a chapter must know of an analysis of a table."""
        return Scope(self.unit(table), self.fewer.get(analysis, {}))

    def unit(self, table: str) -> str:
        """Return what a record of a table stands for: `person` or `record`."""
        return "record" if table in self.line_tables else "person"


Family = Mapping[str, pd.DataFrame]
"""One kind of tables, by the name of the analysis."""


@dataclass(frozen=True)
class Measures:
    """The tables of collective attacks, by the name of the analysis or of the study.

    `gain` and `linked`, how many focal persons each linked release has, have only
    analyses that link releases, `groups` only those that have any, and `values`, each
    value but the most frequent, those with attributes of few values; `comparison` is
    empty where no releases are compared, `states` and `explained` where there are no
    states.
    """

    collective: Family
    worst: Family
    distribution: Family
    gain: Family = field(default_factory=dict)
    comparison: pd.DataFrame = field(default_factory=pd.DataFrame)
    linked: Family = field(default_factory=dict)
    importance: Family = field(default_factory=dict)
    groups: Family = field(default_factory=dict)
    values: Family = field(default_factory=dict)
    states: pd.DataFrame = field(default_factory=pd.DataFrame)
    explained: pd.DataFrame = field(default_factory=pd.DataFrame)

    @classmethod
    def of(cls, study: Headline, given: Tables) -> "Measures":
        """Return those of a study, from all of its tables."""
        told = study.families["collective"]["analyses"].items()
        kinds = ("collective", "worst", "distribution", "gain", "importance", "groups")
        return cls(
            **{kind: given.of(kind) for kind in kinds},
            **{n: given.whole(n) for n in ("comparison", "states", "explained")},
            linked={n: _linked(part["linked"]) for n, part in told if part["linked"]},
            values={n: rows for n, rows in given.of("values").items() if len(rows)},
        )

    def compared(self) -> pd.DataFrame:
        """Return the comparisons that the page shows.

        Those of tables whose states stand side by side are not among them: these
        are compared there, over the years too.
        """
        if self.comparison.empty:
            return self.comparison
        elsewhere = self.comparison["table"].isin(tables_side_by_side(self.states))
        return tables.with_text(self.comparison[~elsewhere])

    def side_by_side(self) -> list[SideBySide]:
        """Return the states of each analysis and sensitive attribute with several."""
        families = Families(self.collective, self.importance, self.groups)
        return list(side_by_side(self.states, self.explained, families))


def _linked(persons: list[dict[str, Any]]) -> pd.DataFrame:
    """Return how many focal persons each linked release has, and what share of all."""
    rows = pd.DataFrame(persons)
    return rows.assign(share_linked=rows["n_linked"] / rows["n_focal"])
