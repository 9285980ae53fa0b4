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
    rows = np.empty(len(block), dtype=np.int64)
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
def without_units(first, value, whole):
    """Return what is most frequent without each unit, and of its values what is left.

    How often, in how many values, and for each row how many others have its value: what
    is guessed of a unit that is alone in its block.
    """
    n_units = len(first) - 1
    best, n_best = np.zeros(n_units, dtype=np.int64), np.zeros(n_units, dtype=np.int64)
    rest = np.empty(len(value), dtype=np.int64)
    left = np.zeros(len(whole), dtype=np.int64)
    touched = np.empty(np.max(np.diff(first)), dtype=np.int64)
    levels = _levels(whole)
    for u in range(n_units):
        rows = np.arange(first[u], first[u + 1])
        n = _count_values(rows, value, left, touched)
        best[u], n_best[u], _ = _most_left(levels, whole, left, touched[:n])
        for row in rows:
            rest[row] = whole[value[row]] - left[value[row]]
        for v in touched[:n]:
            left[v] = 0
    return best, n_best, rest


@njit(cache=True, nogil=True)
def infer_in_blocks(bounds, blocks, units, values, elsewhere, out):
    """Add what is learnt of the rows of blocks from `bounds[0]` to `bounds[1]`.

    Parameters
    ----------
    blocks : (starts, rows)
        As `rows_by_block` returns them.
    units : (unit, first, size_class)
        Unit of each row, where the rows of each unit begin, and its class of size; rows
        are in the order of their units.
    values : (value, is_rarer)
        Number of each row's sensitive value, and whether a value is neither the most
        frequent nor a missing one.
    elsewhere : (best, n_best, rest)
        As `without_units` returns them.
    out : (certain, certain_others, rarer, certain_rarer, right, right_others)
        By class of size and, of the last two, by how many values are most frequent.
    """
    starts, rows = blocks
    unit, first, size_class = units
    value, is_rarer = values
    certain, certain_others, rarer, certain_rarer, right, right_others = out
    best_of_unit, n_best_of_unit, rest_of_row = elsewhere
    n_values = len(is_rarer)
    own = np.zeros(n_values, dtype=np.int64)
    left = np.zeros(n_values, dtype=np.int64)
    distinct = np.empty(n_values, dtype=np.int64)
    touched = np.empty(np.max(np.diff(first)), dtype=np.int64)
    for b in range(bounds[0], bounds[1]):
        members = rows[starts[b] : starts[b + 1]]
        n_distinct = _count_values(members, value, own, distinct)
        levels = _levels(own[distinct[:n_distinct]])
        begin = 0
        while begin < len(members):
            u, end = unit[members[begin]], begin + 1
            while end < len(members) and unit[members[end]] == u:
                end += 1
            is_alone = end - begin == len(members)
            n_touched = _count_values(members[begin:end], value, left, touched)
            best, n_best, n_gone = best_of_unit[u], n_best_of_unit[u], 0
            if not is_alone:
                seen = touched[:n_touched]
                best, n_best, n_gone = _most_left(levels, own, left, seen)
            size = size_class[u]
            for row in members[begin:end]:
                v = value[row]
                certain[size] += n_distinct == 1
                rarer[size] += is_rarer[v]
                certain_rarer[size] += is_rarer[v] and n_distinct == 1
                certain_others[size] += n_distinct == 1 and not is_alone and not n_gone
                if own[v] == levels[0][0]:
                    right[size, levels[1][0]] += 1
                rest = rest_of_row[row] if is_alone else own[v] - left[v]
                if best > 0 and rest == best:
                    right_others[size, n_best] += 1
            for v in touched[:n_touched]:
                left[v] = 0
            begin = end
        for v in distinct[:n_distinct]:
            own[v] = 0


@njit(cache=True, nogil=True)
def _count_values(rows, value, counts, distinct):
    """Add the values of rows to counts of 0; return how many distinct ones."""
    n_distinct = 0
    for row in rows:
        v = value[row]
        if not counts[v]:
            distinct[n_distinct] = v
            n_distinct += 1
        counts[v] += 1
    return n_distinct


@njit(cache=True, nogil=True)
def _levels(counts):
    """Return the distinct counts, the largest first, and how many values have each."""
    in_order = np.sort(counts)[::-1]
    level = np.empty(len(counts), dtype=np.int64)
    n_values = np.zeros(len(counts), dtype=np.int64)
    n = 0
    for count in in_order:
        if not n or level[n - 1] != count:
            level[n] = count
            n += 1
        n_values[n - 1] += 1
    return level[:n], n_values[:n]


@njit(cache=True, nogil=True)
def _most_left(levels, counts, left, touched):
    """Return what is most frequent without a unit: how often, and how many values.

    And how many values nobody else has. Only the values of the unit are looked at,
    `touched`, and as many levels: of all others the counts are as they were.
    """
    level, n_values = levels
    best, n_best, n_gone = 0, 0, 0
    for place in range(len(level)):
        n = n_values[place]
        for v in touched:
            n -= counts[v] == level[place]
        if n:
            best, n_best = level[place], n
            break
    for v in touched:
        rest = counts[v] - left[v]
        n_gone += rest == 0
        if rest > best:
            best, n_best = rest, 0
        n_best += rest == best and best > 0
    return best, n_best, n_gone
