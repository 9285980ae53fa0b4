"""Our number in the place of a printed one, and how far it is from it."""

import csv
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, fields
from fractions import Fraction
from functools import cache
from pathlib import Path
from statistics import mean
from typing import Final

from microleak.base.errors import MicroleakError
from microleak.base.files import whole_file
from papers.facts import CLAIMS, PAPER, Fact, parts, read_rows

REDUCE: Final[dict[str, Callable[[list[Fraction]], Fraction]]] = {
    "min": min,
    "max": max,
    "mean": mean,
}
FLOAT_ERROR: Final = Fraction(1, 10**12)
"""Results are written with 17 digits, so that a tie may fall on either side."""


class NotMeasuredError(MicroleakError):
    """The results have no row, or several, in the place of a printed number."""


@dataclass(frozen=True)
class Compared(Fact):
    """A printed number with ours, as the result table has it."""

    measured: str

    @property
    def ours(self) -> Fraction:
        """Our number; of a claim 1 if it is true."""
        if self.measured in CLAIMS:
            return CLAIMS[self.measured]
        return Fraction(self.measured)

    @property
    def distance(self) -> Fraction:
        """Ours less the printed one."""
        return self.ours - self.value

    @property
    def agrees(self) -> bool:
        """Whether ours, rounded as the paper rounds, is the printed number.

        Examples
        --------
        >>> two_thirds = "0.6666666666666666"
        >>> [
        ...     Compared("", "", "", "", printed, "paper", "", two_thirds).agrees
        ...     for printed in ("0.67", "2/3", "66.7 %", "0.66")
        ... ]
        [True, True, True, False]
        """
        return abs(self.distance) <= self.last_digit / 2 + FLOAT_ERROR

    @property
    def is_explained(self) -> bool:
        """Whether a number of the paper's own data has a note just where it differs."""
        return self.data != PAPER or self.agrees == (not self.note)

    @property
    def off(self) -> Fraction:
        """How far ours is off: points of a share, or percent of another number."""
        if self.is_share or self.value == 0:
            return 100 * abs(self.distance)
        return 100 * abs(self.distance) / abs(self.value)

    @property
    def is_share(self) -> bool:
        """Whether the number is one of percent or a quotient of counts."""
        return self.is_percentage or "/" in self.printed


def compare(known: Iterable[Fact], results: Path) -> list[Compared]:
    """Return printed numbers with ours.

    Parameters
    ----------
    known
        What a paper prints.
    results
        Folder of the results of its study, as `results/nunes-2021`.

    Raises
    ------
    NotMeasuredError
        If the results do not have exactly one row in the place of a number.
    """
    rows = cache(lambda file: read_rows(_path(results, file)))
    return [
        Compared(**asdict(fact), measured=_measured(fact, rows(fact.file)))
        for fact in known
    ]


def _path(results: Path, file: str) -> Path:
    folder = "" if file.startswith("confidential/") else "measures/"
    path = results / f"{folder}{file}.csv"
    if not path.is_file():
        raise NotMeasuredError(
            f"{path} is not there. Run microleak run config/papers/{results.name}.yaml "
            "first."
        )
    return path


def _measured(fact: Fact, rows: list[dict[str, str]]) -> str:
    wanted = fact.selection
    found = [
        row
        for row in rows
        if all(parts(row[name]) == value for name, value in wanted.items())
    ]
    reduce, _, column = fact.column.rpartition(" ")
    column, _, divisor = column.partition("/")
    values = [row[column] for row in found]
    if divisor:
        values = [_quotient(row[column], row[divisor]) for row in found]
    if reduce and values:
        return str(float(REDUCE[reduce]([Fraction(value) for value in values])))
    told = {*values} - {""}
    if len(told) != 1 or "" in values:
        raise NotMeasuredError(
            f"{fact.where}: {fact.file} has {len(told) or 'no'} "
            f"value{'s' * (len(told) > 1)} of {fact.column} with {fact.row}, where one "
            "is expected. Correct the line of config/papers/ or, if no record is the "
            "target's, the target in the study file."
        )
    return values[0]


def _quotient(a: str, b: str) -> str:
    is_number = a and b and Fraction(b)
    return str(float(Fraction(a) / Fraction(b))) if is_number else ""


def write_comparison(path: Path, compared: Iterable[Compared]) -> None:
    """Write printed numbers with ours, a line each."""
    names = [field.name for field in fields(Compared)]
    with (
        whole_file(path) as aside,
        aside.open("w", encoding="utf-8", newline="") as file,
    ):
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(each) for each in compared)


def read_comparison(path: Path) -> list[Compared]:
    """Return what `write_comparison` wrote."""
    return [Compared(**row) for row in read_rows(path)]
