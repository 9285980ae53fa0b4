"""Linear programs over the unit cube whose rows are subset sums.

Most rows do not matter: HiGHS is given few, and those that its optimum violates are
added until there are none. Fewer rows can only make an optimum better, so one that
violates no row at all is the optimum of the whole program.
"""

from dataclasses import dataclass, replace
from math import fsum
from typing import Final, Literal, TypeAlias

import highspy
import numpy as np
from numpy.typing import NDArray

from microleak.attacks.reconstruction.kernels.subset_sums import (
    subset_sums,
    unpacked_entries,
)
from microleak.base.arrays import BitWords, Floats
from microleak.base.highs import SIMPLEX, TOLERANCE, new_solver
from microleak.base.progress import Advance, tell_no_progress

Status: TypeAlias = Literal["optimal", "infeasible", "not solved"]

_STATUSES: Final[dict[highspy.HighsModelStatus, Status]] = {
    highspy.HighsModelStatus.kOptimal: "optimal",
    highspy.HighsModelStatus.kInfeasible: "infeasible",
}


@dataclass(frozen=True)
class SubsetRows:
    """Subsets whose sums must lie in [low, high], each of shape (n_rows,)."""

    words: BitWords
    low: Floats
    high: Floats

    def violations(self, values: Floats) -> Floats:
        """Return by how much the values' sums are outside, below 0 if inside."""
        sums = subset_sums(self.words, values)
        return np.asarray(np.maximum(sums - self.high, self.low - sums))


@dataclass(frozen=True)
class Optimum:
    """What a program came to; `value` and `entries` hold nothing unless optimal.

    `n_rows` counts the rows that the solver was given.
    """

    status: Status
    value: float
    entries: Floats
    n_rows: int


class CubeProgram:
    """Optimises over values in [0, 1] of n entries whose sums obey rows.

    One program takes one objective after another, each starting where the last one
    ended, with its rows, of which it begins with `first`; `limit_s` is for all of them.
    """

    def __init__(
        self, n: int, rows: SubsetRows, first: NDArray[np.intp], limit_s: float
    ):
        self._rows = rows
        self._batch = n
        self._is_given = np.zeros(len(rows.low), dtype=np.bool_)
        self._solver = new_solver({**SIMPLEX, "time_limit": limit_s})
        self._solver.addVars(n, np.zeros(n), np.ones(n))
        self._give(first)

    def maximum(self, weights: Floats, advance: Advance = tell_no_progress) -> Optimum:
        """Return the largest weighted sum of the values, and where it is taken."""
        n = len(weights)
        self._solver.changeObjectiveSense(highspy.ObjSense.kMaximize)
        self._solver.changeColsCost(n, np.arange(n, dtype=np.int32), weights)
        while True:
            self._solver.run()
            status = _STATUSES.get(self._solver.getModelStatus(), "not solved")
            if status != "optimal":
                return Optimum(status, np.nan, np.empty(0), self._solver.getNumRow())
            values = np.array(self._solver.getSolution().col_value)
            violated = self._worst(values)
            if not len(violated):
                value = fsum(weights * values)
                return Optimum(status, value, values, self._solver.getNumRow())
            self._give(violated)
            advance(1)

    def minimum(self, weights: Floats, advance: Advance = tell_no_progress) -> Optimum:
        """Return the least weighted sum of the values, and where it is taken."""
        opposite = self.maximum(-weights, advance)
        return replace(opposite, value=-opposite.value)

    def _worst(self, values: Floats) -> NDArray[np.intp]:
        """Return the rows violated most, at most a batch, of those not given yet."""
        violations = self._rows.violations(values)
        violations[self._is_given] = 0
        order = np.argsort(-violations, kind="stable")[: self._batch]
        return order[violations[order] > TOLERANCE]

    def _give(self, numbers: NDArray[np.intp]) -> None:
        rows, n = self._rows, self._solver.getNumCol()
        at, entries = np.nonzero(unpacked_entries(rows.words[numbers], n))
        self._solver.addRows(
            len(numbers),
            rows.low[numbers],
            rows.high[numbers],
            len(entries),
            np.searchsorted(at, np.arange(len(numbers))).astype(np.int32),
            entries.astype(np.int32),
            np.ones(len(entries)),
        )
        self._is_given[numbers] = True
