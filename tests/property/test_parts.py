"""Parts of a walk add up to the whole, whichever codes each of them gives to values."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.kernels import walk as walking
from microleak.kernels.parts import WalkPart
from microleak.kernels.records import AttributeCodes, Records, Values, in_memory
from microleak.kernels.tally import MOST_COUNTED, Histogram, Tallies
from microleak.kernels.walk import Work, walk_crossed, walk_subsets
from tests.examples import examples
from tests.property.tables import attribute, tables


def numbered(columns):
    """Values as codes in the order in which they sort, the missing one first."""
    ordered = [sorted(set(c), key=lambda v: (v is not None, str(v))) for c in columns]
    return [
        AttributeCodes(np.array([values.index(v) for v in column]), len(values))
        for column, values in zip(columns, ordered, strict=True)
    ]


def recoded(attributes, rng):
    """The same values under other codes, and these in the values' order."""
    orders = [rng.permutation(each.n_values) for each in attributes]
    pairs = zip(attributes, orders, strict=True)
    return [AttributeCodes(order[a.codes], a.n_values) for a, order in pairs], orders


def of_part(qids, sensitive, subsets, number, n_parts, seed, **work):
    """What one part counts, whose records come in an order of their own."""
    rng = np.random.default_rng([seed, number])
    coded, orders = recoded(qids, rng)
    order = rng.permutation(len(qids[0].codes))
    shuffled = [
        [
            AttributeCodes(each.codes[order], each.n_values, each.is_marked)
            for each in part
        ]
        for part in (coded, sensitive)
    ]
    part = WalkPart(number, n_parts, orders)
    return dict(walk_subsets(in_memory(*shuffled), subsets, Work(**work), part))


def added(parts):
    """The histograms of each subset that any part has, as one."""
    columns = ("sensitive", "block_size", "modal_count", "n_distinct", "choices")
    return {
        subset: Histogram.of_columns(
            *(
                np.concatenate([getattr(p[subset], c) for p in parts if subset in p])
                for c in (*columns, "n_blocks")
            )
        )
        for subset in sorted({subset for part in parts for subset in part})
    }


def assert_same(found, whole):
    assert list(found) == list(whole)
    for subset, histogram in whole.items():
        for name, column in vars(histogram).items():
            assert vars(found[subset])[name].tolist() == column.tolist()


@given(tables(max_records=60), st.integers(1, 5), st.integers(0, 9), st.data())
@examples(200)
def test_parts_add_up_to_the_whole(table, n_parts, seed, data):
    qids, sensitive = numbered(table[0]), [attribute(s) for s in table[1]]
    subsets = data.draw(st.sets(st.integers(0, (1 << len(qids)) - 1), min_size=1))
    rows = data.draw(st.integers(1, 40))
    work = {"n_threads": 2, "rows_a_bucket": rows, "tally_bytes": 0}
    whole = dict(walk_subsets(in_memory(qids, sensitive), subsets, Work()))
    parts = [
        of_part(qids, sensitive, subsets, number, n_parts, seed, **work)
        for number in range(n_parts)
    ]
    assert_same(added(parts), whole)
    has_all = [0 in part for part in parts]
    assert has_all == [0 in subsets and number == 0 for number in range(n_parts)]


@given(tables(max_records=40), st.integers(1, 4))
def test_members_of_marked_attributes_add_up_too(table, n_parts):
    qids = numbered([*table[0], ["same"] * len(table[0][0])])
    marks = [AttributeCodes(q.codes % 2, 2, is_marked=True) for q in qids]
    subsets = range(1 << len(qids))
    whole = dict(walk_subsets(in_memory(qids, marks), subsets, Work()))
    parts = [
        of_part(qids, marks, subsets, number, n_parts, 1) for number in range(n_parts)
    ]
    assert_same(added(parts), whole)


