"""What a report is made from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import pandas as pd

from microleak.attacks.collective.report.side_by_side import (
    Families,
    SideBySide,
    side_by_side,
    tables_side_by_side,
)
from microleak.report.parts import Rows
from microleak.tables import rows as tables


@dataclass(frozen=True)
class Scope:
    """What the page must know of an analysis beside its tables.

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
class Headline:
    """What the page must know of a study beside its tables.

    Attributes
    ----------
    name
        The study's name.
    line_tables
        Tables without an identifier of persons: each of their lines counts by
        itself, and one person may have many.
    releases
        The releases of each table, in the order of the study file.
    fewer
        Of each analysis, the attributes of linked releases that do not have all.
    parts
        The name in the study file of what an analysis of one release is part of;
        each has a page of its own. Other analyses are not there.
    groups
        Of each analysis, its groups of values.
    adversaries
        Those that the study file names.
    filters
        Of each analysis that counts some records only, the attributes by whose values
        they are chosen.
    file
        Name of the study file.
    n_targets
        How many single persons were attacked.
    """

    name: str
    line_tables: frozenset[str] = field(default_factory=frozenset)
    releases: Mapping[str, Sequence[str]] = field(default_factory=dict)
    fewer: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    parts: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[str, Mapping[str, Listed]] = field(default_factory=dict)
    adversaries: Sequence[Adversary] = ()
    filters: Mapping[str, Sequence[str]] = field(default_factory=dict)
    file: str = ""
    n_targets: int = 0

    def scope(self, analysis: str, table: str) -> Scope:
        """Return what the page must know of an analysis of a table."""
        return Scope(self.unit(table), self.fewer.get(analysis, {}))

    def unit(self, table: str) -> str:
        """Return what a record of a table stands for: `person` or `record`."""
        return "record" if table in self.line_tables else "person"


class Origin(NamedTuple):
    """Where the records of a release come from: its rows of `Tables`."""

    ingest: pd.DataFrame
    removed: pd.DataFrame


@dataclass(frozen=True)
class Tables:
    """The study's tables, by the name of the analysis or of the whole study.

    `gain` and `linked`, how many focal persons each linked release has, have only
    analyses that link releases, `groups` only those that have any, and `values`, each
    value but the most frequent, those with attributes of few values; `comparison` is
    empty where no releases are compared, `states` and `explained` where there are no
    states, and `removed` where no source removes records. `families` has those of
    `microleak.report.families`.
    """

    collective: Mapping[str, pd.DataFrame]
    worst: Mapping[str, pd.DataFrame]
    distribution: Mapping[str, pd.DataFrame]
    ingest: pd.DataFrame
    gain: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    comparison: pd.DataFrame = field(default_factory=pd.DataFrame)
    linked: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    importance: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    groups: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    values: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    states: pd.DataFrame = field(default_factory=pd.DataFrame)
    explained: pd.DataFrame = field(default_factory=pd.DataFrame)
    removed: pd.DataFrame = field(default_factory=pd.DataFrame)
    families: Rows = field(default_factory=dict)

    def compared(self) -> pd.DataFrame:
        """Return the comparisons that the page shows.

        Those of tables whose states stand side by side are not among them: these
        are compared there, over the years too.
        """
        if self.comparison.empty:
            return self.comparison
        elsewhere = self.comparison["table"].isin(tables_side_by_side(self.states))
        return tables.with_text(self.comparison[~elsewhere])

    def origin(self, table: str, release: str) -> Origin:
        """Return where the records of one release come from.

        The rows are divided by release once, for the pages of all.
        """
        which = table, release
        return Origin(
            self._ingest.get(which, self.ingest.iloc[:0]),
            self._removed.get(which, self.removed.iloc[:0]),
        )

    @cached_property
    def _ingest(self) -> dict[tuple[str, str], pd.DataFrame]:
        return _by_release(self.ingest)

    @cached_property
    def _removed(self) -> dict[tuple[str, str], pd.DataFrame]:
        return _by_release(self.removed)

    def side_by_side(self) -> list[SideBySide]:
        """Return the states of each analysis and sensitive attribute with several."""
        families = Families(self.collective, self.importance, self.groups)
        return list(side_by_side(self.states, self.explained, families))

    def files(self) -> dict[str, pd.DataFrame]:
        """Every table under the name of its CSV beside the page."""
        families = {
            "collective": self.collective,
            "worst": self.worst,
            "distribution": self.distribution,
            "gain": self.gain,
            "importance": {n: rows for n, rows in self.importance.items() if len(rows)},
            "groups": self.groups,
            "values": self.values,
            **self.families,
        }
        files = {
            f"data/{analysis}-{family}.csv": rows
            for family, analyses in families.items()
            for analysis, rows in analyses.items()
        }
        of_study = {
            "comparison": self.comparison,
            "states": self.states,
            "explained": self.explained,
            "removed": self.removed,
        }
        files |= {f"data/{n}.csv": rows for n, rows in of_study.items() if len(rows)}
        return files | {"data/ingest.csv": self.ingest}


def _by_release(rows: pd.DataFrame) -> dict[tuple[str, str], pd.DataFrame]:
    """Divide rows by table and release."""
    if rows.empty:
        return {}
    parts = rows.groupby(["table", "release"], sort=False)
    return {(table, release): part for (table, release), part in parts}


def is_synthetic(ingest: pd.DataFrame) -> bool:
    """Say whether any release of a study was made up."""
    return bool((ingest["synthetic"].astype(str).str.lower() == "true").any())


def is_joined(collective: pd.DataFrame) -> bool:
    """Say whether an analysis joins further releases to the focal one."""
    return bool(tables.with_text(collective)["auxiliary"].any())
