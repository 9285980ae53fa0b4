"""Searches as the study file gives them, checked."""

from collections.abc import Sequence

from microleak.attacks.smallest_protection.analysis import Search
from microleak.base.errors import StudyError
from microleak.study_file.attributes import check_released, check_roles
from microleak.study_file.context import Context, definition_of
from microleak.study_file.hierarchies import check_hierarchies

SECTION = Search
"""Its part of the study file."""


def read(context: Context, sections: Sequence[Search]) -> list[Search]:
    """Return the searches, each checked, with its hierarchies.

    Raises
    ------
    StudyError
        If one names what there is not, gives an attribute two roles, has a QID without
        a hierarchy or a faulty one, or bounds that it has no attribute for.
    """
    return [_search(context, section) for section in sections]


def _search(context: Context, section: Search) -> Search:
    where = f"{context.path}: analysis {section.name!r}"
    table = context.table(section.table, (section.focal,), where)
    definition = definition_of(table, section.focal)
    check_roles(section.qids, section.sensitive, definition, where)
    check_released((*section.qids, *section.sensitive), definition, where)
    given = context.file.hierarchies
    check_hierarchies(given, section.qids, where)
    check_search(section, where)
    return section.model_copy(
        update={"hierarchies": {name: given[name] for name in section.qids}}
    )


def check_search(section: Search, where: str) -> None:
    """Refuse bounds that the search has no attributes for.

    Raises
    ------
    StudyError
        What to add, or to leave out.
    """
    if section.target.needs_sensitive and not section.sensitive:
        raise StudyError(
            f"{where}: target has certain, inferred, l or own_record, and sensitive is "
            "empty. Name the attributes that are inferred in sensitive."
        )
    if section.with_any is not None and section.with_any > len(section.qids):
        raise StudyError(
            f"{where}: with_any is {section.with_any}, and there are "
            f"{len(section.qids)} QIDs. Give at most as many, or leave it out."
        )
