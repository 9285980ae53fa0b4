"""Tallies go to the shelf when they take more memory than they may, and not before."""

from microleak.kernels.spilled_rows import MemoryShelf
from microleak.kernels.tally import empty_tally, n_bytes
from microleak.kernels.walk import HISTOGRAM_TYPES, Totals, taken


def tally(size, n_blocks):
    found = empty_tally(1)
    found.dense[0, size, 1, 1] = n_blocks
    return found


def rows(shelf):
    return [shelf.n_rows(subset) for subset in (1, 2, 3)]


def test_a_subset_that_is_added_to_takes_its_memory_once():
    shelf = MemoryShelf(HISTOGRAM_TYPES)
    totals = Totals(shelf, 0, 0, 2 * n_bytes(tally(2, 1)))
    for _ in range(5):
        totals.add({1: tally(2, 1), 2: tally(3, 1)})
    assert rows(shelf) == [0, 0, 0]
    totals.add({3: tally(2, 1)})
    assert rows(shelf) == [1, 1, 1]


def test_what_was_put_away_takes_no_more_memory():
    shelf = MemoryShelf(HISTOGRAM_TYPES)
    totals = Totals(shelf, 0, 0, n_bytes(tally(2, 1)))
    totals.add({1: tally(2, 1), 2: tally(3, 1)})
    assert rows(shelf) == [1, 1, 0]
    totals.add({3: tally(2, 1)})
    assert rows(shelf) == [1, 1, 0]
    totals.close()
    assert rows(shelf) == [1, 1, 1]


def test_parts_of_a_histogram_are_added_up_by_kind():
    shelf = MemoryShelf(HISTOGRAM_TYPES)
    totals = Totals(shelf, 3, 0, 0)
    for size, n_blocks in ((2, 5), (3, 1), (2, 7)):
        totals.add({1: tally(size, n_blocks)})
    found = taken(shelf, 1)
    assert found.sensitive.tolist() == [3, 3]
    assert found.block_size.tolist() == [2, 3]
    assert found.n_blocks.tolist() == [12, 1]
