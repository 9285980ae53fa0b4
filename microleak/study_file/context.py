"""What of a study file its analyses speak of."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from gettext import gettext as _
from pathlib import Path
from typing import Any

from microleak.base.errors import StudyError, check_known
from microleak.records.compared import TableRelease
from microleak.sources.definitions.definition import SourceDefinition, source_definition
from microleak.study_file.attributes import NamedRelease, Pair
from microleak.study_file.model import Release, Table


def _listed_under(places: str) -> str:
    return _(" It must be listed under {places}.").format(places=places)


@dataclass(frozen=True)
class Context:
    """What analyses of a study file speak of."""

    path: Path  # The file, for messages
    file: Any  # All that it says, by its sections
    tables: Mapping[str, Table]
    earlier: dict[str, Sequence[Any]] = field(default_factory=dict)
    """Analyses of the families read before, by family."""

    def table(self, name: str, releases: Sequence[str], where: str) -> Table:
        said = _("{where} has no table").format(where=where)
        check_known(name, self.tables, said, _listed_under("tables"))
        table = self.tables[name]
        for release in releases:
            said = _("{where}: {table} has no release").format(where=where, table=name)
            made = *table.protections, *table.pools, *table.units
            known = [*table.releases, *made]
            places = _("releases, protections, pooled or units")
            check_known(release, known, said, _listed_under(places))
        return table

    def where(self, analysis: Any) -> str:
        return f"{self.path}: analysis {analysis.name!r}"

    def release(self, table: str, release: str, where: str) -> NamedRelease:
        named = self.table(table, (release,), where)
        return NamedRelease(named, definition_of(named, release), where)

    def focal(self, analysis: Any) -> NamedRelease:
        where = self.where(analysis)
        return self.release(analysis.table, analysis.focal, where)

    def pair(self, population: TableRelease, sample: TableRelease, where: str) -> Pair:
        """Return two releases that may have persons in common."""
        if population == sample:
            raise StudyError(
                f"{where}: {sample} is both the population and the sample, so that "
                "everybody is in it. Correct one of them."
            )
        found = {
            each: self.release(each.table, each.release, where)
            for each in (population, sample)
        }
        origins = {each: own.table.origin(each.release) for each, own in found.items()}
        _check_sizes(origins, where)
        return Pair(*found.values())

    def linking_identifier(
        self, table: str, focal: str, others: Sequence[str]
    ) -> str | None:
        """Return the identifier that names the same persons in releases, if any."""
        named = self.tables[table]
        origin, *origins = (named.origin(name) for name in (focal, *others))
        definition = definition_of(named, origin.name)
        sizes = {each.twin_size for each in (origin, *origins)}
        have_persons = len(sizes) == 1 or None in sizes
        is_linking = all(definition.links(each.name) for each in origins)
        return definition.person_id if have_persons and is_linking else None

    def check_panel(self, analysis: Any, where: str) -> None:
        """Refuse releases that cannot be linked by person, or lack a QID."""
        table = self.tables[analysis.table]
        if not analysis.auxiliary:
            return
        focal = definition_of(table, table.origin(analysis.focal).name)
        if focal.person_id is None:
            raise StudyError(
                f"{where}: {table.name} has no identifier of persons to link its "
                "releases by. Remove auxiliary or, of a delimited table, give "
                "options.person_id."
            )
        for i, release in enumerate(analysis.auxiliary):
            if release in analysis.releases[: i + 1]:
                raise StudyError(
                    f"{where}: release {release} is given twice among focal and "
                    "auxiliary. Remove it from auxiliary."
                )
            both = analysis.focal, release
            _check_sizes({name: table.origin(name) for name in both}, where)
            if not focal.links(table.origin(release).name):
                raise StudyError(
                    f"{where}: persons of {table.source} have other identifiers in "
                    f"{release} than in {analysis.focal}, so nobody can be followed "
                    "from one to the other by them. Remove it from auxiliary."
                )

    def check_target_files(self, files: Iterable[str], family: str) -> None:
        """Refuse two targets of a family whose tables would have the same name."""
        taken = set()
        for file in files:
            if file in taken:
                raise StudyError(
                    f"{self.path}: two targets of {family} analyses would be written "
                    f"to confidential/{family}/{file}.csv. Rename one of them."
                )
            taken.add(file)


def _check_sizes(origins: Mapping[Any, Release], where: str) -> None:
    """Refuse two synthetic releases whose twin makes other persons in each."""
    sizes = {each.twin_size for each in origins.values()}
    if None not in sizes and len(sizes) > 1:
        one, other = origins
        raise StudyError(
            f"{where}: the synthetic releases {one} and {other} have other sizes, so "
            "they have no persons in common. Give both the same size."
        )


def definition_of(table: Table, release: str) -> SourceDefinition:
    """Return how a release of a table is written."""
    # A protected one is as the one that it is made of, but that it does not have what
    # was dropped, and that a changed attribute may have any values. A pooled one has
    # its own attribute besides those that all of its releases have, and one of units
    # has what is known of them.
    if release in table.pools:
        return _pooled_definition(table, release)
    if release in table.units:
        return _units_definition(table, release)
    if release not in table.protections:
        return source_definition(table.source, release, table.options)
    protection = table.protections[release]
    before = definition_of(table, protection.release)
    domains = {n: d for n, d in before.domains.items() if n not in protection.changed}
    dropped = {
        name: f"step {number} of protection {release!r}"
        for number, step in enumerate(protection.steps, 1)
        for name in step.drop or ()
    }
    return replace(
        before,
        release=release,
        unreleased=(*before.unreleased, *dropped),
        domains=domains,
        dropped={**before.dropped, **dropped},
    )


def _pooled_definition(table: Table, release: str) -> SourceDefinition:
    pool = table.pools[release]
    first, *others = (definition_of(table, each) for each in pool.releases)
    unreleased = [name for each in (first, *others) for name in each.unreleased]
    own = {pool.attribute: pool.attribute}
    return replace(
        first,
        release=release,
        state=None,
        year=release,
        names={**first.names, **own} if first.names else {},
        columns=(*first.columns, *own) if first.columns else (),
        unreleased=tuple(dict.fromkeys(unreleased)),
        dropped=dict(
            pair for each in (first, *others) for pair in each.dropped.items()
        ),
        domains={
            name: domain
            for name, domain in first.domains.items()
            if all(each.domains.get(name) == domain for each in others)
        },
    )


def _units_definition(table: Table, release: str) -> SourceDefinition:
    units = table.units[release]
    before = definition_of(table, units.release)
    own = {name: name for name in units.made}
    return replace(
        before,
        release=release,
        names={**before.names, **own} if before.names else {},
        columns=(*before.columns, *own) if before.columns else (),
        unreleased=tuple(name for name in before.unreleased if name not in own),
    )
