"""Every result table that a study may have: those of all families, and its own."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import groupby

from microleak.base.files import write_text
from microleak.base.paths import ROOT
from microleak.families import FAMILIES
from microleak.family import WILDCARD
from microleak.tables.spec import Column, TableSpec, tables_of

PAGE = ROOT / "docs/results.md"
BEGIN = "<!-- Made by make docs from the tables.yaml files; edit those, not this. -->"
END = "<!-- End of what is made. -->"


@cache
def result_tables() -> Mapping[str, TableSpec]:
    """Return the tables by their names, those of a family together."""
    every = (*(family.tables for family in FAMILIES), tables_of("microleak.study"))
    return {name: spec for each in every for name, spec in each.items()}


def write_documentation() -> None:
    """Write into docs/results.md what the tables are."""
    write_text(PAGE, documented_tables(PAGE.read_text(encoding="utf-8")))


def documented_tables(page: str) -> str:
    """Return docs/results.md with what the tables are between its two marks."""
    before, after = page.split(BEGIN, maxsplit=1)[0], page.split(END)[1]
    sections = "\n".join(map(_table_section, result_tables().values()))
    return f"{before}{BEGIN}\n\n{sections}\n{END}{after}"


def _table_section(spec: TableSpec) -> str:
    name = "TARGET" if spec.audience == "confidential" else "ANALYSIS"
    by_template = groupby(spec.columns, lambda c: c.template or c)
    lines = [
        f"## {WILDCARD.sub(name, spec.path)}",
        spec.text,
        "| column | meaning | type | definition |",
        "|---|---|---|---|",
        *(_column_row(column, list(same)) for column, same in by_template),
        *(["", spec.after.rstrip()] if spec.after else []),
    ]
    return "\n".join(lines) + "\n"


def _column_row(column: Column, same: list[Column]) -> str:
    names = ", ".join(f"`{each.name}`" for each in same)
    cells = (
        names,
        " ".join(_column_meaning(column)),
        _column_type(column),
        column.equation,
    )
    return "| " + " | ".join(re.sub(r"(?<!\\)\|", r"\|", cell) for cell in cells) + " |"


def _column_meaning(column: Column) -> Iterator[str]:
    meaning = column.meaning["en"]
    yield meaning
    if column.more:
        yield column.more
    if column.missing and "empty" not in meaning:
        yield f"Empty: {column.missing['en']}"


def _column_type(column: Column) -> str:
    if column.values:
        return ", ".join(f"`{value}`" for value in column.values)
    return column.type + (f", {column.unit}" if column.unit not in {"", "1"} else "")
