"""Membership analyses as the study file gives them, checked.

What is known of a target is checked without showing it, its attributes neither:
where a comma is not in quotes, YAML takes a piece of a value for an attribute, or
for a target.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from microleak.attacks.membership.analysis import Membership
from microleak.base.errors import ordinal
from microleak.records.compared import Renamed
from microleak.records.subsets import subsets_of
from microleak.study_file.attributes import (
    Pair,
    check_known_qids,
    check_known_values,
    check_possible,
    check_released,
    check_roles,
    check_target_files,
    pair_of,
)
from microleak.study_file.context import Context
from microleak.study_file.rough import read_rough

SECTION = Membership
"""Its part of the study file."""


def read(context: Context, sections: Sequence[Membership]) -> list[Membership]:
    """Return the membership analyses, each checked."""
    found = [_membership(context, section) for section in sections]
    files = [file for analysis in found for file in analysis.member_files]
    check_target_files(files, "membership", str(context.path))
    return found


def _membership(context: Context, section: Membership) -> Membership:
    where = f"{context.path}: analysis {section.name!r}"
    compared = section.compared
    pair = pair_of(context, compared.population, compared.sample, where)
    crosswalk = pair.by_population(section.wide.attributes)
    _check_sides(section, pair, crosswalk, where)
    for place, known in enumerate(section.targets.values(), 1):
        said = f"{where}: the {ordinal(place)} of targets"
        check_known_qids(known, section.qids, said)
        check_known_values(known, pair.population, said)
    subsets_of(len(section.qids), section.wanted, where)
    for attribute, values in section.filter.items():
        said = f"{where}: filter of {attribute}"
        check_possible(values, pair.population, attribute, said)
    domains = pair.population.domains
    roughly = read_rough(section.roughly, section.qids, "qids", where, domains)
    found: dict[str, object] = {"crosswalk": crosswalk, "roughly": roughly}
    if section.design is not None:
        found["design"] = section.design.read(f"{where}: design")
    return section.model_copy(update=found)


def _check_sides(
    section: Membership, pair: Pair, crosswalk: Renamed | None, where: str
) -> None:
    """Refuse what one release alone must have, and has not."""
    check_released(section.of_population, pair.population, where)
    check_released(section.of_sample, pair.sample, where)
    names = crosswalk.own_names if crosswalk else {}
    known = [names.get(name, name) for name in section.qids]
    check_roles(known, section.sensitive, pair.sample, where)


def told(given: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return what may be told of analyses: of what is known the attributes alone."""
    return [_told(analysis) for analysis in given]


def _told(analysis: Mapping[str, Any]) -> dict[str, Any]:
    if "targets" not in analysis:
        return {**analysis}
    known = analysis["targets"].items()
    return {**analysis, "targets": {name: list(values) for name, values in known}}
