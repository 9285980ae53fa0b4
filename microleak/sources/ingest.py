"""One typed, checked table from a release's archive, and a receipt of its making."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from microleak.errors import ArchiveError, StudyError, TableError, nearest
from microleak.files import whole
from microleak.progress import progress
from microleak.sources.archive import members
from microleak.sources.complete import check_files
from microleak.sources.dbc import n_bytes_of
from microleak.sources.definition import SourceDefinition
from microleak.sources.intake import Intake, Release
from microleak.sources.marks import is_marked
from microleak.sources.member import NOTE
from microleak.sources.reader import DEFAULT_SIZES, Sizes
from microleak.sources.seal import Seal, sealed, unchanged
from microleak.sources.sums import check_sums

__all__ = ["Release", "ingest"]


def ingest(
    release: Release,
    definition: SourceDefinition,
    table_path: Path,
    receipt_path: Path,
    sizes: Sizes = DEFAULT_SIZES,
) -> None:
    """Write a release's needed attributes as Parquet, and a receipt of it.

    Records keep the order of the members and of their lines. All values are
    text, old codes brought to the newest; a missing value is null. Records with a
    value outside its domain, or without an identifier, are left out and counted;
    where the definition says that they are removed, also those with a missing value.
    Row groups hold `sizes.chunk_records` records, fewer at a member's end. Both
    files appear whole or not at all, with the same bytes each time.

    The receipt is JSON: `archive` (file name), `sha256` and `bytes` as in
    `microleak.sources.seal.Seal`, `members` (`name` and `n_rows` of each, `sha256`
    of files of a folder), `n_read`, `n_refused` (records left out), `refused`
    (records by attribute; one may count in several), `n_kept`, `attributes`,
    `person_id`, `record_id` and `verified` (whether the study gives the hash); where
    records are removed also `removed` (`attribute`, `reason` and `n_rows`).

    Raises
    ------
    StudyError
        If an attribute is unknown or was not released.
    ArchiveError
        If the archive is not the one the hash names, lacks a month, cannot be
        read, is changed while it is read, is of another state or month, or a twin
        made it without being known.
    TableError
        If a member is faulty, more than `max_refused` records or all of them are
        refused or removed, or there are not `n_rows`.
    """
    columns = _columns(release, definition)
    with (
        whole(table_path) as table,
        whole(receipt_path) as receipt,
        unchanged(release.archive, definition.members),
    ):
        archive = _checked(release, definition, columns)
        intake = Intake(release, definition)
        with progress("reading", _n_bytes(release, definition, columns)) as advance:
            kept = intake.kept(columns, sizes, advance)
            _write(kept, _schema(release, columns), table)
        _check_n_rows(release, intake.n_read)
        intake.check_kept()
        content = asdict(archive) | intake.counts(archive.members)
        content["attributes"] = columns[len(definition.identifiers) :]
        content["person_id"] = definition.person_id
        content["record_id"] = definition.record_id
        content["verified"] = release.sha256 is not None
        text = json.dumps(content, sort_keys=True, indent=2, ensure_ascii=False)
        receipt.write_text(text + "\n", encoding="utf-8", newline="\n")


def _checked(
    release: Release, definition: SourceDefinition, columns: list[str]
) -> Seal:
    """Seal of an archive that has all its months, each file as when first seen."""
    path, pattern = release.archive, definition.members
    _check_marks(release, definition)
    check_files(path, definition, columns)
    archive = sealed(path, pattern, release.sha256)
    if definition.is_monthly and path.is_dir():
        check_sums(path, archive.members)
    return archive


def _check_marks(release: Release, definition: SourceDefinition) -> None:
    """Refuse an archive of a twin that nobody would be told of."""
    if not release.is_synthetic and is_marked(release.archive, definition):
        raise ArchiveError(
            f"{release.archive.name} is synthetic (it has {NOTE}, or a table says so), "
            "which was not known when the study was read. If it came from a url, set "
            "archive to the fetched file or folder instead; if it was put there only "
            "now, run again."
        )


def _columns(release: Release, definition: SourceDefinition) -> list[str]:
    """Put identifiers first, then attributes in the order of the names or as given."""
    given = release.attributes
    if definition.names:
        for attribute in given:
            _check_released(attribute, definition)
        given = tuple(name for name in definition.names if name in given)
    return list(dict.fromkeys((*definition.identifiers, *given)))


def _check_released(attribute: str, definition: SourceDefinition) -> None:
    if attribute in definition.unreleased:
        raise StudyError(
            f"{definition.source} {definition.release} does not have {attribute}: it "
            "was not released. Remove it from the study file's qids and sensitive "
            "where this release is used."
        )
    if attribute not in definition.names:
        raise StudyError(
            f"{definition.source} has no attribute {attribute}."
            f"{nearest(attribute, definition.names)} Correct it in the study file, or "
            f"add it to config/names/{definition.source}.csv."
        )


def _n_bytes(release: Release, definition: SourceDefinition, columns: list[str]) -> int:
    """Bytes of all members when unpacked, as the archive's directory says."""
    found = members(release.archive, definition.members)
    return sum(n_bytes_of(member, definition, columns) for member in found)


def _schema(release: Release, columns: list[str]) -> pa.Schema:
    note = {"data": "SYNTHETIC" if release.is_synthetic else "released"}
    return pa.schema([(name, pa.string()) for name in columns], note)


def _write(tables: Iterator[pa.Table], schema: pa.Schema, path: Path) -> None:
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for table in tables:
            writer.write_table(table, row_group_size=max(1, table.num_rows))


def _check_n_rows(release: Release, n_read: int) -> None:
    if release.n_rows is not None and n_read != release.n_rows:
        raise TableError(
            f"{release.archive.name} has {n_read} records, {release.n_rows} expected: "
            "it was cut or is another file. Fetch it again, or correct n_rows under "
            "releases in the study file."
        )
