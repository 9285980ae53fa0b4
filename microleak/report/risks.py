"""Risks as an impact report tells them, and where each of their chances stands."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from microleak.report.texts import Voice

Kind = Literal["reidentification", "inference", "presence"]
Tables = Mapping[str, pd.DataFrame]
Settings = Mapping[str, Any]


@dataclass(frozen=True)
class Cell:
    """Where a number of an analysis stands.

    Attributes
    ----------
    table
        Name of a result table of the analysis.
    row
        From 1 up, the header not counted.
    column
        Of that row.
    of
        Column of the same row by which it is divided, for a count; or none.
    """

    table: str
    row: int
    column: str
    of: str = ""


@dataclass(frozen=True)
class Risk:
    """A risk to persons, and what is left of it once a measure is taken.

    Attributes
    ----------
    words
        What may happen, in one sentence.
    kind
        What an adversary learns.
    sensitive
        Attribute that is inferred, if one is.
    chance
        How likely it is.
    baseline
        How likely it is without what the adversary knows, if that is measured.
    measure
        What lowers the chance, in words; empty if no measure was measured.
    residual
        How likely it is then.
    event
        What happens in which table, releases and with which knowledge. Analyses that
        measure the same chance of one event tell one risk.
    """

    words: str
    kind: Kind
    sensitive: str
    chance: Cell
    baseline: Cell | None = None
    measure: str = ""
    residual: Cell | None = None
    event: tuple[str, ...] = ()


def event_of(row: pd.Series, releases: str, event: str) -> tuple[str, ...]:
    """Return what happens as `Risk.event` has it, by a row of a table.

    Parameters
    ----------
    row
        With `table`, `qids` and `sensitive`.
    releases
        The releases attacked.
    event
        Whether it is found with certainty, or by the best guess.
    """
    qids = "|".join(sorted(row["qids"].split("|")))
    return row["table"], releases, qids, row["sensitive"], event


@dataclass(frozen=True)
class Risks:
    """Which risks a family tells of each of its analyses.

    Attributes
    ----------
    tables
        Names of the result tables that it tells them from; an analysis has all.
    found
        Yields the risks of one analysis, given these tables by their names, what the
        study file says and the language.
    """

    tables: tuple[str, ...]
    found: Callable[[Tables, Settings, Voice], Iterator[Risk]]


def kind_of(sensitive: str) -> Kind:
    """Return what an adversary learns who infers an attribute, or none.

    >>> kind_of("illness"), kind_of("")
    ('inference', 'reidentification')
    """
    return "inference" if sensitive else "reidentification"


def numbered(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table, texts as they are, with `row`, as `Cell` counts rows.

    >>> numbered(pd.DataFrame({"a": [7, 8]}))["row"].tolist()
    [1, 2]
    """
    return table.assign(row=range(1, len(table) + 1))
