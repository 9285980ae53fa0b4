"""Anonymity models at their edges: large counts, many rows, worked blocks."""

from fractions import Fraction
from math import log

import numpy as np
import pytest

from microleak.attacks.anonymity.definitions.k_anonymity import (
    THRESHOLDS,
    BlockSizes,
    entity_blocks,
    n_below,
    share_below,
    sizes_of,
)
from microleak.attacks.anonymity.definitions.k_map import (
    delta_presence,
    delta_presence_estimated,
    delta_presence_lower,
    k_map_estimated,
)
from microleak.attacks.anonymity.definitions.sensitive_values import (
    ValueCounts,
    k_anonymity_histogram,
    k_map_histogram,
    t_equal,
    t_ordered,
)
from tests.overlaps import blocks

MOST = 2**31 - 1


def counts(*of_blocks):
    """Counts of values by block, from one list of counts each; 0 if it has none."""
    cells = [
        (block, value, count)
        for block, row in enumerate(of_blocks)
        for value, count in enumerate(row)
        if count
    ]
    return ValueCounts(*np.array(cells, dtype=np.int64).T)


def test_records_of_blocks_of_exactly_k_are_not_below_k():
    sizes = BlockSizes(np.array([1, 2, 3, 4, 5, 9, 10]), np.ones(7, dtype=int))
    assert [n_below(sizes, k) for k in THRESHOLDS] == [1, 3, 10, 24]
    assert share_below(sizes, 10) == Fraction(24, 34)


def test_a_histogram_has_the_buckets_that_occur_up_to_the_largest_size():
    sizes = BlockSizes(np.array([1, 4, 10, 19, 20, 57]), np.array([3, 1, 2, 1, 1, 1]))
    found = k_anonymity_histogram(sizes)
    assert found.lower.tolist() == [1, 3, 10, 20, 50]
    assert found.upper.tolist() == [1, 4, 19, 49, 57]
    assert found.n_blocks.tolist() == [3, 1, 3, 1, 1]
    assert found.n_records.tolist() == [3, 4, 39, 20, 57]
    assert sum(found.share_of_blocks) == sum(found.share_of_records) == 1


def test_records_that_the_population_does_not_have_are_in_a_bucket_of_their_own():
    found = k_map_histogram(blocks((0, 2, 3), (1, 1, 1), (7, 0, 5)))
    assert (found.lower.tolist(), found.upper.tolist()) == ([0, 1], [0, 1])
    assert (found.n_blocks.tolist(), found.n_records.tolist()) == ([3, 1], [6, 1])


def test_tables_without_a_block_in_common_say_nothing_of_presence():
    assert delta_presence(blocks((0, 2, 1))) is None
    assert delta_presence_lower(blocks((0, 2, 1))) is None
    assert delta_presence(blocks((0, 2, 1), (3, 0, 1))) == 0


def test_k_map_is_estimated_as_the_smallest_block_times_the_sampling_rate():
    sizes = BlockSizes(np.array([2, 3]), np.array([1, 1]))
    assert k_map_estimated(sizes, 12) == Fraction(24, 5)


def test_delta_is_estimated_from_the_smallest_block():
    """Of f = 1 of half the records the mean of 1/F is the sum of 2**-F / F, log 2."""
    sizes = BlockSizes(np.array([1, 4]), np.array([6, 1]))
    assert delta_presence_estimated(sizes, 20) == pytest.approx(log(2))


@pytest.mark.parametrize("share", [0.01, 0.3, 0.5, 0.9])
def test_the_larger_the_smallest_block_the_nearer_delta_is_to_the_share(share):
    n_population = round(1_000_000 / share)
    deltas = [
        delta_presence_estimated(
            BlockSizes(np.array([k, 1_000_000 - k]), np.array([1, 1])), n_population
        )
        for k in (1, 2, 3, 10, 100, 10_000)
    ]
    assert deltas == sorted(deltas, reverse=True)
    assert 1 > deltas[0] > deltas[-1] > share
    assert deltas[-1] == pytest.approx(share, rel=1e-3)


@pytest.mark.parametrize("n_rows", [1, 2, 3, 7, 8, 9, 1000, 1025])
def test_entities_that_differ_in_the_last_of_many_rows_are_apart(n_rows):
    entity = np.repeat([4, 9, 6], n_rows)
    block = np.zeros(3 * n_rows, dtype=np.int64)
    block[n_rows - 1] = 1
    found = entity_blocks(entity, block)
    assert found[1] == found[2] != found[0]


def test_entities_of_very_different_numbers_of_rows_are_numbered_together():
    entity = np.repeat(np.arange(2_001), [10_000, *[2] * 2_000])
    block = np.concatenate([np.zeros(10_000, dtype=np.int64), np.arange(4_000) % 6])
    sizes = sizes_of(entity_blocks(entity, block))
    assert sizes.size.tolist() == [1, 666, 667]
    assert sizes.n_blocks.tolist() == [1, 1, 2]


def test_identifiers_that_are_large_numbers_of_a_small_type_do_not_overflow():
    entity = np.array([30_000, 30_000, 31_000, 31_000], dtype=np.int16)
    block = np.array([MOST - 1, 0, 0, MOST - 1])
    assert len(set(entity_blocks(entity, block).tolist())) == 1


def test_distances_of_the_incomes_of_li_and_others():
    """3k to 11k: {3k, 4k, 5k} is 0.375 from all nine, {6k, 8k, 11k} is 0.167."""
    first, second = [1, 1, 1, 0, 0, 0, 0, 0, 0], [0, 0, 0, 1, 0, 1, 0, 0, 1]
    third = [0, 0, 0, 0, 1, 0, 1, 1, 0]
    assert t_ordered(counts(first, second, third)) == Fraction(3, 8)
    assert t_equal(counts(first, second, third)) == Fraction(2, 3)
    rest = [1, 1, 1, 0, 1, 0, 1, 1, 0]
    assert t_ordered(counts(second, rest)) == Fraction(1, 6)


def test_distances_of_as_many_records_as_can_be_are_exact():
    half = MOST // 2
    far = counts([half, 0, 0], [0, 0, MOST - half])
    assert t_equal(far) == t_ordered(far) == Fraction(MOST - half, MOST)


def test_distances_with_thousands_of_values_are_exact():
    n_values = 5_000
    both = counts([20_000] * n_values, [0] * (n_values - 1) + [1])
    n = 20_000 * n_values + 1
    away = (Fraction(20_000 * (i + 1), n) for i in range(n_values - 1))
    assert t_ordered(both) == sum(away) / (n_values - 1)
    assert t_equal(both) == Fraction(20_000 * (n_values - 1), n)
