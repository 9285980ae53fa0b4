"""Numbers that risks follow from, counted of blocks: a row of integers.

Blocks are counted one after another for some set of attributes, or at once for many
sets: short ones as bits (`microleak.kernels.short_blocks`), dense ones as cubes
(`microleak.kernels.chains`).

A cube has a cell for each combination of labels and sensitive value (Gray and others
1997, data cube). Cells that a coarser label joins are added up, so that each set takes
one step from another, by vector instructions, however many rows the block has.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from microleak.kernels.chains import MOST_BITS
from microleak.kernels.short_blocks import MOST_ROWS, lowest, ones

Integers = NDArray[np.int64]

SIZES = 100
"""Blocks of fewer records are counted by size."""

BLOCKS, LEAST, BY_SIZE = 0, 1, 2
EACH, OF_EACH = BY_SIZE + SIZES, 5
"""Where numbers lie: those of the first sensitive attribute from `EACH` on."""

CERTAIN, MODAL, DISTINCT, BEST, BEST_OF = range(OF_EACH)

NOTHING = 2**62
"""The least of no numbers."""

MOST_CELLS, MOST_LABELS = 1 << 20, 1 << 10
"""Cells of the largest cube, and labels that a chain may have in it."""

ENTRIES_A_ROW, ENTRIES_A_SET = 9.0, 250.0
"""A cube of so many entries a row of its block, less those a set, takes as long as to
go on without."""

TILE = 1024
"""Cells that are looked at together, so that they stay near the processor."""

SHORT_RUN = 8
"""Cells side by side from which on they are added by vector instructions."""


def of_nothing(n_sensitive: int) -> Integers:
    """Return the numbers of no block."""
    numbers = np.zeros(EACH + OF_EACH * n_sensitive, dtype=np.int64)
    numbers[LEAST] = NOTHING
    numbers[EACH + DISTINCT :: OF_EACH] = NOTHING
    numbers[EACH + BEST_OF :: OF_EACH] = 1
    return numbers


@njit(cache=True, nogil=True)
def add_rows(totals, places, parts):
    """Add rows of numbers to those at some places."""
    for i in range(len(places)):
        total, part = totals[places[i]], parts[i]
        total[BLOCKS] += part[BLOCKS]
        total[LEAST] = min(total[LEAST], part[LEAST])
        for at in range(BY_SIZE, EACH):
            total[at] += part[at]
        for at in range(EACH, len(total), OF_EACH):
            total[at + CERTAIN] += part[at + CERTAIN]
            total[at + MODAL] += part[at + MODAL]
            _note(total, at, part[at + DISTINCT], part[at + BEST], part[at + BEST_OF])


@njit(cache=True, nogil=True)
def _note(numbers, at, distinct, best, best_of):
    """Keep the fewest values, and the largest share: of equal ones either one."""
    numbers[at + DISTINCT] = min(numbers[at + DISTINCT], distinct)
    if best * numbers[at + BEST_OF] > numbers[at + BEST] * best_of:
        numbers[at + BEST] = best
        numbers[at + BEST_OF] = best_of


@njit(cache=True, nogil=True)
def _count_size(numbers, size, n):
    numbers[BLOCKS] += n
    numbers[LEAST] = min(numbers[LEAST], size)
    if size < SIZES:
        numbers[BY_SIZE + size] += n


@njit(cache=True, nogil=True)
def _count_single(numbers, size, n):
    """Count n blocks of one row."""
    _count_size(numbers, size, n)
    for at in range(EACH, len(numbers), OF_EACH):
        numbers[at + CERTAIN] += n * size
        numbers[at + MODAL] += n * size
        _note(numbers, at, np.int64(1), np.int64(1), np.int64(1))


@njit(cache=True, nogil=True)
def count(numbers, fields, final):
    """Count final blocks: those of one row by size, and then the others."""
    shifts, masks, n_values, _ = fields
    keys, weights, starts, blocks, single = final
    for of_single in range(len(single)):
        size, n = np.int64(of_single), single[of_single]
        if n != 0:
            _count_single(numbers, size, n)
    seen = np.zeros(n_values, dtype=np.int64)
    for block in blocks:
        lo, hi = np.int64(starts[block]), np.int64(starts[block + 1])
        size = np.int64(0)
        for row in range(lo, hi):
            size += weights[row]
        _count_size(numbers, size, np.int64(1))
        for s in range(len(shifts)):
            modal = np.int64(0)
            distinct = np.int64(0)
            for row in range(lo, hi):
                value = np.uintp(keys[row] >> shifts[s] & masks[s])
                distinct += seen[value] == 0
                seen[value] += weights[row]
                modal = max(modal, seen[value])
            for row in range(lo, hi):
                seen[np.uintp(keys[row] >> shifts[s] & masks[s])] = 0
            at = EACH + OF_EACH * s
            numbers[at + CERTAIN] += size * (distinct == 1)
            numbers[at + MODAL] += modal
            _note(numbers, at, distinct, modal, size)


class Room(NamedTuple):
    """Memory for what is found of a block.

    Attributes
    ----------
    number
        Of each value -1, before and after.
    values
        The values that there are.
    codes, cells
        Of each row.
    n_labels
        Labels by chain and level, the finest first; shape (n_chains, n_levels).
    joined
        Of each label the first of the finer ones that it joins, and at last their
        number; shape (n_chains, n_levels, `MOST_LABELS` + 1).
    """

    number: NDArray[np.int32]
    values: Integers
    codes: Integers
    cells: Integers
    n_labels: Integers
    joined: Integers


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
    room = Room(
        np.full(most_values, -1, dtype=np.int32),
        np.empty(most_values, dtype=np.int64),
        np.empty(longest, dtype=np.int64),
        np.empty(longest, dtype=np.int64),
        np.empty((n_chains, n_levels), dtype=np.int64),
        np.empty((n_chains, n_levels, MOST_LABELS + 1), dtype=np.int64),
    )
    narrow = np.empty((n_chains + 1, TILE), dtype=np.int16)
    wide = np.empty((n_chains + 1, TILE), dtype=np.int32)
    for block in range(len(is_counted)):
        lo, hi = np.int64(starts[block]), np.int64(starts[block + 1])
        n = hi - lo
        if n <= MOST_ROWS:
            continue
        of_sets = _find_cells(keys[lo:hi], chains, room)
        entries = np.float64(0)
        for s in range(len(fields.masks)):
            entries += of_sets * min(np.int64(fields.masks[s]) + 1, n)
        if entries > n_sets * (ENTRIES_A_ROW * n - ENTRIES_A_SET):
            continue
        is_counted[block] = True
        rows = keys[lo:hi], weights[lo:hi], fields
        # Of numbers of half the width a vector instruction adds twice as many.
        if weights[lo:hi].sum() < 1 << 15:
            narrow = _count_block(numbers, rows, chains, room, narrow)
        else:
            wide = _count_block(numbers, rows, chains, room, wide)
    return is_counted


@njit(cache=True, nogil=True)
def _count_block(numbers, rows, chains, room, cubes):
    """Count a block by cubes for each set; return these, or larger ones."""
    keys, weights, fields = rows
    n_cells = room.n_labels[:, 0].prod()
    for s in range(len(fields.masks)):
        k = _find_codes(keys, fields.shifts[s], fields.masks[s], room)
        if cubes.shape[1] < k * n_cells:
            cubes = np.empty((len(cubes), k * n_cells), dtype=cubes.dtype)
        cube = cubes[0, : k * n_cells]
        cube[:] = 0
        for i in range(len(keys)):
            cube[np.uintp(room.codes[i] * n_cells + room.cells[i])] += weights[i]
        _count_cubes(numbers, s, k, chains, room, cubes)
    return cubes


@njit(cache=True, nogil=True)
def _find_cells(keys, chains, room):
    """Find labels, and each row's cell; return the cells of all sets together.

    A number that no block can have in the place of it, if there are too many.
    """
    codes, cells = room.codes[: len(keys)], room.cells
    cells[: len(keys)] = 0
    n_cells, of_sets = np.int64(1), np.float64(1)
    for c in range(len(chains.n_levels)):
        codes[:] = 0
        for part in range(chains.first[c], chains.first[c + 1]):
            shift, mask = chains.shifts[part], chains.masks[part]
            for i in range(len(keys)):
                value = np.int64(keys[i] >> shift & mask)
                codes[i] = codes[i] * (np.int64(mask) + 1) + value
        n = _number(codes, room)
        if n > MOST_LABELS or n_cells * n > MOST_CELLS:
            return np.inf
        for i in range(len(keys)):
            cells[i] += codes[i] * n_cells
        n_cells *= n
        of_sets *= _find_labels(chains, c, n, room)
    return of_sets


@njit(cache=True, nogil=True)
def _find_codes(keys, shift, mask, room):
    """Find the number of each value of an attribute; return how many there are."""
    for i in range(len(keys)):
        room.codes[i] = np.int64(keys[i] >> shift & mask)
    return _number(room.codes[: len(keys)], room)


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
def _find_labels(chains, c, n, room):
    """Find the labels of a chain's levels, given its n values; return how many."""
    values, joined = room.values, room.joined
    room.n_labels[c, 0] = n
    of_levels = n
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
        room.n_labels[c, level] = n
        of_levels += n
    return of_levels


