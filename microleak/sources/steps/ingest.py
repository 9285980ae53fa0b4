"""One typed, checked table from a release's archive, and a receipt of its making."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from gettext import gettext as _
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from microleak.base.errors import ArchiveError, StudyError, TableError, did_you_mean
from microleak.base.files import whole_file
from microleak.base.progress import Advance, progress, tell_user
from microleak.sources.definitions.definition import ROW, SourceDefinition
from microleak.sources.definitions.options import matches
from microleak.sources.definitions.yearly import recoded
from microleak.sources.fetch.collect import check_sums
from microleak.sources.files.archive import released_files
from microleak.sources.files.identity import Seal, is_marked, sealed, unchanged
from microleak.sources.files.inspection import KnownFile, line_of_record
from microleak.sources.files.member import NOTE, Member, printable
from microleak.sources.files.months import MONTHS, check_files, months_of
from microleak.sources.formats.dbc import n_bytes_of, unpacked
from microleak.sources.formats.dbf import dbf_header
from microleak.sources.formats.reader import (
    DEFAULT_SIZES,
    ReadSizes,
    chunks,
    columns_of,
)
from microleak.sources.steps.intermediate import parquet_writer, receipt_text
from microleak.sources.steps.persons import seeming_person
from microleak.tables.parquet import write_behind

RecordMask = npt.NDArray[np.bool_]
"""Whether each record of a chunk is meant, shape (n_records,)."""


@dataclass(frozen=True)
class Check:
    """What an attribute's values must be."""

    pattern: str | None  # Pattern that whole values match, or None where any will do
    expected: str  # The same in words, for messages
    # Whether a missing value is refused too, as in identifiers, and in every
    # attribute where the source says so
    is_required: bool
    is_identifier: bool  # Whether hardly two values are equal


def checks(definition: SourceDefinition) -> dict[str, Check]:
    attributes = dict.fromkeys((*definition.identifiers, *definition.domains))
    return {name: _check(name, definition) for name in attributes}


def refused(chunk: pa.Table, checks: Mapping[str, Check]) -> dict[str, RecordMask]:
    """For each attribute with a refused value, the records that have one."""
    # Each distinct value is checked once. A missing value is refused in identifiers,
    # and where the definition `removes`.
    masks = {
        name: _refused(chunk.column(name), checks[name])
        for name in chunk.column_names
        if name in checks
    }
    return {name: mask for name, mask in masks.items() if mask is not None}


def _check(name: str, definition: SourceDefinition) -> Check:
    is_identifier = name in definition.identifiers
    is_required = is_identifier or definition.removes
    domain = definition.domains.get(name)
    expected = domain.expected if domain else "an identifier"
    return Check(
        pattern=domain.pattern if domain else None,
        expected=f"{expected}, never missing" if is_required else expected,
        is_required=is_required,
        is_identifier=is_identifier,
    )


def _refused(column: pa.ChunkedArray, check: Check) -> RecordMask | None:
    """Mark the records refused in one column, or give None if there are none."""
    # Of identifiers, finding distinct ones is in vain.
    values = column if check.is_identifier else pc.unique(column)
    failing = values.slice(0, 0)
    if check.pattern is not None:
        failing = values.filter(pc.invert(matches(values, check.pattern)))
    if not len(failing) and not (check.is_required and column.null_count):
        return None
    mask = np.zeros(len(column), dtype=np.bool_)
    if len(failing):
        mask |= pc.is_in(column, value_set=pc.unique(failing)).to_numpy()
    if check.is_required:
        mask |= pc.is_null(column).to_numpy()
    return mask


MISSING, OUTSIDE, DELETED, ANY = "missing", "outside", "deleted", "any"
"""Reasons why a record is removed: a missing value, one outside its domain, the
mark of a deleted record, and any of these."""


