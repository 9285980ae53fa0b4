"""Files of a release that were read before: their records are in an earlier table.

A table that `ingest` wrote has the records of one file after another, no two files in
one row group, and its receipt has the SHA-256 of each file and how many of its records
stayed. So a release that has one more month is read but for what is new.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any

import pyarrow as pa

from microleak.base.files import sha256_of
from microleak.sources.steps.intermediate import metadata_of, parquet, receipt


@dataclass
class Counts:
    """Counts of the records of a file."""

    # All of them, and those that stay
    n_rows: int = 0
    n_kept: int = 0
    removed: Counter[tuple[str, str]] = field(default_factory=Counter)

    @classmethod
    def told(cls, member: Mapping[str, Any]) -> "Counts":
        """Take what a receipt says of a file."""
        removed = {
            (each["attribute"], each["reason"]): each["n_rows"]
            for each in member["removed"]
        }
        return cls(member["n_rows"], member["n_kept"], Counter(removed))

    def content(self) -> dict[str, Any]:
        """Return what a receipt says."""
        return {
            "n_rows": self.n_rows,
            "n_kept": self.n_kept,
            "removed": removed_rows(self.removed),
        }


def removed_rows(removed: Mapping[tuple[str, str], int]) -> list[dict[str, Any]]:
    """Return counts of removed records, as receipts have them."""
    return [
        {"attribute": attribute, "reason": reason, "n_rows": n}
        for (attribute, reason), n in removed.items()
    ]


@dataclass(frozen=True)
class Earlier:
    """A result of `ingest` with the same code, definition and attributes."""

    # Its files
    table: Path
    receipt: Path
    # SHA-256 of each when it was written
    table_sha256: str
    receipt_sha256: str

    def members(self) -> list[Mapping[str, Any]]:
        """Return what the receipt says of files; nothing if it was changed."""
        if sha256_of(self.receipt) != self.receipt_sha256:
            return []
        members: list[Mapping[str, Any]] = receipt(self.receipt)["members"]
        return members


@dataclass(frozen=True)
class ReadBefore:
    """The records of a file in an earlier table."""

    counts: Counts  # What became of them
    table: Path
    groups: range  # Its row groups with the records that stayed

    def tables(self) -> Iterator[pa.Table]:
        """Yield the records that stayed, in tables as they were written."""
        with parquet(self.table) as file:
            for group in self.groups:
                yield file.read_row_group(group).combine_chunks()


def read_before(
    earlier: Iterable[Earlier], digests: Mapping[str, str]
) -> dict[str, ReadBefore]:
    """Return what earlier results have of a release, by the name of the file.

    A file is the same if its name and its bytes are. The result that has most of them
    comes first; a table that is not as it was written is not used.
    """
    each = [(found, found.members()) for found in earlier]
    having = [(found, told, _same(told, digests)) for found, told in each]
    taken: dict[str, ReadBefore] = {}
    for found, told, same in sorted(having, key=lambda one: -len(one[2])):
        new = same - taken.keys()
        if new and sha256_of(found.table) == found.table_sha256:
            places = _places(found.table, told)
            taken |= {name: places[name] for name in new}
    return taken


def _same(members: Iterable[Mapping[str, Any]], digests: Mapping[str, str]) -> set[str]:
    """Return the names of the members that are the release's files of these names."""
    wanted = digests.items()
    return {m["name"] for m in members if (m["name"], m.get("sha256")) in wanted}


def _places(table: Path, members: Iterable[Mapping[str, Any]]) -> dict[str, ReadBefore]:
    """Return where a table has the records of each member."""
    metadata = metadata_of(table)
    sizes = [metadata.row_group(n).num_rows for n in range(metadata.num_row_groups)]
    group_at = {n_rows: n for n, n_rows in enumerate(accumulate(sizes, initial=0))}
    places: dict[str, ReadBefore] = {}
    n_before = 0
    for member in members:
        counts = Counts.told(member)
        n_after = n_before + counts.n_kept
        groups = range(group_at[n_before], group_at[n_after])
        places[member["name"]] = ReadBefore(counts, table, groups)
        n_before = n_after
    return places
