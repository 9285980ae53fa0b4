"""Analyses of what is known roughly as the study file gives them, checked."""

from collections.abc import Sequence

from microleak.attacks.rough_knowledge.analysis import RoughKnowledge
from microleak.records.subsets import subsets_of
from microleak.study_file.attributes import check_released, check_roles
from microleak.study_file.context import Context, definition_of
from microleak.study_file.rough import read_rough

SECTION = RoughKnowledge
"""Its part of the study file."""


def read(context: Context, sections: Sequence[RoughKnowledge]) -> list[RoughKnowledge]:
    """Return the analyses, each checked, with what its files say.

    Raises
    ------
    StudyError
        If one names what there is not, gives an attribute two roles, knows roughly what
        is no QID, or a file is faulty: then its line.
    """
    return [_analysis(context, section) for section in sections]


def _analysis(context: Context, section: RoughKnowledge) -> RoughKnowledge:
    where = f"{context.path}: analysis {section.name!r}"
    table = context.table(section.table, (section.focal,), where)
    definition = definition_of(table, section.focal)
    subsets_of(len(section.qids), section.wanted, where)
    check_roles(section.qids, section.sensitive, definition, where)
    check_released((*section.qids, *section.sensitive), definition, where)
    domains = definition.domains
    roughly = read_rough(section.roughly, section.qids, "qids", where, domains)
    return section.model_copy(update={"roughly": roughly})
