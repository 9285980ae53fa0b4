r"""Tables as CSV for spreadsheets, self-describing JSON, Parquet, and LaTeX.

Programs read `report/data`, where a text is as it is. LaTeX has the tables that a page
shows whole, for a document to `\input`, in any encoding of fonts and beside babel,
whose languages may make `"` a command: that is `\symbol{34}` here.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import xlsxwriter
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from microleak.base.errors import StudyError
from microleak.base.xml_text import xml_text
from microleak.exports.tables import (
    LANGUAGE,
    PublishedStudy,
    ReportTable,
    marks,
    resource,
    schema,
    source,
    spec_of,
)
from microleak.tables.spec import ARROW

ENCODING = "utf-8-sig"
"""With the mark by which Excel knows UTF-8."""

# One of `= + - @`, their wide forms, a tab or a line end, after any spaces and quotes
_FORMULA = re.compile(r"[\s'\"]*[=+\-@＝＋－＠\t\r\n]|'")


def is_like_formula(text: str) -> bool:
    """Say whether a spreadsheet might take a text for a formula.

    >>> [is_like_formula(text) for text in ("=1", " +1", "a=1", "")]
    [True, True, False, False]
    """
    return bool(_FORMULA.match(text))


def guarded(text: str) -> str:
    """Return a text with `'` before it if it begins with that or is like a formula.

    >>> guarded("=cmd"), guarded("'a"), guarded("a")
    ("'=cmd", "''a", 'a')
    """
    return f"'{text}" if is_like_formula(text) else text


@dataclass(frozen=True)
class Locale:
    """How spreadsheets of a country write a CSV."""

    delimiter: str
    point: str


LOCALES = {"en": Locale(",", "."), "pt": Locale(";", ",")}
"""By language."""

TAGS = {"en": "en", "pt-BR": "pt"}
"""Languages by what the command calls their locales."""


def write_csv(path: Path, study: PublishedStudy, table: ReportTable) -> None:
    """Write a table with every text in quotes, numbers without, and missing empty."""
    locale = LOCALES[study.language]
    with path.open("w", encoding=ENCODING, newline="") as file:
        file.write(_line(table.columns, locale))
        file.writelines(_line(row.values(), locale) for row in table.records())


def csv_dialect(resource: dict[str, Any], study: PublishedStudy) -> dict[str, Any]:
    """Return the description of a CSV with how it is written."""
    resource = {**resource, "encoding": ENCODING}
    locale = LOCALES[study.language]
    if locale == LOCALES["en"]:
        return resource
    fields = [
        field | ({"decimalChar": locale.point} if field["type"] == "number" else {})
        for field in resource["schema"]["fields"]
    ]
    schema = {**resource["schema"], "fields": fields}
    dialect = {"delimiter": locale.delimiter}
    return {**resource, "dialect": dialect, "schema": schema}


def _line(values: Iterable[object], locale: Locale) -> str:
    return locale.delimiter.join(_csv_cell(value, locale) for value in values) + "\n"


def _csv_cell(value: object, locale: Locale) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return '"' + guarded(value).replace('"', '""') + '"'
    return repr(value).replace(".", locale.point)


DIALECT = {"dialect": {"property": "data"}}
"""Where in the file a Data Package finds the rows."""


def write_json(path: Path, study: PublishedStudy, table: ReportTable) -> None:
    """Write a table, a row a line; null is a number that is missing."""
    told = {
        **marks(study),
        "table": table.name,
        "description": table.description,
        "source": source(table),
        "schema": schema(table),
    }
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(_text(told)[:-1] + ', "data": [')
        for i, row in enumerate(table.records()):
            file.write((",\n" if i else "\n") + _text(row))
        file.write("\n]}\n")


def _text(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def write_parquet(path: Path, study: PublishedStudy, table: ReportTable) -> None:
    """Write a table; file and columns have their description as metadata."""
    pq.write_table(table.rows.cast(_schema(study, table)), path, compression="zstd")


def _schema(study: PublishedStudy, table: ReportTable) -> pa.Schema:
    described = (
        pa.field(
            name,
            ARROW[column.type],
            metadata={"description": column.meaning[LANGUAGE], "unit": column.unit},
        )
        for name, column in table.columns.items()
    )
    told = {
        "data": "SYNTHETIC" if study.is_synthetic else "released",
        "study": study.name,
        "audience": study.audience,
        "description": table.description,
        "source": table.source,
        "source_sha256": table.sha256,
    }
    return pa.schema(described, metadata=told)


_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_\allowbreak{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}\allowbreak{}",
    '"': r"\symbol{34}",
    # After \\ these would be its argument and its star.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
}
_LAST_LATIN = "\u017f"
_TYPOGRAPHIC = set("–—‘’“”…€")
"""Printed by every font of the encoding T1, beside Latin letters and their signs."""

_LIGATURE = re.compile("(?<=[-'`,?!])(?=[-'`,])")


def tex(text: str) -> str:
    r"""Return a text as LaTeX prints it, lines of it broken after `_` and `|` only.

    A character that is not printed, or not in a Latin font, stands by its number.

    >>> print(tex("50 % of A_B"), tex("a--b"), tex("\u202e"))
    50 \% of A\_\allowbreak{}B a-{}-b \texttt{U+202E}
    """
    return _LIGATURE.sub("{}", "".join(map(_character, text)))


def _character(character: str) -> str:
    is_latin = character <= _LAST_LATIN or character in _TYPOGRAPHIC
    if is_latin and character.isprintable():
        return _SPECIAL.get(character, character)
    return rf"\texttt{{U+{ord(character):04X}}}"


DIGITS = 6
"""Significant digits of a number; the other formats have all."""


def is_printed(name: str) -> bool:
    """Say whether a table has a form in print, by its name."""
    spec = spec_of(name)
    return bool(spec and spec.printed)


def write_latex(path: Path, study: PublishedStudy, table: ReportTable) -> None:
    """Write a table as a `longtable` of the package booktabs, for a landscape page."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in _lines(study, table))


