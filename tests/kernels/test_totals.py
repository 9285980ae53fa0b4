"""What a walk is made of: keys, kinds of blocks, merged rows, and totals of tallies."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.kernels.blocks import BlockTable, Fields, drop_attributes, merged_rows
from microleak.kernels.keys import turns_of
from microleak.kernels.kinds import (
    COUNTED,
    MEMBERS,
    MOST_COUNTED,
    MOST_MEMBERS,
    NUMBERS,
)
from microleak.kernels.records import Values
from microleak.kernels.spilled_rows import MemoryShelf
from microleak.kernels.tally import Tallies, added_up
from microleak.kernels.walk import Totals, taken_histogram
from tests import naive

ZERO = np.zeros(1, dtype=np.uint64)
COUNTER = Tallies(Fields(ZERO, ZERO, 1, 0), first=3)


def tally(size, n_blocks):
    _, found = COUNTER.begin(np.array([]))
    found.dense[0, size] = n_blocks
    return found


def rows(shelf):
    return [shelf.n_rows(subset) for subset in (1, 2, 3)]


def totals_of(n_bytes):
    shelf = MemoryShelf(Tallies.types)
    return shelf, Totals(shelf, n_bytes, COUNTER)


def test_a_subset_that_is_added_to_takes_its_memory_once():
    shelf, totals = totals_of(2 * COUNTER.n_bytes(tally(2, 1)))
    for _ in range(5):
        totals.add({1: tally(2, 1), 2: tally(3, 1)})
    assert rows(shelf) == [0, 0, 0]
    totals.add({3: tally(2, 1)})
    assert rows(shelf) == [1, 1, 1]


def test_what_was_put_away_takes_no_more_memory():
    shelf, totals = totals_of(COUNTER.n_bytes(tally(2, 1)))
    totals.add({1: tally(2, 1), 2: tally(3, 1)})
    assert rows(shelf) == [1, 1, 0]
    totals.add({3: tally(2, 1)})
    assert rows(shelf) == [1, 1, 0]
    totals.close()
    assert rows(shelf) == [1, 1, 1]


def test_parts_of_a_histogram_are_added_up_by_kind():
    shelf, totals = totals_of(0)
    for size, n_blocks in ((2, 5), (3, 1), (2, 7)):
        totals.add({1: tally(size, n_blocks)})
    found = taken_histogram(shelf, 1)
    assert found.sensitive.tolist() == [3, 3]
    assert found.block_size.tolist() == [2, 3]
    assert found.n_blocks.tolist() == [12, 1]


def test_nothing_is_lost_where_threads_add_to_the_same_subsets():
    shelf, totals = totals_of(4 * COUNTER.n_bytes(tally(2, 1)))
    with ThreadPoolExecutor(8) as pool:
        for n in range(400):
            pool.submit(totals.add, {n % 3: tally(2, 1), 3: tally(3, 2)})
    totals.close()
    counts = [taken_histogram(shelf, subset).n_blocks.tolist() for subset in range(4)]
    assert counts == [[134], [133], [133], [800]]


def test_kinds_that_fit_no_number_together_are_sorted_as_others_are():
    rng = np.random.default_rng(3)
    few = [rng.integers(0, 3, 200) << 32 | rng.integers(0, 3, 200) for _ in range(2)]
    kinds = [*few, rng.integers(0, 3, 200)]
    n_blocks = rng.integers(1, 5, 200)
    large = [kind + (kind > 1 << 32) * (1 << 62) for kind in kinds[:2]]
    fitting = added_up(kinds, n_blocks)
    others = added_up([*large, kinds[2]], n_blocks)
    assert fitting.n_blocks.tolist() == others.n_blocks.tolist()
    assert fitting.choices.tolist() == others.choices.tolist()


def values(n, is_marked=False):
    return Values(np.ones(n, dtype=np.int64), is_marked)


@pytest.mark.parametrize(
    ("sensitive", "turns"),
    [
        ([values(2, True)] * 4, [range(4)]),
        ([values(2, True)] * 5, [range(4), range(4, 5)]),
        ([values(2, True)] * 9, [range(4), range(4, 8), range(8, 9)]),
        ([values(2)] * 6, [range(6)]),
        ([values(1 << 16)] * 2, [range(2)]),
        ([values(1 << 16), values((1 << 16) + 1)], [range(1), range(1, 2)]),
        ([values(2), *[values(2, True)] * 5], [range(5), range(5, 6)]),
        ([], [range(0)]),
    ],
)
def test_sensitive_attributes_are_cut_into_turns_that_fit_a_key(sensitive, turns):
    assert turns_of(sensitive) == turns


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


ROWS = st.lists(st.tuples(st.integers(0, 40), st.integers(1, 5)), min_size=1)


def arrays(rows):
    keys, weights = zip(*rows, strict=True)
    return np.array(keys, dtype=np.uint64), np.array(weights, dtype=np.int32)


def sums_by_key(rows):
    total = Counter()
    for key, weight in rows:
        total[key] += weight
    return sorted(total.items())


def pairs(keys, weights):
    return list(zip(keys.tolist(), weights.tolist(), strict=True))


SAME = st.lists(st.tuples(st.integers(0, 40), st.just(3)), min_size=1)


@given(ROWS | SAME)
def test_each_key_is_left_once_with_the_weights_of_all_its_rows(rows):
    assert pairs(*merged_rows(*arrays(rows))) == sums_by_key(rows)


@given(st.lists(ROWS, min_size=1, max_size=6))
def test_blocks_are_merged_each_for_itself_and_stay_in_order(blocks):
    """Blocks of any rows lose bits above, and those that are final leave."""
    rows = [row for block in blocks for row in block]
    keys, weights = arrays(rows)
    keys |= np.arange(len(keys), dtype=np.uint64) << np.uint64(20)
    starts = np.cumsum([0, *map(len, blocks)]).astype(np.int32)
    table = BlockTable(keys, weights, starts, np.uint64(0))
    low = np.uint64(0xFFFFF)
    found, final = drop_attributes(table, low, low, 0)
    left = [sums_by_key(block) for block in blocks]
    assert [
        pairs(found.keys[lo:hi], found.weights[lo:hi])
        for lo, hi in pairwise(found.starts)
    ] == [block for block in left if len(block) > 1]
    n_final = sum(len(block) == 1 for block in left)
    assert len(final.blocks) + final.single.sum() == n_final
