"""Targets of membership analyses as the study file gives them, checked unseen.

What is known of a target is checked without showing it, its attributes neither:
where a comma is not in quotes, YAML takes a piece of a value for an attribute, or
for a target.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from microleak.errors import StudyError, ordinal
from microleak.sources.definition import SourceDefinition
from microleak.study.attributes import Known, check_known_values
from microleak.study.samples import Membership


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
