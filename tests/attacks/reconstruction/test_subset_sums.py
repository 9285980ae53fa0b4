"""Sums over subsets given as bits, against the dense matrix."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from microleak.attacks.reconstruction.kernels.subset_sums import (
    member_sums,
    packed_entries,
    subset_counts,
    subset_sums,
    unpacked_entries,
)
from tests.examples import examples

shapes = st.tuples(st.integers(1, 9), st.integers(1, 140), st.integers(0, 2**32))


def drawn(shape):
    n_rows, n, seed = shape
    generator = np.random.default_rng(seed)
    matrix = generator.integers(0, 2, (n_rows, n), dtype=np.uint8)
    return matrix, generator.integers(0, 2, n, dtype=np.uint8), generator


@given(shapes)
@examples(30)
def test_packed_entries_are_unpacked_again(shape):
    matrix, _, _ = drawn(shape)
    assert np.array_equal(
        unpacked_entries(packed_entries(matrix), matrix.shape[1]), matrix
    )


@given(shapes)
@examples(30)
def test_subset_counts_are_the_product_with_the_matrix(shape):
    matrix, entries, _ = drawn(shape)
    counts = subset_counts(packed_entries(matrix), entries)
    assert np.array_equal(counts, matrix.astype(int) @ entries)


@given(shapes)
@example((2, 140, 7))
@examples(30)
def test_subset_sums_are_the_product_with_the_matrix(shape):
    matrix, _, generator = drawn(shape)
    values = generator.integers(-1000, 1000, matrix.shape[1]) / 8
    assert np.array_equal(subset_sums(packed_entries(matrix), values), matrix @ values)


@given(shapes)
@example((2, 140, 7))
@examples(30)
def test_member_sums_are_the_product_with_the_transposed_matrix(shape):
    matrix, _, generator = drawn(shape)
    values = generator.integers(-1000, 1000, len(matrix)) / 8
    sums = member_sums(packed_entries(matrix), values, matrix.shape[1])
    assert np.array_equal(sums, matrix.T @ values)
