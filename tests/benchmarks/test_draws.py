"""Records and subsets that are drawn for measurements."""

from collections import Counter
from math import inf

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchmarks.coded_tables import draw_records, drawn
from benchmarks.sample import all_subsets, stratified

TABLE = pa.table(
    {
        "place": [str(place) for place in range(120)],
        "value": [None if place % 7 == 0 else "v" for place in range(120)],
    }
)


def draw(n_records, seed, tmp_path):
    pq.write_table(TABLE, tmp_path / "people.parquet", row_group_size=50)
    draw_records(
        str(tmp_path / "people.parquet"), n_records, seed, str(tmp_path / "drawn")
    )
    return pq.read_table(tmp_path / "drawn")


def places(records):
    return [int(place) for place in records["place"].to_pylist()]


@pytest.mark.parametrize("n_records", [1, 50, 119])
def test_a_draw_has_so_many_records_each_once_and_in_their_order(n_records, tmp_path):
    found = places(draw(n_records, 1, tmp_path))
    assert len(found) == n_records
    assert found == sorted(set(found))


def test_records_that_are_drawn_are_whole(tmp_path):
    found = draw(40, 1, tmp_path)
    assert found.equals(TABLE.take(places(found)))


@pytest.mark.parametrize("n_records", [120, 500])
def test_all_records_are_drawn_if_there_are_no_more(n_records, tmp_path):
    assert draw(n_records, 1, tmp_path).equals(TABLE)


def test_the_seed_decides_the_draw(tmp_path):
    assert stratified(11, 40, seed=1) == stratified(11, 40, seed=1)
    assert stratified(11, 40, seed=1) != stratified(11, 40, seed=2)
    assert draw(40, 1, tmp_path).equals(draw(40, 1, tmp_path))
    assert not draw(40, 1, tmp_path).equals(draw(40, 2, tmp_path))


def test_every_set_of_rows_has_the_same_chance():
    rng = np.random.default_rng(5)
    sets = Counter()
    for _ in range(3_000):
        first, empty, last = drawn([2, 0, 3], 2, rng)
        assert not len(empty)
        sets[(*first.tolist(), *(last + 2).tolist())] += 1
    # 10 sets, 300 of each expected; five standard deviations are 82.
    assert len(sets) == 10
    assert all(abs(n - 300) < 82 for n in sets.values())


def test_a_draw_has_every_size_in_proportion_and_two_at_least():
    drawn = Counter(subset.bit_count() for subset in stratified(11, 205, seed=1))
    n_each = (2, 6, 17, 33, 46, 46, 33, 17, 6, 2, 1)
    assert drawn == dict(enumerate(n_each, start=1))


def test_all_subsets_are_drawn_if_as_many_are_wanted():
    assert sorted(stratified(6, 63, seed=1)) == list(range(1, 64))


@pytest.mark.parametrize(
    ("times", "total", "error"),
    [
        ([[1, 2, 3], [4, 5, 6], [7]], 28, 0),
        # Means stand for the subsets that were not drawn.
        ([[2.0] * 2, [3.0] * 2, [4.0] * 2, [5.0]], 4 * 2 + 6 * 3 + 4 * 4 + 5, 0),
        # 2 of the 3 of size 1: 3 * (3 - 2) * variance 2 / 2 drawn.
        ([[1.0, 3.0], [1.0] * 3, [1.0]], 10, 3**0.5),
        # One of several says nothing of their spread.
        ([[1.0], [1.0]], 3, inf),
    ],
)
def test_times_of_all_subsets_have_the_error_of_a_draw(times, total, error):
    found = all_subsets(times)
    assert (found.total_s, found.error_s) == (total, pytest.approx(error))
