"""Rows sorted and added up, against plain dictionaries."""

from collections import Counter
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from microleak.kernels.blocks import BlockTable, drop_attributes, merged_rows

ROWS = st.lists(st.tuples(st.integers(0, 40), st.integers(1, 5)), min_size=1)


def arrays(rows):
    keys, weights = zip(*rows, strict=True)
    return np.array(keys, dtype=np.uint64), np.array(weights, dtype=np.int32)


def added_up(rows):
    total = Counter()
    for key, weight in rows:
        total[key] += weight
    return sorted(total.items())


def pairs(keys, weights):
    return list(zip(keys.tolist(), weights.tolist(), strict=True))


SAME = st.lists(st.tuples(st.integers(0, 40), st.just(3)), min_size=1)


@given(ROWS | SAME)
def test_each_key_is_left_once_with_the_weights_of_all_its_rows(rows):
    assert pairs(*merged_rows(*arrays(rows))) == added_up(rows)


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
    left = [added_up(block) for block in blocks]
    assert [
        pairs(found.keys[lo:hi], found.weights[lo:hi])
        for lo, hi in pairwise(found.starts)
    ] == [block for block in left if len(block) > 1]
    n_final = sum(len(block) == 1 for block in left)
    assert len(final.blocks) + final.single.sum() == n_final