@njit(cache=True, nogil=True)
def _count_cubes(numbers, s, k, chains, room, cubes):
    """Count a block for each set, given its cube of all chains and k sensitive values.

    Cells of earlier chains lie nearer together. Later chains take turns faster: the
    more often cells are added, the more lie side by side. `cubes[c + 1]` is the last
    one of which chain c took a coarser level. The rows of `cubes` are longer than what
    is used: those of a part of it would have strides, and no vector instructions.
    """
    n_chains, n_labels = len(chains.n_levels), room.n_labels
    level = np.zeros(n_chains, dtype=np.int64)
    source = np.zeros(n_chains + 1, dtype=np.int64)
    for number in range(len(chains.places)):
        if number > 0:
            c = n_chains - 1
            while level[c] == chains.n_levels[c] - 1:
                level[c] = 0
                c -= 1
            n_before, n_after = np.int64(1), np.int64(k)
            for d in range(c):
                n_before *= n_labels[d, level[d]]
            for d in range(c + 1, n_chains):
                n_after *= n_labels[d, 0]
            joined = room.joined[c, level[c], : n_labels[c, level[c] + 1] + 1]
            _add_cells(cubes[source[c + 1]], cubes[c + 1], (n_after, n_before), joined)
            level[c] += 1
            source[c + 1 :] = c + 1
        place = chains.places[number]
        if place >= 0:
            n_cells = np.int64(1)
            for c in range(n_chains):
                n_cells *= n_labels[c, level[c]]
            cube = cubes[source[n_chains], : k * n_cells]
            _count_cells(numbers[place], s, cube, n_cells)


