"""Analyses of answers to queries as the study file gives them, checked."""

from collections.abc import Sequence

from microleak.attacks.query_answers.analysis import QueryAnswers
from microleak.attacks.query_answers.published import read_answers
from microleak.base.errors import StudyError
from microleak.study_file.attributes import check_released, check_roles
from microleak.study_file.context import Context, definition_of

SECTION = QueryAnswers
"""Its part of the study file."""


def read(context: Context, sections: Sequence[QueryAnswers]) -> list[QueryAnswers]:
    """Return the analyses, each checked."""
    for section in sections:
        where = f"{context.path}: analysis {section.name!r}"
        check_consistent(section, where)
        for name, focal, attributes in section.needs:
            definition = definition_of(context.table(name, (focal,), where), focal)
            check_roles((), attributes, definition, where)
            check_released(attributes, definition, where)
    return list(sections)


def check_consistent(section: QueryAnswers, where: str) -> None:
    """Refuse tables that cannot be read, or crossings that cannot be."""
    if section.tables:
        files = [table.file for table in section.tables]
        for place, file in enumerate(files):
            if file in files[:place]:
                raise StudyError(f"{where} names {file} twice in tables. Remove one.")
        read_answers(section, where)
    if section.attribute in section.attributes:
        raise StudyError(
            f"{where}: {section.attribute} is attribute, and groups are formed by it, "
            "too. Remove it from by or region."
        )
