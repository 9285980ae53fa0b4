"""Compiled steps of the walk over QID subsets: split blocks, drop attributes.

A table is `keys` (one integer a row, its attributes in bit fields, most identifying
first, sensitive attributes last), `weights` (records with that key) and `starts`
(first row of each block, then the number of rows). Rows of a block are adjacent,
sorted by key and distinct. Row numbers and weights fit in 31 bits.

A sensitive attribute may be *marked*: it has a bit that is 1 for members, as the
records of a sample or those with a value of a group, and of a block it is not the
most frequent value that is counted but the members.

Rows come as few ascending runs, which are merged, equal ones added up.

A block is *final* when its rows differ in nothing but sensitive attributes: no
further attribute splits it, so it is counted once and leaves the table.

Kernels that call one another share this file, because Numba's cache of a
function does not notice a change in functions that it calls from other files.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from microleak.kernels.tally import Tally

Keys = NDArray[np.uint64]
Weights = NDArray[np.int32]
Starts = NDArray[np.int32]


class Fields(NamedTuple):
    """Where the sensitive attributes lie in a key.

    `shifts` and `masks` have one entry a sensitive attribute; no mask reaches
    `n_values`. Kernels look there in keys of every level: before the last, the
    rows of a final block are equal, so that whatever they find is one value.

    The last `n_marked` attributes are marked. Their bits are the lowest of a key,
    the first attribute's the highest of them, on every level.
    """

    shifts: NDArray[np.uint64]
    masks: NDArray[np.uint64]
    n_values: int
    n_marked: int


class Table(NamedTuple):
    """What is left to split, the final blocks so far, and what still varies.

    `varying` has a bit set where rows of one block differ: an attribute whose
    field is all zero there is determined by those already used.
    """

    keys: Keys
    weights: Weights
    starts: Starts
    tally: Tally
    varying: np.uint64


SHORT_RUN = 12
"""Runs shorter than this are lengthened by insertion before runs are merged."""


@njit(cache=True, nogil=True)
def merge_equal(keys, weights):
    """Sort rows by key, in place, and return them with equal ones added up.

    Time O(n log r) for rows that come as r ascending runs.
    """
    spare_keys = np.empty(len(keys), dtype=np.uint64)
    spare_weights = np.empty(len(keys), dtype=np.int32)
    runs = np.empty(len(keys) + 1, dtype=np.int32)
    n = _sort_and_merge(keys, weights, spare_keys, spare_weights, runs)
    return keys[:n], weights[:n]


@njit(cache=True, nogil=True)
def merge_blocks(keys, weights, starts):
    """Sort the rows of each block by key, in place, with equal ones added up.

    What is left of the blocks moves to the front, and `starts` with it. Time
    O(n log r) for a block of n rows that come as r ascending runs.

    Returns
    -------
    int
        How many rows are left.
    """
    longest = 0
    for block in range(len(starts) - 1):
        longest = max(longest, starts[block + 1] - starts[block])
    spare_keys = np.empty(longest, dtype=np.uint64)
    spare_weights = np.empty(longest, dtype=np.int32)
    runs = np.empty(longest + 1, dtype=np.int32)
    n_rows = 0
    lo = np.int64(0)
    for block in range(len(starts) - 1):
        hi = np.int64(starts[block + 1])
        n = _sort_and_merge(
            keys[lo:hi], weights[lo:hi], spare_keys, spare_weights, runs
        )
        if n_rows < lo:
            for i in range(n):
                keys[n_rows + i] = keys[lo + i]
                weights[n_rows + i] = weights[lo + i]
        n_rows += n
        starts[block + 1] = n_rows
        lo = hi
    return n_rows


@njit(cache=True, nogil=True)
def _sort_and_merge(keys, weights, spare_keys, spare_weights, runs):
    """Sort rows by key, add the weights of equal keys, return how many remain."""
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


@njit(cache=True, nogil=True)
def _place(sizes, kinds, counts, size, kind):
    """Return the place of an entry, or the free one where it would go."""
    last = len(counts) - 1
    # Unsigned, as compiled code may assume that signed products do not overflow.
    mixed = np.uint64(size) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= np.uint64(kind) * np.uint64(0xC2B2AE3D27D4EB4F)
    at = np.int64((mixed >> np.uint64(29)) & np.uint64(last))
    while counts[at] != 0 and (sizes[at] != size or kinds[at] != kind):
        at = (at + 1) & last
    return at


@njit(cache=True, nogil=True)
def _grown(tally):
    n = 2 * len(tally.counts)
    sizes = np.zeros(n, dtype=np.int64)
    kinds = np.zeros(n, dtype=np.int64)
    counts = np.zeros(n, dtype=np.int64)
    for i in range(len(tally.counts)):
        if tally.counts[i] != 0:
            at = _place(sizes, kinds, counts, tally.sizes[i], tally.kinds[i])
            sizes[at] = tally.sizes[i]
            kinds[at] = tally.kinds[i]
            counts[at] = tally.counts[i]
    return Tally(tally.dense, sizes, kinds, counts)


@njit(cache=True, nogil=True)
def add_tally(total, part):
    """Add the blocks of one tally to another, which is used up; return the sum."""
    # Entry by entry: adding arrays takes seconds to compile, for its broadcasting.
    dense, added = total.dense.ravel(), part.dense.ravel()
    for i in range(len(added)):
        dense[i] += added[i]
    used = np.count_nonzero(total.counts)
    for i in range(len(part.counts)):
        if part.counts[i] != 0:
            size, kind = part.sizes[i], part.kinds[i]
            at = _place(total.sizes, total.kinds, total.counts, size, kind)
            used += total.counts[at] == 0
            total.sizes[at] = size
            total.kinds[at] = kind
            total.counts[at] += part.counts[i]
            if 2 * used >= len(total.counts):
                total = _grown(total)
    return total


@njit(cache=True, nogil=True)
def _count_large(tally, used, s, size, modal, distinct, n):
    """Count n large blocks; return how many places of the table are taken."""
    first = np.int64(size) << 32 | np.int64(modal)
    kind = np.int64(distinct) << 32 | np.int64(s)
    at = _place(tally.sizes, tally.kinds, tally.counts, first, kind)
    if tally.counts[at] == 0:
        tally.sizes[at] = first
        tally.kinds[at] = kind
        used += 1
    tally.counts[at] += n
    return used


@njit(cache=True, nogil=True, inline="always")
def _place_of_single(key, weight, n_marked):
    """Return where blocks of one row are counted, by its size and its marks."""
    marks = key & ((np.uint64(1) << np.uint64(n_marked)) - np.uint64(1))
    return np.int64(weight) << n_marked | np.int64(marks)


@njit(cache=True, nogil=True)
def _count_single(tally, used, fields, single):
    """Count blocks of one row, of which there are so many at each place."""
    n_sensitive = len(fields.shifts)
    for place in range(len(single)):
        n = single[place]
        if n != 0:
            size = place >> fields.n_marked
            for s in range(n_sensitive):
                is_marked = s >= n_sensitive - fields.n_marked
                bit = np.int64(fields.shifts[s])
                modal = size * (place >> bit & 1) if is_marked else size
                if size < tally.dense.shape[1]:
                    tally.dense[s, size, modal, 1] += n
                else:
                    used = _count_large(tally, used, s, size, modal, 1, n)
            if 2 * used + 2 * n_sensitive > len(tally.counts):
                tally = _grown(tally)
    return tally


@njit(cache=True, nogil=True, inline="always")
def _count_rows(keys, weights, lo, hi, fields, seen, tally, used):
    """Count one final block, rows `lo` to `hi`, for each sensitive attribute.

    Rows may come in any order and equal ones several times. `seen` has a zero a
    sensitive value, and is left so.
    """
    shifts, masks, n_marked = fields
    size = np.int64(0)
    for row in range(lo, hi):
        size += weights[row]
    for s in range(len(shifts)):
        modal = np.int64(0)
        distinct = np.int64(0)
        for row in range(lo, hi):
            value = np.uintp(keys[row] >> shifts[s] & masks[s])
            before = seen[value]
            distinct += before == 0
            seen[value] = before + weights[row]
            modal = max(modal, seen[value])
        # A loop of its own for marks is faster with them and slower without any.
        if s >= len(shifts) - n_marked:
            modal = seen[1]
        for row in range(lo, hi):
            seen[np.uintp(keys[row] >> shifts[s] & masks[s])] = 0
        if size < tally.dense.shape[1]:
            tally.dense[s, size, modal, distinct] += 1
        else:
            used = _count_large(tally, used, s, size, modal, distinct, 1)
    return used


@njit(cache=True, nogil=True)
def split(table, field, rest, final, fields):
    """Split every block by one more attribute; the table given is used up.

    Parameters
    ----------
    table
        Table whose highest remaining bit field is the attribute to split by.
    field, rest, final
        Masks: that attribute's bits; all bits below it; the bits in which rows
        of a final block agree.
    fields
        Where the sensitive attributes lie.

    Returns
    -------
    Table
        The blocks that can still be split, in the given table's memory.

    Time is linear in the number of rows.
    """
    keys, weights, starts, tally, _ = table
    used = np.count_nonzero(tally.counts)
    shifts, masks, n_values, n_marked = fields
    seen = np.zeros(n_values, dtype=np.int64)
    single = np.zeros(SINGLE_SIZES, dtype=np.int64)
    new_starts = np.empty(len(keys) // 2 + 2, dtype=np.int32)
    new_starts[0] = 0
    varying = np.uint64(0)
    n_rows = 0
    n_blocks = 0
    for block in range(len(starts) - 1):
        lo = np.int64(starts[block])
        end = np.int64(starts[block + 1])
        # Most blocks are of two rows; seen to first, they take half the time.
        two = end - lo == 2 and (keys[lo] ^ keys[lo + 1]) & field != 0
        if two:
            first = _place_of_single(keys[lo], weights[lo], n_marked)
            second = _place_of_single(keys[lo + 1], weights[lo + 1], n_marked)
            if max(first, second) < len(single):
                single[first] += 1
                single[second] += 1
                continue
        while lo < end:
            value = keys[lo] & field
            hi = lo + 1
            while hi < end and keys[hi] & field == value:
                hi += 1
            if keys[lo] & final == keys[hi - 1] & final:
                place = _place_of_single(keys[lo], weights[lo], n_marked)
                if hi - lo == 1 and place < len(single):
                    single[place] += 1
                else:
                    where = (shifts, masks, n_marked)
                    used = _count_rows(keys, weights, lo, hi, where, seen, tally, used)
                    if 2 * used + 2 * len(shifts) > len(tally.counts):
                        tally = _grown(tally)
            else:
                first = keys[lo] & rest
                for row in range(lo, hi):
                    key = keys[row] & rest
                    keys[n_rows] = key
                    weights[n_rows] = weights[row]
                    varying |= key ^ first
                    n_rows += 1
                n_blocks += 1
                new_starts[n_blocks] = n_rows
            lo = hi
    tally = _count_single(tally, used, fields, single)
    return Table(
        keys[:n_rows], weights[:n_rows], new_starts[: n_blocks + 1], tally, varying
    )


def drop(table: Table, rest: np.uint64, final: np.uint64, fields: Fields) -> Table:
    """Forget attributes and merge the rows of a block that become equal.

    Parameters
    ----------
    table
        Table to read; it is left as it is, but for its tally, to which the
        blocks that become final are added.
    rest, final
        Masks: the bits to keep; the bits in which rows of a final block agree.
    fields
        Where the sensitive attributes lie.

    Returns
    -------
    Table
        The blocks that can still be split, in memory of its own.

    Dropping the highest field leaves a block as one sorted run a value of that
    field; merging them takes O(n log r) for r runs. If no attribute is left,
    every block is final, whatever the order of its rows, and none is sorted.
    """
    kept: Table = _cleared(table, rest, final, fields)
    n_rows = merge_blocks(kept.keys, kept.weights, kept.starts)
    return kept._replace(keys=kept.keys[:n_rows], weights=kept.weights[:n_rows])


@njit(cache=True, nogil=True)
def _cleared(table, rest, final, fields):
    """Return the blocks that can still be split, without the attributes to forget.

    Rows of a block are neither sorted nor distinct; final blocks are counted.
    """
    old_keys, old_weights, starts, tally, _ = table
    used = np.count_nonzero(tally.counts)
    shifts, masks, n_values, n_marked = fields
    seen = np.zeros(n_values, dtype=np.int64)
    single = np.zeros(SINGLE_SIZES, dtype=np.int64)
    keys = np.empty(len(old_keys), dtype=np.uint64)
    weights = np.empty(len(old_keys), dtype=np.int32)
    new_starts = np.empty(len(old_keys) // 2 + 2, dtype=np.int32)
    new_starts[0] = 0
    varying = np.uint64(0)
    n_rows = np.int64(0)
    n_blocks = 0
    for block in range(len(starts) - 1):
        lo = np.int64(starts[block])
        n = np.int64(starts[block + 1]) - lo
        if n == 2 and (old_keys[lo] ^ old_keys[lo + 1]) & rest == 0:
            size = np.int64(old_weights[lo]) + np.int64(old_weights[lo + 1])
            place = _place_of_single(old_keys[lo], size, n_marked)
            if place < len(single):
                single[place] += 1
                continue
        first = old_keys[lo]
        differing = np.uint64(0)
        for i in range(n):
            key = old_keys[lo + i]
            differing |= key ^ first
            keys[n_rows + i] = key & rest
            weights[n_rows + i] = old_weights[lo + i]
        hi = n_rows + n
        if differing & final == 0:
            where = (shifts, masks, n_marked)
            used = _count_rows(keys, weights, n_rows, hi, where, seen, tally, used)
            if 2 * used + 2 * len(shifts) > len(tally.counts):
                tally = _grown(tally)
        else:
            n_rows = hi
            varying |= differing & rest
            n_blocks += 1
            new_starts[n_blocks] = n_rows
    tally = _count_single(tally, used, fields, single)
    return Table(
        keys[:n_rows], weights[:n_rows], new_starts[: n_blocks + 1], tally, varying
    )
