"""Which attribute and code of a population each one of a sample is.

A crosswalk is config/crosswalks/SAMPLE-POPULATION.csv, by the names of the sources.
Each row says of an attribute of the population which attribute of the sample it is,
and which code of the population stands for one of the sample's:

- no code of the population: the sample's code becomes missing;
- no code of the sample: a missing value becomes the population's code;
- neither: every code without a row of its own stays as it is.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from microleak.base.errors import StudyError, TableError
from microleak.base.paths import CONFIG
from microleak.base.strict_csv import read_csv

_FOLDER = "config/crosswalks"


class _Row(NamedTuple):
    attribute: str
    sample_attribute: str
    sample_code: str
    code: str

    @property
    def keeps_others(self) -> bool:
        """Whether the row says that codes without a row stay as they are."""
        return not self.sample_code and not self.code


@dataclass(frozen=True)
class Counterpart:
    """What an attribute of the population is in the sample."""

    sample_attribute: str  # Its name there
    # The sample's code -> the population's; None is a missing value. A missing
    # value that has no code here stays missing.
    codes: Mapping[str | None, str | None]
    # Whether codes that are not listed stay as they are; else they are refused
    keeps_others: bool

    def has(self, value: str | None) -> bool:
        return value is None or value in self.codes or self.keeps_others


@dataclass(frozen=True)
class Crosswalk:
    """How a sample's attributes and codes become a population's."""

    where: str  # The file, for messages
    # By attribute of the population, in the file's order
    counterparts: Mapping[str, Counterpart]

    def recoded(self, attribute: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
        """Values of a sample's column in the population's codes, in the same order.

        Each distinct value is looked up once.

        >>> census = crosswalk("ibge_pense", "inep_school_census")
        >>> race = pa.chunked_array([["4", "3", "99", None]])
        >>> census.recoded("TP_COR_RACA", race).to_pylist()
        ['3', '4', '0', None]
        """
        known = self.counterparts[attribute]
        distinct = pc.unique(column)
        values = distinct.to_pylist()
        if n_others := sum(not known.has(value) for value in values):
            raise TableError(
                f"{known.sample_attribute} of the sample has distinct values, "
                f"{n_others} in number, for which {self.where} has no code of "
                f"{attribute}. Add rows for them there, or correct the sample."
            )
        codes = [known.codes.get(value, value) for value in values]
        return pc.take(pa.array(codes, pa.string()), pc.index_in(column, distinct))


def crosswalk(sample: str, population: str) -> Crosswalk:
    path = CONFIG / "crosswalks" / f"{sample}-{population}.csv"
    if not path.exists():
        raise StudyError(
            f"There is no crosswalk from {sample} to {population}. Correct source of "
            f"the tables in the study file, or write {_FOLDER}/{path.name}."
        )
    return read_crosswalk(path)


def read_crosswalk(path: Path) -> Crosswalk:
    where = f"{_FOLDER}/{path.name}"
    rows = _rows(path, where)
    by_attribute: dict[str, list[_Row]] = {}
    for line, row in rows:
        earlier = by_attribute.setdefault(row.attribute, [])
        if fault := _fault(row, earlier):
            raise StudyError(f"{where}: line {line} {fault}. Correct that line.")
        earlier.append(row)
    counterparts = {}
    for name, own in by_attribute.items():
        listed = [row for row in own if not row.keeps_others]
        codes = {row.sample_code or None: row.code or None for row in listed}
        keeps_others = len(listed) < len(own)
        counterparts[name] = Counterpart(own[0].sample_attribute, codes, keeps_others)
    return Crosswalk(where, counterparts)


def _rows(path: Path, where: str) -> list[tuple[int, _Row]]:
    found = read_csv(path, where)
    expected = list(_Row._fields)
    if found.header != expected or not found.lines:
        raise StudyError(
            f"{where}: the header {','.join(expected)} expected in line 1, and rows "
            "after it. Correct it."
        )
    return [(line, _Row(*cells)) for line, cells in found.lines]


def _fault(row: _Row, earlier: list[_Row]) -> str | None:
    if not row.attribute or not row.sample_attribute:
        return "does not name an attribute and the sample's attribute"
    if earlier and earlier[0].sample_attribute != row.sample_attribute:
        return (
            f"says that {row.attribute} is {row.sample_attribute} in the sample, "
            f"an earlier line that it is {earlier[0].sample_attribute}"
        )
    same = (row.sample_code, row.keeps_others)
    if same in [(other.sample_code, other.keeps_others) for other in earlier]:
        return f"has a code of {row.sample_attribute} that an earlier line has too"
    return None
