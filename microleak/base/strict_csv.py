"""CSV files that a user gives beside the records, read whole or refused.

Text is UTF-8, with or without a byte order mark at its beginning, and lines end as on
Unix, Windows or old Macs, the last one too: a number that was cut looks like one that
was not. A file that lost whole lines at its end looks whole, too; where no total and
no value tells, that cannot be seen.
"""

import codecs
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from microleak.base.errors import StudyError

CsvLine = tuple[int, list[str]]  # Number of a row's first line, from 1, and its cells
_END = r"\r\n|\r|\n"
_ODD = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufeff\ufffd-\uffff]")
_NAMES = {
    "\0": "a zero byte",
    "\ufeff": "a byte order mark inside",
    "\ufffd": "a replacement character (\ufffd), where another one was lost",
}
_OF_OTHERS = {
    "UTF-32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),
    "UTF-16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
}


@dataclass(frozen=True)
class Csv:
    """Rows of a CSV file, all as long as the first, and the SHA-256 of its bytes."""

    rows: list[CsvLine]
    sha256: str

    @property
    def header(self) -> list[str]:
        return self.rows[0][1]

    @property
    def lines(self) -> list[CsvLine]:
        return self.rows[1:]

    def named(self) -> list[dict[str, str]]:
        return [dict(zip(self.header, row, strict=True)) for _, row in self.lines]


class _FaultError(Exception):
    """What is wrong with a file, and what to do."""


def check_exists(path: Path, where: str) -> None:
    """Refuse a path without a file; `where` is the setting that names it."""
    if not path.is_file():
        raise StudyError(
            f"{where}: there is no file {path}. Correct its path, which starts from "
            "the folder in which microleak runs."
        )


def read_csv(path: Path, said: str) -> Csv:
    """Return the rows of a file with commas and a header; `said` begins a message."""
    data = path.read_bytes()
    try:
        rows = _rows_of_text(_csv_text(data), ",")
        if len(rows[0][1]) == 1 and (other := re.search("[;\t]", rows[0][1][0])):
            sign = "a semicolon" if other[0] == ";" else "a tab"
            raise _FaultError(
                f"line 1 has no comma, but {sign}. Save the file with commas."
            )
        _check_even(rows, ",")
        if again := [line for line, cells in rows[1:] if cells == rows[0][1]]:
            raise _FaultError(f"line {again[0]} is the header again. Remove it.")
    except _FaultError as fault:
        raise StudyError(f"{said}: {fault}") from None
    return Csv(rows, hashlib.sha256(data).hexdigest())


def read_divided(path: Path, said: str) -> Csv:
    """Return the rows of a file without a header, with `;` or commas between cells."""
    data = path.read_bytes()
    try:
        rows = _rows_by_delimiter(_csv_text(data))
    except _FaultError as fault:
        raise StudyError(f"{said}: {fault}") from None
    return Csv(rows, hashlib.sha256(data).hexdigest())


def read_loosely(data: bytes, line: int, n_cells: int, said: str) -> list[CsvLine]:
    """Return all rows of a file that an office printed, whatever lengths they have.

    Cells are divided by the sign that gives one line so many of them. Text is UTF-8,
    UTF-16 or, where it is neither, that of Windows.
    """
    try:
        text = _text_of_any(data)
        faults = []
        for delimiter in ";,\t":
            try:
                rows = _rows_of_text(text, delimiter)
            except _FaultError as fault:  # as a quotation mark before another sign
                faults.append(fault)
                continue
            if any(first == line and len(row) == n_cells for first, row in rows):
                return rows
        if len(faults) == len(";,\t"):
            raise faults[0]
        raise _FaultError(
            f"line {line}, the first of the table, has not the {n_cells} cells that "
            "columns in the study file names, by semicolons, commas or tabs. Correct "
            "first or columns."
        )
    except _FaultError as fault:
        raise StudyError(f"{said}: {fault}") from None


def _text_of_any(data: bytes) -> str:
    if data.startswith(_OF_OTHERS["UTF-16"]):
        return _csv_text(data.decode("utf-16", errors="replace").encode())
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        if not re.search(rb"\xc3[\x80-\xbf]", data):  # else it is damaged UTF-8
            data = data.decode("cp1252", errors="replace").encode()
    return _csv_text(data)


