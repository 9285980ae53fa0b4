"""Dense blocks, which are counted for many sets of attributes at once as cubes.

A cube has the records of each cell, a combination of labels, by sensitive value (Gray
and others 1997, data cube). Cells that a coarser label joins are added up, so that
each set takes one step from another, by vector instructions, however many rows the
block has.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from microleak.attacks.smallest_protection.kernels.chains import MOST_BITS
from microleak.attacks.smallest_protection.kernels.risk_numbers import (
    ALONE,
    BEST,
    BEST_OF,
    BLOCKS,
    CERTAIN,
    DISTINCT,
    EACH,
    LEAST,
    MODAL,
    NOTHING,
    OF_EACH,
    note,
)
from microleak.attacks.smallest_protection.kernels.short_blocks import MOST_ROWS
from microleak.base.arrays import Integers

MOST_ENTRIES, MOST_LABELS = 1 << 23, 1 << 10
"""Entries of the largest cube, and labels that a chain may have in it."""

MOST_NARROW = 255  # Records of a cell that fit in a byte

ENTRIES_A_ROW, ENTRIES_A_SET = 32.0, 250.0
"""A cube of so many entries a row of its block, less those a set, takes as long as to
go on without."""

SHORT_RUN = 8  # Cells side by side from which on they are added by vector instructions

ADDED_SHORT, ADDED_LONG = 16, 256
"""So many entries are added in the time in which a row is put into a cube."""

TILE = 1 << 12
"""Cells that are looked at together, so that they stay near the processor."""

COUNTED = 128  # Cells that are counted together, so that their number fits in a byte


class BlockRoom(NamedTuple):
    """Memory for what is found of a block."""

    number: NDArray[np.int32]  # Of each value -1, before and after
    values: Integers  # The values that there are
    codes: NDArray[np.int32]  # Of each row the sensitive value's number
    labels: NDArray[np.int32]  # Of each chain and row the finest label's number
    cells: NDArray[np.int32]  # Of each row, in the cube that is filled
    n_labels: Integers
    """Labels by chain and level, the finest first; shape (n_chains, n_levels)."""
    joined: Integers
    """Of each label the first of the finer ones that it joins, and at last their
    number; shape (n_chains, n_levels, `MOST_LABELS` + 1)."""
    most_joined: Integers  # The most that one label joins; shape (n_chains, n_levels)
    coarser: NDArray[np.int32]  # The label of each finest one; the same shape


@njit(cache=True, nogil=True)
def count_dense(numbers, fields, table, chains):
    """Count dense blocks of a table for each set of chains; return which these are."""
    keys, weights, starts, _ = table
    n_chains, n_levels = chains.lengths.shape
    n_sets = len(chains.places)
    is_counted = np.zeros(len(starts) - 1, dtype=np.bool_)
    longest = np.int64(0)
    for block in range(len(is_counted)):
        longest = max(longest, np.int64(starts[block + 1] - starts[block]))
    if longest <= MOST_ROWS:
        return is_counted
    most_values = max(fields.n_values, 1 << MOST_BITS)
    room = BlockRoom(
        np.full(most_values, -1, dtype=np.int32),
        np.empty(most_values, dtype=np.int64),
        np.empty(longest, dtype=np.int32),
        np.empty((n_chains, longest), dtype=np.int32),
        np.empty(longest, dtype=np.int32),
        np.empty((n_chains, n_levels), dtype=np.int64),
        np.empty((n_chains, n_levels, MOST_LABELS + 1), dtype=np.int64),
        np.empty((n_chains, n_levels), dtype=np.int64),
        np.empty((n_chains, n_levels, MOST_LABELS + 1), dtype=np.int32),
    )
    # Two rows more are for the sizes and modal counts of the cells of a tile.
    narrow = np.empty((n_chains + 3, TILE), dtype=np.uint8)
    wide = np.empty((n_chains + 3, TILE), dtype=np.uint32)
    for block in range(len(is_counted)):
        lo, hi = np.int64(starts[block]), np.int64(starts[block + 1])
        n = hi - lo
        if n <= MOST_ROWS:
            continue
        n_cells, of_sets = _find_labels(keys[lo:hi], chains, room)
        entries, most = np.float64(0), np.float64(0)
        for s in range(len(fields.masks)):
            n_values = min(np.int64(fields.masks[s]) + 1, n)
            entries += of_sets * n_values
            most = max(most, n_cells * n_values)
        if most > MOST_ENTRIES or entries > n_sets * (
            ENTRIES_A_ROW * n - ENTRIES_A_SET
        ):
            continue
        is_counted[block] = True
        if most > narrow.shape[1]:
            narrow = np.empty((n_chains + 3, np.int64(most)), dtype=np.uint8)
            wide = np.empty((n_chains + 3, np.int64(most)), dtype=np.uint32)
        rows = keys[lo:hi], weights[lo:hi], fields
        _count_block(numbers, rows, chains, room, (narrow, wide))
    return is_counted


@njit(cache=True, nogil=True)
def _find_labels(keys, chains, room):
    """Find the labels of each chain; return the cells by all, and of all sets together.

    Numbers that no block can have in the place of them, if a chain has too many labels.
    """
    n_cells, of_sets = np.float64(1), np.float64(1)
    for c in range(len(chains.n_levels)):
        labels = room.labels[c, : len(keys)]
        labels[:] = 0
        for part in range(chains.first[c], chains.first[c + 1]):
            shift, mask = chains.shifts[part], chains.masks[part]
            for i in range(len(keys)):
                value = np.int64(keys[i] >> shift & mask)
                labels[i] = labels[i] * (np.int64(mask) + 1) + value
        n = _number(labels, room)
        if n > MOST_LABELS:
            return np.inf, np.inf
        n_cells *= n
        of_sets *= _find_levels(chains, c, n, room)
    return n_cells, of_sets


@njit(cache=True, nogil=True)
def _number(codes, room):
    """Put numbers in the place of values, ascending; return how many there are."""
    number, values = room.number, room.values
    n = np.int64(0)
    for i in range(len(codes)):
        if number[np.uintp(codes[i])] < 0:
            number[np.uintp(codes[i])] = 0
            values[n] = codes[i]
            n += 1
    values[:n].sort()
    for j in range(n):
        number[values[j]] = j
    for i in range(len(codes)):
        codes[i] = number[np.uintp(codes[i])]
    for j in range(n):
        number[values[j]] = -1
    return n


@njit(cache=True, nogil=True)
def _find_levels(chains, c, n, room):
    """Find the labels of a chain's levels, given its n values; return how many."""
    values, joined, coarser = room.values, room.joined, room.coarser
    room.n_labels[c, 0] = n
    n_finest, of_levels = n, np.int64(n)
    for finest in range(n):
        coarser[c, 0, finest] = finest
    for level in range(1, chains.n_levels[c]):
        first = chains.first[c] + chains.lengths[c, level]
        end = chains.first[c] + chains.lengths[c, level - 1]
        for part in range(first, end):
            values[:n] //= np.int64(chains.masks[part]) + 1
        n_finer, n = n, np.int64(0)
        for j in range(n_finer):
            if j == 0 or values[j] != values[n - 1]:
                joined[c, level - 1, n] = j
                values[n] = values[j]
                n += 1
        joined[c, level - 1, n] = n_finer
        most = np.int64(0)  # np.diff would take seconds to compile
        for j in range(n):
            width = joined[c, level - 1, j + 1] - joined[c, level - 1, j]
            most = max(most, np.int64(width))
        room.most_joined[c, level - 1] = most
        label = np.int64(0)
        for finest in range(n_finest):
            label += coarser[c, level - 1, finest] == joined[c, level - 1, label + 1]
            coarser[c, level, finest] = label
        room.n_labels[c, level] = n
        of_levels += n
    return of_levels