@dataclass(frozen=True)
class ReadRelease:
    """What a study says of one release of a table."""

    archive: Path
    attributes: tuple[str, ...]  # Attributes the study needs, by their newest names
    # SHA-256 of the archive, or None if the study does not say
    sha256: str | None = None
    # Records the archive holds, or None if the study does not say
    n_rows: int | None = None
    max_refused: int = 0
    is_synthetic: bool = False

    @property
    def known(self) -> KnownFile:
        """What the study says that guards what reading alone cannot."""
        return KnownFile(self.sha256 is not None, self.n_rows is not None)


@dataclass
class FileCounts:
    """Counts of the records of a file."""

    # All of them, and those that stay
    n_rows: int = 0
    n_kept: int = 0
    removed: Counter[tuple[str, str]] = field(default_factory=Counter)


def removed_rows(removed: Mapping[tuple[str, str], int]) -> list[dict[str, Any]]:
    return [
        {"attribute": attribute, "reason": reason, "n_rows": n}
        for (attribute, reason), n in removed.items()
    ]


@dataclass
class Intake:
    """Counts of a release's records, which are complete once all of them are read."""

    # What is read, and how
    release: ReadRelease
    definition: SourceDefinition
    members: dict[str, FileCounts] = field(
        default_factory=dict
    )  # Counts of each member
    n_refused: int = 0  # Records left out, refused or removed
    refused: Counter[str] = field(default_factory=Counter)
    first_refused: str = ""
    unused: list[str] = field(default_factory=list)  # Columns that are not read

    @property
    def n_read(self) -> int:
        return sum(each.n_rows for each in self.members.values())

    @property
    def removed(self) -> Counter[tuple[str, str]]:
        """Removed records by attribute and reason; one may count in several."""
        total: Counter[tuple[str, str]] = Counter()
        for each in self.members.values():
            total.update(each.removed)
        return total

    def kept(
        self, columns: list[str], sizes: ReadSizes, advance: Advance
    ) -> Iterator[pa.Table]:
        """Give the columns of the records that stay, in tables as they are read."""
        for member in released_files(self.release.archive, self.definition):
            self._check_kind(member)
            yield from self._read(member, columns, sizes, advance)

    def _read(
        self, member: Member, columns: list[str], sizes: ReadSizes, advance: Advance
    ) -> Iterator[pa.Table]:
        rules, known = checks(self.definition), self.release.known
        counts = self.members[member.name] = FileCounts(
            removed=self._none(columns, rules)
        )
        table = unpacked(member, self.definition)
        for each in chunks(table, self.definition, columns, sizes, advance, known):
            chunk = recoded(each, self.definition.recodes)
            masks = refused(chunk, rules)
            kept = self._without(chunk, masks, member) if masks else chunk
            counts.n_rows += chunk.num_rows
            counts.n_kept += kept.num_rows
            if kept.num_rows:
                yield kept
        # Only now, as what is wrong with what is read is told first.
        read = {self.definition.official(name) for name in columns}
        found = dict.fromkeys((*self.unused, *columns_of(table, self.definition)))
        self.unused = [name for name in found if name and name not in read]
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
        content: dict[str, Any] = {
            "members": [
                {
                    "name": printable(name),
                    "n_rows": each.n_rows,
                    "n_kept": each.n_kept,
                    "removed": removed_rows(each.removed),
                    **({"sha256": digests[name]} if name in digests else {}),
                }
                for name, each in self.members.items()
            ],
            "n_read": self.n_read,
            "n_refused": self.n_refused,
            "refused": dict(self.refused),
            "n_kept": self.n_read - self.n_refused,
        }
        if self.definition.removes:
            any_reason = {"attribute": "", "reason": ANY, "n_rows": self.n_refused}
            content["removed"] = [*removed_rows(self.removed), any_reason]
        return content

    def _none(
        self, columns: list[str], rules: Mapping[str, Check]
    ) -> Counter[tuple[str, str]]:
        """Return counts in which what is not found is counted as none."""
        if not self.definition.removes:
            return Counter()
        ruled = [name for name in columns if name in rules]
        pairs = [(name, why) for name in ruled for why in (MISSING, OUTSIDE)]
        return Counter(dict.fromkeys([*pairs, ("", DELETED)], 0))

    def _check_kind(self, member: Member) -> None:
        """Refuse a release that is there in two forms: it would be read twice."""
        is_fixed_width = self.definition.is_fixed_width(member.name)
        if any(
            self.definition.is_fixed_width(n) != is_fixed_width for n in self.members
        ):
            raise TableError(
                f"{member.where}: some members have a header and delimiters, others "
                "fields at fixed places, which may be the same records. Keep those of "
                "one kind in a folder and set archive to it."
            )

    def _without(
        self, chunk: pa.Table, masks: Mapping[str, RecordMask], member: Member
    ) -> pa.Table:
        is_refused = np.logical_or.reduce(list(masks.values()))
        if not (self.n_refused or self.definition.removes):
            self.first_refused = self._described(masks, is_refused, member)
        self.n_refused += int(is_refused.sum())
        if self.definition.removes:
            removed = self.members[member.name].removed
            for name, mask in masks.items():
                n_missing = chunk.column(name).null_count
                removed[name, MISSING] += n_missing
                removed[name, OUTSIDE] += int(mask.sum()) - n_missing
        else:
            self._count_refused(masks)
        return chunk.filter(pa.array(~is_refused))

    def _count_refused(self, masks: Mapping[str, RecordMask]) -> None:
        self.refused.update({name: int(mask.sum()) for name, mask in masks.items()})
        if self.n_refused > self.release.max_refused:
            raise TableError(
                f"{self.first_refused}. More records are refused than the "
                f"{self.release.max_refused} that max_refused allows: raise it in the "
                "study file, or correct the attribute's domain."
            )

    def _count_deleted(self, member: Member) -> None:
        """Count as removed what a table holds but the reader does not give."""
        if self.definition.is_dbf:
            n_all = dbf_header(member, self.definition.encoding).n_records
            counts = self.members[member.name]
            n_deleted = n_all - counts.n_rows
            counts.removed["", DELETED] += n_deleted
            self.n_refused += n_deleted
            counts.n_rows = n_all

    def _most_removed(self) -> str:
        """Which attribute, or mark, most records are removed for, and what it is."""
        (attribute, reason), n = self.removed.most_common(1)[0]
        if reason == DELETED:
            return f"{n} of them as marked as deleted"
        expected = checks(self.definition)[attribute].expected
        return f"{n} of them for {attribute}, which must be {expected}"

    def _described(
        self, masks: Mapping[str, RecordMask], is_refused: RecordMask, member: Member
    ) -> str:
        """Where the chunk's first refused value is, and what was expected."""
        place = int(is_refused.argmax())
        attribute = next(name for name, mask in masks.items() if mask[place])
        record = self.members[member.name].n_rows + place
        line = line_of_record(member, self.definition, record)
        expected = checks(self.definition)[attribute].expected
        return f"{member.where}: line {line}: {attribute} must be {expected}"


