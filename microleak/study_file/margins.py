"""Published counts of a population by some attributes, in a CSV file."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path

from pydantic.dataclasses import dataclass as validated

from microleak.base.errors import nearest
from microleak.study_file.matrix import checked_lines

COUNT = "n"
"""The column of a file that has the persons."""

_WHOLE = re.compile(r"\d{1,15}", re.ASCII)


@validated(frozen=True)
class Margin:
    """Persons of a population by some attributes.

    Attributes
    ----------
    path
        The file.
    names
        The attributes.
    values, counts
        Values of each cell, the empty text for a missing one, and its persons.
    """

    path: str
    names: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    counts: tuple[int, ...]

    @cached_property
    def persons(self) -> Mapping[tuple[str, ...], int]:
        """The persons of each cell."""
        return dict(zip(self.values, self.counts, strict=True))


def read_margin(path: Path, qids: Sequence[str], where: str) -> Margin:
    """Return the published counts of a file: a header of QIDs and `n`, and lines.

    Raises
    ------
    StudyError
        If there is no such file, or it is faulty: the line; no message has the content
        of a cell.
    """
    header, lines = checked_lines(path, where, partial(_faults, qids=qids))
    at = header.index(COUNT)
    cells = [tuple(cell for i, cell in enumerate(row) if i != at) for _, row in lines]
    names = tuple(name for name in header if name != COUNT)
    return Margin(str(path), names, tuple(cells), tuple(int(r[at]) for _, r in lines))


def _faults(
    header: Sequence[str], lines: Sequence[tuple[int, list[str]]], qids: Sequence[str]
) -> Iterator[str]:
    names = [name for name in header if name != COUNT]
    if len(set(header)) < len(header) or len(names) != len(header) - 1 or not names:
        yield f"line 1 must have names of QIDs, each once, and {COUNT}, the persons."
        return
    for name in names:
        if name not in qids:
            yield f"line 1 has {name}, which is no QID.{nearest(name, qids)}"
    if not lines:
        yield "there is no line below the header."
    at, taken = header.index(COUNT), set()
    for number, row in lines:
        if len(row) != len(header):
            yield f"line {number} has {len(row)} cells, {len(header)} expected."
            return
        if not _WHOLE.fullmatch(row[at]):
            yield f"line {number}, cell {at + 1}: a whole number is expected."
        cell = tuple(each for i, each in enumerate(row) if i != at)
        if cell in taken:
            yield f"line {number} has the values of an earlier one."
        taken.add(cell)
