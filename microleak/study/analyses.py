"""Analyses as the study file gives them: names looked up, roles checked."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from microleak.errors import StudyError, check_known
from microleak.sources.definition import SourceDefinition, source_definition
from microleak.study.attributes import (
    check_known_attributes,
    check_known_values,
    check_released,
    check_roles,
)
from microleak.study.focal_releases import check_names, one_by_one
from microleak.study.groups_given import check_groups
from microleak.study.model import Collective, Group, Table, Target
from microleak.study.subsets import MOST_QIDS, subsets_of

_LISTED = " It must be listed under "


@dataclass(frozen=True)
class Parts:
    """What of a study file the analyses speak of, and its path for messages."""

    path: Path
    tables: Mapping[str, Table]
    qid_sets: Mapping[str, Sequence[str]]
    groups: Mapping[str, Group]

    def collective(self, given: Sequence[Mapping[str, Any]]) -> list[Collective]:
        """Return the collective analyses, one a focal release, each checked.

        Raises
        ------
        StudyError
            If one names a table, release, QID set or group that there is not,
            gives an attribute two roles, or joins releases that cannot be.
        """
        each = [one for part in given for one in self._one_by_one(part)]
        check_names(given, each, str(self.path))
        return [self._collective(part) for part in each]

    def targets(
        self, given: Sequence[Mapping[str, Any]], collective: Sequence[Collective]
    ) -> list[Target]:
        """Return the targets, each checked in the same way.

        Attributes to learn next are, unless they are given, the QIDs of the
        collective analyses of the same releases.
        """
        return [self._target(part, collective) for part in given]

    def _one_by_one(self, part: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        where = f"{self.path}: analysis {part['name']!r}"
        releases = self.table(part["table"], (), where).releases
        return one_by_one(part, releases, where)

    def _collective(self, part: Mapping[str, Any]) -> Collective:
        where = f"{self.path}: analysis {part['part_of'] or part['name']!r}"
        auxiliary, fewer = _auxiliary(part.get("auxiliary", ()))
        table = self.table(part["table"], (part["focal"], *auxiliary), where)
        analysis = Collective(
            name=part["name"],
            table=table.name,
            focal=part["focal"],
            qids=self.qids(part["qids"], where),
            sensitive=tuple(part.get("sensitive", ())),
            wanted=part.get("subsets", "all"),
            auxiliary=auxiliary,
            fewer=fewer,
            groups=self._groups(part.get("groups", ()), where),
            part_of=part["part_of"],
        )
        _check_collective(analysis, table, where)
        return analysis

    def _target(
        self, part: Mapping[str, Any], collective: Sequence[Collective]
    ) -> Target:
        where = f"{self.path}: target {part['name']!r}"
        focal = str(part["focal"])
        known = _by_release(part["known"], focal, where)
        table = self.table(part["table"], (focal, *known), where)
        target = Target(
            name=part["name"],
            table=table.name,
            focal=focal,
            known=known,
            sensitive=tuple(part.get("sensitive", ())),
            further=tuple(part.get("further", ())),
        )
        _check_panel(target, table, where)
        named = self._named(target, collective)
        for release in target.releases:
            _check_release(target, definition_of(table, release), named, where)
        return target if "further" in part else _with_usual(target, collective)

    def _named(self, target: Target, collective: Sequence[Collective]) -> set[str]:
        """Return the attributes that the study names besides known values."""
        used = [
            attribute
            for analysis in collective
            if analysis.table == target.table
            for attribute in analysis.attributes_in(analysis.focal)
        ]
        sets = chain.from_iterable(self.qid_sets.values())
        return {*used, *sets, *target.further, *target.sensitive}

    def table(self, name: str, releases: Sequence[str], where: str) -> Table:
        """Return a table that has these releases."""
        check_known(name, self.tables, f"{where} has no table", _LISTED + "tables.")
        table = self.tables[name]
        for release in releases:
            said = f"{where}: {name} has no release"
            check_known(release, table.releases, said, _LISTED + "releases.")
        return table

    def qids(self, given: str | Sequence[str], where: str) -> tuple[str, ...]:
        """Return a list of QIDs, or those of the set that is named."""
        if isinstance(given, str):
            said = f"{where} has no QID set"
            check_known(given, self.qid_sets, said, _LISTED + "qid_sets.")
            given = self.qid_sets[given]
        return tuple(given)

    def _groups(self, given: Sequence[str], where: str) -> tuple[Group, ...]:
        for name in given:
            said = f"{where} has no group"
            check_known(name, self.groups, said, _LISTED + "groups.")
        return tuple(self.groups[name] for name in given)


def _auxiliary(
    given: Sequence[Any],
) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    """Return auxiliary releases, and the QIDs of those that have fewer."""
    pairs = [
        next(iter(entry.items())) if isinstance(entry, Mapping) else (str(entry), None)
        for entry in given
    ]
    fewer = {release: tuple(qids) for release, qids in pairs if qids is not None}
    return tuple(release for release, _ in pairs), fewer


def _by_release(
    given: Mapping[str, Any], focal: str, where: str
) -> dict[str, dict[str, str | None]]:
    """Return known values by release; without a release they are the focal one's."""
    nested = [isinstance(value, Mapping) for value in given.values()]
    if all(nested):
        return {release: dict(values) for release, values in given.items()}
    if any(nested):
        raise StudyError(
            f"{where}: known has values both with and without a release. "
            "Give all of them by release."
        )
    return {focal: dict(given)}


