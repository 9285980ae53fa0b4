"""How many attributes a row can keep and still be like enough others, or be helped.

Sets of attributes are a tree, each below the one without its last attribute. Blocks of
rows that are alike are split by one attribute after another. Those with too few records
leave the tree, and so do those whose rows have nothing to gain below.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from microleak.base.arrays import Integers

CodeColumns = Sequence[NDArray[np.uint32]]
SetSizes = NDArray[np.int8]
Marks = NDArray[np.uint64]

SHORT = 24
"""Rows up to which a block is put in order by insertion."""

CODE_BITS = 32
"""A key to sort by has the code above the bits of the row's number."""


class _CrowdBlocks(NamedTuple):
    """Rows, those of a block adjacent, where each block starts, and the end."""

    rows: NDArray[np.int32]
    starts: NDArray[np.int32]


class _Table(NamedTuple):
    """Of each row its records, attributes that are there, and largest sets so far."""

    counts: Integers
    n_known: SetSizes
    best: SetSizes
    marks: Marks


def mark_of(attributes: int) -> np.uint64:
    """Return the bit that stands for a set of attributes, and for some other sets."""
    mixed = attributes * 0x9E3779B97F4A7C15 & ((1 << 64) - 1)
    return np.uint64(1 << (mixed >> 58))


@njit(cache=True, nogil=True)
def _find_marked(marks, rows, mark):
    found = np.empty(len(rows), dtype=np.int64)
    n = 0
    for row in rows:
        if marks[row] & mark:
            found[n] = row
            n += 1
    return found[:n].copy()


def marked_rows(marks: Marks, rows: Integers, attributes: int) -> Integers:
    """Return those of some rows that have the mark of a set of attributes.

    >>> marks = np.array([mark_of(3), mark_of(6), mark_of(3) | mark_of(5)])
    >>> marked_rows(marks, np.array([0, 1, 2]), 5).tolist()
    [2]
    """
    return np.asarray(_find_marked(marks, rows, mark_of(attributes)))


def largest_sets(
    cells: CodeColumns,
    numbers: Sequence[int],
    counts: Integers,
    k: int,
    most_dropped: int,
) -> tuple[SetSizes, Marks]:
    """Return the size of each row's largest sets of attributes with k records.

    A set has the records that are like the row in all its attributes, none of which is
    missing; the empty one has all records, which are k or more. A row of k records has
    all that it knows. Others are marked by `mark_of` each of their largest sets,
    together. `cells` are codes of each attribute without gaps, 0 where it is missing
    (fast with those first that have most values), `numbers` the bit of a set that
    stands for each, `counts` the records of each row, of fewer than 2**31 rows; a set
    may lack `most_dropped`.
    """
    n_known = np.zeros(len(counts), dtype=np.int8)
    for codes in cells:
        n_known += codes > 0
    best = np.where(counts >= k, n_known, 0).astype(np.int8)
    marks = np.full(len(counts), mark_of(0))
    everybody = _one_block(len(counts))
    for i in range(min(len(cells), most_dropped + 1)):
        table = _Table(counts, n_known, best, marks)
        tree = _Tree(cells, numbers, table, k, most_dropped)
        rows, starts = tree.split(everybody, i, 0)
        # Put in the order of their blocks, rows of a block lie together in memory.
        below = [codes[rows] if j > i else codes[:0] for j, codes in enumerate(cells)]
        own = _Table(counts[rows], n_known[rows], best[rows], marks[rows])
        tree = _Tree(below, numbers, own, k, most_dropped)
        tree.visit(_one_block(len(rows))._replace(starts=starts), 1 << numbers[i], i)
        best[rows], marks[rows] = own.best, own.marks
    return best, marks


def _one_block(n_rows: int) -> _CrowdBlocks:
    return _CrowdBlocks(
        np.arange(n_rows, dtype=np.int32), np.array([0, n_rows], np.int32)
    )


class _Tree(NamedTuple):
    """The tree of sets of attributes, below any of them."""

    cells: CodeColumns
    numbers: Sequence[int]
    table: _Table
    k: int
    most_dropped: int

    def visit(self, blocks: _CrowdBlocks, kept: int, last: int) -> None:
        if len(blocks.rows):
            end = min(len(self.cells), kept.bit_count() + self.most_dropped + 1)
            for i in range(last + 1, end):
                below = self.split(blocks, i, kept)
                self.visit(below, kept | 1 << self.numbers[i], i)

    def split(self, blocks: _CrowdBlocks, i: int, kept: int) -> _CrowdBlocks:
        """Return blocks of a set and one attribute more that may be split further."""
        codes = self.cells[i]
        n_codes = int(codes.max(initial=0)) + 1
        mark = mark_of(kept | 1 << self.numbers[i])
        size = kept.bit_count() + 1
        bounds = self.k, size, size + len(self.cells) - i - 1
        return _CrowdBlocks(
            *_split_crowds(blocks, codes, n_codes, self.table, (*bounds, mark))
        )


