"""Analyses of independent releases as the study file gives them, checked."""

from collections.abc import Sequence

from microleak.attacks.intersection.analysis import Intersection
from microleak.base.errors import StudyError
from microleak.study_file.attributes import check_released, check_roles
from microleak.study_file.context import (
    Context,
    definition_of,
    linking_identifier,
)

SECTION = Intersection
"""Its part of the study file."""


def read(context: Context, sections: Sequence[Intersection]) -> list[Intersection]:
    """Return the analyses, each checked, with the identifier that links, if any.

    Raises
    ------
    StudyError
        If one names what there is not, gives an attribute two roles, or has a release
        twice.
    """
    return [_analysis(context, section) for section in sections]


def _analysis(context: Context, section: Intersection) -> Intersection:
    where = f"{context.path}: analysis {section.name!r}"
    table = context.table(section.table, section.releases, where)
    if section.focal in section.others:
        raise StudyError(
            f"{where}: release {section.focal} is both focal and auxiliary, so that "
            "it would be intersected with itself. Correct auxiliary."
        )
    for release in section.releases:
        definition = definition_of(table, release)
        check_roles(section.qids, section.sensitive, definition, where)
        check_released(section.names, definition, where)
    person_id = linking_identifier(table, section.focal, section.others)
    return section.model_copy(update={"person_id": person_id})
