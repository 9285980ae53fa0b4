"""A table as one JSON file that describes itself: its schema and then its rows."""

import json
from pathlib import Path
from typing import Any

from microleak.study.exports_fields import marks, schema, source
from microleak.study.exports_tables import PublishedStudy, PublishedTable

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
