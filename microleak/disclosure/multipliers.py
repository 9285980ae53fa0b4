"""Whole multipliers of rows whose sum cannot hold: Farkas' lemma, and its exact check.

HiGHS suggests them; what does not hold in whole numbers is not returned.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Final

import highspy
import numpy as np

from microleak.disclosure.book import Row, Sum

MOST_DENOMINATOR: Final = 1_000_000
"""Duals are taken for fractions with a denominator up to it."""

_SETTINGS: Final[dict[str, bool | int]] = {
    "output_flag": False,
    "threads": 1,
    "random_seed": 0,
}


def multipliers(
    low: Sequence[int], high: Sequence[int], rows: Mapping[int, Row]
) -> dict[int, int] | None:
    """Return multipliers of rows, from 1, whose sum is below 0 within all bounds.

    They are duals of the program that brings to the least by how much rows fail.
    """
    places = list(rows)
    numbers = sorted({n for row in rows.values() for n in row.sum.factors})
    column = {n: place for place, n in enumerate(numbers)}
    n, m = len(numbers), len(places)
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = n + m, m
    model.col_cost_ = np.append(np.zeros(n), np.ones(m))
    model.col_lower_ = np.append(
        np.array([low[i] for i in numbers], float), np.zeros(m)
    )
    model.col_upper_ = np.append([float(high[i]) for i in numbers], np.full(m, np.inf))
    model.row_lower_ = np.array([-row.sum.constant for row in rows.values()], float)
    model.row_upper_ = np.full(m, np.inf)
    index, value, start = [], [], [0]
    for place, row in enumerate(rows.values()):
        index += [*(column[i] for i in row.sum.factors), n + place]
        value += [*row.sum.factors.values(), 1]
        start.append(len(index))
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_ = np.array(start, dtype=np.int32)
    model.a_matrix_.index_ = np.array(index, dtype=np.int32)
    model.a_matrix_.value_ = np.array(value, dtype=float)
    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    for name, setting in _SETTINGS.items():
        solver.setOptionValue(name, setting)
    solver.passModel(model)
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    duals = {
        place: Fraction(dual).limit_denominator(MOST_DENOMINATOR)
        for place, dual in zip(places, solver.getSolution().row_dual, strict=True)
        if dual > 1 / MOST_DENOMINATOR
    }
    scale = lcm(*(each.denominator for each in duals.values()))
    found = {place: int(each * scale) for place, each in duals.items()}
    return found if most_of(low, high, combined(rows, found)) < 0 else None


def combined(rows: Mapping[int, Row], by: Mapping[int, int]) -> Sum:
    """Return the sum of rows, each times its multiplier."""
    factors: dict[int, int] = {}
    for place, times in by.items():
        for n, factor in rows[place].sum.factors.items():
            factors[n] = factors.get(n, 0) + times * factor
    constant = sum(times * rows[place].sum.constant for place, times in by.items())
    return Sum(factors, constant)


def most_of(low: Sequence[int], high: Sequence[int], sum_: Sum) -> int:
    """Return the most that a sum comes to within the bounds of its numbers."""
    ends = (
        (high[n] if factor > 0 else low[n]) * factor
        for n, factor in sum_.factors.items()
    )
    return sum_.constant + sum(ends)
