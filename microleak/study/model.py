"""What a study is made of: tables, their releases, and analyses of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from microleak.study.subsets import Subset, subsets_of


@dataclass(frozen=True)
class Release:
    """One release of a table; exactly one of archive, url and twin_size is given.

    `twin_size` is the number of schools, or of courses, that a twin makes.
    """

    name: str
    archive: str | None
    url: str | None
    twin_size: int | None
    sha256: str | None
    n_rows: int | None

    @property
    def is_synthetic(self) -> bool:
        """Whether a twin makes it."""
        return self.twin_size is not None


@dataclass(frozen=True)
class Table:
    """A table, how its source's files are read, and its releases by name."""

    name: str
    source: str
    options: Mapping[str, Any]
    max_refused: int
    releases: Mapping[str, Release]


@dataclass(frozen=True)
class Group:
    """Values of one attribute, of which the adversary infers that it is one of them.

    A value that ends in `*` stands for all that begin with the rest.
    """

    name: str
    attribute: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Collective:
    """A collective analysis.

    Attributes
    ----------
    name, table, focal, qids, sensitive
        As the study file gives them.
    wanted
        What the study file says of subsets.
    auxiliary
        Releases that are linked to the focal one, in the order they are added.
    fewer
        The QIDs of auxiliary releases that do not have all of them.
    groups
        Groups of values to infer.
    part_of
        Name in the study file of an analysis of many releases, of which this is
        one; empty if it stands there itself.
    """

    name: str
    table: str
    focal: str
    qids: tuple[str, ...]
    sensitive: tuple[str, ...]
    wanted: Any
    auxiliary: tuple[str, ...] = ()
    fewer: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    groups: tuple[Group, ...] = ()
    part_of: str = ""

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> "Collective":
        """Return the analysis of which `dataclasses.asdict` made these fields."""
        groups = tuple(Group(**group) for group in fields["groups"])
        return cls(**{**fields, "groups": groups})

    @property
    def subsets(self) -> tuple[Subset, ...]:
        """Subsets as bit masks over `qids`, by size and then position."""
        return subsets_of(len(self.qids), self.wanted, f"analysis {self.name!r}")

    @property
    def releases(self) -> tuple[str, ...]:
        """The focal release and then the auxiliary ones."""
        return (self.focal, *self.auxiliary)

    @property
    def panel(self) -> str:
        """Name of the panel of all its releases, as in `2014+2015`."""
        return "+".join(self.releases)

    @property
    def prefixes(self) -> tuple["Collective", ...]:
        """The analysis with none of its auxiliary releases, the first, and so on."""
        return tuple(
            replace(self, auxiliary=used, fewer=_part(self.fewer, used))
            for n in range(len(self.auxiliary) + 1)
            for used in [self.auxiliary[:n]]
        )

    def prefix(self, panel: str) -> "Collective":
        """Return the analysis with only the auxiliary releases of a panel."""
        return next(part for part in self.prefixes if part.panel == panel)

    def attributes_in(self, release: str) -> tuple[str, ...]:
        """Attributes of one of its releases that it needs."""
        if release == self.focal:
            grouped = [group.attribute for group in self.groups]
            return tuple(dict.fromkeys((*self.qids, *self.sensitive, *grouped)))
        return self.fewer.get(release, self.qids)


@dataclass(frozen=True)
class Target:
    """An analysis of one person; who prints it does not see what is known of them.

    Attributes
    ----------
    name, table, focal
        As of a collective analysis.
    known
        Known values by release and attribute; None is a missing one.
    sensitive
        Attributes of the focal release to infer.
    further
        Attributes that the adversary might learn next, of every release of
        `known`.
    """

    name: str
    table: str
    focal: str
    known: Mapping[str, Mapping[str, str | None]] = field(repr=False)
    sensitive: tuple[str, ...]
    further: tuple[str, ...]

    @property
    def auxiliary(self) -> tuple[str, ...]:
        """Releases other than the focal one of which a value is known."""
        return tuple(release for release in self.known if release != self.focal)

    @property
    def releases(self) -> tuple[str, ...]:
        """The focal release and then the auxiliary ones."""
        return (self.focal, *self.auxiliary)

    def attributes_in(self, release: str) -> tuple[str, ...]:
        """Attributes of one of its releases that it needs."""
        needed = (*self.known.get(release, {}), *self.further)
        return (*needed, *self.sensitive) if release == self.focal else needed


@dataclass(frozen=True)
class Study:
    """A whole study file."""

    name: str
    seed: int
    tables: Mapping[str, Table]
    collective: Mapping[str, Collective]
    targets: Mapping[str, Target]
    languages: tuple[str, ...]
    audience: str

    @property
    def analyses(self) -> Iterator[Collective | Target]:
        """Every analysis, of whatever kind."""
        yield from self.collective.values()
        yield from self.targets.values()

    @property
    def used(self) -> tuple[tuple[str, str], ...]:
        """Tables and releases that some analysis uses, each once, sorted."""
        pairs = {(a.table, release) for a in self.analyses for release in a.releases}
        return tuple(sorted(pairs))

    @property
    def links(self) -> tuple[tuple[str, str, str], ...]:
        """Tables, focal and auxiliary releases that some analysis joins, sorted."""
        triples = {
            (a.table, a.focal, aux) for a in self.analyses for aux in a.auxiliary
        }
        return tuple(sorted(triples))

    def is_synthetic_release(self, table: str, release: str) -> bool:
        """Whether a twin makes a release."""
        return self.tables[table].releases[release].is_synthetic

    def is_synthetic_analysis(self, analysis: Collective | Target) -> bool:
        """Whether a twin makes any release that an analysis uses."""
        return any(
            self.is_synthetic_release(analysis.table, release)
            for release in analysis.releases
        )

    def attributes(self, table: str, release: str) -> tuple[str, ...]:
        """Attributes that the analyses of a release need, each once, in order."""
        needed = [
            attribute
            for analysis in self.analyses
            if analysis.table == table and release in analysis.releases
            for attribute in analysis.attributes_in(release)
        ]
        return tuple(dict.fromkeys(needed))


def _part(
    fewer: Mapping[str, tuple[str, ...]], releases: tuple[str, ...]
) -> dict[str, tuple[str, ...]]:
    return {name: qids for name, qids in fewer.items() if name in releases}