def test_parts_are_about_as_large_as_each_other():
    rng = np.random.default_rng(5)
    qids = numbered([rng.integers(0, 500, 9000).tolist(), [1] * 9000])
    sizes = [
        next(
            WalkPart(n, 8, [np.arange(500), np.arange(1)]).shares(
                in_memory(qids, []).qids, np.array([1, 3])
            )
        ).n_records
        for n in range(8)
    ]
    assert sum(sizes) == 9000
    assert max(sizes) <= 9000 / 8 + np.bincount(qids[0].codes).max()


def kinds(histogram, n=1):
    """How many blocks there are by all but choices, with so many for each record."""
    found = Counter()
    columns = ("sensitive", "block_size", "modal_count", "n_distinct", "n_blocks")
    rows = zip(*(getattr(histogram, each).tolist() for each in columns), strict=True)
    for sensitive, size, modal, distinct, n_blocks in rows:
        found[sensitive, n * size, n * modal, distinct] += n_blocks
    return found


class Heavy(Tallies):
    """Counts each record as many."""

    N = 3_000_000_000

    def weights(self, _, n_rows):
        return np.full(n_rows, self.N, dtype=self.weight)


def assert_counted_heavy(qids, sensitive, n):
    """What is counted of records is what is counted of each n times."""
    every = range(1 << len(qids))
    records = in_memory(qids, sensitive)
    many = [
        [Values(values.counts * n, values.is_marked) for values in part]
        for part in (records.qids, records.sensitive)
    ]
    light = dict(walk_subsets(records, every, Work()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walking, "Tallies", Heavy)
        patch.setattr(Heavy, "N", n)
        given = Records(*many, records.n_chunks, records.chunk)
        heavy = dict(walk_subsets(given, every, Work()))
    assert list(heavy) == list(light)
    for subset, found in heavy.items():
        assert kinds(found) == kinds(light[subset], n)


def marked(columns):
    return [AttributeCodes(np.array(marks), 2, is_marked=True) for marks in columns]


@given(tables(max_records=40, max_qids=3), st.data())
@examples(60)
def test_blocks_of_more_than_32_bits_are_counted(table, data):
    n = len(table[0][0])
    marks = st.lists(st.integers(0, 1), min_size=n, max_size=n)
    columns = data.draw(st.lists(marks, max_size=5))
    sensitive = [attribute(s) for s in table[1]] + marked(columns)
    assert_counted_heavy(numbered(table[0]), sensitive, Heavy.N)


@pytest.mark.parametrize("n", [1, 3, 5, 11, 33, 1023])
def test_the_most_records_that_a_table_may_have_are_counted(n):
    most = 2**40 - 1
    assert most == MOST_COUNTED
    assert most % n == 0
    rows = np.arange(n)
    qids = numbered([(rows % 7).tolist(), (rows % 2).tolist()])
    marks = marked([rows % 3 == 0, rows == 0, rows < 0, rows >= 0, rows % 2 == 0])
    assert_counted_heavy(qids, [attribute((rows % 4).tolist()), *marks], most // n)


def test_no_more_records_are_walked_than_weights_of_their_type_count():
    for n, error in (2**31, AssertionError), (2**31 - 1, ReachedError):
        values = Values(np.array([n, 0]))
        marks = Values(np.array([n, 0]), is_marked=True)
        with pytest.raises(error):
            next(
                walk_crossed(
                    Records([values], [marks], 1, reached), np.array([1]), Work()
                )
            )


class ReachedError(Exception):
    """Records are read."""


def reached(*_):
    raise ReachedError


@given(tables(max_records=60), st.integers(0, 60), st.integers(1, 3))
def test_the_same_is_counted_in_either_kind_of_numbers(table, most, n_parts):
    qids, sensitive = numbered(table[0]), [attribute(s) for s in table[1]]
    every = range(1 << len(qids))
    whole = dict(walk_subsets(in_memory(qids, sensitive), every, Work()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walking, "MOST_RECORDS", most)
        parts = [of_part(qids, sensitive, every, n, n_parts, 3) for n in range(n_parts)]
    assert_same(added(parts), whole)
