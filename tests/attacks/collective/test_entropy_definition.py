"""Entropy and sizes of blocks, by hand and by their definitions."""

from collections import Counter
from fractions import Fraction
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.collective.definitions.entropy import (
    expected_block_size,
    mean_block_size,
    shannon_entropy,
)

values = st.lists(st.one_of(st.none(), st.integers(0, 5)), min_size=1, max_size=60)


def blocks(*sizes):
    """Sizes of blocks, and one block of each."""
    return np.array(sizes), np.ones(len(sizes), dtype=np.int64)


@pytest.mark.parametrize(
    ("sizes", "bits"),
    [
        ([7], 0),
        ([1, 1], 1),
        ([3, 3, 3, 3], 2),
        ([4, 2, 1, 1], 1.75),
        ([1] * 1024, 10),
    ],
)
def test_entropy_of_worked_tables_is_exact(sizes, bits):
    assert shannon_entropy(*blocks(*sizes)) == bits


def test_sizes_of_a_worked_table():
    sizes = blocks(5, 4, 1)
    assert mean_block_size(*sizes) == Fraction(10, 3)
    assert expected_block_size(*sizes) == Fraction(42, 10)


@given(values)
def test_entropy_is_that_of_the_definition_with_missing_values_as_one(column):
    counts = Counter(column)
    shares = [count / len(column) for count in counts.values()]
    found = shannon_entropy(*blocks(*counts.values()))
    assert found == pytest.approx(-sum(p * log2(p) for p in shares), abs=1e-12)
    assert 0 <= found <= log2(len(counts)) + 1e-12


@given(values)
def test_sizes_are_means_over_blocks_and_over_records(column):
    counts = Counter(column)
    sizes = blocks(*counts.values())
    of_records = [counts[value] for value in column]
    assert mean_block_size(*sizes) == Fraction(len(column), len(counts))
    assert expected_block_size(*sizes) == Fraction(sum(of_records), len(column))
    assert mean_block_size(*sizes) <= expected_block_size(*sizes)


@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=40), st.randoms())
def test_neither_order_nor_merging_of_kinds_changes_a_bit(sizes, random):
    shuffled = random.sample(sizes, len(sizes))
    merged = np.array(list(Counter(sizes).items())).T
    found = {shannon_entropy(*blocks(*order)) for order in (sizes, shuffled)}
    assert found == {shannon_entropy(*merged)}


def test_a_country_of_one_size_of_blocks_does_not_overflow():
    largest = 2**31 - 1
    assert expected_block_size(*blocks(largest)) == largest


@given(st.lists(st.tuples(st.integers(1, 2**36), st.integers(1, 9)), min_size=1))
def test_the_expected_size_of_blocks_of_more_than_32_bits_is_exact(kinds):
    squares = sum(size * size * n for size, n in kinds)
    n_records = sum(size * n for size, n in kinds)
    expected = Fraction(squares, n_records)
    assert expected_block_size(*np.array(kinds).T) == expected
