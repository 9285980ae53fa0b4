"""Targets as the study file gives them, checked."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from microleak.attacks.targets.analysis import (
    Target,
    TargetSection,
    known_by_release,
)
from microleak.sources.definitions.definition import SourceDefinition
from microleak.study_file.attributes import (
    check_known_attributes,
    check_known_values,
    check_released,
    check_roles,
)
from microleak.study_file.context import (
    Context,
    check_panel,
    definition_of,
    refused_in,
)
from microleak.study_file.rough import read_rough

SECTION = TargetSection
"""Its part of the study file."""


def read(context: Context, sections: Sequence[TargetSection]) -> list[Target]:
    """Return the targets, each checked as an analysis of all persons is.

    Attributes to learn next are, unless they are given, the QIDs of the analyses
    that link the same releases.

    Raises
    ------
    StudyError
        If one names what there is not, or says of a target what cannot be.
    """
    earlier = [*chain.from_iterable(context.earlier.values())]
    return [_target(context, section, earlier) for section in sections]


def _target(context: Context, section: TargetSection, earlier: Sequence[Any]) -> Target:
    where = f"{context.path}: target {section.name!r}"
    with refused_in(where):
        known = known_by_release(section.known, section.focal)
    table = context.table(section.table, (section.focal, *known), where)
    target = Target(
        name=section.name,
        table=table.name,
        focal=section.focal,
        known=known,
        sensitive=section.sensitive,
        further=section.further or (),
        roughly=read_rough(
            section.roughly, [*chain.from_iterable(known.values())], "known", where
        ),
    )
    check_panel(target, table, where)
    named = {
        *chain.from_iterable(context.file.qid_sets.values()),
        *(*target.further, *target.sensitive),
        *(
            attribute
            for analysis in earlier
            if analysis.table == target.table
            for attribute in analysis.attributes_in(analysis.focal)
        ),
    }
    for release in target.releases:
        _check_release(target, definition_of(table, release), named, where)
    return _with_usual(target, earlier) if section.further is None else target


def _with_usual(target: Target, earlier: Sequence[Any]) -> Target:
    usual = [
        qid
        for analysis in earlier
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


def told(given: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return what may be told of targets: of what is known the attributes alone."""
    return [{**target, "known": _attributes(target["known"])} for target in given]


def _attributes(known: Mapping[str, Any]) -> Any:
    """Return the attributes of which a value is known, by release if they are so."""
    if any(isinstance(value, Mapping) for value in known.values()):
        return {release: list(values) for release, values in known.items()}
    return list(known)