@njit(cache=True, nogil=True)
def _count_block(numbers, rows, chains, room, cubes):
    keys, weights, fields = rows
    _, wide = cubes
    n = len(keys)
    level = np.zeros(len(chains.n_levels), dtype=np.int64)
    room.codes[:n] = 0
    n_cells = _fill(wide, 0, 1, (weights, level), room)
    largest = np.int64(0)
    for cell in range(n_cells):
        largest = max(largest, np.int64(wide[0, cell]))
    for s in range(len(fields.masks)):
        for i in range(n):
            room.codes[i] = np.int64(keys[i] >> fields.shifts[s] & fields.masks[s])
        k = _number(room.codes[:n], room)
        _count_cubes(numbers, s, (k, largest, weights), chains, room, cubes)


@njit(cache=True, nogil=True)
def _fill(cubes, to, k, rows, room):
    """Fill a cube of k values by the rows of a block; return its cells."""
    weights, level = rows
    cells, codes = room.cells, room.codes
    cells[: len(weights)] = 0
    step = np.int32(1)
    for c in range(len(level)):
        n = room.n_labels[c, level[c]]
        labels, coarser = room.labels[c], room.coarser[c, level[c]]
        for i in range(len(weights) if n > 1 else 0):
            cells[i] += coarser[np.uintp(labels[i])] * step
        step = np.int32(step * n)
    for entry in range(k * step):
        cubes[to, entry] = 0
    for i in range(len(weights)):
        cubes[to, np.uintp(codes[i] * step + cells[i])] += weights[i]
    return step


