"""Attributes and values of an analysis, checked against what its releases have.

What is known of a target is checked without showing it, its attributes neither:
where a comma is not in quotes, YAML takes a piece of a value for an attribute.
"""

from collections.abc import Collection, Mapping, Sequence

import pyarrow as pa

from microleak.base.errors import StudyError, nearest, ordinal
from microleak.sources.definitions.definition import SourceDefinition
from microleak.sources.definitions.patterns import matches


def check_possible(
    values: Sequence[str | None],
    definition: SourceDefinition,
    attribute: str,
    said: str,
) -> None:
    """Refuse a value that no record can have; a missing one any record can.

    Raises
    ------
    StudyError
        The value, after `said`.
    """
    domain = definition.domains.get(attribute)
    given = [value for value in values if value is not None]
    if domain is None:
        return
    can_be = matches(pa.array(given, pa.string()), domain.pattern).to_pylist()
    for value, is_possible in zip(given, can_be, strict=True):
        if not is_possible:
            raise StudyError(
                f"{said} has {value!r}, which is not {domain.expected}, so no record "
                f"of {definition.release} can have it. Correct it."
            )


Known = Mapping[str, str | None]
"""Known values of one release by attribute; None is a missing one."""


def check_roles(
    qids: Sequence[str],
    sensitive: Sequence[str],
    definition: SourceDefinition,
    where: str,
) -> None:
    """Refuse an attribute that has two roles: QID, sensitive or identifier.

    Raises
    ------
    StudyError
        The attribute, after `where`.
    """
    for attribute in sensitive:
        if attribute in qids:
            raise StudyError(
                f"{where}: {attribute} is both a QID and sensitive. Remove it from one."
            )
    for identifier in definition.identifiers:
        if identifier in (*qids, *sensitive):
            raise StudyError(
                f"{where}: {identifier} identifies persons or records, so that every "
                "record would be found by it, and is dropped once each person has "
                "one record. Remove it from qids and sensitive."
            )


def check_released(
    attributes: Sequence[str], definition: SourceDefinition, where: str
) -> None:
    """Refuse an attribute that a release does not have.

    Where only the columns of all releases are known, one that another release has
    is allowed: its own file's header decides. Where neither names nor columns are
    known, nothing can be said before the file is read.

    Raises
    ------
    StudyError
        The attribute, after `where`, and the one most like it.
    """
    release = definition.release
    for attribute in attributes:
        if attribute in definition.unreleased:
            raise StudyError(
                f"{where}: {definition.source} {release} does not have {attribute}: it "
                "was not released. Remove it or, where the release is an auxiliary one "
                "of a collective analysis, name the attributes to use, as in "
                f"auxiliary: [{{{release}: [NAME]}}]."
            )
        known = tuple(definition.names) or definition.columns
        if known and attribute not in known:
            raise StudyError(
                f"{where}: {definition.source} has no attribute {attribute}."
                f"{nearest(attribute, known)} Correct it, or add it to "
                f"{_place_of_names(definition)}."
            )


def _place_of_names(definition: SourceDefinition) -> str:
    if definition.names:
        return f"config/names/{definition.source}.csv"
    return f"columns in config/sources/{definition.source}.yaml"


def check_known_attributes(
    known: Known, definition: SourceDefinition, named: Collection[str], where: str
) -> None:
    """Refuse a known attribute that is, it may be, a piece of a value.

    Parameters
    ----------
    known
        What is known of a target from the release.
    definition
        Of the release; its names or columns count, if it has some.
    named
        Attributes that the study names elsewhere; they count if it has none.
    where
        Beginning of the message.

    Raises
    ------
    StudyError
        The attribute's place in `known`, from 1 up.
    """
    mine = (*definition.names, *definition.unreleased) or definition.columns
    there = mine or (*named, *definition.domains)
    for place, attribute in enumerate(known, 1):
        if attribute in there:
            continue
        add = "." if mine else ", or add the attribute to further or to a QID set."
        what = definition.source if mine else "any analysis of the table, or of further"
        raise StudyError(
            f"{where}: the {ordinal(place)} attribute of known in {definition.release} "
            f"is not one of {what}. Correct it, put values with commas in quotes{add}"
        )


def check_known_values(known: Known, definition: SourceDefinition, where: str) -> None:
    """Refuse a known value that no record of the release can have.

    A missing value is always possible.

    Raises
    ------
    StudyError
        The attribute and what its values are, not the value.
    """
    for attribute, value in known.items():
        domain = definition.domains.get(attribute)
        if domain is None or value is None:
            continue
        if not matches(pa.array([value], pa.string()), domain.pattern)[0].as_py():
            raise StudyError(
                f"{where}: what is known of {attribute} in {definition.release} is not "
                f"{domain.expected}, so no record can have it. Correct it, or write "
                "null for a missing value."
            )
