"""What a study is made of: tables, their releases, and analyses of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from microleak.columns import FAMILIES
from microleak.study.mechanism_model import Mechanism
from microleak.study.reconstruction_model import Reconstruction
from microleak.study.samples import Anonymity, Compared, Membership, Need
from microleak.study.subsets import Subset, subsets_of


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


@dataclass(frozen=True)
class Group:
    """Values of one attribute, of which the adversary infers that it is one of them.

    A value that ends in `*` stands for all that begin with the rest.
    """

    name: str
    attribute: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Value:
    """One value of a sensitive attribute, of which the adversary infers that it is it.

    `text` is None for a missing one.
    """

    attribute: str
    text: str | None


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

    @property
    def needs(self) -> Iterator[Need]:
        """What it needs of each of its releases."""
        for release in self.releases:
            yield self.table, release, self.attributes_in(release)


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

    @property
    def needs(self) -> Iterator[Need]:
        """What it needs of each of its releases."""
        for release in self.releases:
            yield self.table, release, self.attributes_in(release)


@dataclass(frozen=True)
class Scenario:
    """An adversary that the study file names, and the QIDs that it knows.

    `labels` has who it is by language, as a sentence names it; it may lack any.
    """

    name: str
    qids: tuple[str, ...]
    labels: Mapping[str, str] = field(default_factory=dict)

    def subset(self, qids: Sequence[str]) -> Subset:
        """Return its QIDs as a bit mask over those of an analysis, which has them."""
        return sum(1 << qids.index(name) for name in self.qids)


Analysis = Collective | Target | Membership | Anonymity | Mechanism | Reconstruction


@dataclass(frozen=True)
class Study:
    """A whole study file; `file` is its name, without the folder that it is in."""

    name: str
    seed: int
    tables: Mapping[str, Table]
    collective: Mapping[str, Collective]
    targets: Mapping[str, Target]
    languages: tuple[str, ...]
    audience: str
    membership: Mapping[str, Membership] = field(default_factory=dict)
    anonymity: Mapping[str, Anonymity] = field(default_factory=dict)
    mechanism: Mapping[str, Mechanism] = field(default_factory=dict)
    reconstruction: Mapping[str, Reconstruction] = field(default_factory=dict)
    scenarios: tuple[Scenario, ...] = ()
    file: str = ""

    @property
    def analyses(self) -> Iterator[Analysis]:
        """Every analysis, of whatever kind."""
        yield from self.collective.values()
        yield from self.targets.values()
        yield from self.membership.values()
        yield from self.anonymity.values()
        yield from self.mechanism.values()
        yield from self.reconstruction.values()

    @property
    def drawn(self) -> tuple[str, ...]:
        """Collective analyses that have figures; a public report has none."""
        return () if self.audience == "public" else tuple(self.collective)

    @property
    def compared(self) -> dict[str, Compared]:
        """Every sample with its population, by the name of the analysis."""
        of_anonymity = {name: part.compared for name, part in self.anonymity.items()}
        return {
            **self.membership,
            **{name: part for name, part in of_anonymity.items() if part},
        }

    @property
    def members(self) -> dict[str, tuple[Membership, str]]:
        """Membership analysis and target of each table of a target, by its name."""
        return {
            file: (analysis, target)
            for analysis in self.membership.values()
            for file, target in analysis.member_files.items()
        }

    @property
    def used(self) -> tuple[tuple[str, str], ...]:
        """Tables and releases that some analysis uses, each once, sorted."""
        pairs = {(table, release) for table, release, _ in self._needs}
        return tuple(sorted(pairs))

    @property
    def links(self) -> tuple[tuple[str, str, str], ...]:
        """Tables, focal and auxiliary releases that some analysis joins, sorted."""
        panels: tuple[Collective | Target, ...]
        panels = (*self.collective.values(), *self.targets.values())
        triples = {(a.table, a.focal, aux) for a in panels for aux in a.auxiliary}
        return tuple(sorted(triples))

    @property
    def family_tables(self) -> list[tuple[str, str]]:
        """Tables that parts of the page show, each with its analysis."""
        return [
            (table, analysis)
            for family, tables in FAMILIES.items()
            for table in tables
            for analysis in getattr(self, family)
        ]

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
        for analysis in self.analyses:
            yield from analysis.needs


def _part(
    fewer: Mapping[str, tuple[str, ...]], releases: tuple[str, ...]
) -> dict[str, tuple[str, ...]]:
    return {name: qids for name, qids in fewer.items() if name in releases}
