"""Chances of blocks whose states have weights that no float can hold undivided."""

from fractions import Fraction
from math import comb, exp, factorial, fsum, log

import numpy as np
import pytest

from microleak.attacks.linkage.kernels.matching import (
    Blocks,
    exact_chances,
    pair_chances,
)
from microleak.attacks.linkage.transitions import Arrivals

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


def expected_pairs(n_rows, n_columns, weight):
    """Pairs expected among records that are alike, from the logarithms of weights."""
    few, many = sorted([n_rows, n_columns])
    logs = [0.0]
    for k in range(few):
        logs.append(logs[-1] + log((few - k) * (many - k) / (k + 1)) + log(weight))
    each = [exp(one - max(logs)) for one in logs]
    return fsum(k * one for k, one in enumerate(each)) / fsum(each)


def test_pairs_expected_are_those_of_exact_fractions():
    weight = Fraction(3, 7)
    each = [comb(9, k) * comb(5, k) * factorial(k) * weight**k for k in range(6)]
    exact = sum(k * one for k, one in enumerate(each)) / sum(each)
    assert expected_pairs(9, 5, 3 / 7) == pytest.approx(float(exact), rel=1e-14)


def alike(n_rows, n_columns, weight):
    """The pairs found among records that are alike."""
    first = np.array([0, 1])
    block = Blocks(first, first, np.array([n_rows]), np.array([n_columns]))
    found, is_exact = exact_chances(block, np.ones(1), np.array([weight]))
    assert is_exact.all()
    return found[0] * n_rows * n_columns


@pytest.mark.parametrize(
    ("overlap", "n", "pairs"),
    [(0.5, 300, 150.0), (0.5, 1000, 500.0), (0.95, 1000, 850.6)],
)
def test_many_records_that_are_alike_are_linked_as_often_as_they_stay(
    overlap, n, pairs
):
    weight = float(Arrivals(overlap, 0.25, 0.5).scales(np.array([n]))[0])
    found = alike(n, n, weight)
    assert found == pytest.approx(pairs, abs=0.05)
    assert found == pytest.approx(expected_pairs(n, n, weight), rel=1e-11)


@pytest.mark.parametrize("sides", [(300, 300), (1000, 1000), (1000, 100), (30, 1000)])
@pytest.mark.parametrize("weight", [1e-6, 1e-3, 4.7e-3, 0.1, 1.0, 1e3, 1e100])
def test_many_records_that_are_alike_have_exact_chances(sides, weight):
    expected = pytest.approx(expected_pairs(*sides, weight), rel=1e-11)
    assert alike(*sides, weight) == expected
    assert alike(*sides[::-1], weight) == expected


def test_alike_records_in_two_rows_and_columns_have_the_chances_of_one():
    n, weight = 100, 0.02
    first, halves = np.array([0, 2]), np.array([n // 4, n - n // 4])
    block = Blocks(first, first, np.array([40, 60]), halves)
    found, is_exact = exact_chances(block, np.full(4, weight), np.ones(1))
    assert is_exact.all()
    assert found == pytest.approx(expected_pairs(n, n, weight) / n**2, rel=1e-11)


@pytest.mark.parametrize(
    ("n", "weight", "other"),
    [(12, 3e29, 0.0), (8, 1e47, 0.0), (12, 1e200, 0.0), (12, 3e29, 1e-35)],
)
@pytest.mark.parametrize("n_alike", [1, 4])
def test_one_pair_far_likelier_than_the_others_is_left_to_belief(
    n, weight, other, n_alike
):
    shape = n, n // n_alike
    firsts = [np.array([0, length]) for length in shape]
    counts = np.ones(n, dtype=np.int64), np.full(shape[1], n_alike)
    weights, expected = np.full(shape, other), np.zeros(shape)
    weights[3, 1], expected[3, 1] = weight, 1 / n_alike
    asked = Blocks(*firsts, *counts), weights.ravel(), np.ones(1)
    found, is_exact = exact_chances(*asked)
    assert not is_exact.any()
    assert not found.any()
    found, is_exact = pair_chances(*asked)
    assert not is_exact.any()
    assert found.reshape(shape) == pytest.approx(expected, abs=1e-12)


def test_one_pair_likelier_than_the_others_is_exact_while_floats_hold_it():
    ones, first = np.ones(8, dtype=np.int64), np.array([0, 8])
    weights = np.zeros(64)
    weights[0] = 1e25
    found, is_exact = exact_chances(
        Blocks(first, first, ones, ones), weights, np.ones(1)
    )
    assert is_exact.all()
    assert found.tolist() == [1.0] + [0.0] * 63


def whole(weights):
    """The weight of all matchings of some rows and columns, of whole weights."""
    of_taken = {0: 1}
    for row in weights:
        further = dict(of_taken)
        for taken, weight in of_taken.items():
            for column, more in enumerate(row):
                if not taken >> column & 1:
                    other = taken | 1 << column
                    further[other] = further.get(other, 0) + weight * more
        of_taken = further
    return sum(of_taken.values())


def without(weights, i, j):
    """Weights without a row and a column."""
    return [[*row[:j], *row[j + 1 :]] for k, row in enumerate(weights) if k != i]


def short_blocks():
    """Blocks of up to eight records on the smaller side, whose weights are whole."""
    rng = np.random.default_rng(11)
    sides = [(n, n + more) for n in range(1, 9) for more in (0, 1, 3)]
    for n, m in [*sides, *((m, n) for n, m in sides)]:
        yield rng.integers(0, 9, (n, m))


def beside(each):
    """Blocks, and their weights, of records that differ."""
    shapes = np.array([weights.shape for weights in each])
    firsts = [np.concatenate([[0], np.cumsum(n)]) for n in shapes.T]
    blocks = Blocks(*firsts, *(np.ones(first[-1], dtype=np.int64) for first in firsts))
    return blocks, np.concatenate([w.ravel() for w in each]).astype(float)


def test_short_blocks_have_the_chances_of_all_matchings():
    each = list(short_blocks())
    found, is_exact = exact_chances(*beside(each), np.full(len(each), 1.0))
    assert is_exact.all()
    wanted = []
    for weights in (one.tolist() for one in each):
        of_all = whole(weights)
        wanted += [
            Fraction(w * whole(without(weights, i, j)), of_all)
            for i, row in enumerate(weights)
            for j, w in enumerate(row)
        ]
    assert found == pytest.approx(np.array(wanted, dtype=float), rel=1e-12)


def test_chances_of_a_short_block_do_not_depend_on_those_beside_it():
    each = list(short_blocks())
    together, _ = exact_chances(*beside(each), np.full(len(each), 0.3))
    alone = [exact_chances(*beside([one]), np.full(1, 0.3))[0] for one in each]
    assert together.tolist() == np.concatenate(alone).tolist()
