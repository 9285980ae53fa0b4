"""One typed, checked table from a release's archive, and a receipt of its making."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from microleak.base.errors import ArchiveError, StudyError, TableError, nearest
from microleak.base.files import whole
from microleak.base.progress import Advance, progress, tell
from microleak.sources.definitions.definition import SourceDefinition
from microleak.sources.definitions.domains import Check, Mask, checks, refused
from microleak.sources.definitions.yearly import recoded
from microleak.sources.fetch.collect import check_sums
from microleak.sources.files.archive import members
from microleak.sources.files.identity import Seal, is_marked, sealed, unchanged
from microleak.sources.files.inspection import Known, line_of_record
from microleak.sources.files.member import NOTE, Member, printable
from microleak.sources.files.months import check_files
from microleak.sources.formats.dbc import n_bytes_of, unpacked
from microleak.sources.formats.dbf import dbf_header
from microleak.sources.formats.reader import DEFAULT_SIZES, Sizes, chunks
from microleak.sources.steps.intermediate import parquet_writer, receipt_text
from microleak.sources.steps.persons import seeming_person

MISSING, OUTSIDE, DELETED, ANY = "missing", "outside", "deleted", "any"
"""Reasons why a record is removed: a missing value, one outside its domain, the
mark of a deleted record, and any of these."""


@dataclass(frozen=True)
class Release:
    """What a study says of one release of a table.

    Attributes
    ----------
    archive
        Zip, folder or file, as `microleak.sources.files.archive.members` takes it.
    attributes
        Attributes the study needs, by their newest names; identifiers come
        without being named.
    sha256
        SHA-256 of the archive, or None if the study does not say.
    n_rows
        Records the archive holds, or None if the study does not say.
    max_refused
        Most records that may be set aside for a value outside its domain, where
        the source does not say that they are removed.
    is_synthetic
        Whether a twin made the archive, which the table's metadata then says.
    """

    archive: Path
    attributes: tuple[str, ...]
    sha256: str | None = None
    n_rows: int | None = None
    max_refused: int = 0
    is_synthetic: bool = False

    @property
    def known(self) -> Known:
        """What the study says that guards what reading alone cannot."""
        return Known(self.sha256 is not None, self.n_rows is not None)


@dataclass
class Intake:
    """Counts of a release's records, which are complete once all of them are read.

    Attributes
    ----------
    release, definition
        What is read, and how.
    n_rows
        Records of each member.
    n_refused
        Records left out, refused or removed.
    refused
        Refused records by attribute; one may count in several.
    removed
        Removed records by attribute and reason; the same.
    """

    release: Release
    definition: SourceDefinition
    n_rows: dict[str, int] = field(default_factory=dict)
    n_refused: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    removed: Counter[tuple[str, str]] = field(default_factory=Counter)
    first_refused: str = ""

    @property
    def n_read(self) -> int:
        """Records of all members read so far."""
        return sum(self.n_rows.values())

    def kept(
        self, columns: list[str], sizes: Sizes, advance: Advance
    ) -> Iterator[pa.Table]:
        """Give the columns of the records that stay, in tables as they are read.

        Raises
        ------
        ArchiveError, TableError
            If a member is faulty, or more records are refused than may be.
        """
        rules = checks(self.definition)
        self._expect(columns, rules)
        for member in members(self.release.archive, self.definition.members):
            self._check_kind(member)
            self.n_rows[member.name] = 0
            table = unpacked(member, self.definition)
            known = self.release.known
            for read in chunks(table, self.definition, columns, sizes, advance, known):
                chunk = recoded(read, self.definition.recodes)
                masks = refused(chunk, rules)
                yield self._without(chunk, masks, member) if masks else chunk
                self.n_rows[member.name] += chunk.num_rows
            self._count_deleted(member)

    def check_kept(self) -> None:
        """Refuse a release that leaves no record to look at."""
        if self.n_refused < self.n_read:
            return
        if self.definition.removes:
            raise TableError(
                f"{self.release.archive.name}: all {self.n_read} records are removed, "
                f"{self._most_removed()}. Correct its domain in config/domains/"
                f"{self.definition.source}.csv, or archive under releases in the study "
                "file."
            )
        raise TableError(
            f"{self.first_refused}. All {self.n_read} records are refused: correct "
            "the attribute's domain, or archive under releases in the study file."
        )

    def counts(self, digests: Mapping[str, str]) -> dict[str, Any]:
        """Content of the receipt; `digests` are the SHA-256 of members, if known."""
        content: dict[str, Any] = {
            "members": [
                {"name": printable(name), "n_rows": n, **_digest(digests, name)}
                for name, n in self.n_rows.items()
            ],
            "n_read": self.n_read,
            "n_refused": self.n_refused,
            "refused": dict(self.refused),
            "n_kept": self.n_read - self.n_refused,
        }
        if self.definition.removes:
            content["removed"] = [
                {"attribute": attribute, "reason": reason, "n_rows": n}
                for (attribute, reason), n in self.removed.items()
            ] + [{"attribute": "", "reason": ANY, "n_rows": self.n_refused}]
        return content

    def _expect(self, columns: list[str], rules: Mapping[str, Check]) -> None:
        """Let what is not found be counted as none."""
        if self.definition.removes:
            for name in columns:
                if name in rules:
                    self.removed[name, MISSING] = self.removed[name, OUTSIDE] = 0
            self.removed["", DELETED] = 0

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

    def _without(
        self, chunk: pa.Table, masks: Mapping[str, Mask], member: Member
    ) -> pa.Table:
        is_refused = np.logical_or.reduce(list(masks.values()))
        if not (self.n_refused or self.definition.removes):
            self.first_refused = self._described(masks, is_refused, member)
        self.n_refused += int(is_refused.sum())
        count = self._count_removed if self.definition.removes else self._count_refused
        count(chunk, masks)
        return chunk.filter(pa.array(~is_refused))

    def _count_refused(self, _: pa.Table, masks: Mapping[str, Mask]) -> None:
        self.refused.update({name: int(mask.sum()) for name, mask in masks.items()})
        if self.n_refused > self.release.max_refused:
            raise TableError(
                f"{self.first_refused}. More records are refused than the "
                f"{self.release.max_refused} that max_refused allows: raise it in the "
                "study file, or correct the attribute's domain."
            )

    def _count_removed(self, chunk: pa.Table, masks: Mapping[str, Mask]) -> None:
        for name, mask in masks.items():
            n_missing = chunk.column(name).null_count
            self.removed[name, MISSING] += n_missing
            self.removed[name, OUTSIDE] += int(mask.sum()) - n_missing

    def _count_deleted(self, member: Member) -> None:
        """Count as removed what a table holds but the reader does not give."""
        if self.definition.is_dbf:
            n_all = dbf_header(member, self.definition.encoding).n_records
            n_deleted = n_all - self.n_rows[member.name]
            self.removed["", DELETED] += n_deleted
            self.n_refused += n_deleted
            self.n_rows[member.name] = n_all

    def _most_removed(self) -> str:
        """Which attribute, or mark, most records are removed for, and what it is."""
        (attribute, reason), n = self.removed.most_common(1)[0]
        if reason == DELETED:
            return f"{n} of them as marked as deleted"
        expected = checks(self.definition)[attribute].expected
        return f"{n} of them for {attribute}, which must be {expected}"

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


def _digest(digests: Mapping[str, str], name: str) -> dict[str, str]:
    return {"sha256": digests[name]} if name in digests else {}


__all__ = ["Release", "columns_read", "ingest"]


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
    `identity.Seal`, `members` (`name` and `n_rows` of each, `sha256`
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
    columns = columns_read(definition, release.attributes)
    with (
        whole(table_path) as table,
        whole(receipt_path) as receipt,
        unchanged(release.archive, definition.members),
    ):
        archive = _checked(release, definition, columns)
        intake = Intake(release, definition)
        with progress("reading", _n_bytes(release, definition, columns)) as advance:
            kept = intake.kept(columns, sizes, advance)
            _write(kept, _schema(release, columns), table, definition.identifiers)
        _check_n_rows(release, intake.n_read)
        intake.check_kept()
        _tell_persons(release, definition)
        content = asdict(archive) | intake.counts(archive.members)
        content["attributes"] = columns[len(definition.identifiers) :]
        content["person_id"] = definition.person_id
        content["record_id"] = definition.record_id
        content["verified"] = release.sha256 is not None
        receipt.write_text(receipt_text(content), encoding="utf-8", newline="\n")


def _tell_persons(release: Release, definition: SourceDefinition) -> None:
    """Tell of a column that seems to name the persons whom the study does not."""
    seeming = seeming_person(
        release.archive, definition, release.attributes, release.known
    )
    if seeming:
        tell(
            f"{seeming} With person_id under options in the study file each person "
            "counts once (docs/own-file.md)."
        )


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


def columns_read(definition: SourceDefinition, attributes: Sequence[str]) -> list[str]:
    """Put identifiers first, then attributes in the order of the names or as given.

    Raises
    ------
    StudyError
        If an attribute is unknown or was not released.
    """
    given = attributes
    if definition.names:
        for attribute in given:
            _check_released(attribute, definition)
        given = [name for name in definition.names if name in given]
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


def _write(
    tables: Iterator[pa.Table],
    schema: pa.Schema,
    path: Path,
    identifiers: Sequence[str],
) -> None:
    """Write each table while the next one is read."""
    with (
        parquet_writer(path, schema, identifiers) as writer,
        ThreadPoolExecutor(1) as thread,
    ):
        written: Future[None] | None = None
        for table in tables:
            if written:
                written.result()
            written = thread.submit(writer.write_table, table, max(1, len(table)))
        if written:
            written.result()


def _check_n_rows(release: Release, n_read: int) -> None:
    if release.n_rows is not None and n_read != release.n_rows:
        raise TableError(
            f"{release.archive.name} has {n_read} records, {release.n_rows} expected: "
            "it was cut or is another file. Fetch it again, or correct n_rows under "
            "releases in the study file."
        )