@njit(cache=True, nogil=True)
def _count_cubes(numbers, s, of_block, chains, room, cubes):
    """Count a block of rows with k sensitive values for each set."""
    # Cells of earlier chains lie nearer together. Later chains take turns faster: the
    # more often cells are added, the more lie side by side. The cubes at c + 1 are the
    # last ones of which chain c took a coarser level: of bytes while no cell has more
    # records, which are added most quickly. Where a cube has many more entries than the
    # block has rows, these are put into the next one. The rows of `cubes` are longer
    # than what is used: those of a part of them would have strides, and no vector
    # instructions.
    k, largest, weights = of_block
    narrow, wide = cubes
    n_chains = len(chains.n_levels)
    level = np.zeros(n_chains, dtype=np.int64)
    source = np.zeros(n_chains + 1, dtype=np.int64)
    most = np.full(n_chains + 1, largest)
    is_wide = np.full(n_chains + 1, largest > MOST_NARROW)
    rows = weights, level
    _fill_either(cubes, is_wide[0], 0, k, rows, room)
    for number in range(len(chains.places)):
        if number > 0:
            c = _next_chain(level, chains.n_levels)
            joined, around = room.joined[c, level[c] - 1], _around(c, k, level, room)
            n_after, n_before, n_out = around
            added = ADDED_SHORT if n_before < SHORT_RUN else ADDED_LONG
            is_filled = n_after * n_before * joined[n_out] > added * len(weights)
            one, to = source[c + 1], c + 1  # the same, from the chain's third level on
            was_wide = is_wide[one]
            most[to] = most[one] * room.most_joined[c, level[c] - 1]
            is_wide[to] = was_wide or most[to] > MOST_NARROW
            if is_filled:
                _fill_either(cubes, is_wide[to], to, k, rows, room)
            elif was_wide:
                _add_cells(wide, one, wide, to, around, joined)
            elif is_wide[to]:
                _add_cells(narrow, one, wide, to, around, joined)
            else:
                _add_cells(narrow, one, narrow, to, around, joined)
            source[c + 1 :] = c + 1
        if chains.places[number] >= 0:
            n_cells = np.int64(1)
            for c in range(n_chains):
                n_cells *= room.n_labels[c, level[c]]
            which, shape = (chains.places[number], s), (k, n_cells)
            at = source[n_chains]
            if is_wide[at]:
                largest = _count_cells(numbers, which, wide, at, shape)
            else:
                largest = _count_cells(numbers, which, narrow, at, shape)
            most[at] = largest


@njit(cache=True, nogil=True)
def _fill_either(cubes, is_wide, to, k, rows, room):
    narrow, wide = cubes
    if is_wide:
        _fill(wide, to, k, rows, room)
    else:
        _fill(narrow, to, k, rows, room)


@njit(cache=True, nogil=True)
def _next_chain(level, n_levels):
    """Go on to the next set; return the chain that takes a coarser level."""
    c = len(level) - 1
    while level[c] == n_levels[c] - 1:
        level[c] = 0
        c -= 1
    level[c] += 1
    return c


@njit(cache=True, nogil=True)
def _around(c, k, level, room):
    """Return entries of later chains and values, cells of earlier ones, and labels."""
    n_after, n_before = np.int64(k), np.int64(1)
    for d in range(c):
        n_before *= room.n_labels[d, level[d]]
    for d in range(c + 1, len(level)):
        n_after *= room.n_labels[d, 0]
    return n_after, n_before, room.n_labels[c, level[c]]


@njit(cache=True, nogil=True)
def _add_cells(cubes, one, sums, to, around, joined):
    """Add cells that a coarser label joins; the cubes may be the same."""
    # Both are arrays (n_after, labels, n_before).
    n_after, n_before, n_out = around
    n_in = joined[n_out]
    for after in range(n_after):
        for label in range(n_out):
            out = np.uintp((after * n_out + label) * n_before)
            first, end = joined[np.uintp(label)], joined[np.uintp(label + 1)]
            at = np.uintp((after * n_in + first) * n_before)
            if n_before < SHORT_RUN:
                for j in range(np.uintp(n_before)):
                    total = np.int64(0)
                    for i in range(np.uintp(end - first)):
                        total += cubes[one, at + i * np.uintp(n_before) + j]
                    sums[to, out + j] = total
                continue
            if end - first == 1:
                for j in range(np.uintp(n_before)):
                    sums[to, out + j] = cubes[one, at + j]
                continue
            other = at + np.uintp(n_before)
            for j in range(np.uintp(n_before)):
                sums[to, out + j] = cubes[one, at + j] + cubes[one, other + j]
            for _ in range(first + 2, end):
                other += np.uintp(n_before)
                for j in range(np.uintp(n_before)):
                    sums[to, out + j] += cubes[one, other + j]


