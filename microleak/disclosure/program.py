"""Integer programs of rows, which HiGHS solves."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import highspy
import numpy as np
from numpy.typing import NDArray

from microleak.base.highs import Entries, linear_program, new_solver
from microleak.disclosure.book import Row, Sum

MOST_NODES: Final = 2_000
"""Nodes of a search, so that it ends; the same on every machine."""

_SETTINGS: Final[dict[str, bool | int | float]] = {
    "mip_max_nodes": MOST_NODES,
    "mip_rel_gap": 0.0,
    "mip_abs_gap": 0.0,
    "mip_feasibility_tolerance": 1e-9,
    "primal_feasibility_tolerance": 1e-9,
}

_ENDED: Final = (
    highspy.HighsModelStatus.kOptimal,
    highspy.HighsModelStatus.kModelEmpty,
)

Bounds = tuple[Sequence[int], Sequence[int]]
"""Least and largest value of each number."""


class UndecidedError(Exception):
    """The solver came to no end that can be checked."""


def solved(
    rows: Sequence[Row], least: Sum, bounds: Bounds, numbers: Sequence[int]
) -> list[int] | None:
    """Return numbers that fit rows and bring a sum to its least value, as HiGHS says.

    Parameters
    ----------
    rows, least
        Rows, and the sum.
    bounds
        Least and largest value of all numbers of the book.
    numbers
        Those of the rows and of the sum, in ascending order, which are returned.

    Raises
    ------
    UndecidedError
        If the solver comes to no end.
    """
    solver = new_solver(_SETTINGS)
    solver.passModel(_model(rows, least, bounds, numbers))
    solver.run()
    status = solver.getModelStatus()
    if status == highspy.HighsModelStatus.kInfeasible:
        return None
    if status not in _ENDED:
        raise UndecidedError
    values = np.rint(solver.getSolution().col_value).astype(np.int64)
    return [int(value) for value in values]


class CheckedRows:
    """Rows of which it is asked often whether numbers fit them, in whole numbers."""

    def __init__(self, rows: Sequence[Row], most: int) -> None:
        """Take rows, each of a number or more, of numbers that are no larger."""
        sums = [row.sum for row in rows]
        largest = max(
            (abs(s.constant) + most * sum(map(abs, s.factors.values())) for s in sums),
            default=0,
        )
        self._type: Any = np.int64 if largest < 1 << 63 else object
        self._first = np.cumsum([0, *(len(s.factors) for s in sums)])[:-1]
        self._numbers = _flat((s.factors for s in sums), np.int64)
        self._factors = _flat((s.factors.values() for s in sums), self._type)
        self._constants = np.array([s.constant for s in sums], self._type)

    def fit(self, values: Sequence[int]) -> bool:
        """Say whether values fit all rows."""
        terms = np.array(values, self._type)[self._numbers] * self._factors
        sums = np.add.reduceat(terms, self._first) + self._constants
        return bool((sums >= 0).all())


def numbers_of(rows: Iterable[Row]) -> Iterator[int]:
    """Yield the numbers of rows."""
    for row in rows:
        yield from row.sum.factors


def _model(
    rows: Sequence[Row], least: Sum, bounds: Bounds, numbers: Sequence[int]
) -> highspy.HighsLp:
    """Return the integer program that brings a sum to its least value.

    It is of some numbers, in ascending order, and all of the rows and of the sum.
    """
    column = np.zeros(len(bounds[0]), dtype=np.int32)
    column[numbers] = np.arange(len(numbers))
    low, high = (np.array(each, dtype=float)[numbers] for each in bounds)
    n, m = len(numbers), len(rows)
    costs = np.zeros(n)
    for number, factor in least.factors.items():
        costs[column[number]] = factor
    factors = [row.sum.factors for row in rows]
    entries = Entries(
        np.repeat(np.arange(m), [*map(len, factors)]),
        column[_flat(factors, np.int32)],
        _flat((each.values() for each in factors), float),
    )
    constants = np.array([-row.sum.constant for row in rows], dtype=float)
    ends = constants, np.full(m, np.inf)
    return linear_program((costs, low, high), ends, entries, is_whole=True)


def _flat(parts: Iterable[Iterable[int]], dtype: Any) -> NDArray[Any]:
    return np.array([each for part in parts for each in part], dtype=dtype)
