"""Records grouped by QID subsets and a sensitive value, where profiles do not do.

Rows that become equal are merged. Records are read once for each QID that is the most
identifying of some subset, or in several parts by its values, so that memory is
bounded.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from math import prod
from typing import Self

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.kinds import run_starts
from microleak.attacks.profile import Counts
from microleak.attacks.value_counts import ValueCounts
from microleak.kernels.records import Codes, Records
from microleak.study.subset_tree import (
    SubsetTree,
    joined,
    most_identifying_first,
    union,
    with_qid,
)
from microleak.study.subsets import Subset


@dataclass(frozen=True)
class ValueRows:
    """Records with equal QIDs and sensitive value, as one row.

    Rows ascend by block, then by the other QIDs and the value. As a block is split by
    the first of these, its parts follow each other, and nothing is sorted.

    Attributes
    ----------
    block, n_blocks
        Number of each row's block by the QIDs that are used up, and their bound.
    qids
        Codes of the other QIDs, by position, the most identifying first.
    value
        Code of the sensitive value.
    n_records
        Records of each row, from 1.
    n_codes
        Number of codes of each QID and, last, of the sensitive attribute.
    """

    block: Counts
    n_blocks: int
    qids: Mapping[int, Codes]
    value: Codes
    n_records: Counts
    n_codes: Sequence[int]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.value)

    def split(self, qid: int) -> Self:
        """Return all rows, every block divided by the first QID, which is used up."""
        assert qid == next(iter(self.qids))
        block, n_blocks = joined(
            self.block, self.n_blocks, self.qids[qid], self.n_codes[qid]
        )
        rest = {other: codes for other, codes in self.qids.items() if other != qid}
        return replace(self, block=block, n_blocks=n_blocks, qids=rest)

    def only(self, qids: Sequence[int]) -> Self:
        """Return rows with some of the QIDs, merged where they become equal."""
        if len(qids) == len(self.qids):
            return self
        kept = {qid: codes for qid, codes in self.qids.items() if qid in qids}
        return replace(self, qids=kept).merged

    @property
    def merged(self) -> Self:
        """Rows of which equal ones are one."""
        key, bound = self.block, self.n_blocks
        for qid, codes in self.qids.items():
            key, bound = joined(key, bound, codes, self.n_codes[qid])
        key, _ = joined(key, bound, self.value, self.n_codes[-1])
        # What is sorted in parts already, as it is here, takes a stable sort less time.
        order = np.argsort(key, kind="stable")
        first = run_starts(key[order])
        n_records = np.add.reduceat(self.n_records[order], first)
        return self._taken(order[first], n_records)

    def has_in_block(self, is_wanted: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Say which rows are of a block of which some row is wanted."""
        first = run_starts(self.block)
        in_block = np.logical_or.reduceat(is_wanted, first)
        found: NDArray[np.bool_]
        found = np.repeat(in_block, np.diff(first, append=self.n_rows))
        return found

    @property
    def counts(self) -> ValueCounts:
        """Records of each block and value."""
        rows = self.only([])
        return ValueCounts(rows.block, rows.value.astype(np.int64), rows.n_records)

    def where(self, is_kept: NDArray[np.bool_]) -> Self:
        """Return some of the rows."""
        return self._taken(is_kept, self.n_records[is_kept])

    def _taken(self, rows: NDArray[np.generic], n_records: Counts) -> Self:
        qids = {qid: codes[rows] for qid, codes in self.qids.items()}
        block, value = self.block[rows], self.value[rows]
        return replace(self, block=block, qids=qids, value=value, n_records=n_records)


Visit = Callable[[Subset, ValueRows], ValueRows]


def visit_values(
    records: Records,
    sensitive: int,
    wanted: Collection[Subset],
    visit: Visit,
    most_rows: int,
) -> None:
    """Visit the rows of subsets with the values of a sensitive attribute.

    Parameters
    ----------
    records
        QIDs and sensitive attributes, without marks.
    sensitive
        Position of the attribute.
    wanted
        Subsets of the QIDs, not the empty one.
    visit
        As in `SubsetTree`. It is called for each subset, maybe several times, each
        time with other blocks; not with blocks that it left out before.
    most_rows
        Rows that are held at once, about; more only if one value of a QID, with the
        less identifying ones, has more.
    """
    given = _Given(records, sensitive)
    tree = SubsetTree(most_identifying_first(given.n_codes[:-1]), visit)
    left = set(wanted)
    while left:
        first = tree.first_of(left)
        mine = with_qid(left, first)
        qids = [qid for qid in tree.order if union(mine) >> qid & 1]
        for rows in given.parts(qids, most_rows):
            tree.descend(rows.split(first), 1 << first, mine)
        left -= mine


@dataclass(frozen=True)
class _Given:
    """The records, and which sensitive attribute counts."""

    records: Records
    sensitive: int

    @property
    def n_codes(self) -> list[int]:
        """Number of codes of each QID and, last, of the sensitive attribute."""
        values = [*self.records.qids, self.records.sensitive[self.sensitive]]
        return [len(one.counts) for one in values]

    def parts(self, qids: Sequence[int], most_rows: int) -> Iterator[ValueRows]:
        """Yield all records, in parts by the first QID if there were too many rows."""
        part_of = self._part_of(qids, most_rows)
        for part in range(int(part_of.max()) + 1):
            yield _gathered(
                rows.where(part_of[rows.qids[qids[0]]] == part)
                for rows in map(self._chunk, range(self.records.n_chunks), repeat(qids))
            )

    def _part_of(self, qids: Sequence[int], most_rows: int) -> Counts:
        """Return the part of each value of the first QID: about as many rows each."""
        counts = self.records.qids[qids[0]].counts
        n_kinds = prod(self.n_codes[qid] for qid in qids) * self.n_codes[-1]
        if min(n_kinds, self.records.n_records) <= most_rows:
            return np.zeros_like(counts)
        return np.unique((np.cumsum(counts) - 1) // most_rows, return_inverse=True)[1]

    def _chunk(self, i: int, qids: Sequence[int]) -> ValueRows:
        value = len(self.records.qids) + self.sensitive
        *codes, values = self.records.chunk(i, [*qids, value])
        block, ones = np.zeros((2, len(values)), dtype=np.int64)
        by_qid = dict(zip(qids, codes, strict=True))
        return ValueRows(block, 1, by_qid, values, ones + 1, self.n_codes)


def _gathered(pieces: Iterator[ValueRows]) -> ValueRows:
    """Merge pieces, whenever they have as many rows as what is merged already."""
    found, waiting = next(pieces).merged, list[ValueRows]()
    for piece in pieces:
        waiting.append(piece.merged)
        if sum(rows.n_rows for rows in waiting) >= found.n_rows:
            found, waiting = _together([found, *waiting]).merged, []
    return _together([found, *waiting]).merged if waiting else found


def _together(pieces: Sequence[ValueRows]) -> ValueRows:
    first = pieces[0]
    return replace(
        first,
        block=np.concatenate([rows.block for rows in pieces]),
        qids={
            qid: np.concatenate([rows.qids[qid] for rows in pieces])
            for qid in first.qids
        },
        value=np.concatenate([rows.value for rows in pieces]),
        n_records=np.concatenate([rows.n_records for rows in pieces]),
    )
