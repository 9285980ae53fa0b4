"""Numbers that risks follow from, counted of blocks: a row of integers.

Blocks are counted one after another for some set of attributes, or at once for many
sets: short ones as bits (`short_blocks`), dense ones as cubes (`cubes`).
"""

import numpy as np
from numba import njit

from microleak.base.arrays import Integers

BLOCKS, LEAST, ALONE = range(3)
EACH, OF_EACH = 3, 5
"""Where numbers lie: those of the first sensitive attribute from `EACH` on."""

CERTAIN, MODAL, DISTINCT, BEST, BEST_OF = range(OF_EACH)
NOTHING = 2**62  # The least of no numbers


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
        total[ALONE] += part[ALONE]
        for at in range(EACH, len(total), OF_EACH):
            total[at + CERTAIN] += part[at + CERTAIN]
            total[at + MODAL] += part[at + MODAL]
            note(total, at, part[at + DISTINCT], part[at + BEST], part[at + BEST_OF])


@njit(cache=True, nogil=True)
def note(numbers, at, distinct, best, best_of):
    """Keep the fewest values, and the largest share: of equal ones either one."""
    numbers[at + DISTINCT] = min(numbers[at + DISTINCT], distinct)
    if best * numbers[at + BEST_OF] > numbers[at + BEST] * best_of:
        numbers[at + BEST] = best
        numbers[at + BEST_OF] = best_of


@njit(cache=True, nogil=True)
def count_size(numbers, size, n):
    """Count n blocks of so many records."""
    numbers[BLOCKS] += n
    numbers[LEAST] = min(numbers[LEAST], size)
    if size == 1:
        numbers[ALONE] += n


@njit(cache=True, nogil=True)
def count_single(numbers, size, n):
    """Count n blocks of one row that stands for so many records."""
    count_size(numbers, size, n)
    for at in range(EACH, len(numbers), OF_EACH):
        numbers[at + CERTAIN] += n * size
        numbers[at + MODAL] += n * size
        note(numbers, at, np.int64(1), np.int64(1), np.int64(1))


@njit(cache=True, nogil=True)
def count(numbers, fields, final):
    """Count final blocks: those of one row by size, and then the others."""
    shifts, masks, n_values, _ = fields
    keys, weights, starts, blocks, single = final
    for of_single in range(len(single)):
        size, n = np.int64(of_single), single[of_single]
        if n != 0:
            count_single(numbers, size, n)
    seen = np.zeros(n_values, dtype=np.int64)
    for block in blocks:
        lo, hi = np.int64(starts[block]), np.int64(starts[block + 1])
        size = np.int64(0)
        for row in range(lo, hi):
            size += weights[row]
        count_size(numbers, size, np.int64(1))
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
            note(numbers, at, distinct, modal, size)
