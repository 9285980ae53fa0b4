"""Chances of blocks whose states have weights that no float can hold undivided."""

from math import comb, factorial

import numpy as np
import pytest

from microleak.kernels.matching import Blocks, exact_chances

N, WEIGHT = 1500, 3


def chance(n_left):
    """The chance of a pair of N records and some, if all pairs weigh the same."""

    def weight(n, m):
        each = range(m + 1)
        return sum(comb(n, k) * comb(m, k) * factorial(k) * WEIGHT**k for k in each)

    return WEIGHT * weight(N - 1, n_left - 1) / weight(N, n_left)


@pytest.mark.parametrize("columns", [[1, 1, 1], [2, 1], [4, 1]])
def test_many_records_that_differ_have_finite_weights(columns):
    firsts = [np.array([0, N]), np.array([0, len(columns)])]
    block = Blocks(*firsts, np.ones(N, dtype=np.int64), np.array(columns))
    weights = np.full(N * len(columns), float(WEIGHT))
    found, is_exact = exact_chances(block, weights, np.ones(1))
    assert is_exact.all()
    assert found == pytest.approx(chance(sum(columns)), rel=1e-11)


@pytest.mark.parametrize("columns", [[1, 1], [2, 1], [1, 1, 1]])
@pytest.mark.parametrize("weight", [1e-250, 1e250])
def test_weights_near_the_ends_of_floats_have_chances(columns, weight):
    firsts = [np.array([0, 3]), np.array([0, len(columns)])]
    block = Blocks(*firsts, np.ones(3, dtype=np.int64), np.array(columns))
    weights = np.full(3 * len(columns), weight)
    found, is_exact = exact_chances(block, weights, np.ones(1))
    assert is_exact.all()
    expected = weight if weight < 1 else 1 / 3
    assert found == pytest.approx(expected, rel=1e-12)
