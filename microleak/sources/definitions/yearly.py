"""What differs between releases of a source: by year, and by month.

What differs between the releases of a source, read from its files in config/. A row
of config/domains/ and config/recodes/ holds for the years from `first` to `last`; a
column of config/names/ and a row of config/layouts/ for one release.

Names of the files of a release that is made of months, and what their records say.
Read from `monthly` in config/sources/SOURCE.yaml.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from microleak.base.errors import StudyError
from microleak.base.paths import CONFIG
from microleak.base.strict_csv import read_csv

LINE = "(line)"
"""What config/layouts/ calls the whole line among the fields of a release."""


@dataclass(frozen=True)
class FixedWidth:
    """Where the fields of a line without a header or delimiters are."""

    n_bytes: int  # Length of each line without its end
    # Official name -> first byte, from 0, and the byte after the last
    fields: Mapping[str, tuple[int, int]]


def names(source: str, release: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """Newest -> official names of a release, and attributes that it does not have."""
    # Both are empty where the source has no names by year.
    rows = _rows("names", source)
    if not rows:
        return {}, ()
    releases = [name for name in rows[0] if name not in {"attribute", "meaning"}]
    if release not in releases:
        raise StudyError(
            f"{source} has no release {release}; there are {', '.join(releases)}. "
            f"Correct releases in the study file, or add a column {release} to "
            f"config/names/{source}.csv and its domains to config/domains/{source}.csv."
        )
    official = {row["attribute"]: row[release] for row in rows if row[release]}
    return official, tuple(row["attribute"] for row in rows if not row[release])


def domains(source: str, year: str) -> dict[str, tuple[str, str]]:
    """Attribute -> pattern of its values in a year, and the same in words."""
    return {
        row["attribute"]: (row["pattern"], row["expected"])
        for row in _rows("domains", source)
        if _holds(row, year)
    }


def recodes(source: str, year: str) -> dict[str, dict[str, str]]:
    """Attribute -> old -> newest code, for attributes that a year codes otherwise."""
    tables: dict[str, dict[str, str]] = {}
    for row in _rows("recodes", source):
        if _holds(row, year):
            tables.setdefault(row["attribute"], {})[row["from"]] = row["to"]
    return tables


def layout(source: str, release: str) -> FixedWidth | None:
    """Where the fields of a release's fixed-width files are, if it can have any."""
    rows = [row for row in _rows("layouts", source) if row["release"] == release]
    places = {row["name"]: _place(row) for row in rows}
    if not places:
        return None
    _, n_bytes = places.pop(LINE)
    return FixedWidth(n_bytes, places)


def _place(row: Mapping[str, str]) -> tuple[int, int]:
    start = int(row["start"]) - 1
    return start, start + int(row["length"])


def _holds(row: Mapping[str, str], year: str) -> bool:
    return int(row["first"]) <= int(year) <= int(row["last"])


def _rows(folder: str, source: str) -> list[dict[str, str]]:
    """Rows of a file that not every source has."""
    path: Path = CONFIG / folder / f"{source}.csv"
    if not path.exists():
        return []
    return read_csv(path, f"config/{folder}/{path.name}").named()


Recodes = Mapping[str, str]  # Old -> newest code of one attribute
NO_CODE = ""
"""What an impossible old code becomes; no domain of a recoded attribute has it."""


def recoded(chunk: pa.Table, recodes: Mapping[str, Recodes]) -> pa.Table:
    """Chunk with the values of the recoded attributes in the newest codes.

    A value that is not listed stays, and a missing one stays missing. But one
    that is not listed and is what another becomes was no code of the release:
    kept, it could not be told from that other. It becomes `NO_CODE`, so that
    its record is refused. The work is done once for each distinct value.

    >>> chunk = pa.table({"sex": ["0", "1", None, "2", "x"], "age": list("01234")})
    >>> recoded(chunk, {"sex": {"0": "2", "1": "1"}})["sex"].to_pylist()
    ['2', '1', None, '', 'x']
    """
    for place, name in enumerate(chunk.column_names):
        if name in recodes:
            column = _recoded(chunk.column(name), recodes[name])
            chunk = chunk.set_column(place, name, column)
    return chunk


def _recoded(column: pa.ChunkedArray, codes: Recodes) -> pa.ChunkedArray:
    distinct = pc.unique(column)
    newest_of = {**dict.fromkeys(codes.values(), NO_CODE), **codes}
    newest = [newest_of.get(value, value) for value in distinct.to_pylist()]
    return pc.take(pa.array(newest, pa.string()), pc.index_in(column, distinct))


_MONTHS = [f"20{year:02}{month:02}" for year in range(100) for month in range(1, 13)]
_IN_WORDS = {month: month for month in _MONTHS}


@dataclass(frozen=True)
class Claim:
    """What the name of a file says of all its records."""

    column: str  # Name of the column that says it in each record
    begins: str  # How each of its values begins
    meaning: str  # The same in words, as a state or a month
    # What other beginnings of the same length mean, as far as they are known
    others: Mapping[str, str]
    unknown: str  # What any other beginning is called, which is not to be shown

    def found(self, value: str) -> str:
        """Say in words what a value is of, without showing what is not known."""
        return self.others.get(value[: len(self.begins)], self.unknown)


@dataclass(frozen=True)
class Monthly:
    """Files of months: how they are named, and what their records say of that."""

    # What the release is of
    state: str
    year: str
    file: str  # Name of a month's file without its ending, with `{month}` in it
    # Regular expression of the name of a file of any release of the source
    any_file: str
    release: str  # Name of a release, with the groups of `any_file` in it
    # Columns that begin with the code of the state and are year and month
    state_column: str
    month_column: str
    state_codes: Mapping[str, str]  # State -> its code

    @classmethod
    def of(cls, given: Mapping[str, Any], state: str, year: str) -> "Monthly":
        """Fill what a source's file says in for the release of a state's year."""
        file = given["file"].format(state=state, yy=year[2:], month="{month}")
        return cls(**{**given, "file": file}, state=state, year=year)

    def claims(self, month: str) -> tuple[Claim, Claim]:
        """Give what the file of a month, from 01 to 12, says of its records."""
        states = {code: state for state, code in self.state_codes.items()}
        code, date = self.state_codes[self.state], f"{self.year}{month}"
        return (
            Claim(self.state_column, code, self.state, states, "another state"),
            Claim(self.month_column, date, date, _IN_WORDS, "another month"),
        )

    def releases(self, names: Iterable[str]) -> list[str]:
        """Give the releases that files of these names are of, each once, sorted."""
        found = (re.fullmatch(self.any_file, name, re.IGNORECASE) for name in names)
        groups = [match.groupdict() for match in found if match]
        parts = [{key: text.upper() for key, text in each.items()} for each in groups]
        known = [each for each in parts if each["state"] in self.state_codes]
        return sorted({self.release.format(**each) for each in known})