def _lines(study: PublishedStudy, table: ReportTable) -> Iterator[str]:
    alike = _alike(table)
    names = [name for name in _printed(table) if name not in alike]
    head = " & ".join(map(_heading, names)) + r" \\"
    yield f"% {study.notice} {study.name}, audience: {study.audience}"
    yield f"% {table.source}, SHA-256 {table.sha256}"
    yield r"% \usepackage{array,booktabs,longtable}"
    yield r"\begingroup\footnotesize\setlength{\tabcolsep}{3pt}"
    yield rf"\begin{{longtable}}{{{''.join(_aligned(name, table) for name in names)}}}"
    yield rf"\caption{{{_caption(study, table, alike)}}}"
    yield rf"\label{{tab:{table.name}}}\\"
    for end in (r"\endfirsthead", r"\endhead"):
        yield from (r"\toprule", head, r"\midrule", end)
    yield from (r"\bottomrule", r"\endfoot")
    for row in table.records():
        yield " & ".join(_latex_cell(row[name]) for name in names) + r" \\"
    yield r"\end{longtable}\endgroup"


def _printed(table: ReportTable) -> list[str]:
    return [name for name in table.spec.printed if name in table.columns]


def _alike(table: ReportTable) -> dict[str, str]:
    """Return the texts that are the same in all rows, if there are rows."""
    texts = [n for n in _printed(table) if table.columns[n].type == "string"]
    values = {name: table.rows[name].unique().to_pylist() for name in texts}
    return {name: only[0] for name, only in values.items() if len(only) == 1}


def _caption(study: PublishedStudy, table: ReportTable, alike: dict[str, str]) -> str:
    data = study.notice if study.is_synthetic else "released data"
    name = f"{study.name} ({data}, {study.audience})"
    told = [f"{name}: {value}" for name, value in alike.items() if value]
    parts = (table.description.removesuffix("."), name, *told)
    return "; ".join(map(tex, parts)) + "."