def ingest(
    release: ReadRelease,
    definition: SourceDefinition,
    table_path: Path,
    receipt_path: Path,
    sizes: ReadSizes = DEFAULT_SIZES,
) -> None:
    """Write a release's needed attributes as Parquet, and a receipt of it.

    Records keep the order of the members and of their lines. All values are
    text, old codes brought to the newest; a missing value is null. Records with a
    value outside its domain, or without an identifier, are left out and counted;
    where the definition says that they are removed, also those with a missing value.
    Row groups hold `sizes.chunk_records` records, fewer at a member's end. Both
    files appear whole or not at all, with the same bytes each time.

    The receipt is JSON: `archive` (file name), `sha256` and `bytes` as in
    `identity.Seal`, `members` (`name`, `n_rows`, `n_kept` and `removed` of each,
    `sha256` of files of a folder), `n_months` (months of the year, null where the
    release is not made of months), `n_read`, `n_refused` (records left out), `refused`
    (records by attribute; one may count in several), `n_kept`, `attributes`, `unused`
    (columns of the archive that are not read), `person_id`, `record_id` and `verified`
    (whether the study gives the hash); where records are removed also `removed`
    (`attribute`, `reason` and `n_rows`).
    """
    columns = columns_read(definition, release.attributes)
    with (
        whole_file(table_path) as table,
        whole_file(receipt_path) as receipt,
        unchanged(release.archive, definition.members),
    ):
        archive = _checked(release, definition, columns)
        intake = Intake(release, definition)
        # Of all members when unpacked, as the archive's directory says
        found = released_files(release.archive, definition)
        n_bytes = sum(n_bytes_of(member, definition, columns) for member in found)
        with progress("reading", n_bytes or None) as advance:
            kept = intake.kept(columns, sizes, advance)
            note = {"data": "SYNTHETIC" if release.is_synthetic else "released"}
            schema = pa.schema([(name, pa.string()) for name in columns], note)
            with parquet_writer(table, schema, definition.keys) as writer:
                write_behind(writer, kept)
        _check_n_rows(release, intake.n_read)
        intake.check_kept()
        _tell_persons(release, definition)
        content = asdict(archive) | intake.counts(archive.members)
        content["n_months"] = _n_months(release, definition, intake.members)
        content["unused"] = [printable(name) for name in intake.unused]
        content["attributes"] = columns[len(definition.keys) :]
        content["person_id"] = definition.person_id
        content["record_id"] = ROW if ROW in columns else definition.record_id
        content["verified"] = release.sha256 is not None
        receipt.write_text(receipt_text(content), encoding="utf-8", newline="\n")


