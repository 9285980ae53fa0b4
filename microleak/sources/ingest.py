"""One typed, checked table from a release's archive, and a receipt of its making."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from microleak.errors import StudyError, TableError, nearest
from microleak.files import whole
from microleak.progress import progress
from microleak.sources.archive import members
from microleak.sources.dbc import n_bytes_of
from microleak.sources.definition import SourceDefinition
from microleak.sources.intake import Intake, Release
from microleak.sources.months import check_months
from microleak.sources.reader import DEFAULT_SIZES, Sizes
from microleak.sources.seal import Seal, sealed
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
    `person_id` and `record_id`; where records are removed also `removed`
    (`attribute`, `reason` and `n_rows`).

    Raises
    ------
    StudyError
        If an attribute is unknown or was not released.
    ArchiveError
        If the archive is not the one the hash names, lacks a month or cannot be
        read.
    TableError
        If a member is faulty, more than `max_refused` records or all of them are
        refused or removed, or there are not `n_rows`.
    """
    columns = _columns(release, definition)
    archive = _checked(release, definition)
    with whole(table_path) as table, whole(receipt_path) as receipt:
        intake = Intake(release, definition, table_path.parent)
        with progress("reading", _n_bytes(release, definition, columns)) as advance:
            kept = intake.kept(columns, sizes, advance)
            _write(kept, _schema(release, columns), table)
        _check_n_rows(release, intake.n_read)
        intake.check_kept()
        content = asdict(archive) | intake.counts(archive.members)
        content["attributes"] = columns[len(definition.identifiers) :]
        content["person_id"] = definition.person_id
        content["record_id"] = definition.record_id
        text = json.dumps(content, sort_keys=True, indent=2, ensure_ascii=False)
        receipt.write_text(text + "\n", encoding="utf-8", newline="\n")


def _checked(release: Release, definition: SourceDefinition) -> Seal:
    """Seal of an archive that has all its months, each file as when first seen."""
    path, pattern = release.archive, definition.members
    check_months(path.name, (m.name for m in members(path, pattern)), definition)
    archive = sealed(path, pattern, release.sha256)
    if definition.is_monthly and path.is_dir():
        check_sums(path, archive.members)
    return archive


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
