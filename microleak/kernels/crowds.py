"""How many attributes a row can keep and still be like enough others.

Sets of attributes are a tree, each below the one without its last attribute. Blocks of
rows that are alike are split by one attribute after another. Those with too few records
leave the tree, and so do those whose rows have nothing to gain below.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Cells = Sequence[NDArray[np.uint32]]
Sizes = NDArray[np.int8]

SHORT = 24
"""Rows up to which a block is put in order by insertion."""

CODE_BITS = 32
"""A key to sort by has the code above the bits of the row's number."""


class _Blocks(NamedTuple):
    """Rows, those of a block adjacent, and where each block starts, and the last ends.

    Of rows with fewer attributes than a set may have, none is in its blocks.
    """

    rows: NDArray[np.int32]
    starts: NDArray[np.int32]


class _Table(NamedTuple):
    """Of each row its records, attributes that are there, and largest set so far."""

    counts: Integers
    n_known: Sizes
    best: Sizes


def largest(cells: Cells, counts: Integers, k: int, most_dropped: int) -> Sizes:
    """Return the size of each row's largest set of attributes with k records, or 0.

    A set has the records that are like the row in all its attributes, none of which is
    missing. A row of k records or more has all that it knows.

    Parameters
    ----------
    cells
        Codes of each attribute, 0 where it is missing, shape (n_rows,). It is fast with
        those first that have most values.
    counts
        Records of each row, shape (n_rows,), of fewer than 2**31 rows.
    k
        How many records are enough.
    most_dropped
        Sets are tried that lack so many attributes at most.
    """
    n_known = np.zeros(len(counts), dtype=np.int8)
    for codes in cells:
        n_known += codes > 0
    best = np.where(counts >= k, n_known, 0).astype(np.int8)
    everybody = _one_block(len(counts))
    for i in range(min(len(cells), most_dropped + 1)):
        tree = _Tree(cells, _Table(counts, n_known, best), k, most_dropped)
        rows, starts = tree.split(everybody, i, 0)
        # Put in the order of their blocks, rows of a block lie together in memory.
        below = [codes[rows] if j > i else codes[:0] for j, codes in enumerate(cells)]
        own = _Table(counts[rows], n_known[rows], best[rows])
        tree = _Tree(below, own, k, most_dropped)
        tree.visit(_one_block(len(rows))._replace(starts=starts), 1, i)
        best[rows] = own.best
    return best


def _one_block(n_rows: int) -> _Blocks:
    return _Blocks(np.arange(n_rows, dtype=np.int32), np.array([0, n_rows], np.int32))


class _Tree(NamedTuple):
    """The tree of sets of attributes, below any of them."""

    cells: Cells
    table: _Table
    k: int
    most_dropped: int

    def visit(self, blocks: _Blocks, size: int, last: int) -> None:
        """Try all sets below one of some size, whose last attribute is given."""
        if len(blocks.rows):
            for i in range(
                last + 1, min(len(self.cells), size + self.most_dropped + 1)
            ):
                self.visit(self.split(blocks, i, size), size + 1, i)

    def split(self, blocks: _Blocks, i: int, size: int) -> _Blocks:
        """Return blocks of a set and one attribute more that may be split further."""
        codes = self.cells[i]
        n_codes = int(codes.max(initial=0)) + 1
        sizes = size + 1, size + len(self.cells) - i
        found = _split(blocks, codes, n_codes, self.table, (self.k, *sizes))
        return _Blocks(*found)


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
def _split(blocks, codes, n_codes, table, bounds):
    """Return the blocks of k records by one attribute more, where a row may gain.

    `bounds` are k, the size of the set with the attribute, and that of the largest set
    below it.
    """
    rows, starts = blocks
    k, size, most = bounds
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
                    table.best[row] = max(table.best[row], size)
                    has_to_gain |= table.best[row] < min(most, table.n_known[row])
                if has_to_gain:
                    n += end - first
                    n_blocks += 1
                    ends[n_blocks] = n
            first = end
    return into[:n].copy(), ends[: n_blocks + 1].copy()
