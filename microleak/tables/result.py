"""What a function on frames found: tables, and how a notebook shows them."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from html import escape
from importlib import import_module
from typing import Any, ClassVar

import pandas as pd
import pyarrow as pa

from microleak.base.errors import MicroleakError, check_known
from microleak.tables.spec import TableSpec

LANGUAGE = "en"
"""In which notebooks say what tables and columns are."""

OF_STUDY = (
    *("analysis", "table", "focal", "release"),
    *("population", "population_release", "sample", "sample_release"),
)
"""Columns that only a study file fills."""

MOST_ROWS = 12
"""Rows that a notebook shows of a table."""


def without_study(
    table: pd.DataFrame, spec: TableSpec, others: tuple[str, ...] = ()
) -> pd.DataFrame:
    """Return a table of a study as a function gives it, without some columns."""
    left = [name for name in spec.names if name not in (*OF_STUDY, *others)]
    return with_claims(table[left].reset_index(drop=True), spec)


def with_claims(table: pd.DataFrame, spec: TableSpec) -> pd.DataFrame:
    """Return a table whose claims, which results have as texts, are truth values."""
    texts = [c.name for c in spec.columns if c.type == "boolean" and c.name in table]
    told = {"true": True, "false": False}
    return table.assign(**{n: table[n].map(told).astype("boolean") for n in texts})


def with_study(table: pd.DataFrame, spec: TableSpec, **known: str) -> pd.DataFrame:
    """Return a table that a function gave as a study has it, to show it."""
    given = {name: table[name] for name in spec.names if name in table.columns}
    claims = (c.name for c in spec.columns if c.type == "boolean" and c.name in given)
    given |= {name: given[name].map({True: "true", False: "false"}) for name in claims}
    numbers = (c.name for c in spec.columns if c.type == "number" and c.name in given)
    given |= {name: given[name].astype("float64") for name in numbers}
    return pd.DataFrame(
        {name: given.get(name, known.get(name, "")) for name in spec.names}
    )


@dataclass(frozen=True, repr=False, eq=False)
class Result:
    """Tables that a function on frames found, as attributes; each a pandas frame.

    The first is the one that matters most. Columns are those of the table of this name
    in a study (docs/results.md), without those that only a study file fills.
    """

    specs: ClassVar[Mapping[str, TableSpec]] = {}

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The tables by their names."""
        found = {each.name: getattr(self, each.name) for each in fields(self)}
        return {k: v for k, v in found.items() if isinstance(v, pd.DataFrame)}

    def columns(self, name: str = "") -> pd.DataFrame:
        """Return what each column means, of the first table unless one is named."""
        table, spec = self._named(name)
        return column_meanings(spec, list(table.columns))

    def to_pandas(self, name: str = "") -> pd.DataFrame:
        """Return a copy of a table, of the first unless one is named."""
        return self._named(name)[0].copy()

    def to_arrow(self, name: str = "") -> pa.Table:
        """Return a table, the first unless one is named, as Arrow has it."""
        return pa.Table.from_pandas(self._named(name)[0], preserve_index=False)

    def to_polars(self, name: str = "") -> Any:
        """Return a table, the first unless one is named, as Polars has it."""
        return as_polars(self.to_arrow(name))

    def figure(self) -> str:
        """Return a figure of the result, an `<svg>` element; empty if there is none."""
        return ""

    def conclusion(self, language: str = LANGUAGE) -> list[str]:
        """Return what was found, a sentence each; none if it has no words for it."""
        return []

    def _named(self, name: str) -> tuple[pd.DataFrame, TableSpec]:
        name = name or next(iter(self.tables))
        may = f" It has: {', '.join(self.tables)}."
        check_known(name, self.tables, "The result has no table", may)
        return self.tables[name], self.specs[name]

    def _summary(self) -> pd.DataFrame:
        return next(iter(self.tables.values()))

    def __repr__(self) -> str:
        sizes = ", ".join(
            f"{name} ({len(table):,} x {len(table.columns)})"
            for name, table in self.tables.items()
        )
        return "\n".join(
            [*self.conclusion(), f"<microleak {type(self).__name__}: {sizes}>"]
        )

    def _repr_html_(self) -> str:
        first = next(iter(self.tables))
        concluded = "".join(f"<p><b>{escape(s)}</b></p>" for s in self.conclusion())
        said = self.specs[first].description[LANGUAGE]
        listed = ", ".join(
            f"<code>.{name}</code> ({len(table):,} rows)"
            for name, table in self.tables.items()
        )
        return (
            f"<div>{concluded}<p>{escape(said)}</p>{as_html(self._summary())}{self.figure()}"
            f"<p>Tables: {listed}.</p></div>"
        )


def as_html(table: pd.DataFrame) -> str:
    shown: str = table.head(MOST_ROWS).to_html(
        index=False, border=0, na_rep="", justify="left"
    )
    rest = len(table) - MOST_ROWS
    return shown + (f"<p>… and {rest:,} rows more</p>" if rest > 0 else "")


def as_polars(table: pa.Table) -> Any:
    try:
        polars = import_module("polars")
    except ImportError:
        raise MicroleakError(
            "Polars is not installed. Install it, or use to_arrow() or to_pandas()."
        ) from None
    return polars.from_arrow(table)


def meaning_of(text: str) -> dict[str, str]:
    return {LANGUAGE: text}


def column_meanings(spec: TableSpec, names: list[str]) -> pd.DataFrame:
    columns = [spec.by_name[name] for name in names]
    return pd.DataFrame(
        {
            "column": [each.name for each in columns],
            "meaning": [each.meaning[LANGUAGE] for each in columns],
            "type": [each.type for each in columns],
            "unit": [each.unit for each in columns],
            "definition": [each.equation for each in columns],
        }
    )
