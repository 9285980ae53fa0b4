"""Tables as CSV for spreadsheets, self-describing JSON, and Parquet.

Programs read `report/data`, where a text is as it is.
"""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from microleak.exports.tables import (
    LANGUAGE,
    PublishedStudy,
    PublishedTable,
    marks,
    schema,
    source,
)
from microleak.tables.spec import ARROW

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


DIALECT = {"dialect": {"property": "data"}}
"""Where in the file a Data Package finds the rows."""


def write_json(path: Path, study: PublishedStudy, table: PublishedTable) -> None:
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


def write_parquet(path: Path, study: PublishedStudy, table: PublishedTable) -> None:
    """Write a table; file and columns have their description as metadata."""
    pq.write_table(table.rows.cast(_schema(study, table)), path, compression="zstd")


def _schema(study: PublishedStudy, table: PublishedTable) -> pa.Schema:
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