@njit(cache=True, nogil=True)
def _add_cells(cube, out, around, joined):
    """Add cells that a coarser label joins; `out` may be the cube.

    Both are arrays (n_after, labels, n_before).
    """
    n_after, n_before = around
    n_out = len(joined) - 1
    n_in = joined[n_out]
    if n_before < SHORT_RUN:
        step = np.uintp(n_before)
        for after in range(n_after):
            begin, to = (
                np.uintp(after * n_in * n_before),
                np.uintp(after * n_out * n_before),
            )
            for j in range(step):
                finer, at = np.uintp(0), begin + j
                for label in range(np.uintp(n_out)):
                    total = np.int64(0)
                    end = np.uintp(joined[label + np.uintp(1)])
                    while finer < end:
                        total += cube[at]
                        at += step
                        finer += np.uintp(1)
                    out[to + label * step + j] = total
        return
    for after in range(n_after):
        for label in range(n_out):
            to = (after * n_out + label) * n_before
            sums = out[to : to + n_before]
            at = (after * n_in + joined[label]) * n_before
            end = (after * n_in + joined[label + 1]) * n_before
            one = cube[at : at + n_before]
            at += n_before
            if at == end:
                for j in range(n_before):
                    sums[j] = one[j]
                continue
            other = cube[at : at + n_before]
            for j in range(n_before):
                sums[j] = one[j] + other[j]
            at += n_before
            while at < end:
                other = cube[at : at + n_before]
                for j in range(n_before):
                    sums[j] += other[j]
                at += n_before


