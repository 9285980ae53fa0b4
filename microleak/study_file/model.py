"""What a study is made of: tables, their releases, and analyses of any family."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from microleak.records.compared import Compared, Need
from microleak.study_file.hierarchies import Hierarchies
from microleak.study_file.noise import NoiseSection
from microleak.study_file.protections import (
    PoolSection,
    ProtectionSection,
    TabulationSection,
)
from microleak.study_file.units import UnitsSection


@dataclass(frozen=True)
class Release:
    """One release of a table; exactly one of archive, url and twin_size is given."""

    # `twin_size` is the number of schools, or of courses, that a twin makes;
    # `is_marked` says whether the archive is known by its marks as made by a twin.
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

    # `protections` has those that are made of other ones, each after the one it is made
    # of, `pools` those that are several together, and `units` those whose records know
    # of each other; none are among `releases`.
    name: str
    source: str
    options: Mapping[str, Any]
    max_refused: int
    releases: Mapping[str, Release]
    protections: Mapping[str, ProtectionSection] = field(default_factory=dict)
    pools: Mapping[str, PoolSection] = field(default_factory=dict)
    units: Mapping[str, UnitsSection] = field(default_factory=dict)

    def origin(self, release: str) -> Release:
        """Return a release, or the one that a made one is made of."""
        # Of a pooled one it is the first of those that it is made of.
        return self.origins(release)[0]

    def origins(self, release: str) -> tuple[Release, ...]:
        """Return a release, or those that a made one is made of."""
        release = self.before_units(release)
        if release in self.pools:
            parts = self.pools[release].releases
            return tuple(origin for part in parts for origin in self.origins(part))
        chain = self.chain(release)
        return (self.releases[chain[0].release if chain else release],)

    def before_units(self, release: str) -> str:
        """Return a release, or the one that facts of units were added to."""
        while release in self.units:
            release = self.units[release].release
        return release

    def chain(self, release: str) -> tuple[ProtectionSection, ...]:
        """Return the protections that lead to a release, in order; none to others."""
        return tuple(self.protections[name] for name in self.chain_names(release))

    def drawn_anew(self, release: str) -> Iterator[tuple[str, str]]:
        """Yield how values were drawn anew and the attribute, of its parts too."""
        if release in self.units:
            made = self.units[release]
            for method, name in self.drawn_anew(made.release):
                yield method, name
                for fact, each in made.facts.items():
                    if name in (made.unit, *each.named):
                        yield method, fact
                if name == made.unit:
                    yield from ((method, n) for n in made.made if n not in made.facts)
            return
        for part in self.pools[release].releases if release in self.pools else ():
            yield from self.drawn_anew(part)
        steps = (step for each in self.chain(release) for step in each.steps)
        for step in steps:
            if step.draws:
                yield from ((step.method, name) for name in step.changed)

    def chain_names(self, release: str) -> tuple[str, ...]:
        found: list[str] = []
        release = self.before_units(release)
        while release in self.protections:
            found.insert(0, release)
            release = self.protections[release].release
        return tuple(found)


class Analysis(Protocol):
    """What is known of an analysis of any family."""

    # One that links releases has, besides, `table`, `focal` and `auxiliary`, one that
    # compares a sample with its population `compared`, and one of many that stand for
    # an analysis of the study file the name of that, `part_of`.

    @property
    def name(self) -> str:
        """Its name, unique among those of its family."""

    @property
    def needs(self) -> Iterator[Need]:
        """Tables and releases that it needs, with their attributes."""


@dataclass(frozen=True)
class Study:
    """A whole study file; what is not said is as the file gives it."""

    name: str
    seed: int
    tables: Mapping[str, Table]
    analyses: Mapping[str, Mapping[str, Any]]  # By family and then by name
    languages: tuple[str, ...]
    audience: str
    shared: Mapping[str, Any] = field(default_factory=dict)  # Further keys of families
    file: str = ""  # Its name, without the folder that it is in
    hierarchies: Hierarchies = field(default_factory=dict)  # By attribute
    tabulations: tuple[TabulationSection, ...] = ()
    noise: NoiseSection | None = None
    labels: Mapping[str, Any] = field(default_factory=dict)  # As the file gives them

    @property
    def shows_tables(self) -> bool:
        """Whether result tables are published as they are, and figures of them."""
        return self.audience != "public"

    @property
    def every_analysis(self) -> Iterator[Any]:
        for analyses in self.analyses.values():
            yield from analyses.values()

    @cached_property
    def compared(self) -> dict[str, Compared]:
        """Every sample with its population, by the name of the analysis."""
        found = {a.name: getattr(a, "compared", None) for a in self.every_analysis}
        return {name: compared for name, compared in found.items() if compared}

    @cached_property
    def used(self) -> tuple[tuple[str, str], ...]:
        """Tables and releases that are read, each once, sorted."""
        # Of a protected or pooled release it is what it is made of.
        needed = [*self.made, *self._joined]
        needed += [(table, name) for table, name, _ in self._every_need]
        origins = {
            (t, each.name) for t, n in needed for each in self.tables[t].origins(n)
        }
        return tuple(sorted(origins))

    @property
    def protected(self) -> tuple[tuple[str, str], ...]:
        """Tables and protected releases, each after the one that it is made of."""
        return tuple((t.name, n) for t in self.tables.values() for n in t.protections)

    @property
    def pooled(self) -> tuple[tuple[str, str], ...]:
        return tuple((t.name, n) for t in self.tables.values() for n in t.pools)

    @cached_property
    def of_units(self) -> tuple[tuple[str, str], ...]:
        """Tables and releases with facts of units, each after what it is made of."""
        found: dict[tuple[str, str], None] = {}

        def add(table: str, release: str) -> None:
            if release in self.tables[table].units:
                units = self.tables[table].units[release]
                for place in ((table, units.release), *(o[:2] for o in units.others)):
                    add(*place)
                found[table, release] = None

        for table in self.tables.values():
            for name in table.units:
                add(table.name, name)
        return tuple(found)

    @property
    def _joined(self) -> Iterator[tuple[str, str]]:
        """Tables and releases that are joined to units."""
        for table, name in self.of_units:
            yield from (each[:2] for each in self.tables[table].units[name].others)

    @property
    def made(self) -> tuple[tuple[str, str], ...]:
        """Tables and the releases that are made of others, after these."""
        return (*self.protected, *self.pooled, *self.of_units)

    @cached_property
    def links(self) -> tuple[tuple[str, str, str], ...]:
        """Tables, focal and auxiliary releases that some analysis joins, sorted."""
        triples = {
            (analysis.table, analysis.focal, auxiliary)
            for analysis in self.every_analysis
            for auxiliary in getattr(analysis, "auxiliary", ())
        }
        return tuple(sorted(triples))

    def is_synthetic_release(self, table: str, release: str) -> bool:
        """Whether a twin makes a release, or any that it is made of."""
        units = self.tables[table].units
        if release in units:
            made_of = [(table, units[release].release, ())]
            parts = [*made_of, *units[release].others]
            return any(self.is_synthetic_release(*each[:2]) for each in parts)
        return any(each.is_synthetic for each in self.tables[table].origins(release))

    def is_synthetic_analysis(self, analysis: Analysis | Compared) -> bool:
        """Whether a twin makes any release that an analysis uses, or it uses none."""
        needs = self.needs_of(analysis)
        return not needs or any(
            self.is_synthetic_release(table, release) for table, release, _ in needs
        )

    def attributes(self, table: str, release: str) -> tuple[str, ...]:
        """Attributes that a release must have, each once, in order."""
        # Its analyses need them, or the releases that are made of it, by steps that
        # name them or for analyses of their own; a protected one has those that its own
        # steps and tabulations of the table name, too, but for the dropped ones.
        needed = [
            attribute
            for *place, attributes in self._every_need
            if place == [table, release]
            for attribute in attributes
        ]
        protections = self.tables[table].protections
        dropped: tuple[str, ...] = ()
        if release in protections:
            needed += protections[release].named
            needed += self.tabulated(table)
            chain = self.tables[table].chain(release)
            dropped = tuple(name for each in chain for name in each.dropped)
        for name, protection in protections.items():
            if protection.release == release:
                needed += [*protection.named, *self.attributes(table, name)]
        for name, pool in self.tables[table].pools.items():
            if release in pool.releases:
                own = self.attributes(table, name)
                needed += [each for each in own if each != pool.attribute]
        needed += self._needed_by_units(table, release)
        return tuple(n for n in dict.fromkeys(needed) if n not in dropped)

    def _needed_by_units(self, table: str, release: str) -> Iterator[str]:
        for of, name in self.of_units:
            units = self.tables[of].units[name]
            if (of, units.release) == (table, release):
                yield from units.named
                own = self.attributes(table, name)
                yield from (each for each in own if each not in units.made)
            for *place, attributes in units.others:
                if place == [table, release]:
                    yield from attributes

    def tabulated(self, table: str) -> tuple[str, ...]:
        """Return the attributes of the tabulations of a table, each once."""
        own = (each for each in self.tabulations if each.table == table)
        return tuple(dict.fromkeys(name for each in own for name in each.attributes))

    def needs_of(self, analysis: Analysis | Compared) -> tuple[Need, ...]:
        """Return what an analysis needs; of those of the file it is known already."""
        return self._needs.get(id(analysis)) or tuple(analysis.needs)

    @cached_property
    def _needs(self) -> dict[int, tuple[Need, ...]]:
        return {id(each): tuple(each.needs) for each in self.every_analysis}

    @cached_property
    def _every_need(self) -> tuple[Need, ...]:
        return tuple(need for each in self._needs.values() for need in each)