def _with_usual(target: Target, collective: Sequence[Collective]) -> Target:
    usual = [
        qid
        for analysis in collective
        if analysis.table == target.table
        and set(target.releases) <= set(analysis.releases)
        for qid in analysis.qids
        if qid not in target.sensitive
        and all(qid in analysis.attributes_in(r) for r in target.releases)
    ]
    return replace(target, further=tuple(dict.fromkeys(usual)))


def _check_release(
    target: Target, definition: SourceDefinition, named: set[str], where: str
) -> None:
    """Refuse what a target's release does not have, or cannot."""
    known = target.known.get(definition.release, {})
    is_focal = definition.release == target.focal
    learned = (*target.further, *(target.sensitive if is_focal else ()))
    check_roles((*known, *target.further), target.sensitive, definition, where)
    check_known_attributes(known, definition, named, where)
    check_released((*known, *learned), definition, where)
    check_known_values(known, definition, where)


def _check_collective(analysis: Collective, table: Table, where: str) -> None:
    _check_fewer(analysis, where)
    subsets_of(len(analysis.qids), analysis.wanted, where)
    _check_width(analysis, where)
    focal = definition_of(table, analysis.focal)
    check_roles(analysis.qids, analysis.sensitive, focal, where)
    check_groups(analysis, focal, where)
    _check_panel(analysis, table, where)
    linked = [definition_of(table, release) for release in analysis.auxiliary]
    for definition in (focal, *linked):
        wanted = analysis.attributes_in(definition.release)
        check_released(wanted, definition, where)


def _check_fewer(analysis: Collective, where: str) -> None:
    """Refuse an auxiliary release with QIDs that the analysis does not have."""
    for release, qids in analysis.fewer.items():
        for qid in qids:
            if qid not in analysis.qids:
                raise StudyError(
                    f"{where}: {qid} of the auxiliary release {release} is not among "
                    "the QIDs of the analysis. Add it to qids or remove it there."
                )


def _check_width(analysis: Collective, where: str) -> None:
    n_linked = sum(len(analysis.attributes_in(r)) for r in analysis.auxiliary)
    n_columns = len(analysis.qids) + n_linked
    if n_columns > MOST_QIDS:
        raise StudyError(
            f"{where}: {len(analysis.qids)} QIDs of {len(analysis.releases)} releases "
            f"are {n_columns} attributes, more than the {MOST_QIDS} that a panel can "
            "have. Use fewer QIDs or releases."
        )


def _check_sizes(table: Table, focal: str, release: str, where: str) -> None:
    """Refuse two synthetic releases whose twin makes other persons in each."""
    sizes = {name: table.releases[name].twin_size for name in (focal, release)}
    if None not in sizes.values() and sizes[focal] != sizes[release]:
        raise StudyError(
            f"{where}: the synthetic releases {focal} and {release} have other sizes, "
            "so they have no persons in common. Give both the same size."
        )


def _check_panel(analysis: Collective | Target, table: Table, where: str) -> None:
    """Refuse releases that cannot be linked by person, or lack a QID."""
    if not analysis.auxiliary:
        return
    focal = definition_of(table, analysis.focal)
    if focal.person_id is None:
        raise StudyError(
            f"{where}: {table.name} has no identifier of persons to link its releases "
            "by. Remove auxiliary or, of a delimited table, give options.person_id."
        )
    for i, release in enumerate(analysis.auxiliary):
        if release in analysis.releases[: i + 1]:
            raise StudyError(
                f"{where}: release {release} is given twice among focal and auxiliary. "
                "Remove it from auxiliary."
            )
        _check_sizes(table, analysis.focal, release, where)
        if not focal.links(release):
            raise StudyError(
                f"{where}: persons of {table.source} have other identifiers in "
                f"{release} than in {analysis.focal}, so nobody can be followed from "
                "one to the other by them. Remove it from auxiliary."
            )


def definition_of(table: Table, release: str) -> SourceDefinition:
    """Return how a release of a table is written."""
    return source_definition(table.source, release, table.options)
