"""Tables as offices print them, turned into a column for each attribute and counts."""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Self, TypeGuard

from pydantic import Field, model_validator

from microleak.base.errors import StudyError, TableError
from microleak.base.strict_csv import Csv, CsvLine, read_loosely
from microleak.study_file.section import NotEmpty, Positive, Section, refuse
from microleak.study_file.totals import COUNT


class Printed(Section):
    """What the lines and columns of a table are that an office printed."""

    first: Positive
    """The first line below all headings. The table ends before the first line that has
    at most its first cell filled, as a note has."""

    columns: tuple[NotEmpty | dict[NotEmpty, str] | None, ...] = Field(min_length=1)
    """What each column is, from the left - an attribute whose values it has; `count`;
    the values of attributes that it counts, as `{sex: F}`, or `{sex: "*"}` for a total;
    or `null`, if it is not read."""

    values: Mapping[NotEmpty, Mapping[str, str]] = {}
    """Of an attribute, what the office prints for a value of the records, as
    `{town: {Rio: "3304557", Total: "*"}}`."""

    thousands: Literal["", ".", ",", " "] = ""
    """The sign between thousands."""

    nobody: tuple[NotEmpty, ...] = ()
    """Texts that stand for 0, as `-` in tables of IBGE and INEP."""

    sheet: NotEmpty | None = None
    """Sheet of a workbook; it may be left out if the file has one."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        counted = [each for each in self.columns if _is_counts(each)]
        names = {tuple(e) if isinstance(e, dict) else COUNT for e in counted}
        if len(names) != 1 or (COUNT in names and len(counted) > 1):
            refuse(
                "must have in columns either count, once, or values of the same "
                "attributes in each column of counts."
            )
        if len({*self.attributes}) < len(self.attributes):
            refuse("names an attribute twice in columns.")
        for name in self.values:
            if name not in self.attributes:
                refuse(f"has {name} in values, which is not in columns. Correct it.")
        return self

    @property
    def attributes(self) -> list[str]:
        """Those of columns with values, then those of which columns count values."""
        of_rows = [each for each in self.columns if _is_attribute(each)]
        heads = next((e for e in self.columns if isinstance(e, dict)), {})
        return [*of_rows, *heads]


class PrintedFile(Section):
    """A file with a table that an office printed."""

    file: NotEmpty
    """Its path, relative to the folder that the command is run in."""

    printed: Printed
    """What its lines and columns are."""


def read_printed(path: Path, printed: Printed, said: str) -> Csv:
    """Return a printed table as a CSV file of it would be; `said` begins a message."""
    # What reads workbooks takes a tenth of a second to load.
    from microleak.sources.files.tables import (  # noqa: PLC0415
        is_workbook,
        sheet_rows,
    )

    data = path.read_bytes()
    n_cells = len(printed.columns)
    if is_workbook(data):
        try:
            rows = sheet_rows(data, said, printed.sheet)
        except TableError:
            raise
        except ValueError:
            raise StudyError(f"{said}: it is damaged, or no workbook.") from None
    else:
        rows = read_loosely(data, printed.first, n_cells, said)
    lines = [*_lines_of(rows, printed, said)]
    _check_values(lines, printed, said)
    cells = [(line, cells) for line, row in lines for cells in _cells_of(row, printed)]
    header = (printed.first - 1, [*printed.attributes, COUNT])
    return Csv([header, *cells], hashlib.sha256(data).hexdigest())


def _lines_of(
    rows: Sequence[CsvLine], printed: Printed, said: str
) -> Iterator[CsvLine]:
    """Yield the lines of the table; below its end none may look like one of them."""
    end = None
    n_columns = len(printed.columns)
    for line, cells in rows:
        if line < printed.first:
            continue
        row = [cell.strip() for cell in cells]
        if not any(row[1:]):
            end = end or line
        elif end is not None:
            if len(row) == n_columns and any(_counts_of(row, printed)):
                raise StudyError(
                    f"{said}: line {line} looks like one of the table, which ended "
                    f"before line {end}. Remove that one, or correct the file."
                )
        elif len(row) != n_columns:
            raise StudyError(
                f"{said}: line {line} has {len(row)} cells, but columns in the study "
                f"file names {n_columns}. Correct columns, or the file."
            )
        else:
            yield line, row


def _counts_of(row: Sequence[str], printed: Printed) -> list[str]:
    pairs = zip(printed.columns, row, strict=True)
    return [text for column, text in pairs if _is_counts(column)]


def _is_attribute(column: object) -> TypeGuard[str]:
    return isinstance(column, str) and column != COUNT


def _is_counts(column: object) -> bool:
    return column == COUNT or isinstance(column, dict)


def _check_values(lines: Sequence[CsvLine], printed: Printed, said: str) -> None:
    """Refuse an empty value, as a merged cell leaves it, and a mapping of none."""
    for place, name in enumerate(printed.columns):
        if not _is_attribute(name):
            continue
        own = printed.values.get(name, {})
        for line, row in lines:
            if not row[place] and "" not in own:
                raise StudyError(
                    f"{said}: line {line} has no value of {name}. Write it in the file "
                    'or, if it is a total, "": "*" in values.'
                )
        if {*own} - {row[place] for _, row in lines}:
            raise StudyError(
                f"{said}: values in the study file has a text for {name} that no line "
                "has. Correct it."
            )


def _cells_of(row: Sequence[str], printed: Printed) -> Iterator[list[str]]:
    """Yield what a line says of each cell: values of attributes, and a count."""

    def value(name: str, text: str) -> str:
        return printed.values.get(name, {}).get(text, text)

    pairs = [*zip(printed.columns, row, strict=True)]
    own = [value(name, text) for name, text in pairs if _is_attribute(name)]
    for column, text in pairs:
        if _is_counts(column):
            heads: Mapping[str, Any] = column if isinstance(column, dict) else {}
            yield [*own, *heads.values(), _count(text, printed)]


def _count(text: str, printed: Printed) -> str:
    if text in printed.nobody:
        return "0"
    sign = re.escape(printed.thousands)
    grouped = bool(sign) and re.fullmatch(rf"\d{{1,3}}({sign}\d{{3}})+", text)
    return text.replace(printed.thousands, "") if grouped else text
