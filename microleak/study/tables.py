"""Every result table that a study may have: those of all families, and its own."""

from collections.abc import Mapping
from functools import cache

from microleak.families import FAMILIES
from microleak.tables.spec import TableSpec, tables_of


@cache
def result_tables() -> Mapping[str, TableSpec]:
    """Return the tables by their names, those of a family together."""
    every = (*(family.tables for family in FAMILIES), tables_of("microleak.study"))
    return {name: spec for each in every for name, spec in each.items()}
