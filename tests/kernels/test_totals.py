"""Tallies go to the shelf when they take more memory than they may, and not before."""

import numpy as np

from microleak.kernels.blocks import Fields
from microleak.kernels.spilled_rows import MemoryShelf
from microleak.kernels.tally import Tallies
from microleak.kernels.walk import Totals, taken

ZERO = np.zeros(1, dtype=np.uint64)
COUNTER = Tallies(Fields(ZERO, ZERO, 1, 0), first=3)


def tally(size, n_blocks):
    _, found = COUNTER.begin(np.array([]))
    found.dense[0, size, 1, 1] = n_blocks
    return found


def rows(shelf):
    return [shelf.n_rows(subset) for subset in (1, 2, 3)]


def test_a_subset_that_is_added_to_takes_its_memory_once():
    shelf = MemoryShelf(Tallies.types)
    totals = Totals(shelf, 2 * COUNTER.n_bytes(tally(2, 1)), COUNTER)
    for _ in range(5):
        totals.add({1: tally(2, 1), 2: tally(3, 1)})
    assert rows(shelf) == [0, 0, 0]
    totals.add({3: tally(2, 1)})
    assert rows(shelf) == [1, 1, 1]


def test_what_was_put_away_takes_no_more_memory():
    shelf = MemoryShelf(Tallies.types)
    totals = Totals(shelf, COUNTER.n_bytes(tally(2, 1)), COUNTER)
    totals.add({1: tally(2, 1), 2: tally(3, 1)})
    assert rows(shelf) == [1, 1, 0]
    totals.add({3: tally(2, 1)})
    assert rows(shelf) == [1, 1, 0]
    totals.close()
    assert rows(shelf) == [1, 1, 1]


def test_parts_of_a_histogram_are_added_up_by_kind():
    shelf = MemoryShelf(Tallies.types)
    totals = Totals(shelf, 0, COUNTER)
    for size, n_blocks in ((2, 5), (3, 1), (2, 7)):
        totals.add({1: tally(size, n_blocks)})
    found = taken(shelf, 1)
    assert found.sensitive.tolist() == [3, 3]
    assert found.block_size.tolist() == [2, 3]
    assert found.n_blocks.tolist() == [12, 1]