def _n_months(
    release: ReadRelease, definition: SourceDefinition, names: Iterable[str]
) -> int | None:
    """Count the months of a release that is made of them; tell of a year not whole."""
    if not definition.is_monthly:
        return None
    n_months = months_of(names, definition)
    if n_months < len(MONTHS):
        tell_user(
            f"{release.archive.name}: {definition.release} ends with month "
            f"{n_months:02}. If later months were published, fetch them."
        )
    return n_months


def _tell_persons(release: ReadRelease, definition: SourceDefinition) -> None:
    """Tell of a column that seems to name the persons whom the study does not."""
    seeming = seeming_person(
        release.archive, definition, release.attributes, release.known
    )
    if seeming:
        once = _(
            "With person_id under options in the study file each person counts once "
            "(docs/own-file.md)."
        )
        tell_user(f"{seeming} {once}")


def _checked(
    release: ReadRelease, definition: SourceDefinition, columns: list[str]
) -> Seal:
    """Seal of an archive that has all its months, each file as when first seen."""
    path, pattern = release.archive, definition.members
    _check_marks(release, definition)
    check_files(path, definition, columns)
    archive = sealed(path, pattern, release.sha256)
    if definition.is_monthly and path.is_dir():
        check_sums(path, archive.members)
    return archive


def _check_marks(release: ReadRelease, definition: SourceDefinition) -> None:
    """Refuse an archive of a twin that nobody would be told of."""
    if not release.is_synthetic and is_marked(release.archive, definition):
        raise ArchiveError(
            f"{release.archive.name} is synthetic (it has {NOTE}, or a table says so), "
            "which was not known when the study was read. If it came from a url, set "
            "archive to the fetched file or folder instead; if it was put there only "
            "now, run again."
        )


def columns_read(definition: SourceDefinition, attributes: Sequence[str]) -> list[str]:
    """Put identifiers first, then attributes in the order of the names or as given."""
    given = attributes
    if definition.names:
        for attribute in given:
            _check_released(attribute, definition)
        given = [name for name in definition.names if name in given]
    if ROW in given:
        raise StudyError(
            f"{ROW} is what microleak itself names a row by. Rename the column of the "
            "file, or leave it out of the study file."
        )
    return list(dict.fromkeys((*definition.keys, *given)))


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
            f"{did_you_mean(attribute, definition.names)} Correct it in the study "
            f"file, or add it to config/names/{definition.source}.csv."
        )


def _check_n_rows(release: ReadRelease, n_read: int) -> None:
    if release.n_rows is not None and n_read != release.n_rows:
        raise TableError(
            f"{release.archive.name} has {n_read} records, {release.n_rows} expected: "
            "it was cut or is another file. Fetch it again, or correct n_rows under "
            "releases in the study file."
        )
