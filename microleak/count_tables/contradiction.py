"""What tables of counts say, and proofs that something contradicts them.

A claim, as that a cell has at least one record, is proved by a contradiction: no
database fits the tables in which it has none. The proofs are whole numbers, and are
checked here without a solver.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from microleak.base.arrays import Integers

UNBOUNDED: Final = np.iinfo(np.int64).max
"""The largest count of a row of which none is known."""

MOST_OF_MULTIPLIER: Final = 1 << 40
"""Multipliers are below it, so that their sums are exact."""

CountRange: TypeAlias = tuple[int, int | None]
"""Least and largest count of a cell; None is no bound."""

Box: TypeAlias = Mapping[int, CountRange]
"""Ranges of some cells; each of the others has 0 or more."""


@dataclass(frozen=True)
class System:
    """What tables of counts say: sums of cells lie between whole numbers."""

    # Cells of the joint table of all attributes.
    n_cells: int
    # The cells of row i are `cells[starts[i]:starts[i + 1]]`, each once.
    starts: Integers
    cells: Integers
    # Least and largest count of each row, shape (n_rows,); `UNBOUNDED` is no bound.
    low: Integers
    high: Integers

    @property
    def n_rows(self) -> int:
        """Rows of all tables."""
        return len(self.low)

    def of(self, row: int) -> Integers:
        """Return the cells of a row."""
        return self.cells[self.starts[row] : self.starts[row + 1]]

    def of_rows(self, rows: Integers) -> "System":
        """Return what some rows say."""
        sizes = np.diff(self.starts)[rows]
        starts = np.append(0, np.cumsum(sizes))
        offsets = np.repeat(self.starts[rows] - starts[:-1], sizes)
        cells = self.cells[np.arange(starts[-1]) + offsets]
        return System(self.n_cells, starts, cells, self.low[rows], self.high[rows])

    def parts(self, is_free: NDArray[np.bool_]) -> Iterator[tuple[Integers, Integers]]:
        """Yield the rows and the cells of each connected part of some of the cells.

        Rows without any of these are of no part; without cells there is none.

        >>> sums = np.array([0, 2, 3]), np.array([0, 1, 2]), np.ones(2), np.ones(2)
        >>> [cells.tolist() for _, cells in System(3, *sums).parts(np.ones(3, bool))]
        [[0, 1], [2]]
        """
        row = np.repeat(np.arange(self.n_rows), np.diff(self.starts))
        row, cell = row[is_free[self.cells]], self.cells[is_free[self.cells]]
        label = np.arange(self.n_cells)
        while True:
            least = np.full(self.n_rows, self.n_cells)
            np.minimum.at(least, row, label[cell])
            new = label.copy()
            np.minimum.at(new, cell, least[row])
            if (new == label).all():
                break
            label = new
        cells, rows = np.flatnonzero(is_free), np.unique(row)
        if not len(cells):
            return
        cells = cells[np.argsort(label[cells], kind="stable")]
        rows = rows[np.argsort(least[rows], kind="stable")]
        firsts = np.unique(label[cells])
        within = np.split(cells, np.searchsorted(label[cells], firsts[1:]))
        of_part = np.split(rows, np.searchsorted(least[rows], firsts[1:]))
        yield from zip(of_part, within, strict=True)

    def fits(self, database: Integers) -> bool:
        """Whether counts of the cells are those of a database that fits.

        >>> sums = np.array([0, 2]), np.array([0, 1]), np.array([3]), np.array([4])
        >>> System(2, *sums).fits(np.array([1, 2]))
        True
        """
        sums = np.add.reduceat(np.append(database[self.cells], 0), self.starts[:-1])
        is_within = (sums >= self.low) & (sums <= self.high)
        return bool((database >= 0).all() and is_within.all())


@dataclass(frozen=True)
class MultipliedSums:
    """A contradiction by a multiplier for each of some rows."""

    multipliers: Mapping[int, int]


@dataclass(frozen=True)
class CellCases:
    """A contradiction where a cell has at most so many, and one where it has more."""

    cell: int
    at_most: int
    below: "Proof"
    above: "Proof"


Proof: TypeAlias = MultipliedSums | CellCases


def contradicts(system: System, proof: Proof, box: Box) -> bool:
    """Whether a proof shows that no database fits with cells in some ranges.

    By Farkas' lemma: each row times its multiplier bounds a sum of cells from below,
    and what these bounds add up to is more than the cells can have.

    Parameters
    ----------
    system
        What the tables say.
    proof
        Multipliers of rows, or cases that are proved each.
    box
        Ranges of cells that the tables contradict.

    Examples
    --------
    Two cells have 3 records together, and the first has 1 at most. The second has 2:

    >>> rows = np.array([0, 2, 3]), np.array([0, 1, 0]), np.array([3, 0])
    >>> system = System(2, *rows, np.array([3, 1]))
    >>> contradicts(system, MultipliedSums({0: 1, 1: -1}), {1: (0, 1)})
    True
    >>> contradicts(system, MultipliedSums({0: 1, 1: -1}), {1: (0, 2)})
    False

    The same by cases: the first has none, or one at least. If the second has just 2,
    the first has 1, which no case excludes:

    >>> fewer, more = MultipliedSums({0: 1}), MultipliedSums({0: 1, 1: -1})
    >>> contradicts(system, CellCases(0, 0, fewer, more), {1: (0, 1)})
    True
    >>> many = MultipliedSums({0: -1})
    >>> contradicts(system, CellCases(0, 0, fewer, many), {1: (2, 2)})
    False
    """
    if isinstance(proof, CellCases):
        low, high = box.get(proof.cell, (0, None))
        above = max(low, proof.at_most + 1)
        below = proof.at_most if high is None else min(high, proof.at_most)
        return contradicts(
            system, proof.below, {**box, proof.cell: (low, below)}
        ) and contradicts(system, proof.above, {**box, proof.cell: (above, high)})
    if any(abs(each) >= MOST_OF_MULTIPLIER for each in proof.multipliers.values()):
        return False
    total = 0
    for row, multiplier in proof.multipliers.items():
        side = system.low[row] if multiplier > 0 else system.high[row]
        if side == UNBOUNDED:
            return False
        total += multiplier * int(side)
    sums = coefficients(system, proof.multipliers)
    for cell, (low, high) in box.items():
        coefficient = int(sums[cell])
        if coefficient <= 0:
            total -= coefficient * low
        elif high is not None:
            total -= coefficient * high
            sums[cell] = 0
    return total > 0 and not (sums > 0).any()


def coefficients(system: System, multipliers: Mapping[int, int]) -> Integers:
    """Return the sum of the multipliers of the rows that each cell is in."""
    found = np.zeros(system.n_cells, dtype=np.int64)
    for row, multiplier in multipliers.items():
        found[system.of(row)] += multiplier
    return found


def rows_of(proof: Proof) -> Iterator[int]:
    """Yield the rows that a proof uses, some more than once."""
    if isinstance(proof, CellCases):
        yield from rows_of(proof.below)
        yield from rows_of(proof.above)
    else:
        yield from proof.multipliers
