"""All tables of a study as one workbook, a sheet a table."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import xlsxwriter
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from microleak.base.errors import StudyError
from microleak.base.xml_text import xml_text
from microleak.exports.tables import (
    LANGUAGE,
    PublishedStudy,
    ReportTable,
    resource,
)
from microleak.exports.text import is_like_formula

MAX_NAME = 31
"""Characters of a sheet's name, which Excel does not tell apart by capitals."""

MAX_TEXT = 32_767
"""UTF-16 units of a cell."""


def sheet_names(tables: Iterable[str]) -> dict[str, str]:
    """Return a sheet's name for each table, unique and with at most 31 characters.

    It is the table's if that is short enough and no other's but for capitals;
    otherwise how it begins and a hash of all of it, so that it stays the same
    whatever long names come or go.

    >>> list(sheet_names(["a-worst", "x" * 40]).values())
    ['a-worst', 'xxxxxxxxxxxxxxxxxxxxxx~bd913ff6']
    """
    tables = list(tables)
    folded = [table.lower() for table in tables]
    return {
        table: table
        if len(table) <= MAX_NAME and folded.count(table.lower()) == 1
        else _short(table)
        for table in tables
    }


def is_too_long(text: str) -> bool:
    """Say whether a text has more UTF-16 units than a cell can hold."""
    return len(text.encode("utf-16-le", "surrogatepass")) > 2 * MAX_TEXT


def _short(table: str) -> str:
    digits = sha256(table.encode()).hexdigest()[:8]
    return f"{table[: MAX_NAME - len(digits) - 1]}~{digits}"


MAX_TABLES = 500
"""Each sheet has a file open while the workbook is made."""

MAX_ROWS = 1_048_575
"""Rows of a sheet below the names of its columns."""

ABOUT, COLUMNS = "about", "columns"
"""The first sheets; no table has such a name."""

OTHERWISE = "Give another --format: csv, json or parquet."
_MADE = datetime(1980, 1, 1)


@dataclass(frozen=True)
class Styles:
    """Formats of cells: names of columns, and text that is like a formula."""

    head: Format
    quoted: Format


class Sheet:
    """A sheet that is written row by row from its top."""

    def __init__(self, sheet: Worksheet, styles: Styles) -> None:
        self._sheet = sheet
        self._styles = styles
        self._n_rows = 0

    def heading(self, values: Iterable[str]) -> None:
        """Write names of columns in the next row."""
        for column, value in enumerate(values):
            self._sheet.write_string(self._n_rows, column, value, self._styles.head)
        self._n_rows += 1

    def row(self, values: Iterable[object]) -> None:
        """Write the next row: text as text, never a formula; missing stays empty."""
        for column, value in enumerate(values):
            if isinstance(value, str):
                self._text(column, xml_text(value))
            elif isinstance(value, bool):
                self._sheet.write_boolean(self._n_rows, column, value)
            elif value is not None:
                self._sheet.write_number(self._n_rows, column, value)
        self._n_rows += 1

    def _text(self, column: int, text: str) -> None:
        if text.startswith("<r>"):
            # XlsxWriter takes it for XML that is ready, unless it comes in parts.
            parts = (text[0], text[1], text[2:])
            self._sheet.write_rich_string(self._n_rows, column, *parts)
        elif text:
            # Whoever edits a cell that is quoted so does not make it a formula.
            style = self._styles.quoted if is_like_formula(text) else None
            self._sheet.write_string(self._n_rows, column, text, style)


def write_workbook(folder: Path, study: PublishedStudy) -> list[dict[str, Any]]:
    """Write `STUDY.xlsx`; return what its sheets hold.

    Numbers have 16 digits, one less than a number may need.
    """
    if len(study.tables) > MAX_TABLES:
        raise StudyError(
            f"{study.folder} has {len(study.tables)} tables, more than the "
            f"{MAX_TABLES} of a workbook. {OTHERWISE}"
        )
    path = folder / f"{study.name}.xlsx"
    options = {"constant_memory": True, "tmpdir": str(folder)}
    with xlsxwriter.Workbook(str(path), options) as book:
        book.set_properties(_properties(study))
        return _write_sheets(book, study, path.name)


def _write_sheets(
    book: xlsxwriter.Workbook, study: PublishedStudy, file: str
) -> list[dict[str, Any]]:
    bold = book.add_format({"bold": True})
    styles = Styles(bold, book.add_format({"quote_prefix": True}))
    about = _new(book, ABOUT, study, styles)
    columns = _new(book, COLUMNS, study, styles)
    _begin(about, columns, study)
    names = sheet_names(study.tables)
    resources = []
    for table in study.read():
        name = names[table.name]
        about.row([name, table.name, table.description, table.source, table.sha256])
        for column, told in table.columns.items():
            columns.row([name, column, told.type, told.unit, told.meaning[LANGUAGE]])
        _write_table(_new(book, name, study, styles), table)
        resources.append(resource(file, table) | {"dialect": {"sheetName": name}})
    return resources


def _new(
    book: xlsxwriter.Workbook, name: str, study: PublishedStudy, styles: Styles
) -> Sheet:
    sheet = book.add_worksheet(name)
    sheet.set_column(0, 99, 16)
    sheet.set_header(f"&C{study.notice} {study.name} ({study.audience})")
    if name != ABOUT:
        sheet.freeze_panes(1, 0)
    return Sheet(sheet, styles)


def _begin(about: Sheet, columns: Sheet, study: PublishedStudy) -> None:
    data = study.notice if study.is_synthetic else "released"
    about.row(["study", study.name])
    about.row(["audience", study.audience])
    about.row(["data", data])
    about.row(["empty cells", "undefined"])
    about.heading(["sheet", "table", "description", "source", "sha256 of the source"])
    columns.heading(["sheet", "column", "type", "unit", "meaning"])


def _write_table(sheet: Sheet, table: ReportTable) -> None:
    if len(table.rows) > MAX_ROWS:
        raise StudyError(
            f"{table.source} has {len(table.rows)} rows, more than the {MAX_ROWS} of a "
            f"sheet. {OTHERWISE}"
        )
    sheet.heading(table.columns)
    for row in table.records():
        _check_texts(row, table)
        sheet.row(row.values())


def _check_texts(row: Mapping[str, Any], table: ReportTable) -> None:
    for column, value in row.items():
        if isinstance(value, str) and is_too_long(value):
            raise StudyError(
                f"{table.source}: a text of the column {column} is longer than a cell "
                f"of a sheet can hold. {OTHERWISE}"
            )


def _properties(study: PublishedStudy) -> dict[str, Any]:
    return {
        "title": f"{study.notice} {study.name}".strip(),
        "comments": f"Audience: {study.audience}.",
        "created": _MADE,
    }
