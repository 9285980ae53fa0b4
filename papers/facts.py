"""Numbers that a paper prints, and where the results of its study have ours."""

import csv
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Final

from microleak.base.paths import ROOT

CONFIG: Final = ROOT / "config" / "papers"
PAPERS: Final = (
    "nunes-2021",
    "gonze-2025",
    "rodrigues",
    "nepomuceno-2017",
    "google-sdp",
)
PAPER, TWIN = "paper", "twin"
"""Whose data a number is of: the paper's own, or made-up data of the same kind."""


@dataclass(frozen=True)
class Fact:
    """A printed number.

    Attributes
    ----------
    where
        Table, example or section that prints it.
    file
        Result table that has ours, without its ending, as `collective/school-2018`:
        of `measures/`, or of `confidential/` where the name begins so.
    row
        Which row of it, as `sensitive=;qids=NU_DIA|NU_MES`; names that are joined by
        `|` are a set. It is one row, unless `column` reduces several.
    column
        Which column, or its `min`, `max` or `mean` over the rows, as `min COLUMN`, or
        a quotient of two, as `n_records/n_read`.
    printed
        The number as it is printed: `5.88 %`, `1.0037`, `true`, or a quotient of two
        printed counts.
    data
        Whose data it is of: `paper` or `twin`.
    note
        What is wrong with the printed number, or what else makes ours differ.
    """

    where: str
    file: str
    row: str
    column: str
    printed: str
    data: str
    note: str

    @property
    def selection(self) -> dict[str, frozenset[str]]:
        """Values by column of the row."""
        pairs = (each.partition("=") for each in self.row.split(";") if each)
        return {name: parts(value) for name, _, value in pairs}

    @property
    def is_percentage(self) -> bool:
        """Whether the number is printed in percent."""
        return self.printed.endswith("%")

    @property
    def value(self) -> Fraction:
        """The printed number; of a claim 1 if it is true.

        Examples
        --------
        >>> Fact("", "", "", "", "5.88 %", "twin", "").value
        Fraction(147, 2500)
        """
        if self.printed in CLAIMS:
            return CLAIMS[self.printed]
        number = Fraction(self.printed.removesuffix("%").strip())
        return number / 100 if self.is_percentage else number

    @property
    def last_digit(self) -> Fraction:
        """Worth of one more in the last printed digit; 0 of a quotient or claim."""
        if "/" in self.printed or self.printed in CLAIMS:
            return Fraction(0)
        decimals = len(self.printed.removesuffix("%").strip().partition(".")[2])
        return Fraction(1, 10 ** (decimals + (2 if self.is_percentage else 0)))


CLAIMS: Final = {"true": Fraction(1), "false": Fraction(0)}


def parts(text: str) -> frozenset[str]:
    """Return the names that are joined by `|`, whose order says nothing."""
    return frozenset(text.split("|"))


def facts(paper: str) -> list[Fact]:
    """Return the numbers that a paper prints, in its order."""
    return [Fact(**row) for row in read_rows(CONFIG / f"{paper}.csv")]


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the lines of a CSV by its header."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
