"""Rows that are alike, and what each loses alone, beside plain loops over records."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.kernels.crowds import mark_of, n_given
from microleak.protection.rows import grouped_rows, rows_of
from microleak.protection.search import ANY, lost_alone
from tests.examples import examples

WIDE = (1 << 32) - 1
"""A code whose bit field takes half a word."""


@st.composite
def tables(draw, most_columns=5, codes=(0, 1, 2, 3)):
    """Draw columns with missing cells, of records many of which are alike."""
    n_columns = draw(st.integers(1, most_columns))
    cells = st.tuples(*[st.sampled_from(codes)] * n_columns)
    records = draw(st.lists(cells, min_size=1, max_size=40))
    return [np.array(column, np.uint32) for column in zip(*records, strict=True)]


def records_of(codes, ids):
    """Return the cells of each different row, and how many records it has."""
    found = {int(i): tuple(int(c[at]) for c in codes) for at, i in enumerate(ids)}
    return [found[i] for i in range(len(found))], np.bincount(ids).tolist()


def sets(n):
    return [set(s) for size in range(n + 1) for s in combinations(range(n), size)]


def as_number(attributes):
    return sum(1 << i for i in attributes)


def fewest_lost(records, counts, k):
    """Return the cells that each record loses, and what it can keep; each set tried."""
    n = len(records[0])
    found = []
    for record in records:
        known = {i for i in range(n) if record[i]}
        lost = {}
        for kept in sets(n):
            alike = [all(other[i] == record[i] for i in kept) for other in records]
            if kept <= known and sum(np.array(counts)[alike]) >= k:
                lost.setdefault(len(known) - len(kept), []).append(as_number(kept))
        found.append((min(lost), lost[min(lost)]))
    return found


@examples(300)
@given(tables(), st.integers(1, 5), st.sampled_from([6, 16, 1 << 16]))
def test_what_a_record_loses_alone_is_as_if_each_set_was_tried(codes, k, most):
    table, ids = rows_of(codes)
    if len(ids) < k:
        return
    records, counts = records_of(codes, ids)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("microleak.protection.search.MOST_SETS", most)
        found = lost_alone(table, k)
    for row, (n_lost, kept) in enumerate(fewest_lost(records, counts, k)):
        own, own_marks = found.n_lost[row], found.marks[row]
        marks = np.bitwise_or.reduce([mark_of(s) for s in kept])
        if own == n_lost:
            assert counts[row] >= k or own_marks in {marks, ANY}
        else:
            assert own < n_lost
            assert own_marks == ANY
        if most == 1 << 16:
            assert own == n_lost
            assert counts[row] >= k or own_marks == marks


def test_of_many_attributes_a_record_loses_as_many_as_can_be_told():
    rng = np.random.default_rng(1)
    codes = [rng.integers(1, 9, 200).astype(np.uint32) for _ in range(20)]
    table, _ = rows_of(codes)
    found = lost_alone(table, 2)
    assert set(found.n_lost.tolist()) == {6}
    assert (found.marks == ANY).all()


@pytest.mark.parametrize("n_values", [3, 4000])
def test_blocks_are_split_alike_however_they_are_sorted(n_values):
    rng = np.random.default_rng(n_values)
    tops = (n_values, 40, 3, 3, 2)
    codes = [rng.integers(0, top, 3000).astype(np.uint32) for top in tops]
    table, ids = rows_of(codes)
    best, able = np.zeros(len(ids), dtype=np.int64), {}
    for kept in map(tuple, sets(len(codes))[1:]):
        own = np.stack([codes[i] for i in kept])
        _, group, n = np.unique(own, axis=1, return_inverse=True, return_counts=True)
        able[kept] = (n[group] >= 4) & (own > 0).all(axis=0)
        best[able[kept]] = np.maximum(best[able[kept]], len(kept))
    found = lost_alone(table, 4)
    assert (table.n_known - found.n_lost)[ids].tolist() == best.tolist()
    for kept, is_able in able.items():
        rows = ids[is_able & (best == len(kept)) & (table.counts[ids] < 4)]
        assert (found.marks[rows] & mark_of(as_number(kept)) > 0).all()


@given(tables(codes=(0, 1, 2, WIDE - 1, WIDE)), st.data())
def test_rows_keep_the_same_where_their_cells_are(codes, data):
    """Those near wanted ones are all that are like them."""
    table, ids = rows_of(codes)
    records, _ = records_of(codes, ids)
    kept = data.draw(st.sampled_from(sets(len(codes))))
    number, everyone = as_number(kept), np.arange(len(records))
    places = st.lists(st.integers(0, len(records) - 1), min_size=1)
    some = np.array(data.draw(places), np.int64)
    groups = grouped_rows(table.kept(some, number))
    cells = [tuple(records[row][i] for i in sorted(kept)) for row in some]
    first = {c: i for i, c in reversed(list(enumerate(cells)))}
    order = sorted(set(first.values()))
    assert groups.each.tolist() == [order.index(first[c]) for c in cells]
    assert groups.n == len(order)
    able = [row for row in everyone if all(records[row][i] for i in kept)]
    wanted = np.array([row for row in able if data.draw(st.booleans())], np.int64)
    found = table.near(everyone, wanted, number).tolist()
    like = {tuple(records[row][i] for i in kept) for row in wanted}
    assert found == sorted(set(found) & set(able))
    alike = {row for row in able if tuple(records[row][i] for i in kept) in like}
    assert alike <= set(found)


def test_cells_of_a_second_word_fill_the_room_of_the_first():
    codes = [np.array([1, n], np.uint32) for n in (WIDE, WIDE, WIDE)]
    table, _ = rows_of(codes)
    everyone = np.arange(2)
    assert len(table.words) == len(table.kept(everyone, 0b111)) == 2
    assert [len(table.kept(everyone, s)) for s in (0b011, 0b101, 0b110)] == [1, 1, 1]


def test_few_rows_are_near_that_are_not_like_a_wanted_one():
    codes = [np.arange(1, 20_001, dtype=np.uint32)]
    table, _ = rows_of(codes)
    found = table.near(np.arange(20_000), np.arange(100), 1)
    assert set(range(100)) <= set(found.tolist())
    assert len(found) < 100 + 20_000 // 8


@given(tables(codes=(0, 1, WIDE)), st.integers(1, 3), st.data())
def test_the_first_rows_of_each_way_to_be_like_one_are_found(codes, most, data):
    table, ids = rows_of(codes)
    records, _ = records_of(codes, ids)
    n = len(records)
    one = data.draw(st.integers(0, n - 1))
    rows = data.draw(st.lists(st.integers(0, n - 1), max_size=40))
    ways, wanted = Counter(), []
    for row in rows:
        both = zip(records[row], records[one], strict=True)
        way = tuple(a == b > 0 for a, b in both)
        ways[way] += 1
        wanted.append(ways[way] <= most)
    found = table.first_alike(np.array(rows, np.int64), one, most)
    assert found.tolist() == wanted


ROWS = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(0, 4)), max_size=30
)


@given(
    ROWS,
    st.lists(st.integers(1, 9), min_size=4, max_size=4),
    st.integers(1, 5),
    st.lists(st.integers(0, 5), min_size=3, max_size=3),
)
def test_blocks_give_to_groups_that_lack_records_in_turn(rows, size, k, needed):
    lacking, taken, wanted = list(needed), Counter(), []
    for group, block, n in rows:
        n_records = 0
        for _ in range(n):
            is_spare = size[block] - taken[group, block] > k
            if group < 3 and lacking[group] and is_spare:
                lacking[group] -= 1
                taken[group, block] += 1
                n_records += 1
        wanted.append(n_records)
    groups, blocks, n = np.array(rows, np.int64).reshape(-1, 3).T
    own = [np.ascontiguousarray(column) for column in (groups, blocks, n)]
    found = n_given(*own, np.array(size), k, np.array(needed))
    assert found.tolist() == wanted
