"""Targets as the study file gives them, checked."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from microleak.attacks.targets.analysis import Target
from microleak.base.errors import StudyError
from microleak.sources.definitions.definition import SourceDefinition
from microleak.study_file.attributes import (
    check_known_attributes,
    check_known_values,
    check_released,
    check_roles,
)
from microleak.study_file.context import Context, check_panel, definition_of


def read(context: Context, given: Sequence[Mapping[str, Any]]) -> list[Target]:
    """Return the targets, each checked as an analysis of all persons is.

    Attributes to learn next are, unless they are given, the QIDs of the analyses
    that link the same releases.

    Raises
    ------
    StudyError
        If one names what there is not, or says of a target what cannot be.
    """
    earlier = [*chain.from_iterable(context.earlier.values())]
    return [_target(context, part, earlier) for part in given]


def _target(
    context: Context, part: Mapping[str, Any], earlier: Sequence[Any]
) -> Target:
    where = f"{context.path}: target {part['name']!r}"
    focal = str(part["focal"])
    known = _by_release(part["known"], focal, where)
    table = context.table(part["table"], (focal, *known), where)
    target = Target(
        name=part["name"],
        table=table.name,
        focal=focal,
        known=known,
        sensitive=tuple(part.get("sensitive", ())),
        further=tuple(part.get("further", ())),
    )
    check_panel(target, table, where)
    named = {
        *chain.from_iterable(context.qid_sets.values()),
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
    return target if "further" in part else _with_usual(target, earlier)


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
