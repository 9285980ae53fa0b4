"""Compiled steps of the walk over QID subsets: split blocks, drop attributes.

A block is *final* when its rows differ in nothing but sensitive attributes: no
further attribute splits it, so it is counted once and leaves the table
(`microleak.kernels.table`).

Kernels that call one another share this file, because Numba's cache of a
function does not notice a change in functions that it calls from other files.
"""

import numpy as np
from numba import njit

from microleak.kernels.merging import merge_blocks
from microleak.kernels.table import Fields, Table
from microleak.kernels.tally import Tally

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
    for s in range(len(part.dense)):
        total.dense[s] += part.dense[s]
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
