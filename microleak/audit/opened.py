"""A finished study, opened: its tables as frames, and what their columns mean."""

import re
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq

from microleak.audit.sealed import listed_file, read_manifest
from microleak.base.errors import StudyError, UnknownNameError, did_you_mean
from microleak.base.paths import MANIFEST
from microleak.study.tables import result_tables
from microleak.tables.files import check_parquet, read_table
from microleak.tables.result import InEachKind, as_html, column_meanings, with_claims
from microleak.tables.spec import WILDCARD, TableSpec

LISTED = ("measures", "published")
"""Folders whose tables are listed, the first one that has a table first."""

ASKED = ("confidential", "people")
"""Folders that are read only if a name begins with them: they tell of persons."""

TablePlace = tuple[str, TableSpec | None]
"""A table's path below the study's folder, and what it is; None of records."""


class OpenedStudy(InEachKind, Mapping[str, pd.DataFrame]):
    """The tables of a finished study by their names, as `collective/town-2023`.

    They are read when they are asked for, each checked against the study's manifest.
    What tells of persons is not listed and is read only by its whole name, as
    `confidential/targets/somebody` or `people/town/2023`.
    """

    def __init__(self, folder: Path, manifest: Mapping[str, Any]) -> None:
        self.folder = folder
        self.name = str(manifest["study"])
        self.is_synthetic = bool(manifest["synthetic"])
        self._listed = {each["path"]: each["sha256"] for each in manifest["outputs"]}
        self._places = _places(self._listed)

    def __iter__(self) -> Iterator[str]:
        return (n for n in self._places if n.partition("/")[0] not in ASKED)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __getitem__(self, name: str) -> pd.DataFrame:
        """Return a table as pandas has it; texts are never missing, claims are bool."""
        path, spec = self._place(name)
        if spec is None:
            return pq.read_table(path).to_pandas()
        if path.suffix == ".parquet":
            check_parquet(path, spec)
            return pq.read_table(path).to_pandas()
        return with_claims(read_table(path, spec), spec)

    def _named(self, name: str) -> tuple[pd.DataFrame, TableSpec | None]:
        return self[name], self._place(name)[1]

    def path(self, name: str) -> Path:
        """Return where a table is."""
        return self.folder / self._places[name][0]

    def checked_file(self, path: str) -> Path:
        """Return a file of the results by its path there, as the manifest lists it."""
        if path not in self._listed:
            raise StudyError(f"{self.folder} has no {path} that its manifest lists.")
        return listed_file(self.folder, self._listed, path)

    def columns(self, name: str) -> pd.DataFrame:
        """Return what each column of a table means."""
        _, spec = self._place(name)
        if spec is None:
            raise StudyError(
                f"{name} has the columns of its release, which its office describes."
            )
        return column_meanings(spec, spec.names)

    def _place(self, name: str) -> tuple[Path, TableSpec | None]:
        """Return a table's file, as the manifest lists it, and what it is."""
        if name not in self._places:
            like = did_you_mean(name, self) or f" It has: {', '.join(self)}."
            raise UnknownNameError(f"{self.folder} has no table {name!r}.{like}")
        listed, spec = self._places[name]
        return listed_file(self.folder, self._listed, listed), spec

    def __repr__(self) -> str:
        made = ", SYNTHETIC" if self.is_synthetic else ""
        return f"<microleak study {self.name}{made}: {', '.join(self)}>"

    def _repr_html_(self) -> str:
        rows = pd.DataFrame(
            [
                {"table": name, "what it holds": spec.description["en"]}
                for name in self
                if (spec := self._places[name][1])
            ]
        )
        made = "<p><b>SYNTHETIC</b></p>" if self.is_synthetic else ""
        return f"<p>Study <b>{escape(self.name)}</b></p>{made}{as_html(rows)}"


def _places(listed: Iterable[str]) -> dict[str, TablePlace]:
    """Return the tables among some paths, by name, those of each folder together."""
    found: dict[str, TablePlace] = {}
    for folder in (*LISTED, *ASKED):
        for path in sorted(each for each in listed if each.startswith(f"{folder}/")):
            name = path.rpartition(".")[0]
            if folder in LISTED:
                name = name.partition("/")[2]
                spec = result_tables().get(name.partition("/")[0])
            else:
                spec = _confidential(path)
            is_records = folder == "people" and path.endswith(".parquet")
            if spec or is_records:
                found.setdefault(name, (path, spec))
    return found


def _confidential(path: str) -> TableSpec | None:
    """Return which table a path is of; of several the one that says most of it."""
    found = [
        spec
        for spec in result_tables().values()
        if re.fullmatch(WILDCARD.sub("[^/]+", spec.path), path)
    ]
    return max(found, key=lambda spec: len(spec.path), default=None)


def open_results(folder: str | Path) -> OpenedStudy:
    """Open the results of a finished study, `results/STUDY`.

    Examples
    --------
    >>> open_results("results/none")
    Traceback (most recent call last):
    microleak.base.errors.StudyError: There is no folder results/none of results.
    """
    place = Path(folder)
    if not place.is_dir():
        like = did_you_mean(place.name, [path.name for path in place.parent.glob("*/")])
        raise StudyError(f"There is no folder {place} of results.{like}")
    if not any((place / name).exists() for name in (MANIFEST, "records")):
        raise StudyError(
            f"{place} is no result of a study: it has neither {MANIFEST} nor records. "
            "Give results/STUDY."
        )
    return OpenedStudy(place, read_manifest(place))
