"""What tables of counts prove about each cell of their joint table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.table_rebuilding.kernels.whole_solutions import n_solutions
from microleak.base.arrays import Integers
from microleak.count_tables.bounds import (
    LARGEST,
    LEAST,
    UNKNOWN,
    Bound,
    Programs,
    beyond_range,
    bound_of,
    put_together,
    some_databases,
)
from microleak.count_tables.contradiction import UNBOUNDED, Box, Proof, System, rows_of
from microleak.kernels.irreducible import irreducible_items

MOST: Final = 1000
"""Databases that are counted at most."""

MOST_STEPS: Final = 5000
"""Steps of the search in a connected part, so that it ends."""


def n_databases(system: System, low: Integers, high: Integers) -> tuple[int, bool]:
    """Return how many databases fit, and whether that is all of them.

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
    """Yield the connected parts of the cells whose bounds differ, and their cells."""
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


class TablesContradictError(Exception):
    """No database fits the tables: `rows` contradict one another."""

    def __init__(self, rows: list[int]) -> None:
        super().__init__(rows)
        self.rows = rows


@dataclass(frozen=True)
class ProvedCell:
    """What is proved about a cell."""

    cell: int
    least: Bound
    largest: Bound
    tables: tuple[int, ...] = ()

    def without_databases(self) -> "ProvedCell":
        """Return the same bounds, of which it is not known whether they are taken."""
        least = replace(self.least, database=UNKNOWN)
        return replace(
            self, least=least, largest=replace(self.largest, database=UNKNOWN)
        )

    @property
    def is_proved(self) -> bool:
        """Whether all databases have the same count."""
        return self.least.value == self.largest.value

    @property
    def is_exact(self) -> bool:
        """Whether some database takes the least count, and one the largest."""
        return UNKNOWN not in (self.least.database, self.largest.database)


@dataclass(frozen=True)
class RebuiltTable:
    """What is proved about a region."""

    cells: tuple[ProvedCell, ...]
    databases: tuple[Integers, ...]  # Some that fit, each other than those before it
    n_databases: int  # How many fit, counted up to a bound
    is_all: bool  # Whether no others do


def bounds_of(cells: Sequence[ProvedCell], n_cells: int) -> tuple[Integers, Integers]:
    """Return the least and largest count of every cell, `UNBOUNDED` if any."""
    least, largest = np.zeros((2, n_cells), dtype=np.int64)
    for each in cells:
        least[each.cell] = each.least.value or 0
        most = each.largest.value
        largest[each.cell] = UNBOUNDED if most is None else most
    return least, largest


def rebuild(
    system: System, tables: Integers, published: NDArray[np.float64]
) -> RebuiltTable:
    """Return what tables prove about each cell."""
    empty = np.flatnonzero(system.high == 0)
    is_open = np.ones(system.n_cells, dtype=bool)
    is_open[system.of_rows(empty).cells] = False
    needed, cells, found = Needed(system, tables), [], []
    is_void = system.low > 0
    for rows, of_part in put_together(system.parts(is_open)):
        is_void[rows] = False
        programs = Programs(system, np.union1d(rows, empty), of_part)
        found.append(some_databases(programs, published))
        if not found[-1].databases and programs.refute({}):
            raise TablesContradictError(_irreducible(system))
        for cell in programs.open.tolist():
            least = bound_of(programs, found[-1], cell, LEAST)
            largest = bound_of(programs, found[-1], cell, LARGEST)
            cells.append(needed.by(ProvedCell(cell, least, largest)))
    if is_void.any():
        raise TablesContradictError(_irreducible(system))
    cells.sort(key=lambda each: each.cell)
    databases = _together([each.databases for each in found], system.n_cells)
    if not databases:
        cells = [each.without_databases() for each in cells]
    n, is_all = n_databases(system, *bounds_of(cells, system.n_cells))
    n = max(n, len(databases))
    return RebuiltTable(tuple(cells), databases, n, is_all and bool(databases))


def _together(
    parts: Sequence[Sequence[Integers]], n_cells: int
) -> tuple[Integers, ...]:
    if not all(parts):
        return ()
    # The first of a part stands in where it has fewer.
    zeros = np.zeros(n_cells, dtype=np.int64)
    return tuple(
        sum((part[at if at < len(part) else 0] for part in parts), zeros)
        for at in range(max(map(len, parts), default=1))
    )


class Needed:
    """Which tables prove a cell, by leaving out one after the other."""

    def __init__(self, system: System, tables: Integers) -> None:
        self._system = system
        self._tables = tables
        self._programs: dict[tuple[int, ...], Programs] = {}

    def by(self, cell: ProvedCell) -> ProvedCell:
        """Return a cell that is proved with the tables that prove it."""
        count = cell.least.value
        if not cell.is_proved or count is None:
            return cell
        proofs = tuple(p for p in (cell.least.proof, cell.largest.proof) if p)
        boxes: list[Box] = [
            {cell.cell: beyond_range(count, sign)}
            for sign in ((LEAST, LARGEST) if count else (LARGEST,))
        ]
        used = [row for proof in proofs for row in rows_of(proof)]
        left = tuple(np.unique(self._tables[used]).tolist())
        for table in left:
            fewer = tuple(each for each in left if each != table)
            programs = self._of(fewer)
            found = tuple(p for box in boxes if (p := programs.refute(box)))
            if len(found) == len(boxes):
                left, proofs = fewer, found
        least = replace(cell.least, proof=proofs[0] if count else None)
        return ProvedCell(
            cell.cell, least, replace(cell.largest, proof=proofs[-1]), left
        )

    def _of(self, tables: tuple[int, ...]) -> Programs:
        if tables not in self._programs:
            rows = np.flatnonzero(np.isin(self._tables, tables))
            self._programs[tables] = Programs(self._system, rows)
        return self._programs[tables]


def _irreducible(system: System) -> list[int]:

    def proof_of(rows: Sequence[int]) -> Proof | None:
        return Programs(system, np.array(rows, dtype=np.int64)).refute({})

    proof = proof_of(range(system.n_rows))
    used = sorted({*rows_of(proof)}) if proof else []
    return irreducible_items(used, lambda rows: proof_of(rows) is not None)
