"""Published tables as files have them: values of attributes, and numbers."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from microleak.base.errors import StudyError
from microleak.base.files import sha256_of
from microleak.study_file.matrix import read_lines

COUNT: Final = "count"

STATISTICS: Final = ("sum", "mean", "median", "min", "max")
"""Columns of other numbers."""

TOTALS: Final = ("", "*")
"""Texts that stand for all values of an attribute."""


_WRITTEN_TOTALS = {*TOTALS, "all", "ambas", "ambos", "both", "todas", "todos"} | {
    "totais",
    "total",
}


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
    if fault := _fault_of_header(header if lines else [], patterns, region):
        raise StudyError(f"{path}: line 1 {fault}")
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
        row = Row(line, values, numbers)
        if fault := next(_faults(row, patterns, region), ""):
            raise StudyError(f"{path}: line {line}{fault}")
        cell = tuple("*" if text in TOTALS else text for text in values.values())
        if cell in line_of:
            raise StudyError(
                f"{path}: lines {line_of[cell]} and {line} are of the same cell. "
                "Remove one."
            )
        line_of[cell] = line
        rows.append(row)
    return rows


def _fault_of_header(
    header: Sequence[str], patterns: Collection[str], region: str | None
) -> str:
    if len(header) == 1 and (other := {*header[0]} & {*";\t"}):
        return (
            f"has no comma, but {'a semicolon' if ';' in other else 'a tab'}. Save the "
            "file with commas, as docs/published-tables.md shows."
        )
    if "" in header or len({*header}) < len(header) or not {*patterns} & {*header}:
        some = "some of " * (len(patterns) > 1) + ", ".join(patterns)
        return (
            f"must name attributes and {some}, each once, and lines follow. Correct it."
        )
    if region is not None and region not in header:
        return f"has no {region}, which is region. Add it, or correct region."
    return ""


def check_values(
    values: Iterable[tuple[str, int, str, str]], meant: Collection[str], where: str
) -> None:
    """Refuse values that are written in two ways, and totals that are written out.

    Either would be a value of its own, with persons of its own, so that tables would
    say less or what is false.

    Parameters
    ----------
    values
        File, line, attribute and value.
    meant
        Attributes whose values the study lists, which are meant as they are.
    where
        Beginning of the message.

    Raises
    ------
    StudyError
        The attribute, with files and lines, and never a value.
    """
    first_of: dict[tuple[str, str], str] = {}
    seen: set[tuple[str, str]] = set()
    for file, line, name, value in values:
        if name in meant or value in TOTALS or (name, value) in seen:
            continue
        seen.add((name, value))
        plain, place = _plain(value), f"{file}, line {line}"
        if plain in _WRITTEN_TOTALS or plain.startswith("total "):
            raise StudyError(
                f"{where}: {place}, has a value of {name} that reads like a total. "
                "Write * in its place or, if it is no total, list all values of "
                f"{name} in domains."
            )
        other = first_of.setdefault((name, plain), place)
        if other != place:
            raise StudyError(
                f"{where}: {other}, and {place}, have values of {name} that differ in "
                "capitals, accents or spaces alone. Write them alike or, if they are "
                f"two values, list all values of {name} in domains."
            )


def _plain(value: str) -> str:
    """Return a value without accents and capitals, with single spaces.

    >>> _plain("Não  Declarada")
    'nao declarada'
    """
    parts = unicodedata.normalize("NFKD", value.casefold())
    return " ".join("".join(c for c in parts if not unicodedata.combining(c)).split())


def _faults(row: Row, patterns: Mapping[str, str], region: str | None) -> Iterator[str]:
    """Yield what is wrong with a row, and what to do about it."""
    for name, text in row.numbers.items():
        if not re.fullmatch(patterns[name], text, re.ASCII):
            yield (
                f": a {'whole ' * (name == COUNT)}number is expected as {name}, "
                "without signs for thousands. Correct it, or name what stands for a "
                "suppressed one in suppressed."
            )
    if region is not None and row.values[region] in TOTALS:
        yield (
            f" is of all values of {region}, which is region. Remove the line, or "
            "region."
        )


def hashes_of(tables: Sequence[Any] | None) -> dict[str, str]:
    """Return the SHA-256 of the file of each published table, sorted by path."""
    return {file: sha256_of(file) for file in sorted(t.file for t in tables or ())}


def as_read(tables: Sequence[Any] | None) -> list[dict[str, Any]]:
    """Return what a certificate says of published tables: settings and SHA-256."""
    given = {table.file: table.model_dump(mode="json") for table in tables or ()}
    return [
        {**given[file], "sha256": sha256} for file, sha256 in hashes_of(tables).items()
    ]


def files_read(analyses: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return the files of published tables of some analyses, as a report tells them.

    Each with its analysis, its SHA-256 and how many rows it has.
    """
    return {
        "files": [
            {
                "analysis": name,
                "file": given.file,
                "sha256": sha256_of(given.file),
                "n_rows": len(read_lines(Path(given.file))[1]),
            }
            for name, analysis in analyses.items()
            for given in analysis.tables or ()
        ]
    }
