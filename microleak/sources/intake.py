"""Records of a release as they are read: counted, and the faulty ones left out."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from microleak.errors import TableError
from microleak.progress import Advance
from microleak.sources.archive import members
from microleak.sources.dbc import unpacked
from microleak.sources.dbf_header import dbf_header
from microleak.sources.definition import SourceDefinition
from microleak.sources.domains import Check, Mask, checks, refused
from microleak.sources.inspection import Known
from microleak.sources.lines import line_of_record
from microleak.sources.member import Member, printable
from microleak.sources.reader import Sizes, chunks
from microleak.sources.recodes import recoded

MISSING, OUTSIDE, DELETED, ANY = "missing", "outside", "deleted", "any"
"""Reasons why a record is removed: a missing value, one outside its domain, the
mark of a deleted record, and any of these."""


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
