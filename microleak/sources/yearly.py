"""What differs between the releases of a source, read from its files in config/.

A row of config/domains/ and config/recodes/ holds for the years from `first` to
`last`; a column of config/names/ and a row of config/layouts/ for one release.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from microleak.errors import StudyError
from microleak.paths import CONFIG

LINE = "(line)"
"""What config/layouts/ calls the whole line among the fields of a release."""


@dataclass(frozen=True)
class FixedWidth:
    """Where the fields of a line without a header or delimiters are.

    Attributes
    ----------
    n_bytes
        Length of each line without its end.
    fields
        Official name -> first byte, from 0, and the byte after the last.
    """

    n_bytes: int
    fields: Mapping[str, tuple[int, int]]


def names(source: str, release: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """Newest -> official names of a release, and attributes that it does not have.

    Both are empty where the source has no names by year.

    Raises
    ------
    StudyError
        If the source's names have no column for the release.
    """
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
    """Attribute -> old -> newest code, for attributes that a year codes otherwise.

    >>> recodes("inep_higher_education_census", "2016")["TP_SEXO"]
    {'0': '2', '1': '1'}
    >>> recodes("inep_higher_education_census", "2017")
    {}
    """
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
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
