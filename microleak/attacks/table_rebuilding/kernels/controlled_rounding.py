"""Controlled rounding of a table of two ways: whole tables that stay additive.

Cox (1987, "A constructive procedure for unbiased controlled rounding"): each count
becomes one of the two multiples of a base around it, so does each total of a row and of
a column and that of all, totals are sums of what is rounded, and each is right in the
mean.
"""

from typing import Final, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from microleak.base.arrays import Integers

CellPlaces = NDArray[np.int32]

_NONE: Final = -1


def controlled_rounding(
    counts: Integers, base: int, draws: NDArray[np.float64]
) -> Integers:
    """Return counts rounded to a base so that totals are rounded, too, and additive.

    Totals are a further row and column of remainders; among those that are no multiple
    a walk along rows and columns in turn closes to a cycle, and remainders of it are
    raised and lowered in turn until one is a multiple. `draws` are from [0, 1), one a
    cycle, shape ((n_rows + 1) * (n_columns + 1),).

    >>> counts = np.array([[1, 2], [2, 1]])
    >>> controlled_rounding(counts, 3, np.full(9, 0.9)).tolist()
    [[0, 3], [3, 0]]
    """
    n_rows, n_columns = counts.shape
    left = np.zeros((n_rows + 1, n_columns + 1), dtype=np.int64)
    left[:-1, :-1] = counts
    left[-1, :-1] = -counts.sum(axis=0)
    left[:-1, -1] = -counts.sum(axis=1)
    left[-1, -1] = counts.sum()
    left %= base
    whole = counts - left[:-1, :-1]
    _settle(left, base, draws)
    return whole + left[:-1, :-1]


class _Open(NamedTuple):
    """Remainders that are no multiples, by row and column, and their places there."""

    of_row: CellPlaces
    of_column: CellPlaces
    in_row: CellPlaces
    in_column: CellPlaces
    n_of_row: CellPlaces
    n_of_column: CellPlaces


@njit(cache=True, nogil=True)
def _settle(left, base, draws):
    """Bring all remainders to 0 or the base, sums of rows and columns as they are."""
    n_rows, n_columns = left.shape
    open_ = _listed(left, base)
    rows = np.empty(n_rows + 1, dtype=np.int32)
    columns = np.empty(n_rows + 1, dtype=np.int32)
    seen = np.full(n_rows, _NONE, dtype=np.int32)
    crossed = np.full(n_columns, _NONE, dtype=np.int32)
    first, cycle = 0, 0
    while first < n_rows:
        if open_.n_of_row[first] == 0:
            first += 1
            continue
        rows[0] = first
        start, end = _cycle(open_, (rows, columns), seen, crossed)
        _change(left, base, draws[cycle], (rows[start:], columns[start:end]), open_)
        cycle += 1


@njit(cache=True, nogil=True)
def _listed(left, base):
    n_rows, n_columns = left.shape
    open_ = _Open(
        np.empty((n_rows, n_columns), dtype=np.int32),
        np.empty((n_columns, n_rows), dtype=np.int32),
        np.empty((n_rows, n_columns), dtype=np.int32),
        np.empty((n_rows, n_columns), dtype=np.int32),
        np.zeros(n_rows, dtype=np.int32),
        np.zeros(n_columns, dtype=np.int32),
    )
    for row in range(n_rows):
        for column in range(n_columns):
            if left[row, column] % base:
                in_row, in_column = open_.n_of_row[row], open_.n_of_column[column]
                open_.of_row[row, in_row] = column
                open_.of_column[column, in_column] = row
                open_.in_row[row, column] = in_row
                open_.in_column[row, column] = in_column
                open_.n_of_row[row] += 1
                open_.n_of_column[column] += 1
    return open_


@njit(cache=True, nogil=True)
def _cycle(open_, path, seen, crossed):
    """Walk from the first row of a path until a row or column comes again."""
    rows, columns = path
    end, start, column = 0, _NONE, _NONE
    while start == _NONE:
        row = rows[end]
        seen[row] = end
        way = 1 if open_.of_row[row, 0] == column else 0
        column = open_.of_row[row, way]
        columns[end] = column
        end += 1
        if crossed[column] != _NONE:
            start = crossed[column]
            rows[end] = rows[start]
        else:
            crossed[column] = end
            way = 1 if open_.of_column[column, 0] == row else 0
            rows[end] = open_.of_column[column, way]
            start = seen[rows[end]]
    for place in range(end):
        seen[rows[place]] = _NONE
        crossed[columns[place]] = _NONE
    return start, end


@njit(cache=True, nogil=True)
def _change(left, base, draw, cycle, open_):
    """Raise and lower a cycle's remainders in turn until one is a multiple; or down."""
    rows, columns = cycle
    up, down = base, base
    for place, column in enumerate(columns):
        more, less = left[rows[place], column], left[rows[place + 1], column]
        up = min(up, base - more, less)
        down = min(down, more, base - less)
    change = up if draw * (up + down) < down else -down
    for place, column in enumerate(columns):
        for row, by in ((rows[place], change), (rows[place + 1], -change)):
            left[row, column] += by
            if left[row, column] % base == 0:
                _remove(open_, row, column)


@njit(cache=True, nogil=True)
def _remove(open_, row, column):
    """Take a remainder out of the lists; the last of each takes its place."""
    open_.n_of_row[row] -= 1
    last = open_.of_row[row, open_.n_of_row[row]]
    open_.of_row[row, open_.in_row[row, column]] = last
    open_.in_row[row, last] = open_.in_row[row, column]
    open_.n_of_column[column] -= 1
    last = open_.of_column[column, open_.n_of_column[column]]
    open_.of_column[column, open_.in_column[row, column]] = last
    open_.in_column[last, column] = open_.in_column[row, column]
