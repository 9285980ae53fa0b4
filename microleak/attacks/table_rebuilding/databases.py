"""How many databases fit tables of counts."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from microleak.attacks.table_rebuilding.definitions.contradiction import (
    UNBOUNDED,
    Integers,
    System,
)
from microleak.kernels.whole_solutions import n_solutions

MOST: Final = 1000
"""Databases that are counted at most."""

MOST_STEPS: Final = 5000
"""Steps of the search in a connected part, so that it ends."""


def n_databases(system: System, low: Integers, high: Integers) -> tuple[int, bool]:
    """Return how many databases fit, and whether that is all of them.

    Parameters
    ----------
    system
        What the tables say.
    low, high
        Bounds of each cell, which must hold; `UNBOUNDED` is none.

    Returns
    -------
    tuple
        At most `MOST` databases, all of which fit; and true if there are no others.

    Examples
    --------
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
    row = np.repeat(np.arange(system.n_rows), np.diff(system.starts))
    is_free = low[system.cells] < high[system.cells]
    fixed = np.zeros(system.n_rows, dtype=np.int64)
    np.add.at(fixed, row[~is_free], low[system.cells[~is_free]])
    row, cell = row[is_free], system.cells[is_free]
    label = np.arange(system.n_cells)
    while True:
        least = np.full(system.n_rows, system.n_cells)
        np.minimum.at(least, row, label[cell])
        new = label.copy()
        np.minimum.at(new, cell, least[row])
        if (new == label).all():
            break
        label = new
    for first in np.unique(label[low < high]):
        cells = np.flatnonzero((label == first) & (low < high))
        own = label[cell] == first
        rows, place = np.unique(row[own], return_inverse=True)
        order = np.argsort(place, kind="stable")
        starts = np.searchsorted(place[order], np.arange(len(rows) + 1))
        inner = np.searchsorted(cells, cell[own][order])
        above = np.where(
            system.high[rows] < UNBOUNDED, system.high[rows] - fixed[rows], UNBOUNDED
        )
        low_of_rows = system.low[rows] - fixed[rows]
        yield System(len(cells), starts, inner, low_of_rows, above), cells
