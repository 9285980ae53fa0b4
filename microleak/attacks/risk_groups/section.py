"""Analyses of who is at risk as the study file gives them, checked."""

from collections.abc import Sequence
from pathlib import Path

from microleak.attacks.risk_groups.analysis import Grouping, RiskGroups
from microleak.base.errors import StudyError
from microleak.records.subsets import subsets_of
from microleak.study_file.attributes import check_released, check_roles
from microleak.study_file.context import Context, definition_of
from microleak.study_file.matrix import MOST_DIGITS, read_matrix

SECTION = RiskGroups
"""Its part of the study file."""


def read(context: Context, sections: Sequence[RiskGroups]) -> list[RiskGroups]:
    """Return the analyses, each checked, with what files of classes say."""
    return [_analysis(context, section) for section in sections]


def _analysis(context: Context, section: RiskGroups) -> RiskGroups:
    where = f"{context.path}: analysis {section.name!r}"
    table = context.table(section.table, (section.focal,), where)
    definition = definition_of(table, section.focal)
    subsets_of(len(section.qids), section.wanted, where)
    check_roles(section.qids, section.sensitive, definition, where)
    for name in set(section.grouped) & set(definition.identifiers):
        raise StudyError(
            f"{where}: {name} identifies persons or records, so that each would be "
            "a group of its own. Remove it from by."
        )
    every = (*section.qids, *section.sensitive, *section.grouped)
    check_released(every, definition, where)
    by = tuple(_with_classes(each, where) for each in section.by)
    return section.model_copy(update={"by": by})


def _with_classes(given: str | Grouping, where: str) -> str | Grouping:
    if isinstance(given, str) or given.classes is None:
        return given
    class_of = read_classes(Path(given.classes), where)
    return given.model_copy(update={"class_of": class_of})


def read_classes(path: Path, where: str) -> dict[str, str]:
    """Return the class of each value of a CSV file, a missing one as the empty text."""
    said = f"a class of up to {MOST_DIGITS} characters"
    matrix = read_matrix(path, ".+", said, f"{where}: classes")
    if matrix.columns != ("class",):
        raise StudyError(f"{path}: line 1 must be value,class. Correct it.")
    return {value: name for value, (name,) in matrix.rows.items()}
