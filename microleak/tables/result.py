"""What a function on frames found: tables, and how a notebook shows them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd
import pyarrow as pa

from microleak.base.errors import MicroleakError, StudyError, check_known
from microleak.base.files import write_text
from microleak.tables.rows import by_subject
from microleak.tables.spec import PANDAS, TableSpec

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
    left = [c for c in spec.columns if c.name not in (*OF_STUDY, *others)]
    # A number that is not there is NA, also where a column has none.
    kinds = {c.name: PANDAS[c.type] for c in left if c.is_number and c.missing}
    rows = table[[c.name for c in left]].reset_index(drop=True)
    return with_claims(rows.astype(kinds), spec)


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
        {name: given.get(name, known.get(name, "")) for name in spec.names},
        index=table.index,
    )


@dataclass(frozen=True, repr=False, eq=False)
class Figure:
    """A figure, which a notebook shows; `table` has what is drawn."""

    svg: str
    table: Any

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | Path) -> None:
        """Write it to a file, whose name ends in `.svg`."""
        if Path(path).suffix != ".svg":
            raise StudyError(
                f"A figure is written as SVG, and {path} does not end in .svg. Give "
                "another name."
            )
        write_text(path, self.svg)


class InEachKind:
    """Tables by their names, in the kind of frame that is asked for."""

    def _named(self, name: str) -> tuple[pd.DataFrame, Any]:
        """Return a table and what it is; the first if the name is empty."""
        raise NotImplementedError

    def to_pandas(self, name: str = "") -> pd.DataFrame:
        """Return a copy of a table as pandas has it."""
        return self._named(name)[0].copy()

    def to_arrow(self, name: str = "") -> pa.Table:
        """Return a table as Arrow has it."""
        return pa.Table.from_pandas(self.to_pandas(name), preserve_index=False)

    def to_polars(self, name: str = "") -> Any:
        """Return a table as Polars has it, if that is installed."""
        return as_polars(self.to_arrow(name))


class Result(InEachKind):
    """Tables that a function on frames found, as attributes and by name in brackets.

    They are Polars frames if the function was given one, otherwise pandas frames. The
    first is the one that matters most. Columns are those of the table of this name in a
    study (docs/results.md), without those that only a study file fills.
    """

    specs: ClassVar[Mapping[str, TableSpec]] = {}
    # What a notebook shows and a figure draws: tables, if not the first with rows; and
    # columns of the one that is shown, if not all
    told: ClassVar[str] = ""
    drawn: ClassVar[str] = ""
    shown: ClassVar[tuple[str, ...]] = ()

    def __init__(self, found: Mapping[str, Any], is_polars: bool = False) -> None:
        self._found, self._is_polars = found, is_polars
        self._frames = {name: found[name] for name in found if name in self.specs}
        self._may = f" It has: {', '.join(found)}."
        vars(self).update(found)
        if is_polars:
            vars(self).update({name: self.to_polars(name) for name in self._frames})

    def __getitem__(self, name: str) -> Any:
        """Return what the attribute of this name is."""
        if name not in self._found:
            check_known(name, self._frames, "The result has no table", self._may)
        return vars(self)[name]

    @property
    def tables(self) -> dict[str, Any]:
        """The tables by their names."""
        return {name: self[name] for name in self._frames}

    def columns(self, name: str = "") -> pd.DataFrame:
        """Return what each column means, of the first table unless one is named."""
        table, spec = self._named(name)
        return column_meanings(spec, list(table.columns))

    def figure(self) -> Figure | None:
        """Return a figure of the result; None if there is none."""
        svg = self._svg()
        return Figure(svg, self[self.drawn or self._main]) if svg else None

    @property
    def _main(self) -> str:
        """The first table that has rows."""
        return next((n for n, rows in self._frames.items() if len(rows)), "")

    def conclusion(self, language: str = LANGUAGE) -> list[str]:
        """Return what was found, a sentence each; none if it has no words for it."""
        return []

    def _named(self, name: str) -> tuple[pd.DataFrame, TableSpec]:
        name = name or next(iter(self._frames))
        check_known(name, self._frames, "The result has no table", self._may)
        return self._frames[name], self.specs[name]

    def _svg(self) -> str:
        return ""

    def _rows(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return which rows of the table that is shown are."""
        return rows

    def __repr__(self) -> str:
        sizes = ", ".join(
            f"{name} ({len(table):,} x {len(table.columns)})"
            for name, table in self._frames.items()
        )
        return "\n".join(
            [*self.conclusion(), f"<microleak {type(self).__name__}: {sizes}>"]
        )

    def _repr_html_(self) -> str:
        told = self.told or self._main or next(iter(self._frames))
        rows = self._rows(self._frames[told])
        names = [n for n in self.shown or rows.columns if n in rows]
        concluded = "".join(f"<p><b>{escape(s)}</b></p>" for s in self.conclusion())
        said = escape(self.specs[told].description[LANGUAGE])
        listed = ", ".join(
            f"<code>.{name}</code> ({len(table):,} rows)"
            for name, table in self._frames.items()
        )
        blocks = "".join(_blocks(rows[names], f"<code>.{told}</code>"))
        figure = self.figure()
        drawn = figure.svg if figure else ""
        shown = f"{concluded}<p>{said}</p>{blocks}{drawn}"
        return f"<div>{shown}<p>Tables: {listed}.</p></div>"


def _blocks(rows: pd.DataFrame, place: str) -> Iterator[str]:
    """Yield rows as HTML, those of each sensitive attribute by themselves."""
    # Whoever knows more is never worse off, so that the worst comes first.
    if "n_qids" in rows:
        rows = rows.sort_values("n_qids", ascending=False, kind="stable")
    if "sensitive" not in rows or rows["sensitive"].is_unique:
        yield as_html(rows.dropna(axis=1, how="all"), place)
        return
    for name, block in by_subject(rows).items():
        yield f"<p><b>{escape(name)}</b></p>" if name else ""
        told = block.drop(columns="sensitive").dropna(axis=1, how="all")
        yield as_html(told, place)


def as_html(table: pd.DataFrame, place: str = "") -> str:
    texts = {n: table[n].str.replace("|", " | ") for n in table.columns if n == "qids"}
    with pd.option_context("display.max_colwidth", None):
        shown: str = (
            table.assign(**texts)
            .head(MOST_ROWS)
            .to_html(index=False, border=0, na_rep="", justify="left")
        )
    rest = len(table) - MOST_ROWS
    return shown + (f"<p>… and {rest:,} rows more in {place}</p>" if rest > 0 else "")


def is_of_polars(frame: Any) -> bool:
    return type(frame).__module__.partition(".")[0] == "polars"


def as_polars(table: pa.Table) -> Any:
    try:
        polars = import_module("polars")
    except ImportError:
        raise MicroleakError(
            "Polars is not installed. Install it, or use to_arrow() or to_pandas()."
        ) from None
    return polars.from_arrow(table)


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
