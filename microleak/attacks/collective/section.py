"""Collective analyses, groups and scenarios as the study file gives them, checked."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import pyarrow as pa

from microleak.attacks.collective.analysis import (
    Collective,
    CollectiveSection,
    Further,
    Scenario,
    ScenarioSection,
)
from microleak.base.errors import StudyError, check_known, did_you_mean
from microleak.records.coding import Group
from microleak.records.subsets import MOST_QIDS, subsets_of
from microleak.sources.definitions.definition import SourceDefinition
from microleak.sources.definitions.options import can_begin, matches
from microleak.study_file.attributes import (
    check_released,
    check_roles,
)
from microleak.study_file.context import Context, check_panel, definition_of
from microleak.study_file.model import Table

ALL = "all"
"""What stands for every release, unless a release has that name."""

SECTION, FURTHER = CollectiveSection, Further
"""Its part of the study file, and that of further keys."""


def read(context: Context, sections: Sequence[CollectiveSection]) -> list[Collective]:
    """Return the collective analyses, one a focal release, each checked.

    Raises
    ------
    StudyError
        If one names a table, release, QID set or group that there is not, gives an
        attribute two roles, or joins releases that cannot be.
    """
    groups = {
        name: Group(name, group.attribute, group.values)
        for name, group in context.file.groups.items()
    }
    each = [
        _collective(context, section, focal, groups)
        for section in sections
        for focal in _focal_releases(context, section)
    ]
    _check_names({section.name for section in sections}, each, str(context.path))
    return each


def _focal_releases(context: Context, section: CollectiveSection) -> tuple[str, ...]:
    """Return the releases that are attacked, one by one."""
    where = f"{context.path}: analysis {section.name!r}"
    releases = context.table(section.table, (), where).releases
    if not _is_of_many(section, releases):
        return (str(section.focal),)
    focal = tuple(releases) if section.focal == ALL else tuple(section.focal)
    if section.auxiliary:
        raise StudyError(
            f"{where}: auxiliary releases are linked to one focal release, but focal "
            "is a list or all. Name one focal release, or remove auxiliary."
        )
    context.table(section.table, focal, where)
    for i, release in enumerate(focal):
        if release in focal[:i]:
            raise StudyError(
                f"{where}: release {release} is given twice in focal. Remove one."
            )
    return focal


def _is_of_many(section: CollectiveSection, releases: Collection[str]) -> bool:
    """Say whether each release has an analysis of its own, named `NAME-RELEASE`."""
    is_all = section.focal == ALL and ALL not in releases
    return is_all or not isinstance(section.focal, str)


def _collective(
    context: Context,
    section: CollectiveSection,
    focal: str,
    groups: Mapping[str, Group],
) -> Collective:
    where = f"{context.path}: analysis {section.name!r}"
    pairs = [
        next(iter(entry.items())) if isinstance(entry, dict) else (entry, None)
        for entry in section.auxiliary
    ]
    auxiliary = tuple(release for release, _ in pairs)
    table = context.table(section.table, (focal, *auxiliary), where)
    for name in section.groups:
        said = f"{where} has no group"
        check_known(name, groups, said, " It must be listed under groups.")
    is_of_many = _is_of_many(section, table.releases)
    domains = definition_of(table, focal).domains
    analysis = Collective(
        name=f"{section.name}-{focal}" if is_of_many else section.name,
        table=table.name,
        focal=focal,
        qids=section.qids,
        sensitive=section.sensitive,
        wanted=section.subsets,
        auxiliary=auxiliary,
        fewer={release: qids for release, qids in pairs if qids is not None},
        groups=tuple(
            replace(group, has_domain=group.attribute in domains)
            for group in map(groups.__getitem__, section.groups)
        ),
        part_of=section.name if is_of_many else "",
        n_parts=section.parts,
    )
    _check_collective(analysis, table, where)
    return analysis


def _check_names(taken: set[str], analyses: Sequence[Collective], where: str) -> None:
    """Refuse an analysis of one of many releases that is named as another one."""
    for each in analyses:
        if each.part_of and each.name in taken:
            raise StudyError(
                f"{where}: analysis {each.part_of!r} becomes {each.name!r} for its "
                f"focal release {each.focal}, and another analysis has that name. "
                "Rename one of them."
            )
        taken = {*taken, each.name}


def _check_collective(analysis: Collective, table: Table, where: str) -> None:
    check_fewer(analysis, where)
    subsets_of(len(analysis.qids), analysis.wanted, where)
    check_width(analysis, where)
    focal = definition_of(table, analysis.focal)
    check_roles(analysis.qids, analysis.sensitive, focal, where)
    _check_groups(analysis, focal, where)
    check_panel(analysis, table, where)
    linked = [definition_of(table, release) for release in analysis.auxiliary]
    for definition in (focal, *linked):
        wanted = analysis.attributes_in(definition.release)
        check_released(wanted, definition, where)


def check_fewer(analysis: Collective, where: str) -> None:
    """Refuse an auxiliary release with QIDs that the analysis does not have."""
    for release, qids in analysis.fewer.items():
        for qid in qids:
            if qid not in analysis.qids:
                raise StudyError(
                    f"{where}: {qid} of the auxiliary release {release} is not among "
                    "the QIDs of the analysis. Add it to qids or remove it there."
                )


def check_width(analysis: Collective, where: str) -> None:
    """Refuse more attributes of all releases together than a panel can have."""
    n_linked = sum(len(analysis.attributes_in(r)) for r in analysis.auxiliary)
    n_columns = len(analysis.qids) + n_linked
    if n_columns > MOST_QIDS:
        raise StudyError(
            f"{where}: {len(analysis.qids)} QIDs of {len(analysis.releases)} releases "
            f"are {n_columns} attributes, more than the {MOST_QIDS} that a panel can "
            "have. Use fewer QIDs or releases."
        )


def _check_groups(
    analysis: Collective, definition: SourceDefinition, where: str
) -> None:
    """Refuse a group that the focal release cannot have, or that is no secret in it.

    Values that end in `*` are compared with the attribute's domain as far as its
    pattern tells how values begin.
    """
    for group in analysis.groups:
        said = f"{where}: group {group.name!r}"
        check_group(group, analysis, said)
        _check_identifiers(group, definition, said)
        check_released((group.attribute,), definition, said)
        _check_values(group, definition, said)


def check_group(group: Group, analysis: Collective, said: str) -> None:
    """Refuse a group of a QID, or one with the name of a sensitive attribute."""
    if group.name in analysis.sensitive:
        raise StudyError(
            f"{said} has the name of a sensitive attribute, so that results could not "
            "tell them apart. Rename it under groups."
        )
    if group.attribute in analysis.qids:
        raise StudyError(
            f"{said} has values of {group.attribute}, which is a QID: who knows it has "
            "nothing to infer. Remove it from qids, or the group from groups."
        )


def _check_identifiers(group: Group, definition: SourceDefinition, said: str) -> None:
    if group.attribute in definition.identifiers:
        raise StudyError(
            f"{said} has values of {group.attribute}, which identifies persons or "
            "records and is dropped once each person has one record. Correct its "
            "attribute under groups."
        )


def _check_values(group: Group, definition: SourceDefinition, said: str) -> None:
    domain = definition.domains.get(group.attribute)
    if domain is None:
        return
    for value in group.values:
        if value.endswith("*") and not can_begin(value[:-1], domain.pattern):
            raise StudyError(
                f"{said} has {value!r}, but a value is {domain.expected}, and none of "
                f"{definition.release} begins so. Correct it under groups."
            )
    whole = [value for value in group.values if not value.endswith("*")]
    can_be = matches(pa.array(whole, pa.string()), domain.pattern).to_pylist()
    for value, is_possible in zip(whole, can_be, strict=True):
        if not is_possible:
            raise StudyError(
                f"{said} has {value!r}, which is not {domain.expected}, so no record "
                f"of {definition.release} can have it. Correct it under groups, or "
                "let it end in * for all values that begin so."
            )


def scenarios(
    context: Context, given: Mapping[str, tuple[str, ...] | ScenarioSection]
) -> tuple[Scenario, ...]:
    """Return the scenarios of a study file, in its order, each checked.

    Parameters
    ----------
    context
        With the collective analyses of the study.
    given
        What each knows, by its name, or that and who it is.

    Raises
    ------
    StudyError
        If an attribute is a QID of no collective analysis, no analysis has all of
        a scenario's QIDs, or one that has them leaves their subset out.
    """
    found = tuple(_scenario(name, part) for name, part in given.items())
    for scenario in found:
        where = f"{context.path}: scenario {scenario.name!r}"
        _check_scenario(scenario, context.earlier["collective"], where)
    return found


def _scenario(name: str, part: tuple[str, ...] | ScenarioSection) -> Scenario:
    if isinstance(part, tuple):
        return Scenario(name, part)
    labels = part.label.model_dump(exclude_none=True) if part.label else {}
    return Scenario(name, part.qids, labels)


def _check_scenario(
    scenario: Scenario, collective: Sequence[Collective], where: str
) -> None:
    known = {qid for analysis in collective for qid in analysis.qids}
    for name in scenario.qids:
        if name not in known:
            raise StudyError(
                f"{where} has {name}, which is a QID of no collective analysis."
                f"{did_you_mean(name, known)} Correct it under scenarios, or add it to "
                "the qids of an analysis."
            )
    having = [a for a in collective if set(scenario.qids) <= set(a.qids)]
    if not having:
        raise StudyError(
            f"{where} has {', '.join(scenario.qids)}, but no collective analysis has "
            "all of them among its QIDs. Correct it under scenarios, or add them to "
            "the qids of one analysis."
        )
    for analysis in having:
        if scenario.subset(analysis.qids) not in analysis.subsets:
            raise StudyError(
                f"{where}: analysis {analysis.part_of or analysis.name!r} has its "
                f"{len(scenario.qids)} QIDs, but its subsets leave them out. Add "
                f"{len(scenario.qids)} to subsets.sizes of the analysis, or write "
                "subsets: all."
            )


SHARED = {"scenarios": scenarios}
"""Further keys of a study file that reports show, and what reads them."""