@njit(cache=True, nogil=True)
def _put_in_order(keys, place, spare):
    """Sort the keys of a block; `place` has an entry a code."""
    if len(keys) <= SHORT:
        for i in range(1, len(keys)):
            key = keys[i]
            at = i
            while at > 0 and keys[at - 1] > key:
                keys[at] = keys[at - 1]
                at -= 1
            keys[at] = key
    elif len(keys) < len(place):
        keys.sort()
    else:
        _sort_by_code(keys, place, spare)


@njit(cache=True, nogil=True)
def _sort_by_code(keys, place, spare):
    place[:] = 0
    for key in keys:
        place[key >> np.uint64(CODE_BITS)] += 1
    total = 0
    for code in range(len(place)):
        total, place[code] = total + place[code], total
    for key in keys:
        code = key >> np.uint64(CODE_BITS)
        spare[place[code]] = key
        place[code] += 1
    keys[:] = spare[: len(keys)]


@njit(cache=True, nogil=True)
def _split_crowds(blocks, codes, n_codes, table, bounds):
    """Return blocks of k records by one attribute more that may be split further.

    These have a row that may have a larger set, or another one as large as its largest.
    """
    rows, starts = blocks
    k, size, most, mark = bounds
    keys = np.empty(len(rows), dtype=np.uint64)
    spare = np.empty_like(keys)
    place = np.empty(n_codes, dtype=np.int64)
    into = np.empty(len(rows), dtype=np.int32)
    ends = np.zeros(len(rows) + 1, dtype=np.int32)
    n = n_blocks = 0
    for block in range(len(starts) - 1):
        n_keys = 0
        for row in rows[starts[block] : starts[block + 1]]:
            if codes[row]:
                key = np.uint64(codes[row]) << np.uint64(CODE_BITS)
                keys[n_keys] = key | np.uint64(row)
                n_keys += 1
        own = keys[:n_keys]
        _put_in_order(own, place, spare)
        first = 0
        while first < n_keys:
            end = first
            n_records = np.int64(0)
            code = own[first] >> np.uint64(CODE_BITS)
            while end < n_keys and own[end] >> np.uint64(CODE_BITS) == code:
                row = np.int32(own[end] & np.uint64((1 << CODE_BITS) - 1))
                into[n + end - first] = row
                n_records += table.counts[row]
                end += 1
            if n_records >= k:
                has_to_gain = False
                for row in into[n : n + end - first]:
                    if table.counts[row] >= k:
                        continue
                    if table.best[row] < size:
                        table.best[row] = size
                        table.marks[row] = 0
                    if table.best[row] == size:
                        table.marks[row] |= mark
                    best = max(table.best[row], size + 1)
                    has_to_gain |= best <= min(most, table.n_known[row])
                if has_to_gain:
                    n += end - first
                    n_blocks += 1
                    ends[n_blocks] = n
            first = end
    return into[:n].copy(), ends[: n_blocks + 1].copy()


@njit(cache=True, nogil=True)
def n_given(groups, blocks, n, size, k, needed):
    """Return how many records each row gives to its group, the first ones all they can.

    A block of some `size` keeps k records, whatever it gives to one group; what it
    gives to others is not seen here. Of each row there is its group (one beyond those
    in `needed` gets nothing), its block and its n records. Time is that of the rows
    times the blocks that a group asks.
    """
    lacking = needed.copy()
    # Of a group as many blocks are told apart as it lacks records: each gives one.
    starts = np.cumsum(needed) - needed
    n_blocks = np.zeros_like(needed)
    block_of = np.empty(needed.sum(), dtype=np.int64)
    left_of = np.empty_like(block_of)
    found = np.zeros(len(groups), dtype=np.int64)
    for row in range(len(groups)):
        group = groups[row]
        if group >= len(needed) or lacking[group] == 0:
            continue
        at = starts[group]
        end = at + n_blocks[group]
        while at < end and block_of[at] != blocks[row]:
            at += 1
        if at == end:
            block_of[at] = blocks[row]
            left_of[at] = size[blocks[row]] - k
        taken = min(n[row], left_of[at], lacking[group])
        if taken > 0:
            n_blocks[group] += at == end
            left_of[at] -= taken
            lacking[group] -= taken
            found[row] = taken
    return found
