"""How many databases fit tables of counts."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from microleak.attacks.table_rebuilding.definitions.contradiction import (
    UNBOUNDED,
    System,
)
from microleak.attacks.table_rebuilding.kernels.whole_solutions import n_solutions
from microleak.base.arrays import Integers

MOST: Final = 1000
"""Databases that are counted at most."""

MOST_STEPS: Final = 5000
"""Steps of the search in a connected part, so that it ends."""


def n_databases(system: System, low: Integers, high: Integers) -> tuple[int, bool]:
    """Return how many databases fit, and whether that is all of them.

    Two cells with 3 records together:

    >>> rows = np.array([0, 2]), np.array([0, 1]), np.array([3]), np.array([3])
    >>> n_databases(System(2, *rows), np.array([0, 0]), np.array([3, 3]))
    (4, True)
    """
    if (high == UNBOUNDED).any():
        return MOST, False
    total, is_all = 1, True
    for part, cells in _parts(system, low, high):
        above = np.minimum(part.high, UNBOUNDED // 2)
        sums = part.starts, part.cells, part.low, above
        within = low[cells], high[cells]
        n, is_all_of_part = n_solutions(sums, *within, MOST, MOST_STEPS)
        total, is_all = total * n, is_all and is_all_of_part
    return (total, is_all) if total <= MOST else (MOST, False)


def _parts(
    system: System, low: Integers, high: Integers
) -> Iterator[tuple[System, Integers]]:
    """Yield the connected parts of the cells whose bounds differ, and their cells.

    What the other cells have is taken from the rows.
    """
    is_free = low < high
    for rows, cells in system.parts(is_free):
        part = system.of_rows(rows)
        row = np.repeat(np.arange(len(rows)), np.diff(part.starts))
        is_inner = is_free[part.cells]
        fixed = np.zeros(len(rows), dtype=np.int64)
        np.add.at(fixed, row[~is_inner], low[part.cells[~is_inner]])
        starts = np.searchsorted(row[is_inner], np.arange(len(rows) + 1))
        inner = np.searchsorted(cells, part.cells[is_inner])
        above = np.where(part.high < UNBOUNDED, part.high - fixed, UNBOUNDED)
        yield System(len(cells), starts, inner, part.low - fixed, above), cells
