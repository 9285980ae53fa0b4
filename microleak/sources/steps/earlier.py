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
    """Counts of the records of a file.

    Attributes
    ----------
    n_rows, n_kept
        All of them, and those that stay.
    removed
        Those removed, by attribute and reason; one may count in several.
    """

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
    """A result of `ingest` with the same code, definition and attributes.

    Attributes
    ----------
    table, receipt
        Its files.
    sha256
        SHA-256 of the table when it was written.
    """

    table: Path
    receipt: Path
    sha256: str


@dataclass(frozen=True)
class ReadBefore:
    """The records of a file in an earlier table.

    Attributes
    ----------
    counts
        What became of them.
    table
        The table.
    groups
        Its row groups with the records that stayed.
    """

    counts: Counts
    table: Path
    groups: range

    def tables(self) -> Iterator[pa.Table]:
        """Yield the records that stayed, in tables as they were written."""
        with parquet(self.table) as file:
            for group in self.groups:
                yield file.read_row_group(group).combine_chunks()


def read_before(
    earlier: Iterable[Earlier], digests: Mapping[str, str]
) -> dict[str, ReadBefore]:
    """Return what earlier results have of a release, by the name of the file.

    A file is the same if its name and its bytes are. Those that most files are taken
    from come first; a table that is not as it was written is not used.

    Parameters
    ----------
    earlier
        Results, in any order.
    digests
        SHA-256 of the release's files by name.
    """
    wanted = {*digests.items()}
    each = [(found, _members(found, wanted)) for found in earlier]
    each.sort(key=lambda one: len(one[1]), reverse=True)
    taken: dict[str, ReadBefore] = {}
    for found, members in each:
        is_new = not members.keys() <= taken.keys()
        if is_new and sha256_of(found.table) == found.sha256:
            taken = members | taken
    return taken


def _members(earlier: Earlier, wanted: set[tuple[str, str]]) -> dict[str, ReadBefore]:
    """Return the files of an earlier result that are wanted."""
    found: dict[str, ReadBefore] = {}
    ends = accumulate(_group_sizes(earlier.table))
    place = {0: 0} | {n_rows: group for group, n_rows in enumerate(ends, 1)}
    n_before = 0
    for member in receipt(earlier.receipt)["members"]:
        counts = Counts.told(member)
        n_after = n_before + counts.n_kept
        if (member["name"], member.get("sha256")) in wanted:
            groups = range(place[n_before], place[n_after])
            found[member["name"]] = ReadBefore(counts, earlier.table, groups)
        n_before = n_after
    return found


def _group_sizes(table: Path) -> Iterator[int]:
    metadata = metadata_of(table)
    for group in range(metadata.num_row_groups):
        yield metadata.row_group(group).num_rows
