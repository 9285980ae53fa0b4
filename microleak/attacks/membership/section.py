"""Membership analyses as the study file gives them, checked.

What is known of a target is checked without showing it, its attributes neither:
where a comma is not in quotes, YAML takes a piece of a value for an attribute, or
for a target.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from microleak.attacks.membership.analysis import Membership
from microleak.base.errors import StudyError, ordinal
from microleak.records.compared import COUNT, TableRelease
from microleak.records.subsets import subsets_of
from microleak.sources.definitions.definition import SourceDefinition
from microleak.study_file.attributes import (
    Known,
    check_known_values,
    check_possible,
)
from microleak.study_file.context import Context
from microleak.study_file.pairs import Given, pair_of


def members_given(
    given: Mapping[str, Any],
    qids: Collection[str],
    definition: SourceDefinition,
    where: str,
) -> dict[str, Known]:
    """Return what is known of each target, checked.

    Parameters
    ----------
    given
        Known values by target and then QID.
    qids
        Those of the analysis.
    definition
        Of the population's release.
    where
        Beginning of the message.

    Raises
    ------
    StudyError
        The target's place and, of what is known of it, the place of what cannot be,
        from 1 up.
    """
    for place, known in enumerate(given.values(), 1):
        said = f"{where}: the {ordinal(place)} of targets"
        if not isinstance(known, Mapping) or not known:
            raise StudyError(
                f"{said} does not say what is known of somebody, as "
                '{ATTRIBUTE: "value"}. Correct it; put values with commas in quotes.'
            )
        _check_known(known, qids, said)
        check_known_values(known, definition, said)
    return {name: dict(known) for name, known in given.items()}


def _check_known(known: Mapping[str, Any], qids: Collection[str], said: str) -> None:
    for place, (attribute, value) in enumerate(known.items(), 1):
        if attribute not in qids:
            raise StudyError(
                f"{said}: the {ordinal(place)} attribute is not one of the QIDs of the "
                "analysis. Correct it, put values with commas in quotes, or add the "
                "attribute to qids."
            )
        if not isinstance(value, str | None):
            raise StudyError(
                f"{said}: the {ordinal(place)} entry is a value of type "
                f"{type(value).__name__}; write it as text in quotes, or null."
            )


def check_files(analyses: Sequence[Membership], where: str) -> None:
    """Refuse two targets whose tables would have the same name.

    Raises
    ------
    StudyError
        The name, which joins the analysis and the target.
    """
    taken = set()
    for analysis in analyses:
        for file in analysis.member_files:
            if file in taken:
                raise StudyError(
                    f"{where}: two targets of membership analyses would be written to "
                    f"confidential/membership/{file}.csv. Rename one of them."
                )
            taken.add(file)


def read(context: Context, given: Sequence[Given]) -> list[Membership]:
    """Return the membership analyses, each checked.

    Raises
    ------
    StudyError
        If one names what there is not, compares a release with itself, keeps values
        that no record can have, or says of a target what cannot be.
    """
    found = [_membership(context, part) for part in given]
    check_files(found, str(context.path))
    return found


def _membership(context: Context, part: Given) -> Membership:
    where = f"{context.path}: analysis {part['name']!r}"
    population, sample = (
        TableRelease(part[role]["table"], str(part[role]["release"]))
        for role in ("population", "sample")
    )
    pair = pair_of(context, population, sample, where)
    qids = context.qids(part["qids"], where)
    keep = {name: tuple(values) for name, values in part.get("filter", {}).items()}
    analysis = Membership(
        name=part["name"],
        population=population,
        sample=sample,
        qids=qids,
        wanted=part.get("subsets", "all"),
        keep=keep,
        not_found=part.get("not_found", COUNT),
        crosswalk=pair.by_population(tuple(dict.fromkeys((*qids, *keep)))),
        targets=members_given(part.get("targets", {}), qids, pair.population, where),
    )
    subsets_of(len(qids), analysis.wanted, where)
    for attribute, values in keep.items():
        said = f"{where}: filter of {attribute}"
        check_possible(values, pair.population, attribute, said)
    return analysis


def told(given: Sequence[Given]) -> list[dict[str, Any]]:
    """Return what may be told of analyses: of what is known the attributes alone."""
    return [_told(analysis) for analysis in given]


def _told(analysis: Given) -> dict[str, Any]:
    if "targets" not in analysis:
        return {**analysis}
    known = analysis["targets"].items()
    return {**analysis, "targets": {name: list(values) for name, values in known}}
