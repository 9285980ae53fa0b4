"""Analyses of what is known roughly as the study file gives them, checked."""

import csv
import re
from collections.abc import Iterator, Sequence
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

SECTION = RoughKnowledge
"""Its part of the study file."""

_CHANCE = re.compile(r"\d+(\.\d+)?|\.\d+|\d+/\d*[1-9]\d*", re.ASCII)


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
    if not path.is_file():
        raise StudyError(f"{where}: there is no file {path}. Correct confusion.")
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            header, *lines = csv.reader(file, strict=True)
    except (UnicodeDecodeError, csv.Error, ValueError):
        raise StudyError(
            f"{path} cannot be read as comma-separated UTF-8 text with a header. "
            "Correct it."
        ) from None
    if fault := next(_faults(header, lines), ""):
        raise StudyError(f"{path}: {fault} Correct it.")
    chances = {cells[0]: tuple(cells[1:]) for cells in lines}
    return Confusion(tuple(header[1:]), chances)


def _faults(header: list[str], lines: list[list[str]]) -> Iterator[str]:
    if len(header) < 2 or not lines:
        yield "line 1 must have a heading and the values known, and lines follow."
    if len({*header[1:]}) < len(header) - 1:
        yield "line 1 has a value twice."
    names = set()
    for number, cells in enumerate(lines, 2):
        if len(cells) != len(header):
            yield f"line {number} has {len(cells)} cells, {len(header)} expected."
        if cells[0] in names:
            yield f"line {number} has the value of an earlier one."
        names.add(cells[0])
        for place, cell in enumerate(cells[1:], 2):
            if not _CHANCE.fullmatch(cell):
                yield f"line {number}, cell {place} is no chance, as 0.9 or 1/3."
        if sum(map(Fraction, cells[1:])) != 1:
            yield f"the chances of line {number} do not add up to 1."
