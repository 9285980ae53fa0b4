"""Whole numbers whose sums lie within bounds, counted by trying them."""

import numpy as np
from numba import njit

from microleak.base.arrays import Integers

SumPlaces = tuple[Integers, Integers, Integers, Integers]
"""Where each sum's numbers start in the list of numbers, shape (n_sums + 1,); that
list; and the least and the largest value of each sum, shape (n_sums,)."""


def n_solutions(
    sums: SumPlaces, low: Integers, high: Integers, most: int, most_steps: int
) -> tuple[int, bool]:
    """Return how many ways there are, and whether there are no others.

    The number that can have the fewest values has its least one, or more; the search
    ends once there are more than `most` ways, or after so many steps. No sum is without
    numbers, and bounds are below 2**62. Two numbers from 0 to 3 that make 3:

    >>> sums = np.array([0, 2]), np.array([0, 1]), np.array([3]), np.array([3])
    >>> n_solutions(sums, np.zeros(2, int), np.full(2, 3), 1000, 100)
    (4, True)
    """
    n, is_all = _search(sums, low, high, most, most_steps)
    return int(n), bool(is_all)


@njit(cache=True, nogil=True)
def _search(sums, low, high, most, most_steps):
    n_numbers = len(low)
    stack = np.empty((64, 2, n_numbers), dtype=np.int64)
    stack[0, 0], stack[0, 1] = low, high
    n_left, n = 1, 0
    for _ in range(most_steps):
        if n_left == 0 or n > most:
            break
        n_left -= 1
        low, high = stack[n_left, 0].copy(), stack[n_left, 1].copy()
        if not _narrow(sums, low, high):
            continue
        split = -1
        for number in range(n_numbers):
            width = high[number] - low[number]
            if width > 0 and (split < 0 or width < high[split] - low[split]):
                split = number
        if split < 0:
            n += 1
            continue
        if n_left + 2 > len(stack):
            longer = np.empty((2 * len(stack), 2, n_numbers), dtype=np.int64)
            longer[:n_left] = stack[:n_left]
            stack = longer
        stack[n_left, 0], stack[n_left, 1] = low, high
        stack[n_left, 0, split] += 1
        stack[n_left + 1, 0], stack[n_left + 1, 1] = low, high
        stack[n_left + 1, 1, split] = low[split]
        n_left += 2
    return n, n_left == 0


@njit(cache=True, nogil=True)
def _narrow(sums, low, high):
    """Narrow bounds in place by what sums leave; false if nothing is left."""
    starts, numbers, least_of, most_of = sums
    is_narrower = True
    while is_narrower:
        is_narrower = False
        for row in range(len(starts) - 1):
            least, most = 0, 0
            for i in range(starts[row], starts[row + 1]):
                least += low[numbers[i]]
                most += high[numbers[i]]
            if least > most_of[row] or most < least_of[row]:
                return False
            if least >= least_of[row] and most <= most_of[row]:
                continue
            for i in range(starts[row], starts[row + 1]):
                number = numbers[i]
                above = low[number] + most_of[row] - least
                below = high[number] - (most - least_of[row])
                if above < high[number] or below > low[number]:
                    is_narrower = True
                    high[number] = min(high[number], above)
                    low[number] = max(low[number], below)
    return True
