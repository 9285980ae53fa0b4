"""Analyses of links without an identifier as the study file gives them, checked."""

from collections.abc import Sequence

from microleak.attacks.linkage.analysis import IDENTIFIERS, Linkage
from microleak.base.errors import StudyError
from microleak.study_file.attributes import check_released, check_roles
from microleak.study_file.context import (
    Context,
    definition_of,
    linking_identifier,
)

SECTION = Linkage
"""Its part of the study file."""


def read(context: Context, sections: Sequence[Linkage]) -> list[Linkage]:
    """Return the analyses, each checked, with the identifier that links, if any.

    Raises
    ------
    StudyError
        If one names what there is not, gives an attribute two roles, links a release
        to itself, or counts by an identifier that there is not.
    """
    return [_analysis(context, section) for section in sections]


def _analysis(context: Context, section: Linkage) -> Linkage:
    where = f"{context.path}: analysis {section.name!r}"
    table = context.table(section.table, (section.focal, section.linked), where)
    if section.focal == section.linked:
        raise StudyError(
            f"{where}: release {section.focal} is both focal and auxiliary, so that "
            "everybody is linked. Correct auxiliary."
        )
    check_kinds(section, where)
    focal = definition_of(table, section.focal)
    check_roles(section.qids, section.sensitive, focal, where)
    check_roles((*section.stable, *section.drifting), (), focal, where)
    check_released((*section.common, *section.sensitive), focal, where)
    check_released(section.common, definition_of(table, section.linked), where)
    person_id = linking_identifier(table, section.focal, [section.linked])
    if section.transition == IDENTIFIERS and person_id is None:
        raise StudyError(
            f"{where}: transition is counted by identifiers, but no identifier names "
            f"the same persons in {section.focal} and {section.linked} of "
            f"{table.name}. Set transition to estimated or, of a delimited table, give "
            "options.person_id."
        )
    return section.model_copy(update={"person_id": person_id})


def check_kinds(analysis: Linkage, where: str) -> None:
    """Refuse an attribute that is both stable and drifting."""
    for name in analysis.drifting:
        if name in analysis.stable:
            raise StudyError(
                f"{where}: {name} is both stable and drifting, but what may change "
                "need not agree. Remove it from one."
            )
