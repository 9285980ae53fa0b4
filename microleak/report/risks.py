"""Risks as an impact report tells them, and where each of their chances stands."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from microleak.report.texts import Voice

RiskKind = Literal["reidentification", "inference", "presence"]
RiskTables = Mapping[str, pd.DataFrame]
StudySettings = Mapping[str, Any]
"""What the study file says and, below `published`, what may be told of the study."""


@dataclass(frozen=True)
class NumberCell:
    """Where a number of an analysis stands."""

    table: str  # Name of a result table of the analysis
    row: int  # From 1 up, the header not counted
    column: str  # Of that row
    of: str = ""  # Column of the same row by which it is divided, for a count


@dataclass(frozen=True, kw_only=True)
class Risk:
    """A risk to persons, and what is left of it once a measure is taken.

    The report itself says that values of its releases were drawn anew.
    """

    words: str  # What may happen, in one sentence
    kind: RiskKind  # What an adversary learns
    table: str  # Whose records are attacked, if not those of published tables
    releases: tuple[str, ...]  # All that are read, the one that is attacked first
    qids: tuple[str, ...]  # What an adversary knows
    sensitive: str  # Attribute that is inferred, if one is
    who: str = ""  # The adversary, by its name in the study file
    chance: NumberCell  # How likely it is
    guess: NumberCell | None = None  # How likely a best guess is right, too
    baseline: NumberCell | None = None  # How likely one is without the data
    cells: tuple[NumberCell, ...] = ()  # Where other numbers of the words stand
    measure: str = ""  # What lowers the chance, in words
    residual: NumberCell | None = None  # How likely it is then
    is_further: bool = False  # Whether what others tell of the same stands first


@dataclass(frozen=True)
class Risks:
    """Which risks a family tells of each of its analyses."""

    tables: tuple[str, ...]  # Names of the result tables that it tells them from
    found: Callable[[RiskTables, StudySettings, Voice], Iterator[Risk]]


def numbered(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table, texts as they are, with `row`, as `NumberCell` counts rows.

    >>> numbered(pd.DataFrame({"a": [7, 8]}))["row"].tolist()
    [1, 2]
    """
    return table.assign(row=range(1, len(table) + 1))


def attack_of(row: pd.Series, *releases: str) -> dict[str, Any]:
    """Return what a risk of an attack is of, by a row of a table."""
    return {
        "kind": "inference" if row["sensitive"] else "reidentification",
        "table": row["table"],
        "releases": releases,
        "qids": tuple(row["qids"].split("|")),
        "sensitive": row["sensitive"],
    }
