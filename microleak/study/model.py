"""What a study is made of: tables, their releases, and analyses of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from microleak.study.subsets import Subset, subsets_of


@dataclass(frozen=True)
class Release:
    """One release of a table; exactly one of archive, url and schools is given."""

    name: str
    archive: str | None
    url: str | None
    schools: int | None
    sha256: str | None
    n_rows: int | None

    @property
    def is_synthetic(self) -> bool:
        """Whether a twin makes it."""
        return self.schools is not None


@dataclass(frozen=True)
class Table:
    """A table, how its source's files are read, and its releases by name."""

    name: str
    source: str
    options: Mapping[str, Any]
    max_refused: int
    releases: Mapping[str, Release]


@dataclass(frozen=True)
class Collective:
    """A collective analysis; `wanted` is what the study file says of subsets."""

    name: str
    table: str
    focal: str
    qids: tuple[str, ...]
    sensitive: tuple[str, ...]
    wanted: Any

    @property
    def subsets(self) -> tuple[Subset, ...]:
        """Subsets as bit masks over `qids`, by size and then position."""
        return subsets_of(len(self.qids), self.wanted, f"analysis {self.name!r}")


@dataclass(frozen=True)
class Study:
    """A whole study file."""

    name: str
    seed: int
    tables: Mapping[str, Table]
    collective: Mapping[str, Collective]
    languages: tuple[str, ...]
    audience: str

    @property
    def used(self) -> tuple[tuple[str, str], ...]:
        """Tables and releases that some analysis uses, each once, sorted."""
        return tuple(sorted({(a.table, a.focal) for a in self.collective.values()}))

    def is_synthetic_release(self, table: str, release: str) -> bool:
        """Whether a twin makes a release."""
        return self.tables[table].releases[release].is_synthetic

    def is_synthetic_analysis(self, name: str) -> bool:
        """Whether a twin makes the release that an analysis attacks."""
        analysis = self.collective[name]
        return self.is_synthetic_release(analysis.table, analysis.focal)

    def attributes(self, table: str, release: str) -> tuple[str, ...]:
        """Attributes that the analyses of a release need, each once, in order."""
        needed = [
            attribute
            for analysis in self.collective.values()
            if (analysis.table, analysis.focal) == (table, release)
            for attribute in (*analysis.qids, *analysis.sensitive)
        ]
        return tuple(dict.fromkeys(needed))
