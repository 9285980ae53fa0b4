"""Compiled steps of the walk over QID subsets: split blocks, drop attributes.

A table is `keys` (one integer a row, its attributes in bit fields, most identifying
first, sensitive attributes last), `weights` (records with that key) and `starts`
(first row of each block, then the number of rows). Rows of a block are adjacent,
sorted by key and distinct. Row numbers fit in 31 bits, and numbers of records in the
type of the weights.

A sensitive attribute may be *marked*: its bits are told on every level, not only on the
last. Mostly it has one bit, which is 1 for members, as the records of a sample or those
with a value of a group, and of a block it is not the most frequent value that is
counted but the members.

Rows of a large block come as few ascending runs, which are merged, equal ones added up;
those of a small one are put in order by comparing all with all.

A block is *final* when its rows differ in nothing but sensitive attributes: no
further attribute splits it, so it is counted once, in a file of its own for each thing
that is counted, and leaves the table.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Keys = NDArray[np.uint64]
Weights = NDArray[np.integer]
"""Records of each row; or a number that says which, where rows are told apart."""

Starts = NDArray[np.int32]


class Fields(NamedTuple):
    """Where the sensitive attributes lie in a key.

    `shifts` and `masks` have one entry a sensitive attribute; no mask reaches
    `n_values`. Kernels look there in keys of every level: before the last, the
    rows of a final block are equal, so that whatever they find is one value.

    The last attributes are marked. Their bits, `n_marked` together, are the lowest of
    a key, the first attribute's the highest of them, on every level.
    """

    shifts: NDArray[np.uint64]
    masks: NDArray[np.uint64]
    n_values: int
    n_marked: int


class BlockTable(NamedTuple):
    """What is left to split, and what still varies.

    `varying` has a bit set where rows of one block differ: an attribute whose
    field is all zero there is determined by those already used.
    """

    keys: Keys
    weights: Weights
    starts: Starts
    varying: np.uint64


class Final(NamedTuple):
    """Final blocks: the numbers, `blocks`, of some blocks of a table.

    Their rows may come in any order and equal ones several times. Those of one row and
    few records are not among them: `single` has how many there are by size and marks
    (`_place_of_single`).
    """

    keys: Keys
    weights: Weights
    starts: Starts
    blocks: NDArray[np.int32]
    single: NDArray[np.int64]


SHORT_BLOCK = 32
"""Blocks no longer than this are sorted by comparing all rows with all."""

AT_ONCE = 8
"""Rows that are treated at once, by vector instructions or side by side."""

SHORT_RUN = 12
"""Runs shorter than this are lengthened by insertion before runs are merged."""


def merged_rows(keys: Keys, weights: Weights) -> tuple[Keys, Weights]:
    """Return rows sorted by key, with equal ones added up; those given are used up."""
    # By numpy, whose vector instructions sort in a twentieth of the time of merging.
    if weights.min() == weights.max():
        keys.sort()
    else:
        order = keys.argsort()
        keys, weights = keys[order], weights[order]
    n = _merge_runs(keys, weights, (0, len(keys), len(keys)), keys, weights, 0)
    return keys[:n], weights[:n]


@njit(cache=True, nogil=True)
def _sort_and_merge(keys, weights, spare):
    """Sort rows by key, add the weights of equal keys, return how many remain."""
    spare_keys, spare_weights, runs = spare
    n = len(keys)
    n_runs = _find_runs(keys, weights, runs)
    if n_runs == 1:
        return _merge_runs(keys, weights, (0, n, n), keys, weights, 0)
    here = True
    while n_runs > 1:
        n_out = 0
        for run in range(0, n_runs, 2):
            mid = runs[run + 1]
            bounds = (runs[run], mid, runs[run + 2] if run + 1 < n_runs else mid)
            runs[run // 2] = n_out
            if here:
                n_out = _merge_runs(
                    keys, weights, bounds, spare_keys, spare_weights, n_out
                )
            else:
                n_out = _merge_runs(
                    spare_keys, spare_weights, bounds, keys, weights, n_out
                )
        n_runs = (n_runs + 1) // 2
        runs[n_runs] = n_out
        here = not here
    if not here:
        for i in range(runs[1]):
            keys[i] = spare_keys[i]
            weights[i] = spare_weights[i]
    return runs[1]


@njit(cache=True, nogil=True)
def _find_runs(keys, weights, runs):
    """Cut rows into ascending runs, lengthening short ones by insertion."""
    n = len(keys)
    n_runs = 0
    lo = 0
    while lo < n:
        hi = lo + 1
        while hi < n and keys[hi - 1] <= keys[hi]:
            hi += 1
        least = min(lo + SHORT_RUN, n)
        while hi < least:
            key = keys[hi]
            weight = weights[hi]
            at = hi
            while at > lo and keys[at - 1] > key:
                keys[at] = keys[at - 1]
                weights[at] = weights[at - 1]
                at -= 1
            keys[at] = key
            weights[at] = weight
            hi += 1
        runs[n_runs] = lo
        n_runs += 1
        lo = hi
    runs[n_runs] = n
    return n_runs


@njit(cache=True, nogil=True)
def _merge_runs(keys, weights, bounds, out_keys, out_weights, n_out):
    """Merge two ascending runs, adding the weights of equal keys.

    `bounds` are the first row of the one, of the other, and the row after it.
    """
    left, mid, hi = bounds
    right = mid
    first = n_out
    while left < mid or right < hi:
        if right >= hi or (left < mid and keys[left] <= keys[right]):
            key = keys[left]
            weight = weights[left]
            left += 1
        else:
            key = keys[right]
            weight = weights[right]
            right += 1
        if n_out > first and out_keys[n_out - 1] == key:
            out_weights[n_out - 1] += weight
        else:
            out_keys[n_out] = key
            out_weights[n_out] = weight
            n_out += 1
    return n_out


SINGLE_SIZES = 1024
"""Blocks of one row and fewer records than this are counted by size first; of half
as many records for each marked attribute, as they are counted by marks, too."""


@njit(cache=True, nogil=True, inline="always")
def _place_of_single(key, weight, n_marked):
    """Return where blocks of one row are counted, by its size and its marks."""
    marks = key & ((np.uint64(1) << np.uint64(n_marked)) - np.uint64(1))
    return np.int64(weight) << n_marked | np.int64(marks)


@njit(cache=True, nogil=True)
def split_blocks(table, field, rest, final, n_marked):
    """Split every block by one more attribute; the table given is used up.

    `field`, `rest` and `final` are masks: the bits of the attribute, the highest that
    remain; all bits below it; the bits in which rows of a final block agree. The
    `n_marked` lowest bits of a key are marks. Returns the blocks but the single ones,
    in the given table's memory, and of these those to be taken out (`without_blocks`),
    with the single ones. Time is linear in the number of rows.
    """
    keys, weights, starts, _ = table
    single = np.zeros(SINGLE_SIZES + AT_ONCE, dtype=np.int64)
    new_starts = np.empty(len(keys) + 2, dtype=np.int32)
    new_starts[0] = 0
    finals = np.empty(len(keys) + 1, dtype=np.int32)
    n_finals = np.int64(0)
    varying = np.uint64(0)
    n_rows = np.int64(0)
    n_blocks = np.int64(0)
    # Most blocks have two to four rows, and where they end cannot be foreseen: without
    # branches a row takes a third of the time. Each is put as if it stayed, and one
    # that is alone is overwritten by the next; its flags are integers, 0 or 1. Rows
    # that are not single take turns in places behind `single`: none waits for the last.
    for block in range(len(starts) - 1):
        row, last_row = np.int64(starts[block]), np.int64(starts[block + 1]) - 1
        key = keys[row]
        first = key
        is_first = np.int64(1)
        while row <= last_row:
            following = keys[np.uintp(min(row + 1, last_row))]
            weight = weights[np.uintp(row)]
            is_last = np.int64(row == last_row)
            is_last |= np.int64((key ^ following) & field != 0)
            place = _place_of_single(key, weight, n_marked)
            is_single = is_first & is_last & np.int64(place < SINGLE_SIZES)
            nowhere = SINGLE_SIZES + (row & (AT_ONCE - 1))
            single[np.uintp(nowhere + (place - nowhere) * is_single)] += 1
            keys[np.uintp(n_rows)] = key & rest
            weights[np.uintp(n_rows)] = weight
            n_rows += 1 - is_single
            varying |= (key ^ first) & rest
            finals[np.uintp(n_finals)] = n_blocks
            is_final = is_last & np.int64((key ^ first) & final == 0)
            n_finals += is_final & (1 - is_single)
            new_starts[np.uintp(n_blocks + 1)] = n_rows
            n_blocks += is_last & (1 - is_single)
            first ^= (first ^ following) & np.uint64(-is_last)
            key = following
            is_first = is_last
            row += 1
    keys, weights = keys[:n_rows], weights[:n_rows]
    new_starts, finals = new_starts[: n_blocks + 1], finals[:n_finals]
    return (
        BlockTable(keys, weights, new_starts, varying),
        Final(keys, weights, new_starts, finals, single[:SINGLE_SIZES]),
    )


@njit(cache=True, nogil=True)
def without_blocks(table, blocks):
    """Return a table without some of its blocks, ascending, in its memory."""
    keys, weights, starts, varying = table
    n_rows = np.int64(0)
    n_blocks = np.int64(0)
    block = np.int64(0)
    for i in range(len(blocks) + 1):
        upto = np.int64(blocks[i] if i < len(blocks) else len(starts) - 1)
        gap = np.int64(starts[block]) - n_rows
        end = np.int64(starts[upto]) - gap
        if gap > 0:
            for row in range(n_rows, end):
                keys[row] = keys[row + gap]
                weights[row] = weights[row + gap]
        n_rows = end
        for each in range(block, upto):
            n_blocks += 1
            starts[n_blocks] = starts[each + 1] - gap
        block = upto + 1
    return BlockTable(keys[:n_rows], weights[:n_rows], starts[: n_blocks + 1], varying)


@njit(cache=True, nogil=True)
def drop_attributes(table, rest, final, n_marked):
    """Forget attributes and merge the rows of a block that become equal.

    `rest` and `final` are masks: the bits to keep; those in which rows of a final block
    agree. Returns the blocks that can still be split, in memory of its own, and those
    of the given table, left as it is, that are final now. Dropping the highest field
    leaves a block as one sorted run a value of that field; merging them takes O(n log
    r) for r runs, and O(n ** 2) for blocks of up to `SHORT_BLOCK` rows. If no attribute
    is left, every block is final, whatever the order of its rows, and none is sorted.
    """
    old_keys, old_weights, starts, _ = table
    single = np.zeros(SINGLE_SIZES + 1, dtype=np.int64)
    keys = np.empty(len(old_keys), dtype=np.uint64)
    weights = np.empty_like(old_weights)
    new_starts = np.empty(len(starts) + 1, dtype=np.int32)
    new_starts[0] = 0
    finals = np.empty(len(starts), dtype=np.int32)
    n_finals = np.int64(0)
    varying = np.uint64(0)
    n_rows = np.int64(0)
    n_blocks = np.int64(0)
    spare = _spare_of(starts, old_weights)
    for block in range(len(starts) - 1):
        lo, hi = np.int64(starts[block]), np.int64(starts[block + 1])
        n = hi - lo
        first = old_keys[lo]
        differing = np.uint64(0)
        size = np.int64(0)
        for row in range(lo, hi):
            differing |= old_keys[np.uintp(row)] ^ first
            size += old_weights[np.uintp(row)]
        place = _place_of_single(first, size, n_marked)
        is_single = np.int64(differing & rest == 0) & np.int64(place < SINGLE_SIZES)
        single[np.uintp(SINGLE_SIZES + (place - SINGLE_SIZES) * is_single)] += 1
        is_final = np.int64(differing & final == 0)
        finals[np.uintp(n_finals)] = block
        n_finals += is_final & (1 - is_single)
        if is_final | is_single:
            continue
        varying |= differing & rest
        if n <= SHORT_BLOCK:
            rows = (old_keys, old_weights, lo, n)
            n_rows = _put_sorted(rows, rest, spare[0], keys, weights, n_rows)
        else:
            end = n_rows + n
            for i in range(n):
                keys[n_rows + i] = old_keys[lo + i] & rest
                weights[n_rows + i] = old_weights[lo + i]
            n_rows += _sort_and_merge(keys[n_rows:end], weights[n_rows:end], spare)
        n_blocks += 1
        new_starts[n_blocks] = n_rows
    single = single[:SINGLE_SIZES]
    return (
        BlockTable(
            keys[:n_rows], weights[:n_rows], new_starts[: n_blocks + 1], varying
        ),
        Final(old_keys, old_weights, starts, finals[:n_finals], single),
    )


@njit(cache=True, nogil=True)
def _spare_of(starts, weights):
    """Return memory that sorting and merging the rows of any one block needs."""
    longest = 0
    for block in range(len(starts) - 1):
        longest = max(longest, starts[block + 1] - starts[block])
    return (
        np.empty(longest + AT_ONCE, dtype=np.uint64),
        np.empty(longest, dtype=weights.dtype),
        np.empty(longest + 1, dtype=np.int32),
    )


@njit(cache=True, nogil=True, inline="always")
def _put_sorted(rows, rest, spare_keys, out_keys, out_weights, n_out):
    """Put few rows, sorted by the bits of `rest`, with equal ones added up.

    `rows` are keys, weights, the first of them and how many: two that differ in these
    bits, or more. Each goes to the place after all lower ones, for which no branch is
    needed; equal ones meet there, and leave places of no weight. Returns the end of the
    rows put.
    """
    keys, weights, lo, n = rows
    if n == 2:
        one, other = keys[np.uintp(lo)] & rest, keys[np.uintp(lo + 1)] & rest
        is_after = np.int64(one > other)
        out_keys[np.uintp(n_out + is_after)] = one
        out_weights[np.uintp(n_out + is_after)] = weights[np.uintp(lo)]
        out_keys[np.uintp(n_out + 1 - is_after)] = other
        out_weights[np.uintp(n_out + 1 - is_after)] = weights[np.uintp(lo + 1)]
        return n_out + 2
    for i in range(n):
        spare_keys[np.uintp(i)] = keys[np.uintp(lo + i)] & rest
        out_weights[np.uintp(n_out + i)] = 0
    for i in range(n, n + AT_ONCE):
        spare_keys[np.uintp(i)] = ~np.uint64(0)
    for i in range(n):
        key = spare_keys[np.uintp(i)]
        at = n_out
        for first in range(0, n, AT_ONCE):
            for j in range(AT_ONCE):
                at += np.int64(spare_keys[np.uintp(first + j)] < key)
        out_keys[np.uintp(at)] = key
        out_weights[np.uintp(at)] += weights[np.uintp(lo + i)]
    end = n_out + n
    for i in range(n_out, end):
        weight = out_weights[np.uintp(i)]
        out_keys[np.uintp(n_out)] = out_keys[np.uintp(i)]
        out_weights[np.uintp(n_out)] = weight
        n_out += np.int64(weight != 0)
    return n_out
