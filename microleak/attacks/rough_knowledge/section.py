"""Analyses of what is known roughly as the study file gives them, checked."""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from microleak.attacks.rough_knowledge.analysis import (
    Confusion,
    RoughKnowledge,
    RoughSection,
)
from microleak.base.errors import StudyError, nearest
from microleak.records.subsets import subsets_of
from microleak.study_file.attributes import check_released, check_roles
from microleak.study_file.context import Context, definition_of
from microleak.study_file.matrix import FRACTION, read_matrix

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
    check_rough(section, where)
    roughly = {
        name: _with_matrix(rough, f"{where}: {name}")
        for name, rough in section.roughly.items()
    }
    return section.model_copy(update={"roughly": roughly})


def check_rough(analysis: RoughKnowledge, where: str) -> None:
    """Refuse to know roughly what is no QID.

    Raises
    ------
    StudyError
        Its name, and the QID most like it.
    """
    for name in analysis.roughly:
        if name not in analysis.qids:
            raise StudyError(
                f"{where}: roughly has {name}, which is not among the QIDs."
                f"{nearest(name, analysis.qids)} Correct it, or add it to qids."
            )


def _with_matrix(rough: RoughSection, where: str) -> RoughSection:
    if rough.confusion is None:
        return rough
    matrix = read_confusion(Path(rough.confusion), where)
    return rough.model_copy(update={"matrix": matrix})


def read_confusion(path: Path, where: str) -> Confusion:
    """Return what a CSV file says of how often values are taken for others.

    Raises
    ------
    StudyError
        If there is no such file, or it is faulty; no message has the content of a cell.
    """
    said = "a chance as 0.9 or 1/3"
    matrix = read_matrix(path, FRACTION, said, f"{where}: confusion")
    for number, chances in enumerate(matrix.rows.values(), 2):
        if sum(map(Fraction, chances)) != 1:
            raise StudyError(
                f"{path}: the chances of line {number} do not add up to 1. Correct it."
            )
    return Confusion(matrix.columns, matrix.rows)