def _aligned(name: str, table: ReportTable) -> str:
    if table.columns[name].is_wide:
        return r">{\raggedright\arraybackslash}p{0.25\linewidth}"
    return "l" if table.columns[name].type in {"string", "boolean"} else "r"


def _heading(name: str) -> str:
    """Return a column's name, each of its words on a line."""
    words = r"\_\\".join(tex(word) for word in name.split("_"))
    return rf"\shortstack[l]{{{words}}}"


def _latex_cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return _number(value) if isinstance(value, float) else tex(str(value))


def _number(value: float) -> str:
    r"""Return a number as mathematics prints it, its sign and power of ten too.

    >>> print(_number(0.25), _number(-0.00002))
    $0.25$ $-2\times10^{-5}$
    """
    digits, e, power = f"{value:.{DIGITS}g}".partition("e")
    return rf"${digits}\times10^{{{int(power)}}}$" if e else f"${digits}$"


MAX_NAME = 31
"""Characters of a sheet's name, which Excel does not tell apart by capitals."""

MAX_TEXT = 32_767
"""UTF-16 units of a cell."""


def sheet_names(tables: Iterable[str]) -> dict[str, str]:
    """Return a sheet's name for each table, unique and with at most 31 characters.

    It is the table's, or else how that begins and a hash of it, which no others change.

    >>> list(sheet_names(["a-worst", "x" * 40]).values())
    ['a-worst', 'xxxxxxxxxxxxxxxxxxxxxx~bd913ff6']
    """
    tables = list(tables)
    folded = [table.lower() for table in tables]
    is_own = [len(name) <= MAX_NAME and folded.count(name) == 1 for name in folded]
    pairs = zip(tables, is_own, strict=True)
    return {table: table if is_kept else _short(table) for table, is_kept in pairs}


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


Styles = tuple[Format, Format]
"""Formats of cells: names of columns, and text that is like a formula."""


class Sheet:
    """A sheet that is written row by row from its top."""

    def __init__(self, sheet: Worksheet, styles: Styles) -> None:
        self._sheet = sheet
        self._head, self._quoted = styles
        self._n_rows = 0

    def heading(self, values: Iterable[str]) -> None:
        """Write names of columns in the next row."""
        for column, value in enumerate(values):
            self._sheet.write_string(self._n_rows, column, value, self._head)
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
            style = self._quoted if is_like_formula(text) else None
            self._sheet.write_string(self._n_rows, column, text, style)


def write_workbook(folder: Path, study: PublishedStudy) -> list[dict[str, Any]]:
    """Write `STUDY.xlsx`, whose numbers have 16 digits; return what its sheets hold."""
    if len(study.tables) > MAX_TABLES:
        raise StudyError(
            f"{study.folder} has {len(study.tables)} tables, more than the "
            f"{MAX_TABLES} of a workbook. {OTHERWISE}"
        )
    path = folder / f"{study.name}.xlsx"
    options = {"constant_memory": True, "tmpdir": str(folder)}
    with xlsxwriter.Workbook(str(path), options) as book:
        title = f"{study.notice} {study.name}".strip()
        told = {"title": title, "comments": f"Audience: {study.audience}."}
        book.set_properties(told | {"created": _MADE})
        return _write_sheets(book, study, path.name)


def _write_sheets(
    book: xlsxwriter.Workbook, study: PublishedStudy, file: str
) -> list[dict[str, Any]]:
    bold = book.add_format({"bold": True})
    styles = bold, book.add_format({"quote_prefix": True})
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
        for column, value in row.items():
            if isinstance(value, str) and is_too_long(value):
                raise StudyError(
                    f"{table.source}: a text of the column {column} is longer than a "
                    f"cell of a sheet can hold. {OTHERWISE}"
                )
        sheet.row(row.values())
