"""Whole multipliers of rows whose sum cannot hold: Farkas' lemma, and its exact check.

HiGHS suggests them; what does not hold in whole numbers is not returned.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import highspy
import numpy as np

from microleak.base.highs import (
    Entries,
    linear_program,
    new_solver,
    whole_multipliers,
)
from microleak.disclosure.book import Row, Sum

MOST_DENOMINATOR: Final = 1_000_000
"""Duals are taken for fractions with a denominator up to it."""


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
    columns = (
        np.append(np.zeros(n), np.ones(m)),
        np.append([float(low[i]) for i in numbers], np.zeros(m)),
        np.append([float(high[i]) for i in numbers], np.full(m, np.inf)),
    )
    constants = np.array([-row.sum.constant for row in rows.values()], float)
    at, index, value = [], [], []
    for place, row in enumerate(rows.values()):
        index += [*(column[i] for i in row.sum.factors), n + place]
        value += [*row.sum.factors.values(), 1]
        at += [place] * (len(row.sum.factors) + 1)
    entries = Entries(np.array(at), np.array(index), np.array(value, float))
    solver = new_solver({})
    solver.passModel(linear_program(columns, (constants, np.full(m, np.inf)), entries))
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    duals = zip(places, solver.getSolution().row_dual, strict=True)
    above = {place: dual for place, dual in duals if dual > 0}
    found = whole_multipliers(above, MOST_DENOMINATOR)
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
