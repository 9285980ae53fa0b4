"""What chapters of collective attacks and states side by side are made from."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pandas as pd

from microleak.attacks.collective.comparison import PROTECTED, SUCCESSIVE
from microleak.attacks.collective.report.face_value import (
    drawn_releases,
    releases_attacked,
)
from microleak.report.contents import Headline, Tables, partial_months
from microleak.report.face_value import Drawn
from microleak.report.page import INDEX
from microleak.report.texts import Voice, uncapital
from microleak.tables import rows as tables

KindTables = Mapping[str, pd.DataFrame]
"""One kind of tables, by the name of the analysis."""


class StateFamilies(NamedTuple):
    """Tables of each analysis; `importance` and `groups` may lack any."""

    collective: KindTables
    importance: KindTables
    groups: KindTables


@dataclass(frozen=True)
class SideBySide:
    """The states of one analysis and one sensitive attribute."""

    # Names in the study file
    analysis: str
    table: str
    sensitive: str
    year: str  # The newest with two or more states
    rows: pd.DataFrame  # Rows of `measures/states.csv` of that year
    years: pd.DataFrame  # The same of all years up to that one
    explained: pd.DataFrame  # Rows of `measures/explained.csv` of that year
    parts: Mapping[str, str]  # The analysis of each release that is shown, by its name
    attacks: Mapping[str, pd.DataFrame]
    importance: Mapping[str, pd.DataFrame]  # What each attribute brings, likewise
    groups: Mapping[str, pd.DataFrame]  # Groups of values, likewise
    months: Mapping[str, int]

    @property
    def has_years(self) -> bool:
        """Whether any state has two years or more."""
        return bool((self.years.groupby("state")["year"].nunique() > 1).any())

    @property
    def releases(self) -> frozenset[tuple[str, str]]:
        """Tables and releases that are shown."""
        return frozenset((self.table, name) for name in self.years["release"].unique())


def tables_side_by_side(states: pd.DataFrame) -> frozenset[str]:
    """Return the tables of which some analysis has two or more states in a year."""
    if states.empty:
        return frozenset()
    several = [analysis for analysis, *_ in _newest_years(states)]
    return frozenset(states["table"][states["analysis"].isin(several)])


def side_by_side(
    states: pd.DataFrame,
    explained: pd.DataFrame,
    families: StateFamilies,
    months: Mapping[tuple[str, str], int],
) -> Iterator[SideBySide]:
    """Yield the states of each analysis and sensitive attribute with two in a year."""
    for analysis, sensitive, year in _newest_years(states):
        every = _of(states, analysis=analysis, sensitive=sensitive)
        years = every[every["year"] <= year]
        rows = years[years["year"] == year]
        parts = {
            release: _part(families.collective, analysis, release)
            for release in years["release"].unique()
        }
        names = dict(zip(rows["state"], rows["release"].map(parts), strict=True))
        which = {"analysis": analysis, "sensitive": sensitive, "year": year}
        table = rows["table"].iloc[0]
        yield SideBySide(
            **which,
            table=table,
            rows=rows,
            years=years,
            explained=_of(explained, **which),
            parts=parts,
            attacks=_alone(families.collective, names, sensitive=sensitive),
            importance=_alone(families.importance, names, sensitive=sensitive),
            groups=_alone(families.groups, names),
            months={name: n for (of, name), n in months.items() if of == table},
        )


def _newest_years(states: pd.DataFrame) -> list[tuple[str, str, str]]:
    """Return analysis, sensitive attribute and newest year of those with two states."""
    if states.empty:
        return []
    keys = ["analysis", "sensitive", "year"]
    several = states.groupby(keys, sort=False)["state"].nunique() > 1
    found = several[several].index.to_frame(index=False)
    newest = found.groupby(keys[:2], sort=False)["year"].max()
    return [(name, sensitive, year) for (name, sensitive), year in newest.items()]


def _part(collective: KindTables, analysis: str, release: str) -> str:
    """Name the analysis of a release that is compared under a name.

    It is a part of one of many releases, or one that stands alone: the first that
    makes the same attacks as the one which gave the name.
    """
    if analysis not in collective:
        return f"{analysis}-{release}"
    attacks = _attacks(collective[analysis])
    return next(
        name
        for name, rows in collective.items()
        if rows["focal"].iloc[0] == release and _attacks(rows) == attacks
    )


def _attacks(collective: pd.DataFrame) -> tuple[object, ...]:
    """Return the table, subsets and sensitive attributes of an analysis."""
    names = ("table", "qids", "sensitive")
    rows = tables.with_text(collective[[*names]])
    return tuple(tuple(rows[name].unique()) for name in names)


def _alone(
    family: KindTables, names: Mapping[str, str], **which: str
) -> dict[str, pd.DataFrame]:
    """Return by state the rows of its analysis with the focal release alone."""
    found = {}
    for state, name in names.items():
        rows = family.get(name)
        if rows is None or rows.empty:
            continue
        rows = _of(tables.with_text(rows), auxiliary="", **which)
        if len(rows):
            found[state] = rows
    return found


def _of(rows: pd.DataFrame, **which: str) -> pd.DataFrame:
    """Return the rows with these values."""
    for name, value in which.items():
        rows = rows[rows[name] == value]
    return rows


def unit_words(unit: str, voice: Voice) -> dict[str, str]:
    """Return what phrases call that for which a record stands."""
    names = voice.texts["unit"][unit]
    return {
        "one": names["one"],
        "units": names["many"],
        "of_units": names["of_many"],
        "random_unit": names["random"],
        "Nobody": names["none"],
        "nobody": uncapital(names["none"]),
    }


@dataclass(frozen=True)
class Scope:
    """What a chapter must know of an analysis beside its tables."""

    unit: str
    fewer: Mapping[str, Sequence[str]] = field(default_factory=dict)
    drawn: Sequence[Drawn] = ()
    home: str = ""  # The page of all analyses, where the chapter is on one of its own

    def is_partial(self, row: pd.Series) -> bool:
        """Return whether a release of one row's panel lacks any of its QIDs."""
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
    """What the chapters must know of a study beside its tables."""

    # As a `Headline` has them
    line_tables: frozenset[str] = field(default_factory=frozenset)
    releases: Mapping[str, Sequence[str]] = field(default_factory=dict)
    fewer: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    parts: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[str, Mapping[str, Listed]] = field(default_factory=dict)
    adversaries: Sequence[Adversary] = ()  # Those that the study file names

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
        home = INDEX if analysis in self.parts else ""
        return Scope(self.unit(table), self.fewer.get(analysis, {}), home=home)

    def unit(self, table: str) -> str:
        """Return what a record of a table stands for: `person` or `record`."""
        return "record" if table in self.line_tables else "person"


