"""A table of numbers that a study names: a CSV file, and its faults."""

import csv
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from microleak.base.errors import StudyError

FRACTION = r"(\d+(\.\d+)?|\.\d+|\d+/\d*[1-9]\d*)"
"""A number as `1`, `.5` or `1/3`."""

MOST_DIGITS = 40


@dataclass(frozen=True)
class Matrix:
    """A heading of columns, and rows by their names; all as texts."""

    columns: tuple[str, ...]
    rows: dict[str, tuple[str, ...]]


def read_lines(path: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Return the header of a CSV file, and its lines that are not empty, numbered.

    Raises
    ------
    StudyError
        If it cannot be read as UTF-8 text with commas.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, strict=True)
            header = next(reader, [])
            return header, [(reader.line_num, row) for row in reader if row]
    except (UnicodeDecodeError, csv.Error, ValueError):
        raise StudyError(
            f"{path} cannot be read as comma-separated UTF-8 text with a header. "
            "Correct it."
        ) from None


Faults = Callable[[list[str], list[tuple[int, list[str]]]], Iterator[str]]
"""Says what is wrong with a header and numbered lines."""


def checked_lines(
    path: Path, where: str, faults: Faults
) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Return what `read_lines` does, of a file that is there and has no fault.

    Raises
    ------
    StudyError
        If there is no such file, or it is faulty: the first fault. `where` is the
        setting that names it.
    """
    if not path.is_file():
        raise StudyError(f"{where}: there is no file {path}. Correct its path there.")
    header, lines = read_lines(path)
    if fault := next(faults(header, lines), ""):
        raise StudyError(f"{where}: {path}: {fault} Correct it.")
    return header, lines


def read_matrix(path: Path, cell: str, expected: str, where: str) -> Matrix:
    """Return the table of a CSV file, whose first column has the rows' names.

    Parameters
    ----------
    path
        The file, UTF-8.
    cell
        Pattern of a cell.
    expected
        What a cell is to be, in words.
    where
        The setting that names the file, for the message that there is none.

    Raises
    ------
    StudyError
        If there is no such file, or it is faulty: the line; no message has the content
        of a cell.
    """
    faults = partial(_faults, cell=cell, expected=expected)
    header, lines = checked_lines(path, where, faults)
    return Matrix(tuple(header[1:]), {row[0]: tuple(row[1:]) for _, row in lines})


def _faults(
    header: list[str], lines: list[tuple[int, list[str]]], cell: str, expected: str
) -> Iterator[str]:
    if len(header) < 2 or not lines:
        yield "line 1 must have a heading for names and the values, and lines follow."
    if len({*header[1:]}) < len(header) - 1:
        yield "line 1 has a value twice."
    names = set()
    for number, row in lines:
        if len(row) != len(header):
            yield f"line {number} has {len(row)} cells, {len(header)} expected."
        if row[0] in names:
            yield f"line {number} has the name of an earlier one."
        names.add(row[0])
        for place, text in enumerate(row[1:], 2):
            if len(text) > MOST_DIGITS or not re.fullmatch(cell, text, re.ASCII):
                yield f"line {number}, cell {place}: {expected} is expected."
