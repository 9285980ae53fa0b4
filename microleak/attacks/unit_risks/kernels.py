"""Blocks whose records are in the order of their units, one unit left out at a time."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def rows_by_block(block, n_blocks):
    """Return where each block begins, and the rows by block in their own order."""
    starts = np.zeros(n_blocks + 1, dtype=np.int64)
    for row in range(len(block)):
        starts[block[row] + 1] += 1
    for b in range(n_blocks):
        starts[b + 1] += starts[b]
    place = starts[:-1].copy()
    rows = np.empty(len(block), dtype=np.int32)
    for row in range(len(block)):
        rows[place[block[row]]] = row
        place[block[row]] += 1
    return starts, rows


@njit(cache=True, nogil=True)
def find_units(starts, rows, unit, is_found):
    """Mark the rows of blocks that have records of one unit alone."""
    for b in range(len(starts) - 1):
        begin, end = starts[b], starts[b + 1]
        if unit[rows[begin]] == unit[rows[end - 1]]:
            for at in range(begin, end):
                is_found[rows[at]] = True


@njit(cache=True, nogil=True)
def infer_in_blocks(blocks, starts, rows, unit, first, size_class, value, whole, out):
    """Add what is learnt of the rows of some blocks, from `blocks[0]` to `blocks[1]`.

    Parameters
    ----------
    first : (n_units + 1,) int64
        Where the rows of each unit begin; rows are in the order of their units.
    value : (n_rows,) int32
        Number of each row's sensitive value.
    whole : (counts, descending)
        Records of each value, and the values in the order of these, most first.
    out : (certain, certain_others, right, right_others)
        By class of size and, of the last two, by how many values are most frequent.
    """
    counts, descending = whole
    certain, certain_others, right, right_others = out
    own = np.zeros(len(counts), dtype=np.int64)
    left = np.zeros(len(counts), dtype=np.int64)
    distinct = np.empty(len(counts), dtype=np.int64)
    for b in range(blocks[0], blocks[1]):
        begin, end = starts[b], starts[b + 1]
        n_distinct, most = 0, 0
        for at in range(begin, end):
            v = value[rows[at]]
            if not own[v]:
                distinct[n_distinct] = v
                n_distinct += 1
            own[v] += 1
            most = max(most, own[v])
        n_most = 0
        for d in range(n_distinct):
            n_most += own[distinct[d]] == most
        at = begin
        while at < end:
            u = unit[rows[at]]
            stop, is_touched = at, False
            while stop < end and unit[rows[stop]] == u:
                v = value[rows[stop]]
                left[v] += 1
                is_touched |= own[v] == most
                stop += 1
            n_left, best, n_best = n_distinct, most, n_most
            if stop - at == end - begin:
                best, n_best = _most_elsewhere(
                    value, first[u], first[u + 1], counts, descending, left
                )
            else:
                for row in range(at, stop):
                    v = value[rows[row]]
                    if left[v] == own[v]:
                        # Counted once, by its first row of the unit.
                        is_first = True
                        for earlier in range(at, row):
                            is_first &= value[rows[earlier]] != v
                        n_left -= is_first
                if is_touched:
                    best, n_best = 0, 0
                    for d in range(n_distinct):
                        rest = own[distinct[d]] - left[distinct[d]]
                        if rest > best:
                            best, n_best = rest, 0
                        n_best += rest == best and best > 0
            size = size_class[u]
            is_alone = stop - at == end - begin
            for row in range(at, stop):
                v = value[rows[row]]
                certain[size] += n_distinct == 1
                if own[v] == most:
                    right[size, n_most] += 1
                rest = counts[v] - left[v] if is_alone else own[v] - left[v]
                if best > 0 and rest == best:
                    right_others[size, n_best] += 1
                if not is_alone and n_distinct == 1 and n_left == 1:
                    certain_others[size] += 1
            _forget(value, first[u], first[u + 1], left)
            at = stop
        for d in range(n_distinct):
            own[distinct[d]] = 0


@njit(cache=True, nogil=True)
def _most_elsewhere(value, begin, end, counts, descending, left):
    """Return how often the most frequent values of all other units are there.

    And how many they are; `left` then has the values of all of the unit's rows.
    """
    for row in range(begin, end):
        left[value[row]] = 0
    for row in range(begin, end):
        left[value[row]] += 1
    best, n_best = 0, 0
    for v in descending:
        if counts[v] < best:
            break
        rest = counts[v] - left[v]
        if rest > best:
            best, n_best = rest, 0
        n_best += rest == best and best > 0
    return best, n_best


@njit(cache=True, nogil=True)
def _forget(value, begin, end, left):
    for row in range(begin, end):
        left[value[row]] = 0
