"""Names of a workbook's sheets, and text as a sheet can hold it."""

import re
from collections.abc import Iterable
from hashlib import sha256

MAX_NAME = 31
"""Characters of a sheet's name, which Excel does not tell apart by capitals."""

MAX_TEXT = 32_767
"""UTF-16 units of a cell."""

_NOT_IN_XML = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff\ud800-\udfff]")


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


def cell_text(text: str) -> str:
    """Return a text with U+FFFD for each character that XML cannot hold.

    >>> cell_text("a" + chr(0) + "b")
    'a�b'
    """
    return _NOT_IN_XML.sub("\ufffd", text)


def is_too_long(text: str) -> bool:
    """Say whether a text has more UTF-16 units than a cell can hold."""
    return len(text.encode("utf-16-le", "surrogatepass")) > 2 * MAX_TEXT


def _short(table: str) -> str:
    digits = sha256(table.encode()).hexdigest()[:8]
    return f"{table[: MAX_NAME - len(digits) - 1]}~{digits}"
