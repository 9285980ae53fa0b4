"""Guesses among values that are possible in as many ways, or in nearly as many."""

from fractions import Fraction

import numpy as np
import pytest

from microleak.attacks.intersection.measure import CandidateCells, _tallies

MANY = 10**8


@pytest.mark.parametrize(
    "counts",
    [
        [[2, 3], [3, 2]],
        [[2, 3], [3, 3]],
        [[MANY, MANY + 1], [MANY, MANY - 1]],
        [[MANY + 1, MANY], [MANY - 1, MANY]],
        [[MANY, MANY], [MANY, MANY]],
        [[MANY, MANY // 2], [MANY, 2 * MANY]],
        [[MANY, MANY, 1], [MANY, MANY - 1, 1]],
        [[3 * MANY, 2 * MANY], [2 * MANY, 3 * MANY]],
        [[MANY * MANY, MANY], [MANY, MANY * MANY]],
        [[MANY * MANY, MANY * MANY], [MANY, MANY + 1]],
    ],
)
def test_products_that_differ_by_one_are_no_tie(counts):
    persons = np.arange(1, len(counts[0]) + 1)
    block = np.zeros(len(counts[0]), dtype=np.int64)
    cells = CandidateCells(block, np.array(counts), np.array([persons, persons]))
    _, both = _tallies(cells)
    ways = [int(a) * int(b) for a, b in zip(*counts, strict=True)]
    best = [
        n for n, way in zip(persons.tolist(), ways, strict=True) if way == max(ways)
    ]
    assert both.right == Fraction(sum(best), len(best))
