"""One typed, checked table from a release's archive, and a receipt of its making."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from microleak.errors import StudyError, TableError
from microleak.files import whole
from microleak.progress import Advance, progress
from microleak.sources.archive import members
from microleak.sources.definition import SourceDefinition, nearest
from microleak.sources.domains import Mask, checks, refused
from microleak.sources.lines import line_of_record
from microleak.sources.member import Member, printable
from microleak.sources.reader import DEFAULT_SIZES, Sizes, chunks
from microleak.sources.recodes import recoded
from microleak.sources.seal import sealed


@dataclass(frozen=True)
class Release:
    """What a study says of one release of a table.

    Attributes
    ----------
    archive
        Zip, folder or file, as `microleak.sources.archive.members` takes it.
    attributes
        Attributes the study needs, by their newest names; identifiers come
        without being named.
    sha256
        SHA-256 of the archive, or None if the study does not say.
    n_rows
        Records the archive holds, or None if the study does not say.
    max_refused
        Most records that may be set aside for a value outside its domain.
    is_synthetic
        Whether a twin made the archive, which the table's metadata then says.
    """

    archive: Path
    attributes: tuple[str, ...]
    sha256: str | None = None
    n_rows: int | None = None
    max_refused: int = 0
    is_synthetic: bool = False


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
    value outside its domain, or without an identifier, are left out and counted.
    Row groups hold `sizes.chunk_records` records, fewer at a member's end. Both
    files appear whole or not at all, with the same bytes each time.

    The receipt is JSON: `archive` (file name), `sha256` and `bytes` as in
    `microleak.sources.seal.Seal`, `members` (`name` and `n_rows` of each),
    `n_read`, `n_refused`, `refused` (records by attribute; one may count in
    several), `n_kept`, `attributes`, `person_id` and `record_id`.

    Raises
    ------
    StudyError
        If an attribute is unknown or was not released.
    ArchiveError
        If the archive is not the one the hash names, or cannot be read.
    TableError
        If a member is faulty, more than `max_refused` records or all of them are
        refused, or there are not `n_rows`.
    """
    columns = _columns(release, definition)
    archive = sealed(release.archive, definition.members, release.sha256)
    with whole(table_path) as table, whole(receipt_path) as receipt:
        intake = _Intake(release, definition)
        with progress("reading", _n_bytes(release, definition)) as advance:
            kept = intake.kept(columns, sizes, advance)
            _write(kept, _schema(release, columns), table)
        _check_n_rows(release, intake.n_read)
        intake.check_kept()
        content = asdict(archive) | intake.counts()
        content["attributes"] = columns[len(definition.identifiers) :]
        content["person_id"] = definition.person_id
        content["record_id"] = definition.record_id
        text = json.dumps(content, sort_keys=True, indent=2, ensure_ascii=False)
        receipt.write_text(text + "\n", encoding="utf-8", newline="\n")


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


def _n_bytes(release: Release, definition: SourceDefinition) -> int:
    """Bytes of all members when unpacked, as the archive's directory says."""
    return sum(m.n_bytes for m in members(release.archive, definition.members))


def _schema(release: Release, columns: list[str]) -> pa.Schema:
    note = {"data": "SYNTHETIC" if release.is_synthetic else "released"}
    return pa.schema([(name, pa.string()) for name in columns], note)


def _write(tables: Iterator[pa.Table], schema: pa.Schema, path: Path) -> None:
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for table in tables:
            writer.write_table(table, row_group_size=max(1, table.num_rows))


@dataclass
class _Intake:
    """Records of a release as they are read, counted and, some, refused."""

    release: Release
    definition: SourceDefinition
    n_rows: dict[str, int] = field(default_factory=dict)
    n_refused: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    first_refused: str = ""

    @property
    def n_read(self) -> int:
        return sum(self.n_rows.values())

    def kept(
        self, columns: list[str], sizes: Sizes, advance: Advance
    ) -> Iterator[pa.Table]:
        rules = checks(self.definition)
        for member in members(self.release.archive, self.definition.members):
            self._check_kind(member)
            self.n_rows[member.name] = 0
            for read in chunks(member, self.definition, columns, sizes, advance):
                chunk = recoded(read, self.definition.recodes)
                masks = refused(chunk, rules)
                yield self._without(chunk, masks, member) if masks else chunk
                self.n_rows[member.name] += chunk.num_rows

    def _check_kind(self, member: Member) -> None:
        """Refuse a release that is there in two forms: it would be read twice."""
        is_fixed_width = self.definition.is_fixed_width(member.name)
        if any(
            self.definition.is_fixed_width(n) != is_fixed_width for n in self.n_rows
        ):
            raise TableError(
                f"{member.where}: some members have a header and delimiters, others "
                "fields at fixed places, which may be the same records. Keep those of "
                "one kind in a folder and set archive to it."
            )

    def check_kept(self) -> None:
        """Refuse a release that leaves no record to look at."""
        if self.n_refused == self.n_read:
            raise TableError(
                f"{self.first_refused}. All {self.n_read} records are refused: correct "
                "the attribute's domain, or archive under releases in the study file."
            )

    def counts(self) -> dict[str, Any]:
        return {
            "members": [
                {"name": printable(name), "n_rows": n}
                for name, n in self.n_rows.items()
            ],
            "n_read": self.n_read,
            "n_refused": self.n_refused,
            "refused": dict(self.refused),
            "n_kept": self.n_read - self.n_refused,
        }

    def _without(
        self, chunk: pa.Table, masks: Mapping[str, Mask], member: Member
    ) -> pa.Table:
        is_refused = np.logical_or.reduce(list(masks.values()))
        if not self.n_refused:
            self.first_refused = self._described(masks, is_refused, member)
        self.n_refused += int(is_refused.sum())
        self.refused.update({name: int(mask.sum()) for name, mask in masks.items()})
        if self.n_refused > self.release.max_refused:
            raise TableError(
                f"{self.first_refused}. More records are refused than the "
                f"{self.release.max_refused} that max_refused allows: raise it in the "
                "study file, or correct the attribute's domain."
            )
        return chunk.filter(pa.array(~is_refused))

    def _described(
        self, masks: Mapping[str, Mask], is_refused: Mask, member: Member
    ) -> str:
        """Where the chunk's first refused value is, and what was expected."""
        place = int(is_refused.argmax())
        attribute = next(name for name, mask in masks.items() if mask[place])
        record = self.n_rows[member.name] + place
        line = line_of_record(member, self.definition, record)
        expected = checks(self.definition)[attribute].expected
        return f"{member.where}: line {line}: {attribute} must be {expected}"


def _check_n_rows(release: Release, n_read: int) -> None:
    if release.n_rows is not None and n_read != release.n_rows:
        raise TableError(
            f"{release.archive.name} has {n_read} records, {release.n_rows} expected: "
            "it was cut or is another file. Fetch it again, or correct n_rows under "
            "releases in the study file."
        )
