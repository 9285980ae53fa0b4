"""Collective analyses, groups and scenarios as the study file gives them, checked."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from microleak.attacks.collective.analysis import Collective, Scenario
from microleak.base.errors import StudyError, check_known, nearest
from microleak.records.coding import Group
from microleak.records.subsets import MOST_QIDS, subsets_of
from microleak.sources.definitions.definition import SourceDefinition
from microleak.sources.definitions.patterns import can_begin, matches
from microleak.study_file.attributes import (
    check_released,
    check_roles,
)
from microleak.study_file.context import Context, check_panel, definition_of
from microleak.study_file.model import Table

ALL = "all"
"""What stands for every release, unless a release has that name."""

Given = Mapping[str, Any]
"""A collective analysis as the study file gives it."""


def read(context: Context, given: Sequence[Given]) -> list[Collective]:
    """Return the collective analyses, one a focal release, each checked.

    Raises
    ------
    StudyError
        If one names a table, release, QID set or group that there is not, gives an
        attribute two roles, or joins releases that cannot be.
    """
    groups = groups_given(context.content.get("groups", {}))
    each: list[Given] = []
    for part in given:
        where = f"{context.path}: analysis {part['name']!r}"
        each += one_by_one(
            part, context.table(part["table"], (), where).releases, where
        )
    check_names(given, each, str(context.path))
    return [_collective(context, part, groups) for part in each]


def _collective(
    context: Context, part: Given, groups: Mapping[str, Group]
) -> Collective:
    where = f"{context.path}: analysis {part['part_of'] or part['name']!r}"
    auxiliary, fewer = _auxiliary(part.get("auxiliary", ()))
    table = context.table(part["table"], (part["focal"], *auxiliary), where)
    for name in part.get("groups", ()):
        said = f"{where} has no group"
        check_known(name, groups, said, " It must be listed under groups.")
    analysis = Collective(
        name=part["name"],
        table=table.name,
        focal=part["focal"],
        qids=context.qids(part["qids"], where),
        sensitive=tuple(part.get("sensitive", ())),
        wanted=part.get("subsets", "all"),
        auxiliary=auxiliary,
        fewer=fewer,
        groups=tuple(groups[name] for name in part.get("groups", ())),
        part_of=part["part_of"],
    )
    _check_collective(analysis, table, where)
    return analysis


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


def _check_collective(analysis: Collective, table: Table, where: str) -> None:
    _check_fewer(analysis, where)
    subsets_of(len(analysis.qids), analysis.wanted, where)
    _check_width(analysis, where)
    focal = definition_of(table, analysis.focal)
    check_roles(analysis.qids, analysis.sensitive, focal, where)
    check_groups(analysis, focal, where)
    check_panel(analysis, table, where)
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


def one_by_one(given: Given, releases: Collection[str], where: str) -> Iterator[Given]:
    """Yield an analysis for each focal release, as if it stood in the study file.

    An analysis of one release stays as it is. Of those of a list, or of `all`,
    each is named `NAME-RELEASE` and says under `part_of` whose it is, also
    where the list has one entry.

    Parameters
    ----------
    given
        The analysis.
    releases
        Names of the table's releases, in the study file's order.
    where
        Beginning of the message.

    Raises
    ------
    StudyError
        If releases are linked to several focal ones, or one is given twice.

    Examples
    --------
    >>> of_all = {"name": "states", "focal": "all"}
    >>> [part["name"] for part in one_by_one(of_all, ["RR-2023", "AC-2023"], "")]
    ['states-RR-2023', 'states-AC-2023']
    """
    focal = given["focal"]
    if focal == ALL and ALL not in releases:
        focal = list(releases)
    if not isinstance(focal, list):
        yield {**given, "focal": str(focal), "part_of": ""}
        return
    several = list(map(str, focal))
    _check_several(several, given, where)
    name = given["name"]
    for release in several:
        yield {**given, "name": f"{name}-{release}", "focal": release, "part_of": name}


def check_names(given: Sequence[Given], each: Sequence[Given], where: str) -> None:
    """Refuse an analysis of one of many releases that is named as another analysis.

    Parameters
    ----------
    given
        The analyses of the study file.
    each
        All that became of them.
    where
        Beginning of the message.

    Raises
    ------
    StudyError
        The name, and the analysis of many releases it came from.
    """
    taken = {part["name"] for part in given}
    for part in each:
        name, part_of = part["name"], part["part_of"]
        if not part_of:
            continue
        if name in taken:
            raise StudyError(
                f"{where}: analysis {part_of!r} becomes {name!r} for its focal release "
                f"{part['focal']}, and another analysis has that name. Rename one of "
                "them."
            )
        taken.add(name)


def _check_several(several: Sequence[str], given: Given, where: str) -> None:
    if given.get("auxiliary"):
        raise StudyError(
            f"{where}: auxiliary releases are linked to one focal release, but focal "
            "is a list or all. Name one focal release, or remove auxiliary."
        )
    for i, release in enumerate(several):
        if release in several[:i]:
            raise StudyError(
                f"{where}: release {release} is given twice in focal. Remove one."
            )


def groups_given(given: Mapping[str, Mapping[str, Any]]) -> dict[str, Group]:
    """Return the groups of a study file by name.

    >>> groups_given({"severe": {"attribute": "ILLNESS", "values": ["C*", "B24"]}})
    {'severe': Group(name='severe', attribute='ILLNESS', values=('C*', 'B24'))}
    """
    return {
        name: Group(name, part["attribute"], tuple(part["values"]))
        for name, part in given.items()
    }


def check_groups(
    analysis: Collective, definition: SourceDefinition, where: str
) -> None:
    """Refuse a group that the focal release cannot have, or that is no secret in it.

    Values that end in `*` are compared with the attribute's domain as far as its
    pattern tells how values begin.

    Parameters
    ----------
    analysis
        Its groups are checked.
    definition
        Of its focal release.
    where
        Beginning of the message.

    Raises
    ------
    StudyError
        The group and what is wrong with it, after `where`.
    """
    for group in analysis.groups:
        said = f"{where}: group {group.name!r}"
        _check_name(group, analysis, said)
        _check_role(group, analysis, definition, said)
        check_released((group.attribute,), definition, said)
        _check_values(group, definition, said)


def _check_name(group: Group, analysis: Collective, said: str) -> None:
    if group.name in analysis.sensitive:
        raise StudyError(
            f"{said} has the name of a sensitive attribute, so that results could not "
            "tell them apart. Rename it under groups."
        )


def _check_role(
    group: Group, analysis: Collective, definition: SourceDefinition, said: str
) -> None:
    attribute = group.attribute
    if attribute in analysis.qids:
        raise StudyError(
            f"{said} has values of {attribute}, which is a QID: who knows it has "
            "nothing to infer. Remove it from qids, or the group from groups."
        )
    if attribute in definition.identifiers:
        raise StudyError(
            f"{said} has values of {attribute}, which identifies persons or records "
            "and is dropped once each person has one record. Correct its attribute "
            "under groups."
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


def scenarios(context: Context, given: Mapping[str, Any]) -> tuple[Scenario, ...]:
    """Return the scenarios of a study file, in its order, each checked.

    Parameters
    ----------
    context
        With the collective analyses of the study.
    given
        By name, a list of QIDs or a mapping with `qids` and `label`.

    Raises
    ------
    StudyError
        If an attribute is a QID of no collective analysis, no analysis has all of
        a scenario's QIDs, or one that has them leaves their subset out.
    """
    each = [*context.earlier["collective"]]
    found = tuple(_scenario(name, part) for name, part in given.items())
    for scenario in found:
        _check(scenario, each, f"{context.path}: scenario {scenario.name!r}")
    return found


def _scenario(name: str, given: Any) -> Scenario:
    part = given if isinstance(given, Mapping) else {"qids": given}
    return Scenario(name, tuple(part["qids"]), dict(part.get("label", {})))


def _check(scenario: Scenario, collective: list[Collective], where: str) -> None:
    known = {qid for analysis in collective for qid in analysis.qids}
    for name in scenario.qids:
        if name not in known:
            raise StudyError(
                f"{where} has {name}, which is a QID of no collective analysis."
                f"{nearest(name, known)} Correct it under scenarios, or add it to the "
                "qids of an analysis."
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


KEYS = {"scenarios": scenarios}
"""Further keys of a study file that reports show, and what reads them."""
