"""What a report is made from."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import pandas as pd

from microleak.report.parts import TablesByKind
from microleak.report.texts import Labels, Voice, voice

DrawnIn = Mapping[str, Mapping[str, Sequence[str]]]
"""Attributes of which values were drawn anew, by release and what was done to them."""

AnalysisByRelease = Mapping[tuple[str, str], str]
"""The first analysis of each table and focal release."""


def newest(releases: Sequence[str]) -> list[str]:
    """Return those of the last year or, if none names a year, the last one.

    >>> newest(["RR-2022", "RR-2023", "AC-2023"]), newest(["after", "before"])
    (['RR-2023', 'AC-2023'], ['before'])
    """
    years = [re.findall(r"(?:19|20)\d\d", name)[-1:] for name in releases]
    if not any(years):
        return [*releases[-1:]]
    last = max(years)
    return [n for n, year in zip(releases, years, strict=True) if year == last]


@dataclass(frozen=True)
class Headline:
    """What a report must know of a study beside its tables."""

    name: str  # The study's name
    file: str = ""  # Name of the study file
    labels: Labels = field(default_factory=dict)
    line_tables: frozenset[str] = field(default_factory=frozenset)
    releases: Mapping[str, Sequence[str]] = field(default_factory=dict)
    # Releases with facts of units, by table, and what each is made of
    units: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    sources: Mapping[str, str] | None = None
    synthetic: Collection[tuple[str, str]] = ()  # Tables and releases that a twin made
    families: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    seeded: Sequence[str] = ()
    protected: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    drawn: Mapping[str, Mapping[str, DrawnIn]] = field(default_factory=dict)

    @property
    def files(self) -> Iterator[Mapping[str, Any]]:
        """Files of published tables that analyses read, with what is told of them."""
        for told in self.families.values():
            yield from told.get("files", ())

    def voice(self, language: str) -> Voice:
        """Return a language's voice, in which this study's sources have plain names."""
        sources = None if self.sources is None else self.sources.values()
        return voice(language, sources, self.labels)

    def source_alone(self, table: str) -> str:
        """Return a table's source, by which it is known if no other is of it."""
        sources = self.sources or {}
        source = sources.get(table, "")
        return source if [*sources.values()].count(source) == 1 else ""

    def unit(self, table: str) -> str:
        """Return what a record of a table stands for: `person` or `record`."""
        return "record" if table in self.line_tables else "person"

    def filtered_by(self, analysis: str) -> Sequence[str]:
        """Return the attributes by whose values an analysis chooses its records."""
        for told in self.families.values():
            if analysis in (filters := told.get("filters", {})):
                attributes: Sequence[str] = filters[analysis]
                return attributes
        return ()


class Origin(NamedTuple):
    """Where the records of a release come from: its rows of `Tables`."""

    ingest: pd.DataFrame
    removed: pd.DataFrame
    protections: pd.DataFrame
    tabulations: pd.DataFrame


@dataclass(frozen=True)
class Tables:
    """The tables of a report."""

    analyses: TablesByKind  # Those of analyses, by their kind and then by the analysis
    study: Mapping[str, pd.DataFrame]  # Those of the whole study, by their kind
    pools: Mapping[tuple[str, str], Sequence[str]] = field(default_factory=dict)
    kinds: Mapping[str, Collection[str]] = field(default_factory=dict)  # Of families
    attacked: Mapping[str, AnalysisByRelease] = field(default_factory=dict)  # By kind

    def of_family(self, name: str) -> "Tables":
        """Return its own tables of analyses, and only the releases of all others."""
        own = {kind: self.of(kind) for kind in self.kinds.get(name, ())}
        return replace(self, analyses=own, attacked=self._attacked)

    def of(self, kind: str) -> Mapping[str, pd.DataFrame]:
        """Return the tables of a kind by analysis."""
        return self.analyses.get(kind, {})

    def whole(self, kind: str) -> pd.DataFrame:
        """Return a table of the whole study; one without rows if there is none."""
        return self.study.get(kind, pd.DataFrame())

    def origin(self, table: str, release: str) -> Origin:
        """Return where the records of one release come from.

        Of a protected one that is what it is made of, and what was done to it.
        """
        if (table, release) in self.pools:
            parts = [self.origin(table, each) for each in self.pools[table, release]]
            return Origin(*(pd.concat(rows) for rows in zip(*parts, strict=True)))
        protections, made = self._divided["protections"], []
        while (table, release) in protections:
            made.append(protections[table, release])
            release = made[-1]["origin"].iloc[0]
        found = {
            kind: self._divided[kind].get((table, release), self.whole(kind).iloc[:0])
            for kind in Origin._fields
        }
        return Origin(
            **(found | {"protections": pd.concat(made[::-1])} if made else found)
        )

    @property
    def every_origin(self) -> Origin:
        """Where the records of all releases come from."""
        return Origin(*map(self.whole, Origin._fields))

    @cached_property
    def _attacked(self) -> dict[str, AnalysisByRelease]:
        return {
            kind: {
                (rows["table"].iloc[0], rows["focal"].iloc[0]): name
                for name, rows in [*by_name.items()][::-1]
                if len(rows) and {"table", "focal"} <= {*rows.columns}
            }
            for kind, by_name in self.analyses.items()
        }

    @cached_property
    def _divided(self) -> dict[str, dict[tuple[str, str], pd.DataFrame]]:
        """The rows of `every_origin` by release, divided once for the pages of all."""
        return {kind: _by_release(self.whole(kind)) for kind in Origin._fields}

    def files(self) -> dict[str, pd.DataFrame]:
        """Every table that has rows under the name of its CSV beside the page."""
        named = {
            f"{analysis}-{kind}": rows
            for kind, by_analysis in self.analyses.items()
            for analysis, rows in by_analysis.items()
        }
        every = {**named, **self.study}
        return {f"data/{name}.csv": rows for name, rows in every.items() if len(rows)}


def _by_release(rows: pd.DataFrame) -> dict[tuple[str, str], pd.DataFrame]:
    """Divide rows by table and the column that names the release."""
    if rows.empty:
        return {}
    release = "protection" if "protection" in rows else "release"
    parts = rows.groupby(["table", release], sort=False)
    return {(table, name): part for (table, name), part in parts}


def partial_months(ingest: pd.DataFrame) -> dict[tuple[str, str], int]:
    """Return how many months releases have that end before December, by their names."""
    rows = ingest[ingest["n_months"] < 12]
    names = zip(rows["table"], rows["release"].astype(str), strict=True)
    return dict(zip(names, rows["n_months"].astype(int), strict=True))


def is_synthetic(ingest: pd.DataFrame) -> bool:
    """Return whether any release of a study was made up."""
    return bool(_made_up(ingest).any())


def synthetic_banner(ingest: pd.DataFrame) -> str:
    """Return the text that marks a page as synthetic; empty if no release is."""
    made_up = _made_up(ingest)
    if not made_up.any():
        return ""
    return "page.synthetic_banner" if made_up.all() else "page.synthetic_banner_in_part"


def _made_up(ingest: pd.DataFrame) -> pd.Series:
    return ingest["synthetic"].astype(str).str.lower() == "true"
