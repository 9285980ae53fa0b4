"""CSV for spreadsheets: no text of it can become a formula.

Programs read `report/data`, where a text is as it is.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from microleak.study.exports_tables import PublishedStudy, PublishedTable

ENCODING = "utf-8-sig"
"""With the mark by which Excel knows UTF-8."""

_FORMULA = re.compile(r"[\s'\"]*[=+\-@＝＋－＠\t\r\n]|'")


def is_like_formula(text: str) -> bool:
    """Say whether a spreadsheet might take a text for a formula.

    Such a text begins with one of `= + - @`, their wide forms, a tab or a line end,
    whatever spaces and quotes stand before.

    >>> [is_like_formula(text) for text in ("=1", " +1", "a=1", "")]
    [True, True, False, False]
    """
    return bool(_FORMULA.match(text))


def guarded(text: str) -> str:
    """Return a text with `'` before it if it begins with that or is like a formula.

    Who takes one `'` from the beginning has the text again.

    >>> guarded("=cmd"), guarded("'a"), guarded("a")
    ("'=cmd", "''a", 'a')
    """
    return f"'{text}" if is_like_formula(text) else text


def write_csv(path: Path, study: PublishedStudy, table: PublishedTable) -> None:
    """Write a table with every text in quotes, numbers without, and missing empty."""
    with path.open("w", encoding=ENCODING, newline="") as file:
        file.write(_line(table.columns))
        file.writelines(_line(row.values()) for row in table.records())


def _line(values: Iterable[object]) -> str:
    return ",".join(map(_cell, values)) + "\n"


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return '"' + guarded(value).replace('"', '""') + '"'
    return repr(value)
