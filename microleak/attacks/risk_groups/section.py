"""Analyses of who is at risk as the study file gives them, checked."""

from collections.abc import Sequence

from microleak.attacks.risk_groups.analysis import RiskGroups
from microleak.base.errors import StudyError
from microleak.records.subsets import subsets_of
from microleak.study_file.attributes import check_released, check_roles
from microleak.study_file.context import Context, definition_of

SECTION = RiskGroups
"""Its part of the study file."""


def read(context: Context, sections: Sequence[RiskGroups]) -> list[RiskGroups]:
    """Return the analyses, each checked.

    Raises
    ------
    StudyError
        If one names what there is not, or gives an attribute two roles.
    """
    for each in sections:
        where = f"{context.path}: analysis {each.name!r}"
        table = context.table(each.table, (each.focal,), where)
        definition = definition_of(table, each.focal)
        subsets_of(len(each.qids), each.wanted, where)
        check_roles(each.qids, each.sensitive, definition, where)
        for name in set(each.by) & set(definition.identifiers):
            raise StudyError(
                f"{where}: {name} identifies persons or records, so that each would be "
                "a group of its own. Remove it from by."
            )
        every = (*each.qids, *each.sensitive, *each.by)
        check_released(every, definition, where)
    return list(sections)