def _csv_text(data: bytes) -> str:
    for name, marks in _OF_OTHERS.items():
        if data.startswith(marks):
            raise _FaultError(f"it is {name} text. Save it as UTF-8.")
    if data.count(0) * 3 > len(data):
        raise _FaultError("it looks like UTF-16 text. Save it as UTF-8.")
    try:
        text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        line = _line_of(data.decode("latin-1"), error.start)
        raise _FaultError(
            f"line {line} is not UTF-8 text. Save the file as UTF-8."
        ) from None
    if not text.strip():
        raise _FaultError("it is empty. Correct its path, or the file.")
    if odd := _ODD.search(text):
        what = _NAMES.get(odd[0], "a control character")
        raise _FaultError(
            f"line {_line_of(text, odd.start())} has {what}, as if the file were "
            "damaged. Make or fetch it again."
        )
    if text[-1] not in "\r\n":
        raise _FaultError(
            f"line {_line_of(text, len(text))}, the last one, has no line end, so "
            "the file may have been cut. Make or fetch it again or, if it is whole, "
            "end that line (echo >> FILE does)."
        )
    return text


def _line_of(text: str, at: int) -> int:
    return 1 + len(re.findall(_END, text[:at]))


def _rows_of_text(text: str, delimiter: str) -> list[CsvLine]:
    """Return rows of cells; blank lines may stand at the end alone."""
    if '"' in text:
        rows = _quoted_rows(text, delimiter)
    else:
        plain = enumerate(re.split(_END, text)[:-1], 1)
        rows = [(line, row.split(delimiter)) for line, row in plain]
    while len(rows) > 1 and rows[-1][1] == [""]:
        del rows[-1]
    return rows


def _quoted_rows(text: str, delimiter: str) -> list[CsvLine]:
    cell = re.compile(
        rf'(?:"([^"]*+(?:""[^"]*+)*+)"|([^"{delimiter}\r\n]*+))({delimiter}|{_END})'
    )
    rows: list[CsvLine] = []
    cells: list[str] = []
    at, line, first = 0, 1, 1
    while at < len(text):
        found = cell.match(text, at)
        if found is None:
            raise _FaultError(
                f"line {line} has a quotation mark inside a cell, or one that is not "
                "closed. Put quotation marks around such a cell, and double each one "
                "inside it."
            )
        quoted, plain, end = found.groups()
        cells.append(plain if quoted is None else quoted.replace('""', '"'))
        at = found.end()
        is_quoted = quoted is not None
        line += len(re.findall(_END, found[0])) if is_quoted else end != delimiter
        if end != delimiter:
            rows.append((first, cells))
            first, cells = line, []
    return rows


def _check_even(rows: list[CsvLine], delimiter: str) -> None:
    """Refuse rows that are not as long as the first, and cells that hold rows."""
    n_cells = len(rows[0][1])
    for line, cells in rows:
        if cells == [""]:
            raise _FaultError(f"line {line} is blank. Remove it.")
        if len(cells) != n_cells:
            raise _FaultError(
                f"line {line} has {len(cells)} cells, {n_cells} expected. Correct it."
            )
        for cell in cells:
            is_broken = "\n" in cell or "\r" in cell
            if is_broken and cell.count(delimiter) >= n_cells - 1:
                raise _FaultError(
                    f"line {line} has a cell with a line end and as many delimiters as "
                    "a row, as if quotation marks were missing around it. Correct it."
                )


def _rows_by_delimiter(text: str) -> list[CsvLine]:
    """Return rows by the delimiter that gives all as many cells, two or more."""
    # Of two, it is the one without blanks behind it, as those of `[25, 30)`, and then
    # the one of more cells. Blanks behind all of them belong to no cell.
    found: list[tuple[bool, int, list[CsvLine]]] = []
    faults: dict[str, _FaultError] = {}
    for delimiter in ";,":
        try:
            rows = _rows_of_text(text, delimiter)
            _check_even(rows, delimiter)
        except _FaultError as fault:
            faults[delimiter] = fault
            continue
        if (n_cells := len(rows[0][1])) > 1:
            is_tight = any(not c.startswith(" ") for _, row in rows for c in row[1:])
            if not is_tight:
                rows = [
                    (line, [value, *(label.lstrip(" ") for label in labels)])
                    for line, (value, *labels) in rows
                ]
            found.append((is_tight, n_cells, rows))
    *rest, best = sorted(found, key=lambda each: each[:2]) or [(False, 0, [])]
    # A comma with a blank behind it may be one of an interval.
    if faults and (not best[2] or (";" in faults and not best[0])):
        raise faults[max(faults, key=text.count)]
    if not best[2]:
        raise _FaultError(
            "line 1 must have a value and its label on one level or more, with ; or "
            "commas between them. Correct it."
        )
    if rest and rest[0][:2] == best[:2]:
        raise _FaultError(
            "both ; and commas divide all lines into equally many cells, so it is "
            "unclear which is meant. Put quotation marks around each cell."
        )
    return best[2]
