"""Exported tables described by the Frictionless Data Package: type, unit, meaning."""

from collections.abc import Sequence
from typing import Any

from microleak import __version__
from microleak.meanings.measures import Column
from microleak.study.exports_tables import PublishedStudy, PublishedTable

UNITS = {
    "entropy": "bit",
    "sensitive_entropy": "bit",
    "qids_entropy": "bit",
    "limit_s": "s",
}
"""Units of columns, as UCUM writes them; other numbers are counts and ratios, 1."""


def unit_of(name: str, column: Column) -> str:
    """Return a column's unit as UCUM writes it, empty where it has no numbers.

    >>> unit_of("entropy", Column("number", "")), unit_of("prior", Column("number", ""))
    ('bit', '1')
    """
    is_number = column.datatype in {"integer", "number"}
    return UNITS.get(name, "1") if is_number else ""


def fields(table: PublishedTable) -> list[dict[str, str]]:
    """Return a table's columns as Table Schema describes them, `unit` added."""
    return [
        {"name": name, "type": column.datatype, "description": column.meaning}
        | ({"unit": unit} if (unit := unit_of(name, column)) else {})
        for name, column in table.columns.items()
    ]


def schema(table: PublishedTable) -> dict[str, Any]:
    """Return the Table Schema of a table; only numbers and claims may be missing."""
    return {"fields": fields(table), "missingValues": [""]}


def marks(study: PublishedStudy) -> dict[str, Any]:
    """Return what every export says: which study, for whom, and whether made up."""
    return {
        "study": study.name,
        "audience": study.audience,
        "synthetic": study.is_synthetic,
        "notice": study.notice,
    }


def source(table: PublishedTable) -> dict[str, str]:
    """Return from which file of the study's results a table was made."""
    return {"path": table.source, "sha256": table.sha256}


def resource(path: str, table: PublishedTable) -> dict[str, Any]:
    """Return the description of a file that has one table, or one sheet of it."""
    return {
        "name": table.name.lower(),
        "title": table.name,
        "path": path,
        "description": table.description,
        "sources": [{"title": table.source, **source(table)}],
        "schema": schema(table),
    }


def package(
    study: PublishedStudy, kind: str, resources: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """Return `datapackage.json` of a folder with the tables of a study in one format.

    Its key `microleak` is the mark by which a later export knows that it may take
    the folder's place.
    """
    return {
        "profile": "data-package",
        "name": study.name.lower(),
        "title": f"{study.notice} {study.name}".strip(),
        "microleak": {"version": __version__, "format": kind, **marks(study)},
        "resources": list(resources),
    }