@dataclass(frozen=True)
class Measures:
    """The tables of collective attacks, by the name of the analysis or of the study.

    `gain` and `linked`, how many focal persons each linked release has, have only
    analyses that link releases, `groups` only those that have any, and `values`, each
    value but the most frequent, those with attributes of few values; `comparison` is
    empty where no releases are compared, `states` and `explained` where there are no
    states. `months` says how many months the releases of a table have that end before
    December, and `drawn` in which of those attacked values were drawn anew, by table
    and release.
    """

    collective: KindTables
    worst: KindTables
    distribution: KindTables
    gain: KindTables = field(default_factory=dict)
    comparison: pd.DataFrame = field(default_factory=pd.DataFrame)
    linked: KindTables = field(default_factory=dict)
    importance: KindTables = field(default_factory=dict)
    groups: KindTables = field(default_factory=dict)
    values: KindTables = field(default_factory=dict)
    states: pd.DataFrame = field(default_factory=pd.DataFrame)
    explained: pd.DataFrame = field(default_factory=pd.DataFrame)
    months: Mapping[tuple[str, str], int] = field(default_factory=dict)
    drawn: Mapping[tuple[str, str], Drawn] = field(default_factory=dict)

    @classmethod
    def of(cls, study: Headline, given: Tables) -> "Measures":
        """Return those of a study, from all of its tables."""
        told = study.families["collective"]["analyses"].items()
        groups = {
            n: {each["attribute"] for each in part["groups"].values()}
            for n, part in told
        }
        kinds = ("collective", "worst", "distribution", "gain", "importance", "groups")
        return cls(
            **{kind: given.of(kind) for kind in kinds},
            **{n: given.whole(n) for n in ("comparison", "states", "explained")},
            linked={n: _linked(part["linked"]) for n, part in told if part["linked"]},
            values={n: rows for n, rows in given.of("values").items() if len(rows)},
            months=partial_months(given.study["ingest"]),
            drawn=drawn_releases(groups, given),
        )

    def drawn_in(self, collective: pd.DataFrame) -> tuple[Drawn, ...]:
        """Return the releases of an analysis with attributes that were drawn anew."""
        releases = releases_attacked(collective)
        return tuple(self.drawn[each] for each in releases if each in self.drawn)

    def compared(self) -> pd.DataFrame:
        """Return the comparisons of successive releases that the page shows.

        Those of tables whose states stand side by side are not among them: these
        are compared there, over the years too.
        """
        if self.comparison.empty:
            return self.comparison
        successive = self.comparison[self.comparison["kind"] == SUCCESSIVE]
        elsewhere = successive["table"].isin(tables_side_by_side(self.states))
        return tables.with_text(successive[~elsewhere])

    def before_and_after(self) -> pd.DataFrame:
        """Return the comparisons of protections with what they are made of."""
        if self.comparison.empty:
            return self.comparison
        made = self.comparison["kind"] == PROTECTED
        return tables.with_text(self.comparison[made])

    def side_by_side(self) -> list[SideBySide]:
        """Return the states of each analysis and sensitive attribute with several."""
        families = StateFamilies(self.collective, self.importance, self.groups)
        return list(side_by_side(self.states, self.explained, families, self.months))


def _linked(persons: list[dict[str, Any]]) -> pd.DataFrame:
    """Return how many focal persons each linked release has, and what share of all."""
    rows = pd.DataFrame(persons)
    return rows.assign(share_linked=rows["n_linked"] / rows["n_focal"])
