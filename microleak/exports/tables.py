"""The tables of a finished report, as exports read them: typed and described."""

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv

from microleak import __version__
from microleak.audit.sealed import read_manifest
from microleak.base.errors import StudyError, VerificationError
from microleak.base.paths import MANIFEST
from microleak.study.tables import result_tables
from microleak.study_file.shell import Report
from microleak.tables.spec import ARROW, Column, TableSpec

LANGUAGE = "en"
"""In which exports say what tables and columns are."""

AGAIN = "Run microleak resume with the study file."
ROWS_AT_ONCE = 4096


@dataclass(frozen=True)
class ReportTable:
    """One table of a report."""

    name: str
    spec: TableSpec  # What such a table is
    columns: Mapping[str, Column]  # Those that it has, in its order
    rows: pa.Table  # Missing is a number that does not exist or is not published
    sha256: str  # Of the CSV, which the study's manifest lists

    @property
    def description(self) -> str:
        """Return what the table holds, in one sentence."""
        return self.spec.description[LANGUAGE]

    @property
    def source(self) -> str:
        """Return the CSV's path below `results/STUDY`."""
        return f"report/data/{self.name}.csv"

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield the rows, a value by its column; None is missing."""
        for batch in self.rows.to_batches(max_chunksize=ROWS_AT_ONCE):
            yield from batch.to_pylist()


@dataclass(frozen=True)
class PublishedStudy:
    """What may be shown of a study, and to whom."""

    folder: Path  # `report/data` of its results
    # As its `metadata.json` says
    name: str
    audience: str
    is_synthetic: bool
    notice: str
    language: str
    tables: tuple[str, ...]  # Names of the tables, sorted
    listed: Mapping[str, str]

    def read(self) -> Iterator[ReportTable]:
        """Yield the tables that have rows, one at a time in memory."""
        for name in self.tables:
            table = _read(self.folder / f"{name}.csv", self.listed)
            if (table.spec.audience == "public") != (self.audience == "public"):
                raise StudyError(
                    f"{self.folder / name}.csv was not made for the audience "
                    f"{self.audience}, as metadata.json beside it says. {AGAIN}"
                )
            if table.rows.num_rows:
                yield table


def published_study(study_dir: Path) -> PublishedStudy:
    """Return what the report of a finished study shows."""
    folder = study_dir / "report/data"
    path = folder / "metadata.json"
    if not path.is_file():
        raise StudyError(f"{study_dir} has no report/data/metadata.json. {AGAIN}")
    manifest = read_manifest(study_dir)
    listed = {each["path"]: each["sha256"] for each in manifest["outputs"]}
    data = _as_listed(path, listed)
    try:
        # In the language in which the study file has the report open
        report = manifest["config"].get("content", {}).get("report") or {}
        told = json.loads(data)
        return PublishedStudy(
            folder,
            name=told["study"],
            audience=told["audience"],
            is_synthetic=told["synthetic"],
            notice=told["notice"],
            language=str((report.get("languages") or Report().languages)[0]),
            tables=tuple(sorted(Path(table).stem for table in told["tables"])),
            listed=listed,
        )
    except (ValueError, KeyError, TypeError):
        raise StudyError(
            f"{path} is damaged. Delete {study_dir / 'report'}. {AGAIN}"
        ) from None


def _as_listed(path: Path, listed: Mapping[str, str]) -> bytes:
    """Return the bytes of a file of `report/data` if the manifest lists them."""
    data = path.read_bytes()
    if listed.get(f"report/data/{path.name}") != sha256(data).hexdigest():
        raise VerificationError(
            f"{path} is not what {MANIFEST} lists: it was changed after it was made. "
            f"{AGAIN}"
        )
    return data


def _read(path: Path, listed: Mapping[str, str]) -> ReportTable:
    if not path.is_file():
        raise StudyError(f"{path} is missing, which metadata.json names. {AGAIN}")
    data = _as_listed(path, listed)
    name = path.stem
    header = data.partition(b"\n")[0].decode("utf-8", "replace").split(",")
    spec = spec_of(name)
    unknown = [each for each in header if spec is None or each not in spec.by_name]
    if spec is None or unknown:
        raise StudyError(
            f"{path} has {len(unknown)} columns that this version of microleak does "
            f"not have in such a table. {AGAIN}"
        )
    columns = {each: spec.by_name[each] for each in header}
    try:
        rows = _rows(data, columns)
    except pa.ArrowInvalid:
        # Its message shows cells.
        raise StudyError(f"{path} is not the table it was made as. {AGAIN}") from None
    return ReportTable(name, spec, columns, rows, sha256(data).hexdigest())


def _rows(data: bytes, columns: Mapping[str, Column]) -> pa.Table:
    """Return the rows of a CSV; numbers are the nearest to what is written."""
    convert = pa_csv.ConvertOptions(
        column_types={name: ARROW[told.type] for name, told in columns.items()},
        null_values=[""],
        strings_can_be_null=False,
        true_values=["true", "True"],
        false_values=["false", "False"],
    )
    parse = pa_csv.ParseOptions(newlines_in_values=True)
    return pa_csv.read_csv(
        io.BytesIO(data), parse_options=parse, convert_options=convert
    )


def spec_of(name: str) -> TableSpec | None:
    """Return what a table of `report/data` is, by its file's name; None if unknown."""
    return result_tables().get(name) or result_tables().get(name.rpartition("-")[2])


def schema(table: ReportTable) -> dict[str, Any]:
    """Return the Table Schema of a table, units added."""
    fields = [
        {"name": name, "type": column.type, "description": column.meaning[LANGUAGE]}
        | ({"unit": column.unit} if column.unit else {})
        for name, column in table.columns.items()
    ]
    return {"fields": fields, "missingValues": [""]}


def marks(study: PublishedStudy) -> dict[str, Any]:
    """Return what every export says: which study, for whom, and whether made up."""
    return {
        "study": study.name,
        "audience": study.audience,
        "synthetic": study.is_synthetic,
        "notice": study.notice,
    }


def source(table: ReportTable) -> dict[str, str]:
    """Return from which file of the study's results a table was made."""
    return {"path": table.source, "sha256": table.sha256}


def resource(path: str, table: ReportTable) -> dict[str, Any]:
    """Return the description of a file that has one table, or one sheet of it."""
    return {
        "name": table.name.lower(),
        "title": table.name,
        "path": path,
        "description": table.description,
        "sources": [{"title": table.source, **source(table)}],
        "schema": schema(table),
    }


def package(
    study: PublishedStudy, kind: str, resources: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """Return `datapackage.json` of a folder with the tables of a study in a format."""
    # By its key `microleak` a later export knows that it may take the folder's place.
    return {
        "profile": "data-package",
        "name": study.name.lower(),
        "title": f"{study.notice} {study.name}".strip(),
        "microleak": {"version": __version__, "format": kind, **marks(study)},
        "resources": list(resources),
    }