@njit(cache=True, nogil=True)
def _count_cells(numbers, s, cube, n_cells):
    """Count the cells of a cube that have records, as blocks.

    The cube is an array (values, cells).
    """
    sizes = np.zeros((4, SIZES + 1), dtype=np.int64)
    tile = np.empty((3, TILE), dtype=cube.dtype)
    at = EACH + OF_EACH * s
    for first in range(0, n_cells, TILE):
        n = min(TILE, n_cells - first)
        size, modal, distinct = tile[0, :n], tile[1, :n], tile[2, :n]
        tile[:, :n] = 0
        for start in range(first, len(cube), n_cells):
            counts = cube[start : start + n]
            for i in range(n):
                count = counts[i]
                size[i] += count
                modal[i] = max(modal[i], count)
                distinct[i] += count > 0
        # At most the records of the block, which fit.
        certain, right = np.int32(0), np.int32(0)
        for i in range(n):
            certain = np.int32(certain + size[i] * (modal[i] == size[i]))
            right = np.int32(right + modal[i])
        numbers[at + CERTAIN] += certain
        numbers[at + MODAL] += right
        if certain > 0:
            _note(numbers, at, np.int64(1), np.int64(1), np.int64(1))
        elif numbers[at + CERTAIN] == 0:
            _note_cells(numbers, at, size, modal, distinct)
        if s == 0:
            # In turns, so that no cell waits until the one before is counted.
            for i in range(n):
                sizes[np.uintp(i & 3), np.uintp(min(size[i], SIZES))] += 1
            if numbers[LEAST] >= SIZES:
                _note_least(numbers, size)
    for of_size in range(1, SIZES + 1):
        n_blocks = sizes[:, of_size].sum()
        if n_blocks > 0 and of_size < SIZES:
            _count_size(numbers, np.int64(of_size), n_blocks)
        else:
            numbers[BLOCKS] += n_blocks


@njit(cache=True, nogil=True)
def _note_cells(numbers, at, size, modal, distinct):
    fewest, best, best_of = np.int64(NOTHING), np.int64(0), np.int64(1)
    for i in range(len(size)):
        if size[i] > 0:
            fewest = min(fewest, np.int64(distinct[i]))
            if np.int64(modal[i]) * best_of > best * np.int64(size[i]):
                best, best_of = np.int64(modal[i]), np.int64(size[i])
    _note(numbers, at, fewest, best, best_of)


@njit(cache=True, nogil=True)
def _note_least(numbers, size):
    for i in range(len(size)):
        if size[i] > 0:
            numbers[LEAST] = min(numbers[LEAST], np.int64(size[i]))


@njit(cache=True, nogil=True)
def count_short(numbers, fields, table, short):
    """Count short blocks for each of some sets of attributes.

    Of a block, the rows that are alike in all attributes of a set are the bits of a
    number; an attribute more cuts each by the rows that agree in it. Rows alone are so
    for all sets behind, too, and counted once: from here on, and up to there.
    """
    keys, weights, starts, _ = table
    n_parts = len(short.masks)
    shifts = np.concatenate((short.shifts, fields.shifts))
    masks = np.concatenate((short.masks, fields.masks))
    of_value = np.zeros(np.int64(masks.max()) + 1, dtype=np.uint64)
    agree = np.empty((len(masks), MOST_ROWS), dtype=np.uint64)
    alike = np.empty((n_parts + 1, MOST_ROWS + 1), dtype=np.uint64)
    alone = np.zeros((len(numbers) + 1, SIZES), dtype=np.int64)
    for block in short.blocks:
        lo, hi = np.int64(starts[block]), np.int64(starts[block + 1])
        for part in range(len(masks)):
            row = agree[part]
            _find_agreeing(row, keys[lo:hi], shifts[part], masks[part], of_value)
        alike[0, 0] = ~np.uint64(0) >> np.uint64(64 - (hi - lo))
        heavy = weights[lo:hi] if (weights[lo:hi] != 1).any() else weights[:0]
        _count_sets(numbers, alone, alike, (agree, agree[n_parts:], heavy), short.sets)
    for number in range(len(numbers)):
        for size in range(SIZES):
            if alone[number, size] != 0:
                _count_single(numbers[number], np.int64(size), alone[number, size])
            alone[number + 1, size] += alone[number, size]


