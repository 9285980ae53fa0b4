"""Inference of groups: where its definitions begin and end, and exact sums."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.collective.definitions.group_inference import group_inference
from microleak.definitions.profile import BlockProfile


def blocks(*kinds):
    """Profile of a group, from (block size, members, number of blocks)."""
    size, members, n_blocks = np.array(kinds, dtype=np.int64).T
    n_distinct = 1 + ((members > 0) & (members < size))
    return BlockProfile(size, members, n_distinct, n_blocks, 0 * size)


def test_a_block_without_members_has_one_value_and_nobody_to_be_certain_of():
    found = group_inference(blocks((5, 0, 3), (2, 2, 1)))
    assert (found.n_members, found.n_certain, found.posterior_det) == (2, 2, 1)


@pytest.mark.parametrize(("members", "n_likely"), [(4, 0), (5, 0), (6, 6), (10, 10)])
def test_members_are_likely_in_blocks_of_which_they_are_more_than_half(
    members, n_likely
):
    assert group_inference(blocks((10, members, 1))).n_likely == n_likely


@pytest.mark.parametrize(("members", "n_above"), [(17, 0), (18, 0), (19, 19), (20, 20)])
def test_members_are_above_90_percent_in_blocks_of_more_than_nine_tenths(
    members, n_above
):
    assert group_inference(blocks((20, members, 1))).n_above_90 == n_above


def test_without_members_there_is_nobody_to_attack():
    found = group_inference(blocks((3, 0, 2), (1, 0, 1)))
    assert (found.n_members, found.n_likely, found.prior_prob) == (0, 0, 0)
    assert (found.posterior_det, found.posterior_prob) == (None, None)
    assert (found.additive_leakage, found.multiplicative_leakage) == (None, None)


def test_nothing_leaks_of_a_group_that_everybody_is_of():
    found = group_inference(blocks((3, 3, 2), (1, 1, 1)))
    assert (found.posterior_det, found.posterior_prob, found.prior_prob) == (1, 1, 1)
    assert (found.additive_leakage, found.multiplicative_leakage) == (0, 1)


def test_the_mean_belief_is_exact_for_any_number_of_block_sizes():
    for n_sizes in (1, 2, 7, 1001):
        kinds = [(size, size // 2 + 1, size % 3 + 1) for size in range(1, n_sizes + 1)]
        total = sum(Fraction(c * c * n, size) for size, c, n in kinds)
        n_members = sum(c * n for _, c, n in kinds)
        assert group_inference(blocks(*kinds)).posterior_prob == total / n_members


def test_blocks_of_one_size_with_more_and_fewer_members_count_each_for_itself():
    found = group_inference(blocks((4, 1, 2), (4, 3, 1), (4, 0, 5)))
    assert found.posterior_prob == Fraction(1 + 1 + 9, 4) / 5


def test_a_table_of_as_many_records_as_can_be_is_summed_exactly():
    most = 2**31 - 1
    found = group_inference(blocks((most, most - 1, 1)))
    assert found.posterior_prob == found.prior_prob == Fraction(most - 1, most)


@given(st.lists(st.integers(1, 2**36), min_size=1, max_size=8), st.data())
def test_beliefs_in_members_of_blocks_of_more_than_32_bits_are_exact(sizes, data):
    members = [data.draw(st.integers(1, size)) for size in sizes]
    found = group_inference(
        blocks(*((s, c, 2) for s, c in zip(sizes, members, strict=True)))
    )
    beliefs = sum(Fraction(2 * c * c, s) for s, c in zip(sizes, members, strict=True))
    assert found.posterior_prob == beliefs / (2 * sum(members))
