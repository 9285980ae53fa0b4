"""Published tables as files have them: values of attributes, and numbers."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from microleak.base.errors import StudyError
from microleak.study_file.matrix import read_lines

COUNT: Final = "count"

TOTALS: Final = ("", "*")
"""Texts that stand for all values of an attribute."""


@dataclass(frozen=True)
class Row:
    """A row of a published table.

    Attributes
    ----------
    line
        Its line in the file.
    values
        Value of each attribute, or one of `TOTALS`; attributes sorted.
    numbers
        Texts of the numbers that are not suppressed.
    """

    line: int
    values: Mapping[str, str]
    numbers: Mapping[str, str]


def read_rows(
    file: str,
    suppressed: Collection[str],
    patterns: Mapping[str, str],
    region: str | None,
    where: str,
) -> list[Row]:
    """Return the rows of a published table.

    Parameters
    ----------
    file
        A CSV file, UTF-8 with commas.
    suppressed
        Texts in the place of numbers, besides an empty one.
    patterns
        Names of the columns of numbers that there can be, and how numbers look there.
    region
        An attribute of which each row must have a value.
    where
        The analysis that names the file.

    Raises
    ------
    StudyError
        If there is no such file, or it is faulty: its line, and never the content of a
        cell.
    """
    path = Path(file)
    if not path.is_file():
        raise StudyError(
            f"{where}: there is no file {path}. Correct `file`, whose path starts from "
            "the folder in which microleak runs."
        )
    header, lines = read_lines(path)
    is_twice = len({*header}) < len(header)
    if not {*patterns} & {*header} or not lines or "" in header or is_twice:
        some = "some of " * (len(patterns) > 1) + ", ".join(patterns)
        raise StudyError(
            f"{path}: line 1 must name attributes and {some}, each once, and lines "
            "follow. Correct it."
        )
    if region is not None and region not in header:
        raise StudyError(
            f"{path}: line 1 has no {region}, which is region. Add it, or correct "
            "region."
        )
    rows: list[Row] = []
    line_of: dict[tuple[str, ...], int] = {}
    for line, texts in lines:
        if len(texts) != len(header):
            raise StudyError(
                f"{path}: line {line} has {len(texts)} cells, {len(header)} expected. "
                "Correct it."
            )
        told = sorted(zip(header, texts, strict=True))
        values = {name: text for name, text in told if name not in patterns}
        numbers = {
            n: t for n, t in told if n in patterns and t not in ("", *suppressed)
        }
        for name, text in numbers.items():
            if not re.fullmatch(patterns[name], text, re.ASCII):
                raise StudyError(
                    f"{path}: line {line}: a {'whole ' * (name == COUNT)}number is "
                    f"expected as {name}. Correct it, or name what stands for a "
                    "suppressed one in suppressed."
                )
        if region is not None and values[region] in TOTALS:
            raise StudyError(
                f"{path}: line {line} is of all values of {region}, which is region. "
                "Remove the line, or region."
            )
        cell = tuple("*" if text in TOTALS else text for text in values.values())
        if cell in line_of:
            raise StudyError(
                f"{path}: lines {line_of[cell]} and {line} are of the same cell. "
                "Remove one."
            )
        line_of[cell] = line
        rows.append(Row(line, values, numbers))
    return rows
