"""Kernels that decode answers and add up over subsets, against their definitions."""

import itertools

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from microleak.attacks.reconstruction.kernels.linear_program import (
    CubeProgram,
    SubsetRows,
)
from microleak.attacks.reconstruction.kernels.subset_sums import (
    answer_bounds,
    conjugate_gradients,
    consistent_databases,
    count_points,
    largest_difference,
    member_sums,
    packed_entries,
    subset_counts,
    subset_sums,
    unpacked_entries,
    walsh_hadamard,
)
from microleak.base.highs import TOLERANCE
from tests.examples import examples
from tests.reconstructing import setting


def n_common(a, b):
    return (a & b).bit_count()


@given(st.integers(1, 6), st.integers(0, 40), st.integers(0, 2**32))
def test_databases_kept_are_those_within_the_bounds_of_every_query(n, t, seed):
    generator = np.random.default_rng(seed)
    codes = generator.integers(0, 2**n, t)
    low = generator.integers(-3, 2, t)
    high = low + generator.integers(1, n + 3, t)
    kept = consistent_databases(*answer_bounds(codes, low, high, n))
    limits = list(zip(codes.tolist(), low.tolist(), high.tolist(), strict=True))
    assert kept.tolist() == [
        c for c in range(2**n) if all(a <= n_common(c, q) <= b for q, a, b in limits)
    ]


@given(st.sets(st.integers(0, 255), min_size=1))
def test_the_diameter_is_the_largest_distance_of_two_databases(databases):
    codes = np.array(sorted(databases), dtype=np.uint32)
    largest = max((a ^ b).bit_count() for a in databases for b in databases)
    assert largest_difference(codes, 8) == largest


@given(st.integers(0, 6), st.integers(0, 2**32))
def test_the_walsh_hadamard_transform_is_the_product_with_its_matrix(power, seed):
    n = 2**power
    values = np.random.default_rng(seed).integers(-99, 99, n).astype(float)
    matrix = [[(-1) ** n_common(i, j) for j in range(n)] for i in range(n)]
    assert np.array_equal(walsh_hadamard(values), np.array(matrix) @ values)


def test_conjugate_gradients_solve_what_can_be_solved(gram, given_, reached):
    matrix, right = np.array(gram, dtype=float), np.array(given_, dtype=float)
    found = conjugate_gradients(lambda v: matrix @ v, right, lambda v: v, 1e-12, 9)
    assert matrix @ found == pytest.approx(reached)


def program(public, first):
    rows = SubsetRows(
        public.queries.words(),
        public.answers - public.bound,
        public.answers + public.bound,
    )
    return CubeProgram(public.queries.n, rows, np.arange(first), limit_s=60)


@pytest.mark.parametrize("law", ["uniform", "uniform_integer", "adversarial"])
@pytest.mark.parametrize("n", [6, 12, 30])
def test_rows_added_lazily_reach_the_optimum_of_the_full_program(law, n):
    _, public = setting(n, 400, law, 0.5 * n**0.5, seed=n)
    for weights in (np.ones(n), np.arange(n) - n / 3):
        lazy = program(public, first=3).maximum(weights)
        full = program(public, first=400).maximum(weights)
        assert lazy.value == pytest.approx(full.value, abs=100 * TOLERANCE)
        assert 3 <= lazy.n_rows < full.n_rows == 400


def test_the_least_sum_is_the_largest_of_the_opposite():
    _, public = setting(12, 100, "uniform", 2.0, seed=1)
    least = program(public, 5).minimum(np.ones(12))
    assert least.value == pytest.approx(least.entries.sum())
    assert least.value == -program(public, 5).maximum(-np.ones(12)).value


def test_points_of_the_grid_are_counted_by_bad_and_feasible():
    points = np.array(list(itertools.product(range(4), repeat=2)), dtype=np.uint8)
    is_far = np.array([[0, 0, 1, 1], [1, 1, 0, 0]], dtype=np.uint8)
    members = packed_entries(np.array([[1, 0], [1, 1]], dtype=np.uint8))[:, 0]
    low, high = np.array([0, 3]), np.array([1, 4])
    counts = count_points(points, is_far, 0, members, low, high)
    kept = [(a, b) for a, b in points.tolist() if a <= 1 and 3 <= a + b <= 4]
    assert kept == [(0, 3), (1, 2), (1, 3)]
    assert counts.tolist() == [[1, 3], [12, 0]]


shapes = st.tuples(st.integers(1, 9), st.integers(1, 140), st.integers(0, 2**32))


@given(shapes)
@example((2, 140, 7))
@examples(60)
def test_sums_over_packed_subsets_are_products_with_the_matrix(shape):
    n_rows, n, seed = shape
    generator = np.random.default_rng(seed)
    matrix = generator.integers(0, 2, (n_rows, n), dtype=np.uint8)
    entries = generator.integers(0, 2, n, dtype=np.uint8)
    of_entries, of_rows = (generator.integers(-1000, 1000, k) / 8 for k in (n, n_rows))
    packed = packed_entries(matrix)
    assert np.array_equal(unpacked_entries(packed, n), matrix)
    assert np.array_equal(subset_counts(packed, entries), matrix.astype(int) @ entries)
    assert np.array_equal(subset_sums(packed, of_entries), matrix @ of_entries)
    assert np.array_equal(member_sums(packed, of_rows, n), matrix.T @ of_rows)
