"""Each small block has one number, and the number says all of it."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from microleak.kernels.kinds import (
    COUNTED,
    MEMBERS,
    MOST_COUNTED,
    MOST_MEMBERS,
    N_KINDS,
    NUMBERS,
)
from tests import naive


@given(st.lists(st.integers(1, 6), min_size=1, max_size=MOST_COUNTED))
def test_the_number_of_a_block_leads_back_to_what_it_is(values):
    counts = [values.count(value) for value in {*values}]
    kind = len(values), max(counts), len(counts), naive.choices(values)
    assert COUNTED[NUMBERS[kind]].tolist() == [*kind]


@given(st.integers(0, MOST_MEMBERS), st.data())
def test_members_of_a_block_follow_those_of_all_smaller_blocks(size, data):
    members = data.draw(st.integers(0, size))
    number = size * (size + 1) // 2 + members
    assert MEMBERS[number].tolist() == [size, members, 1 + (0 < members < size), 0]


def test_the_largest_small_block_is_the_last_that_fits():
    assert len(MEMBERS) == N_KINDS == (MOST_MEMBERS + 1) * (MOST_MEMBERS + 2) // 2
    assert np.count_nonzero(NUMBERS >= 0) == len(COUNTED) <= N_KINDS