@njit(cache=True, nogil=True)
def _find_agreeing(agree, keys, shift, mask, of_value):
    """Find the rows that have the value of each; `of_value` has no bit, as after."""
    for i in range(len(keys)):
        of_value[np.uintp(keys[i] >> shift & mask)] |= np.uint64(1) << np.uint64(i)
    for i in range(len(keys)):
        agree[i] = of_value[np.uintp(keys[i] >> shift & mask)]
    for i in range(len(keys)):
        of_value[np.uintp(keys[i] >> shift & mask)] = 0


@njit(cache=True, nogil=True)
def _count_sets(numbers, alone, alike, rows, sets):
    """Count a block for each set; `alike` has room for the parts of each depth."""
    depth, last, end = sets
    agree, of_sensitive, heavy = rows
    n_alike = np.ones(len(alike), dtype=np.int64)
    number = np.int64(0)
    while number < len(depth):
        at = np.uintp(depth[number])
        if at > 0:
            before, part = np.uintp(at - 1), np.uintp(last[number])
            n_here, n_alone = np.uintp(0), np.int64(0)
            for j in range(n_alike[before]):
                left = alike[before, np.uintp(j)]
                while left != 0:
                    first = np.uintp(lowest(left))
                    same = left & agree[part, first]
                    left ^= same
                    alike[at, n_here] = same
                    is_alone = same & (same - np.uint64(1)) == 0
                    n_here += np.uintp(not is_alone)
                    if len(heavy) == 0:
                        n_alone += np.int64(is_alone)
                    elif is_alone:
                        weight = np.uintp(heavy[first])
                        alone[np.uintp(number), weight] += 1
                        alone[np.uintp(end[number]), weight] -= 1
            n_alike[at] = np.int64(n_here)
            alone[np.uintp(number), 1] += n_alone
            alone[np.uintp(end[number]), 1] -= n_alone
        if n_alike[at] == 0:
            number = end[number]
        else:
            _count_alike(numbers[number], alike[at], n_alike[at], of_sensitive, heavy)
            number += 1


@njit(cache=True, nogil=True)
def _count_alike(numbers, alike, n, agree, heavy):
    """Count n blocks of two rows or more; `agree` is of the sensitive attributes."""
    least = np.int64(NOTHING)
    for s in range(len(agree)):
        certain, right, fewest = np.int64(0), np.int64(0), np.int64(NOTHING)
        best, best_of = np.int64(0), np.int64(1)
        for j in range(n):
            size, modal, distinct = np.int64(0), np.int64(0), np.int64(0)
            left = alike[np.uintp(j)]
            while left != 0:
                same = left & agree[np.uintp(s), np.uintp(lowest(left))]
                left ^= same
                count = np.int64(0)
                if len(heavy) == 0:
                    count = np.int64(ones(same))
                else:
                    while same != 0:
                        count += np.int64(heavy[np.uintp(lowest(same))])
                        same &= same - np.uint64(1)
                size += count
                modal = max(modal, count)
                distinct += 1
            certain += size * (distinct == 1)
            right += modal
            fewest = min(fewest, distinct)
            if modal * best_of > best * size:
                best, best_of = modal, size
            if s == 0:
                least = min(least, size)
                numbers[np.uintp(BY_SIZE + size)] += 1
        at = EACH + OF_EACH * s
        numbers[at + CERTAIN] += certain
        numbers[at + MODAL] += right
        _note(numbers, at, fewest, best, best_of)
    numbers[BLOCKS] += n
    numbers[LEAST] = min(numbers[LEAST], least)
