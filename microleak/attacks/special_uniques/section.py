"""Analyses of special uniques as the study file gives them, checked."""

from collections.abc import Sequence

from microleak.attacks.special_uniques.analysis import SpecialUniques
from microleak.attacks.special_uniques.kernels import MOST_QIDS
from microleak.base.errors import StudyError
from microleak.study_file.attributes import check_released, check_roles
from microleak.study_file.context import Context, definition_of

SECTION = SpecialUniques
"""Its part of the study file."""


def read(context: Context, sections: Sequence[SpecialUniques]) -> list[SpecialUniques]:
    """Return the analyses, each checked.

    Raises
    ------
    StudyError
        If one names what there is not, or has too many QIDs.
    """
    for each in sections:
        where = f"{context.path}: analysis {each.name!r}"
        table = context.table(each.table, (each.focal,), where)
        definition = definition_of(table, each.focal)
        check_roles(each.qids, (), definition, where)
        check_released(each.qids, definition, where)
        check_number(each, where)
    return list(sections)


def check_number(analysis: SpecialUniques, where: str) -> None:
    """Refuse more QIDs than all of whose sets are tried."""
    if len(analysis.qids) > MOST_QIDS:
        raise StudyError(
            f"{where}: {len(analysis.qids)} QIDs, more than the {MOST_QIDS} of which "
            "minimal sample uniques are found. Remove some from qids."
        )
