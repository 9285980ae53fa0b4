"""Tallies go to the shelf when they take more memory than they may, and not before."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from microleak.kernels.blocks import Fields
from microleak.kernels.spilled_rows import MemoryShelf
from microleak.kernels.tally import Tallies, added_up
from microleak.kernels.walk import Totals, taken_histogram

ZERO = np.zeros(1, dtype=np.uint64)
COUNTER = Tallies(Fields(ZERO, ZERO, 1, 0), first=3)


def tally(size, n_blocks):
    _, found = COUNTER.begin(np.array([]))
    found.dense[0, size] = n_blocks
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
    found = taken_histogram(shelf, 1)
    assert found.sensitive.tolist() == [3, 3]
    assert found.block_size.tolist() == [2, 3]
    assert found.n_blocks.tolist() == [12, 1]


def test_nothing_is_lost_where_threads_add_to_the_same_subsets():
    shelf = MemoryShelf(Tallies.types)
    totals = Totals(shelf, 4 * COUNTER.n_bytes(tally(2, 1)), COUNTER)
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
