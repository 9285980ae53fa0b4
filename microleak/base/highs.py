"""HiGHS as all of microleak calls it: settings, sparse programs, multipliers.

What it finds in floating point is a suggestion, to be checked by who asks.
"""

from collections.abc import Mapping
from fractions import Fraction
from math import lcm
from typing import Any, Final, NamedTuple, TypeAlias

import highspy
import numpy as np
from numpy.typing import NDArray

from microleak.base.arrays import Floats

SolverSettings: TypeAlias = Mapping[str, bool | int | float | str]
TOLERANCE: Final = 1e-7  # By how much an optimum may violate a row, or a bound
# Options of every program
ALWAYS: Final[SolverSettings] = {"output_flag": False, "threads": 1, "random_seed": 0}

SIMPLEX: Final[SolverSettings] = {
    "solver": "simplex",
    "presolve": "off",
    "simplex_scale_strategy": 0,
    "primal_feasibility_tolerance": TOLERANCE,
    "dual_feasibility_tolerance": TOLERANCE,
}
"""Options of programs that are solved again and again with other bounds or rows."""


def new_solver(options: SolverSettings) -> highspy.Highs:
    made: highspy.Highs = highspy.Highs()  # type: ignore[no-untyped-call]
    for name, value in {**ALWAYS, **options}.items():
        made.setOptionValue(name, value)
    return made


def whole_solver(most_nodes: int) -> highspy.Highs:
    return new_solver({**SIMPLEX, "presolve": "on", "mip_max_nodes": most_nodes})


class Entries(NamedTuple):
    """Numbers of a sparse matrix, and the row and column of each; rows ascend."""

    rows: NDArray[np.integer[Any]]
    columns: NDArray[np.integer[Any]]
    values: Floats


def linear_program(
    columns: tuple[Floats, Floats, Floats],
    rows: tuple[Floats, Floats],
    entries: Entries,
    is_whole: bool = False,
) -> highspy.HighsLp:
    """Return a program that brings a sum of columns to its least value."""
    made = highspy.HighsLp()
    made.col_cost_, made.col_lower_, made.col_upper_ = columns
    made.row_lower_, made.row_upper_ = rows
    made.num_col_, made.num_row_ = len(columns[0]), len(rows[0])
    matrix = made.a_matrix_
    matrix.format_ = highspy.MatrixFormat.kRowwise
    matrix.start_ = np.searchsorted(entries.rows, np.arange(made.num_row_ + 1))
    matrix.index_ = entries.columns.astype(np.int32)
    matrix.value_ = entries.values
    if is_whole:
        made.integrality_ = [highspy.HighsVarType.kInteger] * made.num_col_
    return made


def whole_multipliers(duals: Mapping[int, float]) -> dict[int, int]:
    """Return duals of rows as whole multipliers of them.

    They are taken for fractions with a denominator up to 1000.

    >>> whole_multipliers({0: 0.5, 3: -1 / 3, 4: 1e-9})
    {0: 3, 3: -2}
    """
    given = {
        row: Fraction(dual).limit_denominator(1000)
        for row, dual in duals.items()
        if abs(dual) > TOLERANCE
    }
    scale = lcm(*(each.denominator for each in given.values()))
    return {row: int(each * scale) for row, each in given.items() if each}
