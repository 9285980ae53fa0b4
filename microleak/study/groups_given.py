"""Groups of values as the study file gives them, and what they may not be."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from microleak.errors import StudyError
from microleak.sources.beginnings import can_begin
from microleak.sources.definition import SourceDefinition
from microleak.sources.patterns import matches
from microleak.study.attributes import check_released
from microleak.study.model import Collective, Group


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
