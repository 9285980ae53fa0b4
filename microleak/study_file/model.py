"""What a study is made of: tables, their releases, and analyses of any family."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from microleak.records.compared import Compared, Need


@dataclass(frozen=True)
class Release:
    """One release of a table; exactly one of archive, url and twin_size is given.

    `twin_size` is the number of schools, or of courses, that a twin makes;
    `is_marked` says whether the archive is known by its marks as made by a twin.
    """

    name: str
    archive: str | None
    url: str | None
    twin_size: int | None
    sha256: str | None
    n_rows: int | None
    is_marked: bool = False

    @property
    def is_synthetic(self) -> bool:
        """Whether a twin makes it, or made its archive."""
        return self.is_marked or self.twin_size is not None


@dataclass(frozen=True)
class Table:
    """A table, how its source's files are read, and its releases by name."""

    name: str
    source: str
    options: Mapping[str, Any]
    max_refused: int
    releases: Mapping[str, Release]


class Analysis(Protocol):
    """What is known of an analysis of any family.

    One that links releases has, besides, `table`, `focal` and `auxiliary`, one that
    compares a sample with its population `compared`, and one of many that stand for
    an analysis of the study file the name of that, `part_of`.
    """

    @property
    def name(self) -> str:
        """Its name, unique among those of its family."""

    @property
    def needs(self) -> Iterator[Need]:
        """Tables and releases that it needs, with their attributes."""


@dataclass(frozen=True)
class Study:
    """A whole study file.

    Attributes
    ----------
    name, seed, tables, languages, audience
        As the file gives them.
    analyses
        By family and then by name.
    shared
        What families read of further keys of the file, by these keys.
    file
        Name of the file, without the folder that it is in.
    """

    name: str
    seed: int
    tables: Mapping[str, Table]
    analyses: Mapping[str, Mapping[str, Any]]
    languages: tuple[str, ...]
    audience: str
    shared: Mapping[str, Any] = field(default_factory=dict)
    file: str = ""

    @property
    def shows_tables(self) -> bool:
        """Whether result tables are published as they are, and figures of them."""
        return self.audience != "public"

    @property
    def every_analysis(self) -> Iterator[Any]:
        """Every analysis, of whatever family."""
        for analyses in self.analyses.values():
            yield from analyses.values()

    @property
    def compared(self) -> dict[str, Compared]:
        """Every sample with its population, by the name of the analysis."""
        found = {a.name: getattr(a, "compared", None) for a in self.every_analysis}
        return {name: compared for name, compared in found.items() if compared}

    @property
    def used(self) -> tuple[tuple[str, str], ...]:
        """Tables and releases that some analysis uses, each once, sorted."""
        return tuple(sorted({(table, release) for table, release, _ in self._needs}))

    @property
    def links(self) -> tuple[tuple[str, str, str], ...]:
        """Tables, focal and auxiliary releases that some analysis joins, sorted."""
        triples = {
            (analysis.table, analysis.focal, auxiliary)
            for analysis in self.every_analysis
            for auxiliary in getattr(analysis, "auxiliary", ())
        }
        return tuple(sorted(triples))

    def is_synthetic_release(self, table: str, release: str) -> bool:
        """Whether a twin makes a release."""
        return self.tables[table].releases[release].is_synthetic

    def is_synthetic_analysis(self, analysis: Analysis | Compared) -> bool:
        """Whether a twin makes any release that an analysis uses, or it uses none."""
        needs = list(analysis.needs)
        return not needs or any(
            self.is_synthetic_release(table, release) for table, release, _ in needs
        )

    def attributes(self, table: str, release: str) -> tuple[str, ...]:
        """Attributes that the analyses of a release need, each once, in order."""
        needed = [
            attribute
            for *place, attributes in self._needs
            if place == [table, release]
            for attribute in attributes
        ]
        return tuple(dict.fromkeys(needed))

    @property
    def _needs(self) -> Iterator[Need]:
        for analysis in self.every_analysis:
            yield from analysis.needs
