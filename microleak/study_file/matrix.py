"""A table of numbers that a study names: a CSV file, and its faults."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from microleak.base.errors import StudyError
from microleak.base.strict_csv import Csv, check_exists, read_csv

FRACTION = r"(\d+(\.\d+)?|\.\d+|\d+/\d*[1-9]\d*)"  # A number as `1`, `.5` or `1/3`

MOST_DIGITS = 40


@dataclass(frozen=True)
class Matrix:
    """A heading of columns, and rows by their names; all as texts."""

    columns: tuple[str, ...]
    rows: dict[str, tuple[str, ...]]


def checked_csv(path: Path, where: str, faults: Callable[[Csv], Iterator[str]]) -> Csv:
    """Return a file that is there and has no fault; `where` is what names it."""
    check_exists(path, where)
    said = f"{where}: {path}"
    found = read_csv(path, said)
    if fault := next(faults(found), ""):
        raise StudyError(f"{said}: {fault} Correct it.")
    return found


def read_matrix(path: Path, cell: str, expected: str, where: str) -> Matrix:
    """Return the table of a CSV file, whose first column has the rows' names."""
    # `cell` is the pattern of a cell, and `expected` says what it is to be. `where` is
    # the setting that names the file; no message has the content of a cell.
    faults = partial(_row_faults, cell=cell, expected=expected)
    found = checked_csv(path, where, faults)
    rows = {row[0]: tuple(row[1:]) for _, row in found.lines}
    return Matrix(tuple(found.header[1:]), rows)


def _row_faults(found: Csv, cell: str, expected: str) -> Iterator[str]:
    if len(found.header) < 2 or not found.lines:
        yield "line 1 must have a heading for names and the values, and lines follow."
    if len({*found.header[1:]}) < len(found.header) - 1:
        yield "line 1 has a value twice."
    names = set()
    for number, row in found.lines:
        if row[0] in names:
            yield f"line {number} has the name of an earlier one."
        names.add(row[0])
        for place, text in enumerate(row[1:], 2):
            if len(text) > MOST_DIGITS or not re.fullmatch(cell, text, re.ASCII):
                yield f"line {number}, cell {place}: {expected} is expected."
