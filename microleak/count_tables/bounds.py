"""Bounds of cells by linear and integer programs, and proofs from their duals.

What HiGHS finds in floating point is a suggestion: every proof is brought to whole
numbers and checked, and so is every database.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

import highspy
import numpy as np
from numpy.typing import NDArray

from microleak.base.arrays import Integers
from microleak.base.highs import (
    SIMPLEX,
    Entries,
    linear_program,
    new_solver,
    whole_multipliers,
    whole_solver,
)
from microleak.count_tables.contradiction import (
    UNBOUNDED,
    Box,
    CellCases,
    MultipliedSums,
    Proof,
    System,
    coefficients,
    contradicts,
)

MOST_NODES: Final = 500
"""Nodes of a search for a database, and cases of a proof, so that both end."""

PRIMAL: Final = 4
"""The primal simplex method, as HiGHS calls it."""

NEAR: Final = 1e-5
"""By how much a value of a program may differ from the exact one."""

LEAST, LARGEST = 1, -1
"""What is asked of a cell: the sign of its count where programs minimise."""

MOST_SEARCHES: Final = 200
"""Searches for a database of whole numbers in a region, so that it ends."""

LEAST_CELLS: Final = 100
"""Cells of programs, at least: smaller parts of a region are put together."""

UNKNOWN: Final = -1
"""The database that takes a bound, where none was found."""


@dataclass
class Budget:
    """Cases that a proof may still have."""

    left: int = MOST_NODES


class Programs:
    """Programs over the databases that fit some rows of a system."""

    def __init__(
        self, system: System, rows: Integers, cells: Integers | None = None
    ) -> None:
        self._system = system
        self._caps = _caps(system, rows)
        self.caps = np.where(self._caps < 0, -1, system.high[self._caps])
        cells = np.arange(system.n_cells) if cells is None else cells
        self.open: Integers = cells[self.caps[cells] != 0]
        tells = (system.low[rows] > 0) | (system.high[rows] < UNBOUNDED)
        self._rows: Integers = rows[tells & (system.high[rows] > 0)]
        self._part = system.of_rows(self._rows)
        alone = self._rows[np.diff(self._part.starts) == 1]
        alone = alone[np.argsort(system.low[alone], kind="stable")]
        self._floors = {int(system.of(row)[0]): row for row in alone.tolist()}
        self._place = np.full(system.n_cells, -1)
        self._place[self.open] = np.arange(len(self.open))
        self._linear = self._solver(is_whole=False)
        # Only costs change, so each program begins where the last one ended.
        self._linear.setOptionValue("simplex_strategy", PRIMAL)
        self._elastic = self._solver(is_whole=False, is_elastic=True)
        self._whole = self._solver(is_whole=True)

    def is_bounded(self, cell: int) -> bool:
        """Whether some row bounds the cell from above."""
        return bool(self._caps[cell] >= 0)

    def cap(self, cell: int) -> tuple[int, MultipliedSums]:
        """Return the largest count by the row that alone bounds a cell best."""
        row = int(self._caps[cell])
        return int(self._system.high[row]), MultipliedSums({row: -1})

    def floor(self, cell: int) -> tuple[int, MultipliedSums | None]:
        """Return the least count by a row of the cell alone, 0 without one."""
        row = self._floors.get(cell)
        if row is None:
            return 0, None
        return int(self._system.low[row]), MultipliedSums({row: 1})

    def database(self, box: Box) -> Integers | None:
        """Return a database that fits, with cells in some ranges, if one is found."""
        self._bound_columns(self._whole, box)
        self._whole.run()
        return self._fitting(self._whole)

    def nearest(self, published: NDArray[np.float64]) -> Integers | None:
        """Return a database that fits and is nearest to what was published."""
        # With geometric noise, published once, it is the most likely database.
        solver, n = self._solver(is_whole=True), len(self.open)
        for row in self._rows[~np.isnan(published[self._rows])].tolist():
            columns = self._place[self._system.of(row)]
            columns = columns[columns >= 0]
            for _ in range(2):
                solver.addCol(1.0, 0.0, np.inf, 0, [], [])
            index = np.append(columns, [n, n + 1]).astype(np.int32)
            value = np.append(np.ones(len(columns)), [1.0, -1.0])
            solver.addRow(published[row], published[row], len(index), index, value)
            n += 2
        solver.run()
        return self._fitting(solver)

    def most(self, cells: NDArray[np.bool_], first: int) -> Integers | None:
        """Return a database that fits, with large counts in cells, above all in one."""
        costs = -cells.astype(np.float64)
        costs[first] = -len(costs)
        self._minimise(costs[self.open])
        found = self._fitting(self._linear)
        return self._whole_beside({}) if found is None else found

    def _minimise(self, costs: NDArray[np.float64]) -> None:
        places = np.arange(len(costs), dtype=np.int32)
        self._linear.changeColsCost(len(costs), places, costs)
        self._linear.run()

    def bound(
        self, cell: int, sign: int
    ) -> tuple[int, MultipliedSums, Integers | None] | None:
        """Return the least or largest count of a cell, its proof, and a database."""
        solver = self._linear
        costs = np.zeros(len(self.open))
        costs[self._place[cell]] = sign
        self._minimise(costs)
        if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        value = sign * ceil(solver.getInfo().objective_function_value - NEAR)
        beyond = {cell: beyond_range(value, sign)}
        proof = self._proof(solver, beyond)
        if not contradicts(self._system, proof, beyond):
            return None
        database = self._fitting(solver)
        if database is None:
            database = self._whole_beside({cell: (value, value)})
        return value, proof, database

    def _whole_beside(self, box: Box) -> Integers | None:
        """Return a database that fits beside fractions of a linear program."""
        values = np.array(self._linear.getSolution().col_value[: len(self.open)])
        counts = np.rint(values).astype(np.int64)
        near = np.flatnonzero(np.abs(values - counts) < NEAR)
        pairs = zip(self.open[near].tolist(), counts[near].tolist(), strict=True)
        return self.database({cell: (n, n) for cell, n in pairs} | {**box})

    def _fitting(self, solver: highspy.Highs) -> Integers | None:
        solution = solver.getSolution()
        if not solution.value_valid:
            return None
        found = np.zeros(self._system.n_cells, dtype=np.int64)
        values = np.array(solution.col_value[: len(self.open)])
        found[self.open] = np.rint(values).astype(np.int64)
        return found if self._part.fits(found) else None

    def _bound_columns(self, solver: highspy.Highs, box: Box) -> None:
        n = len(self.open)
        low, high = np.zeros(n), np.full(n, np.inf)
        for cell, (least, most) in box.items():
            place = self._place[cell]
            low[place], high[place] = least, np.inf if most is None else most
        solver.changeColsBounds(n, np.arange(n, dtype=np.int32), low, high)

    def refute(self, box: Box, budget: Budget | None = None) -> Proof | None:
        """Return a proof that no database has cells in some ranges, if one is found."""
        budget = budget or Budget()
        solver = self._elastic
        self._bound_columns(solver, box)
        solver.run()
        if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        if solver.getInfo().objective_function_value > NEAR:
            proof = self._proof(solver, box)
            return proof if contradicts(self._system, proof, box) else None
        values = np.array(solver.getSolution().col_value[: len(self.open)])
        off = np.abs(values - np.rint(values))
        budget.left -= 1
        if budget.left < 0 or not len(off) or off.max() < NEAR:
            return None
        cell = int(self.open[off.argmax()])
        at_most = int(np.floor(values[off.argmax()]))
        least, most = box.get(cell, (0, None))
        below = self.refute({**box, cell: (least, at_most)}, budget)
        above = below and self.refute({**box, cell: (at_most + 1, most)}, budget)
        return CellCases(cell, at_most, below, above) if below and above else None

    def _proof(self, solver: highspy.Highs, box: Box) -> MultipliedSums:
        """Return multipliers of rows in whole numbers, from a program's duals.

        Where a coefficient of a cell is above 0 and nothing bounds the cell, as for
        cells that have no records, the row that bounds it best is subtracted.
        """
        duals = np.array(solver.getSolution().row_dual)
        (used,) = np.nonzero(duals)
        pairs = zip(self._rows[used].tolist(), duals[used].tolist(), strict=True)
        found = whole_multipliers(dict(pairs))
        sums = coefficients(self._system, found)
        capped = self._caps >= 0
        for cell, (_, most) in box.items():
            capped[cell] &= most is None
        while len(above := np.flatnonzero((sums > 0) & capped)):
            row, excess = int(self._caps[above[0]]), int(sums[above[0]])
            found[row] = found.get(row, 0) - excess
            sums[self._system.of(row)] -= excess
        return MultipliedSums(
            {row: each for row, each in sorted(found.items()) if each}
        )

    def _solver(self, *, is_whole: bool, is_elastic: bool = False) -> highspy.Highs:
        n, n_rows = len(self.open), len(self._rows)
        part = self._part
        row = np.repeat(np.arange(n_rows), np.diff(part.starts))
        column = self._place[part.cells]
        row, column = row[column >= 0], column[column >= 0]
        value = np.ones(len(row))
        n_slacks = 2 * n_rows if is_elastic else 0
        if is_elastic:
            each, slack = np.arange(n_rows), n + np.arange(n_rows)
            row = np.concatenate([row, each, each])
            column = np.concatenate([column, slack, slack + n_rows])
            value = np.concatenate([value, np.ones(n_rows), -np.ones(n_rows)])
        order = np.lexsort((column, row))
        costs = np.append(np.zeros(n), np.ones(n_slacks))
        high = np.where(part.high < UNBOUNDED, part.high, np.inf)
        program = linear_program(
            (costs, np.zeros_like(costs), np.full_like(costs, np.inf)),
            (part.low.astype(np.float64), high),
            Entries(row[order], column[order], value[order]),
            is_whole,
        )
        made = whole_solver(MOST_NODES) if is_whole else new_solver(SIMPLEX)
        made.passModel(program)
        return made


def beyond_range(bound: int, sign: int) -> tuple[int, int | None]:
    """Return the counts that a bound rules out.

    >>> beyond_range(3, LEAST), beyond_range(3, LARGEST)
    ((0, 2), (4, None))
    """
    return (0, bound - 1) if sign == LEAST else (bound + 1, None)


def _caps(system: System, rows: Integers) -> NDArray[np.int64]:
    """Return the row that bounds each cell from above best, -1 if none does."""
    rows = rows[system.high[rows] < UNBOUNDED]
    rows = rows[np.argsort(-system.high[rows], kind="stable")]
    found = np.full(system.n_cells, -1)
    part = system.of_rows(rows)
    found[part.cells] = np.repeat(rows, np.diff(part.starts))
    return found


@dataclass(frozen=True)
class Bound:
    """Least or largest count of a cell."""

    value: int | None  # The count
    proof: Proof | None  # That no database has fewer, or more
    database: int


def put_together(
    parts: Iterable[tuple[Integers, Integers]],
) -> Iterator[tuple[Integers, Integers]]:
    """Yield rows and cells of parts, small ones together, as each has its programs."""
    kept: list[tuple[Integers, Integers]] = []
    for part in parts:
        kept.append(part)
        if sum(len(cells) for _, cells in kept) >= LEAST_CELLS:
            yield _sorted(kept)
            kept = []
    if kept:
        yield _sorted(kept)


def _sorted(parts: Sequence[tuple[Integers, Integers]]) -> tuple[Integers, Integers]:
    rows, cells = (np.sort(np.concatenate(each)) for each in zip(*parts, strict=True))
    return rows, cells


@dataclass
class DatabasesFound:
    """Databases that fit, found so far, and searches that may still be made."""

    databases: list[Integers]
    n_left: int = MOST_SEARCHES

    def taking(self, cell: int, count: int, new: Integers | None) -> int:
        """Return the first with a count of a cell, or the new one, or `UNKNOWN`."""
        for place, each in enumerate(self.databases):
            if each[cell] == count:
                return place
        if new is None or new[cell] != count:
            return UNKNOWN
        self.databases.append(new)
        return len(self.databases) - 1


def bound_of(programs: Programs, found: DatabasesFound, cell: int, sign: int) -> Bound:
    """Return the least or largest count of a cell, as far as it is proved."""
    if sign == LARGEST and not programs.is_bounded(cell):
        return Bound(None, None, 0 if found.databases else UNKNOWN)
    value, proof = _single(programs, cell, sign)
    taking = found.taking(cell, value, None)
    if taking != UNKNOWN:
        return Bound(value, proof, taking)
    value, proof, database = programs.bound(cell, sign) or (value, proof, None)
    taking = found.taking(cell, value, database)
    while taking == UNKNOWN and found.n_left:
        found.n_left -= 1
        database = programs.database({cell: (value, value)})
        taking = found.taking(cell, value, database)
        if taking == UNKNOWN:
            better = programs.refute({cell: beyond_range(value + sign, sign)})
            if better is None:
                break
            value, proof = value + sign, better
            taking = found.taking(cell, value, None)
    return Bound(value, None if sign == LEAST and value <= 0 else proof, taking)


def some_databases(
    programs: Programs, published: NDArray[np.float64]
) -> DatabasesFound:
    """Return databases that fit, near to what was published or with large counts."""
    is_known = not np.isnan(published).all()
    first = programs.nearest(published) if is_known else None
    first = programs.database({}) if first is None else first
    if first is None:
        return DatabasesFound([])
    found, n_missed = DatabasesFound([first]), 0
    # Largest counts that single rows allow, in as many cells as a program comes to, so
    # that few cells need programs of their own.
    left = (programs.caps > 0) & (first != programs.caps)
    while left.any() and n_missed < len(found.databases):
        cell = int(left.argmax())
        new = programs.most(left, cell)
        if new is None or new[cell] != programs.caps[cell]:
            left[cell] = False
            n_missed += 1
        if new is not None and (left & (new == programs.caps)).any():
            found.databases.append(new)
            left &= new != programs.caps
    return found


def _single(programs: Programs, cell: int, sign: int) -> tuple[int, Proof | None]:
    return programs.floor(cell) if sign == LEAST else programs.cap(cell)
