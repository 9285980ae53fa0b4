"""What chapters of collective attacks and states side by side are made from."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from microleak.attacks.collective.analysis import Scenario
from microleak.figures.numbers import TableRow
from microleak.report.contents import Headline, Tables, newest, partial_months
from microleak.report.face_value import Drawn, by_method, concerned, say
from microleak.report.page import INDEX
from microleak.report.parts import Line, Place
from microleak.report.texts import Voice, uncapital
from microleak.tables import rows as tables

KindTables = Mapping[str, pd.DataFrame]
"""One kind of tables, by the name of the analysis."""


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
    """Name the analysis of a release that is compared under a name."""
    if analysis not in collective:
        return f"{analysis}-{release}"  # a part of one of many releases
    # One that stands alone: the first that makes the attacks of which gave the name.
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
    """What a chapter must know of an analysis beside its tables, and its voice."""

    voice: Voice
    unit: str
    fewer: Mapping[str, Sequence[str]] = field(default_factory=dict)
    drawn: Sequence[Drawn] = ()
    home: str = ""  # The page of all analyses, where the chapter is on one of its own
    analysis: str = ""
    release: str = ""  # The focal one, if the table has others that are as released
    is_newest: bool = True  # Whether none of them is newer

    def say(self, key: str, row: TableRow = None, /, **values: Any) -> str:
        """Return a phrase of the voice, which also has what a record stands for."""
        units = unit_words(self.unit, self.voice)
        return self.voice.say(key, row, **(units | values))

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
class Facts:
    """What the chapters must know of a study beside its tables."""

    # As a `Headline` has them
    line_tables: frozenset[str] = field(default_factory=frozenset)
    releases: Mapping[str, Sequence[str]] = field(default_factory=dict)
    units: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    fewer: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    parts: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[str, Mapping[str, Listed]] = field(default_factory=dict)
    adversaries: Sequence[Scenario] = ()  # Those that the study file names
    # Attributes of a file that only one has of those in its place, by their analyses
    splits: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)

    @classmethod
    def of(cls, study: Headline) -> "Facts":
        """Return those of a study, as its family has published them."""
        told = study.families["collective"]
        analyses = told["analyses"].items()
        return cls(
            study.line_tables,
            study.releases,
            study.units,
            fewer={name: part["fewer"] for name, part in analyses},
            parts={n: part["part_of"] for n, part in analyses if part["part_of"]},
            groups={
                name: {group: Listed(**of) for group, of in part["groups"].items()}
                for name, part in analyses
            },
            adversaries=[Scenario(**each) for each in told["adversaries"]],
            splits=told["splits"],
        )

    def scope(self, voice: Voice, analysis: str, table: str, release: str) -> Scope:
        """Return what a chapter must know of an analysis of a release."""
        releases = self.releases.get(table, ())
        return Scope(
            voice,
            self.unit(table),
            self.fewer.get(analysis, {}),
            home=INDEX if analysis in self.parts else "",
            analysis=analysis,
            release=release if len(releases) > 1 else "",
            is_newest=self.before_units(table, release) in newest(releases),
        )

    def before_units(self, table: str, release: str) -> str:
        """Return the release whose records know their units, or the release itself."""
        return self.units.get(table, {}).get(release, release)

    def unit(self, table: str) -> str:
        """Return what a record of a table stands for: `person` or `record`."""
        return "record" if table in self.line_tables else "person"


@dataclass(frozen=True)
class Measures:
    """The tables of collective attacks, by the name of the analysis or of the study."""

    collective: KindTables
    worst: KindTables
    distribution: KindTables
    gain: KindTables = field(default_factory=dict)  # Only of analyses that link
    comparison: pd.DataFrame = field(default_factory=pd.DataFrame)
    linked: KindTables = field(default_factory=dict)  # Focal persons each release has
    importance: KindTables = field(default_factory=dict)
    groups: KindTables = field(default_factory=dict)
    values: KindTables = field(default_factory=dict)  # Of attributes of few values
    states: pd.DataFrame = field(default_factory=pd.DataFrame)
    explained: pd.DataFrame = field(default_factory=pd.DataFrame)
    # By table and release: months of those that end before December, and in which of
    # those attacked values were drawn anew
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

    def compared(self) -> pd.DataFrame:
        """Return the comparisons of successive releases that the page shows."""
        if self.comparison.empty:
            return self.comparison
        successive = self.comparison[self.comparison["kind"] == "successive"]
        # States that stand side by side are compared there, over the years too.
        several = [analysis for analysis, *_ in _newest_years(self.states)]
        states = self.states
        shown = states["table"][states["analysis"].isin(several)] if several else ()
        return tables.with_text(successive[~successive["table"].isin([*shown])])

    def before_and_after(self) -> pd.DataFrame:
        """Return the comparisons of protections with what they are made of."""
        if self.comparison.empty:
            return self.comparison
        made = self.comparison["kind"] == "protected"
        return tables.with_text(self.comparison[made])

    def side_by_side(self) -> list[SideBySide]:
        """Return the states of each analysis and sensitive attribute with several."""
        return [self._states_of(*each) for each in _newest_years(self.states)]

    def _states_of(self, analysis: str, sensitive: str, year: str) -> SideBySide:
        every = _of(self.states, analysis=analysis, sensitive=sensitive)
        years = every[every["year"] <= year]
        rows = years[years["year"] == year]
        parts = {
            release: _part(self.collective, analysis, release)
            for release in years["release"].unique()
        }
        names = dict(zip(rows["state"], rows["release"].map(parts), strict=True))
        which = {"analysis": analysis, "sensitive": sensitive, "year": year}
        table = rows["table"].iloc[0]
        return SideBySide(
            **which,
            table=table,
            rows=rows,
            years=years,
            explained=_of(self.explained, **which),
            parts=parts,
            attacks=_alone(self.collective, names, sensitive=sensitive),
            importance=_alone(self.importance, names, sensitive=sensitive),
            groups=_alone(self.groups, names),
            months={name: n for (of, name), n in self.months.items() if of == table},
        )


def _linked(persons: list[dict[str, Any]]) -> pd.DataFrame:
    """Return how many focal persons each linked release has, and what share of all."""
    rows = pd.DataFrame(persons)
    return rows.assign(share_linked=rows["n_linked"] / rows["n_focal"])


_KNOWN = "known_protection"
"""The analyses that say what can be found out by who knows how it was done."""


def drawn_releases(
    groups: Mapping[str, Collection[str]], given: Tables
) -> dict[tuple[str, str], Drawn]:
    """Return what was drawn anew in releases that are attacked, by table and name."""
    if given.whole("protections").empty:
        return {}
    known = given.attacked.get(_KNOWN, {})
    attacked: dict[tuple[str, str], set[str]] = {}
    for name, rows in given.of("collective").items():
        for each in releases_attacked(rows):
            names = attacked.setdefault(each, set())
            names.update(tables.all_qids(rows), rows["sensitive"], groups[name])
    found: dict[tuple[str, str], Drawn] = {}
    for place, names in attacked.items():
        steps = given.origin(*place).protections
        pairs = zip(steps["methods"], steps["attribute"], strict=True)
        done = by_method((m, name) for every, name in pairs for m in every.split("|"))
        drawn = Drawn(place[1], done, known.get(place, ""))
        for left in concerned([drawn], names):
            found[place] = left
    return found


def releases_attacked(collective: pd.DataFrame) -> Iterator[tuple[str, str]]:
    """Yield the table and each release of an analysis, the focal one first."""
    rows = tables.with_text(collective)
    row = list(tables.by_panel(rows).values())[-1].iloc[0]
    yield from ((row["table"], each) for each in tables.releases_of(row))


def marked(drawn: Iterable[Drawn], voice: Voice) -> tuple[str, ...]:
    """Return what a mark on rows means, a sentence for each release."""
    return tuple(say("marked", each, voice) for each in drawn)


def caution(drawn: Collection[Drawn], voice: Voice, page: str = "") -> Line:
    """Return what stands above numbers, with a link to what can be found out."""
    if not drawn:
        return Line("")
    text = " ".join(say("caution", each, voice) for each in drawn)
    return _with_known(text, drawn, voice, page)


def limits(drawn: Iterable[Drawn], voice: Voice, page: str = "") -> Iterator[Line]:
    """Yield for each release that what is true of persons was not measured."""
    for each in drawn:
        yield _with_known(say("limit", each, voice), (each,), voice, page)


def _with_known(text: str, drawn: Collection[Drawn], voice: Voice, page: str) -> Line:
    """Add where it stands what can be found out, or that it was not measured."""
    for each in drawn:
        if each.known:
            anchor = Place(_KNOWN, each.known, {}, voice).anchor
            link = voice.say("face_value.known", analysis=each.known)
            return Line(text, f"{page}#{anchor}", link)
    unknown = (voice.say("face_value.unknown", release=e.release) for e in drawn)
    return Line(" ".join([text, *unknown]))
