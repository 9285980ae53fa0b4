"""Published tables as files have them: values of attributes, and numbers."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from microleak.base.errors import StudyError, did_you_mean, most_like
from microleak.base.files import sha256_of
from microleak.base.strict_csv import Csv, check_exists, read_csv
from microleak.base.total_words import begins_a_note, reads_like_total, without_accents
from microleak.study_file.printed import Printed, read_printed
from microleak.study_file.totals import COUNT, TOTALS, CountRow, written_totals

VARIANCE: Final = "variance"
STATISTICS: Final = ("sum", "mean", "median", "min", "max", VARIANCE)
"""Columns of other numbers"""

# How tables of records that are known, too, write a missing value
MISSING: Final = "(missing)"
_OLD_COUNT = "n"
_TOTALS = frozenset(TOTALS)


@dataclass(frozen=True)
class Form:
    """What the columns of a published table are."""

    numbers: Mapping[str, str]  # How numbers look, by the names that columns may have
    suppressed: Collection[str] = ()  # In the place of numbers, besides an empty text
    region: str | None = None  # An attribute that must have a value in each row
    attributes: Collection[str] | None = None  # The only ones that there can be
    printed: Printed | None = None  # How an office printed it, if that is no plain CSV


class Row(NamedTuple):
    """A row of a published table: values or `TOTALS`, and numbers not suppressed."""

    line: int
    values: Mapping[str, str]
    numbers: Mapping[str, str]

    @property
    def is_total(self) -> bool:
        """Whether it is of all values of some attribute."""
        return not _TOTALS.isdisjoint(self.values.values())

    def counted(self, file: str) -> CountRow:
        count = self.numbers.get(COUNT)
        return CountRow(
            file, self.line, self.values, None if count is None else int(count)
        )


def read_rows(path: Path, form: Form, where: str) -> list[Row]:
    """Return the rows of a published table; `where` is what names its file."""
    check_exists(path, where)
    said = f"{where}: {path}"
    found = read_lines(path, form.printed, said)
    if fault := next(_faults_of_header(found, form), ""):
        raise StudyError(f"{said}: line 1 {fault}")
    rows: list[Row] = []
    line_of: dict[tuple[str, ...], int] = {}
    named = [*enumerate(found.header)]
    attributes = [(place, name) for place, name in named if name not in form.numbers]
    counted = [(place, name) for place, name in named if name in form.numbers]
    suppressed = {"", *form.suppressed}
    for line, texts in found.lines:
        values = {name: texts[place] for place, name in attributes}
        told = {name: texts[place] for place, name in counted}
        numbers = {n: text for n, text in told.items() if text not in suppressed}
        row = Row(line, values, numbers)
        first = next(iter(values.values()), "")
        if not any(told.values()) and _is_note(first):
            raise StudyError(
                f"{said}: line {line} begins like a note and has no number. Remove it "
                "or, if it is a value, write its number"
                f"{', or what stands for one' * (form.attributes is None)}."
            )
        if fault := next(_table_faults(row, form), ""):
            raise StudyError(f"{said}: line {line}{fault}")
        cell = tuple(values.values())
        if row.is_total:
            cell = tuple("*" if text in TOTALS else text for text in cell)
        if cell in line_of:
            raise StudyError(
                f"{said}: lines {line_of[cell]} and {line} are of the same cell. "
                "Remove one."
            )
        line_of[cell] = line
        rows.append(row)
    return rows


def read_lines(path: Path, printed: Printed | None, said: str) -> Csv:
    return read_printed(path, printed, said) if printed else read_csv(path, said)


def _is_note(text: str) -> bool:
    # N alone is a value, as in Y and N.
    return len(text) > 1 and begins_a_note(text) and not reads_like_total(text)


def _faults_of_header(found: Csv, form: Form) -> Iterator[str]:
    """Yield what is wrong with the names of columns, and what to do about it."""
    header, numbers = found.header, [*form.numbers]
    attributes = [name for name in header if name not in numbers]
    is_old = _OLD_COUNT in header and _OLD_COUNT not in (form.attributes or ())
    if is_old and COUNT in numbers and COUNT not in header:
        yield f"has {_OLD_COUNT}, the old name of the column {COUNT}. Rename it."
    if (
        "" in header
        or len({*header}) < len(header)
        or len(attributes) == len(header)
        or not found.lines
    ):
        some = "some of " * (len(numbers) > 1) + ", ".join(numbers)
        yield (
            f"must name attributes and {some}, each once, with at least one line "
            "below. Correct it."
        )
    if form.region is not None and form.region not in header:
        yield (
            f"has no column {form.region}, which the setting region names. Add it, or "
            "correct region."
        )
    if form.attributes is not None:
        for name in attributes:
            if name not in form.attributes:
                yield (
                    f"has {name}, which is not among {', '.join(form.attributes)}."
                    f"{did_you_mean(name, form.attributes)} Correct it."
                )
        if not attributes:
            yield f"must name attributes besides {', '.join(numbers)}. Correct it."


def _table_faults(row: Row, form: Form) -> Iterator[str]:
    """Yield what is wrong with a row, and what to do about it."""
    for name, text in row.numbers.items():
        if not re.fullmatch(form.numbers[name], text, re.ASCII):
            other = ", or name what stands for a suppressed one in suppressed"
            yield (
                f": a {'whole ' * (name == COUNT)}number is expected as {name}, "
                f"without signs for thousands. Correct it"
                f"{other * (form.attributes is None)}."
            )
    if form.region is not None and row.values[form.region] in TOTALS:
        yield (
            f" is a total of {form.region}, but the setting region names it, and each "
            "line must have a value of it. Remove the line, or the setting."
        )


def cells_of(rows: Sequence[Row], said: str) -> list[Row]:
    """Return rows of records that are known, too, without totals, which must add up."""
    # Every number must be there; `said` begins a message.
    cells = [row for row in rows if not row.is_total]
    if not cells:
        raise StudyError(
            f"{said}: all lines are totals. Add the lines that they are the sums of."
        )
    if fault := next(_faults_of_totals(rows, cells), ""):
        raise StudyError(f"{said}: {fault}")
    return cells


def _faults_of_totals(rows: Sequence[Row], cells: Sequence[Row]) -> Iterator[str]:
    for row in rows:
        if not row.numbers:
            yield f"line {row.line} has no number. Correct it."
        if not row.is_total:
            continue
        if COUNT not in row.numbers:
            yield (
                f"line {row.line} has * or an empty cell, which is a total, but only "
                f"counts have totals. Remove it; a missing value is {MISSING}."
            )
            continue
        told = {n: t for n, t in row.values.items() if t not in TOTALS}
        own = [cell for cell in cells if told.items() <= cell.values.items()]
        if sum(int(cell.numbers[COUNT]) for cell in own) != int(row.numbers[COUNT]):
            yield (
                f"line {row.line} has * or an empty cell, so it is a total, but not "
                f"the sum of {_line_numbers(own)}. Correct one of them; a missing "
                f"value is written {MISSING}."
            )


def _line_numbers(rows: Sequence[Row]) -> str:
    """Name at most five rows."""
    named = ", ".join(str(row.line) for row in rows[:5])
    more = f" and {len(rows) - 5:,} more" if len(rows) > 5 else ""
    return f"lines {named}{more}" if rows else "any cell"


def check_values(
    tables: Mapping[str, Sequence[Row]], meant: Collection[str], where: str
) -> None:
    """Refuse values that are written in two ways, and totals that are written out."""
    # Either would be a value of its own, with persons of its own, so that tables would
    # say less or what is false. Values of attributes that are `meant`, which the study
    # lists, are as they are. `tables` have the rows of each file; `where` begins the
    # message, which never has a value.
    counted = [[row.counted(file) for row in rows] for file, rows in tables.items()]
    for found in written_totals(counted, meant):
        raise StudyError(
            f"{where}: {found.said} list all values of {found.name} in domains."
        )
    first_of: dict[tuple[str, str], tuple[str, str]] = {}
    for row in (row for rows in counted for row in rows):
        for name, value in row.values.items():
            if name in meant or value in TOTALS:
                continue
            first = first_of.setdefault(
                (name, without_accents(value)), (value, row.place)
            )
            if first[0] != value:
                raise StudyError(
                    f"{where}: {first[1]}, and {row.place}, have values of {name} that "
                    "differ in capitals, accents or spaces alone. Write them alike or, "
                    f"if they are two values, list all values of {name} in domains."
                )


def check_domain(
    tables: Mapping[str, Sequence[Row]], name: str, domain: Sequence[str]
) -> None:
    """Refuse values of an attribute that are not among those that it can have."""
    for file, rows in tables.items():
        for row in rows:
            if row.values.get(name, "") not in (*TOTALS, *domain):
                raise StudyError(
                    f"{file}: line {row.line} has a value that is not among domains of "
                    f"{name}. Correct it, or add it there."
                )


def check_different_files(tables: Sequence[Any], where: str) -> None:
    """Refuse a file that is named twice."""
    files = [table.file for table in tables]
    for place, file in enumerate(files):
        if file in files[:place]:
            raise StudyError(f"{where} names {file} twice in tables. Remove one.")


def hashes_of(tables: Sequence[Any] | None) -> dict[str, str]:
    """Return the SHA-256 of the file of each published table, sorted by path."""
    return {file: sha256_of(file) for file in sorted(t.file for t in tables or ())}


def as_read(tables: Sequence[Any] | None) -> list[dict[str, Any]]:
    """Return what a certificate says of published tables: settings and SHA-256."""
    given = {table.file: table.model_dump(mode="json") for table in tables or ()}
    for told in given.values():
        if told.get("printed", told) is None:  # which most files have no need of
            del told["printed"]
    return [
        {**given[file], "sha256": sha256} for file, sha256 in hashes_of(tables).items()
    ]


def files_read(analyses: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return the files of published tables of some analyses, as a report tells them."""
    # Each with its analysis, its SHA-256 and how many rows it has.
    files = []
    for name, analysis in analyses.items():
        for given in analysis.tables or ():
            printed = getattr(given, "printed", None)
            found = read_lines(Path(given.file), printed, given.file)
            told = {"analysis": name, "file": given.file, "sha256": found.sha256}
            files.append({**told, "n_rows": len(found.lines)})
    return {"files": files}


_LIKENESS = 0.75  # Of `race` and `rase`; those of most words are less alike


def check_spelling(
    names_of: Mapping[str, Collection[str]], meant: Collection[str], where: str
) -> None:
    """Refuse an attribute of one file that is spelt nearly as one of another file."""
    # Files that share an attribute say more together than if one of them had another.
    for file, names in sorted(names_of.items()):
        others = {
            name: other
            for other in sorted(names_of.keys() - {file})
            for name in names_of[other]
        }
        for name in sorted({*names} - {*others, *meant}):
            like = most_like(name, others.keys() - {*names, *meant}, _LIKENESS)
            if like is not None:
                raise StudyError(
                    f"{where}: {file} alone has {name}, and {others[like]} has {like}. "
                    f"Correct what is misspelt or, if these are two attributes, list "
                    f"the values of {name} in domains."
                )