@njit(cache=True, nogil=True)
def _count_cells(numbers, which, cubes, of, shape):
    """Count the cells of a cube that have records, as blocks; return the largest."""
    # The cube is an array (values, cells).
    place, s = which
    _, n_cells = shape
    size, modal = len(cubes) - 2, len(cubes) - 1
    at = EACH + OF_EACH * s
    largest = np.int64(0)
    for first in range(0, n_cells, TILE):
        n = np.uintp(min(TILE, n_cells - first))
        _add_values(cubes, of, np.uintp(first), n, shape)
        # At most the records of the block, which fit.
        certain, right, most = np.int32(0), np.int32(0), cubes[size, 0]
        for i in range(n):
            here, more = cubes[size, i], cubes[modal, i]
            certain = np.int32(certain + (here if more == here else 0))
            right = np.int32(right + more)
            most = max(most, here)
        largest = max(largest, np.int64(most))
        numbers[place, at + CERTAIN] += certain
        numbers[place, at + MODAL] += right
        if certain > 0:
            numbers[place, at + DISTINCT] = 1
            numbers[place, at + BEST] = 1
            numbers[place, at + BEST_OF] = 1
        elif numbers[place, at + CERTAIN] == 0:
            _note_cells(numbers, which, cubes, of, first, shape)
        if s == 0:
            _count_sizes(numbers[place], cubes, n)
    return largest


@njit(cache=True, nogil=True)
def _add_values(cubes, of, start, n, shape):
    """Add records of all values of the cells of a tile, and find the most."""
    k, n_cells = shape
    size, modal = len(cubes) - 2, len(cubes) - 1
    for i in range(n):
        count = cubes[of, start + i]
        cubes[size, i] = count
        cubes[modal, i] = count
    for _ in range(1, k):
        start += np.uintp(n_cells)
        for i in range(n):
            count = cubes[of, start + i]
            cubes[size, i] += count
            cubes[modal, i] = max(cubes[modal, i], count)


@njit(cache=True, nogil=True)
def _count_sizes(numbers, cubes, n):
    """Count the cells of a tile, those of one record, and the records of the smallest.

    The least of what is one less, of unsigned numbers, is that of a cell with records.
    """
    size, less = len(cubes) - 2, len(cubes) - 1
    for i in range(n):
        cubes[less, i] = cubes[size, i] - 1
    n_blocks, n_alone, least = np.int64(0), np.int64(0), cubes[less, 0]
    for first in range(np.uintp(0), n, np.uintp(COUNTED)):
        some, one = np.uint8(0), np.uint8(0)
        for i in range(first, min(first + np.uintp(COUNTED), n)):
            some = np.uint8(some + (cubes[size, i] != 0))
            one = np.uint8(one + (cubes[less, i] == 0))
            least = min(least, cubes[less, i])
        n_blocks += some
        n_alone += one
    numbers[BLOCKS] += n_blocks
    numbers[ALONE] += n_alone
    if n_blocks > 0:
        numbers[LEAST] = min(numbers[LEAST], np.int64(least) + 1)


@njit(cache=True, nogil=True)
def _note_cells(numbers, which, cubes, of, first, shape):
    """Keep the fewest values of a cell of a tile, and the largest share."""
    place, s = which
    k, n_cells = shape
    size, modal = len(cubes) - 2, len(cubes) - 1
    fewest, best, best_of = np.int64(NOTHING), np.int64(0), np.int64(1)
    for i in range(min(TILE, n_cells - first)):
        if cubes[size, i] > 0:
            distinct = np.int64(0)
            for value in range(k):
                distinct += cubes[of, value * n_cells + first + i] > 0
            fewest = min(fewest, distinct)
            n, of_n = np.int64(cubes[modal, i]), np.int64(cubes[size, i])
            if n * best_of > best * of_n:
                best, best_of = n, of_n
    note(numbers[place], EACH + OF_EACH * s, fewest, best, best_of)
