"""Methods of protection against their plain definitions, on random columns."""

from collections import Counter
from fractions import Fraction
from math import floor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.base.errors import TableError
from microleak.protection import methods
from microleak.protection.methods import (
    DataColumn,
    Swapping,
    blocks_and_sizes,
    column_of,
    drawn_pairs,
    generator_of,
    kept_or_other,
    randomised_column,
    relabelled_column,
    rounded_text,
    sampled_records,
    swapped_column,
)

texts = st.one_of(st.none(), st.sampled_from(["", "a", "b", "c", "é"]))
columns = st.lists(texts, max_size=40)
tables = st.integers(1, 4).flatmap(
    lambda n: st.lists(st.tuples(*[st.integers(0, 3)] * n), max_size=40).map(
        lambda rows: [np.array([row[i] for row in rows], np.uint8) for i in range(n)]
    )
)
shares = st.fractions(0, 1, max_denominator=50)


def column(values):
    known = list(dict.fromkeys(values))
    codes = np.array([known.index(value) for value in values], dtype=np.uint8)
    return column_of(known, codes)


def read(found):
    return [found.values[code] for code in found.codes]


def rng(seed=1):
    return generator_of(seed, "test")


@given(columns)
def test_a_column_has_its_values_sorted_with_a_missing_one_first(values):
    found = column(values)
    assert read(found) == values
    assert found.values[0] is None
    assert list(found.values[1:]) == sorted({v for v in values if v is not None})
    expected = Counter(values)
    assert found.counts.tolist() == [expected[value] for value in found.values]


@given(columns)
def test_labels_are_given_value_by_value_and_only_values_in_use_are_asked(values):
    labels = {None: None, "": None, "a": "x", "b": "x", "c": "c", "é": "y"}
    asked = []

    def name(given):
        asked.extend(given)
        return [labels[value] for value in given]

    found = relabelled_column(column(values), name)
    assert read(found) == [labels[value] for value in values]
    assert sorted(asked, key=str) == sorted(set(values), key=str)
    again = relabelled_column(found, list)
    assert read(again) == read(found)


@given(st.decimals(-(10**9), 10**9, places=3), st.integers(1, 1000))
def test_a_number_becomes_the_nearest_multiple_and_a_half_the_upper_one(number, m):
    """What is none is refused without showing it."""
    found = int(rounded_text(str(number), m, "x"))
    assert found % m == 0
    difference = found - Fraction(number)
    assert -Fraction(m, 2) < difference <= Fraction(m, 2)
    with pytest.raises(TableError, match=r"income has values that are no numbers") as e:
        rounded_text("canary", m, "income")
    assert "canary" not in str(e.value)


class Drawing:
    """A generator that gives stated numbers in turn."""

    def __init__(self, numbers):
        self.numbers = list(numbers)

    def integers(self, total, size, dtype):
        assert all(n < total for n in self.numbers)
        drawn, self.numbers = self.numbers[:size], self.numbers[size:]
        return np.array(drawn, dtype)


@given(st.lists(texts, min_size=1, max_size=1), st.sets(texts, max_size=4), shares)
def test_of_all_that_can_be_drawn_each_value_has_exactly_its_chance(one, more, keep):
    """Every number below the common denominator once, for one true value."""
    known = [*{*one, *more}]
    if len(known) < 2 or keep == 1:
        return
    total = keep.denominator * (len(known) - 1)
    given = column(one * total + known)
    drawn = [*range(total), *[0] * len(known)]
    found = read(kept_or_other(given, keep, Drawing(drawn), "x"))[:total]
    other = (1 - keep) / (len(known) - 1)
    expected = {v: total * (keep if v == one[0] else other) for v in known}
    assert Counter(found) == {v: n for v, n in expected.items() if n}


def test_a_matrix_is_drawn_by_exactly_and_values_without_a_line_stay():
    third, half = Fraction(1, 3), Fraction(1, 2)
    chances = {
        "a": {"a": third, "b": third, None: third},
        None: {"d": half, None: half},
    }
    given = column(["a"] * 6 + [None] * 6 + ["c"] * 6)
    found = read(randomised_column(given, chances, Drawing([*range(6)] * 3), "x"))
    assert Counter(found[:6]) == {"a": 2, "b": 2, None: 2}
    assert Counter(found[6:12]) == {"d": 3, None: 3}
    assert found[12:] == ["c"] * 6


def test_a_matrix_of_other_values_than_there_are_is_refused():
    one = {"1": {"1": Fraction(1, 2), "2": Fraction(1, 2)}}
    said = (
        r"^x: no line of its matrix is of a value that records have at this step, so "
        r"that nothing would change. Write values as they are then \(01 is not 1\), or "
        r"remove it from randomise\.$"
    )
    with pytest.raises(TableError, match=said):
        randomised_column(column(["01", "02"]), one, rng(), "x")
    gone = DataColumn((None, "01", "1"), column(["01", "02"]).codes[:1])
    with pytest.raises(TableError, match=said):
        randomised_column(gone, one, rng(), "x")
    assert read(randomised_column(column([]), one, rng(), "x")) == []


def test_one_value_and_a_sure_one_are_not_exchanged():
    alone, two = column(["a"] * 5), column(["a", "b"] * 3)
    assert read(kept_or_other(alone, Fraction(0), rng(), "x")) == ["a"] * 5
    assert read(kept_or_other(two, Fraction(1), rng(), "x")) == ["a", "b"] * 3
    assert read(kept_or_other(two, Fraction(0), rng(), "x")) == ["b", "a"] * 3


def test_chances_with_too_many_digits_are_refused():
    small = Fraction(1, 10**15 - 1)
    chances = {"a": 1 - small, "b": small - small / 10**12, "c": small / 10**12}
    with pytest.raises(TableError, match=r"x: its chances have too many digits"):
        randomised_column(column(["a"]), {"a": chances}, rng(), "x")


@given(st.integers(0, 60), shares, st.integers(0, 9))
def test_a_sample_has_exactly_its_share_of_the_records_rounded(n, rate, seed):
    found = sampled_records(n, rate, rng(seed))
    assert found.sum() == floor(rate * n + Fraction(1, 2))
    assert (found == sampled_records(n, rate, rng(seed))).all()


def test_every_sample_is_as_likely():
    """Of 4 records 2: the six samples come about equally often."""
    found = Counter(
        tuple(sampled_records(4, Fraction(1, 2), rng(i))) for i in range(6000)
    )
    assert len(found) == 6
    assert all(800 < times < 1200 for times in found.values())


@given(tables, shares, st.integers(0, 9), st.booleans())
def test_pairs_are_within_groups_and_each_record_is_in_one(codes, rate, seed, is_told):
    n = len(codes[0])
    within = codes[:1]
    target = codes[1:] if is_told else []
    first, second = drawn_pairs(n, Swapping(rate, within, target), rng(seed))
    paired = [*first.tolist(), *second.tolist()]
    assert len({*paired}) == len(paired)
    assert (within[0][first] == within[0][second]).all()
    # So many are chosen; whoever is left over has one partner more, or none.
    n_chosen = floor(rate * n + Fraction(1, 2))
    n_groups = len({*within[0].tolist()})
    assert abs(len(paired) - n_chosen) <= n_groups
    assert len(paired) % 2 == 0
    if rate == 1:
        sizes = Counter(within[0].tolist())
        assert len(paired) == sum(size - size % 2 for size in sizes.values())


@given(tables, st.integers(0, 9))
def test_who_is_alone_by_the_target_is_chosen_first(codes, seed):
    rows = list(zip(*(c.tolist() for c in codes), strict=True))
    alone = {i for i, row in enumerate(rows) if rows.count(row) == 1}
    rate = Fraction(len(alone), max(1, len(rows)))
    first, second = drawn_pairs(len(rows), Swapping(rate, [], codes), rng(seed))
    paired = {*first.tolist(), *second.tolist()}
    if len(alone) % 2 == 0 or len(alone) < len(rows):
        assert alone <= paired
    assert len(paired - alone) <= 1


@given(columns, st.integers(0, 9))
def test_swapping_exchanges_values_and_changes_no_count(values, seed):
    given = column(values)
    first, second = drawn_pairs(len(values), Swapping(Fraction(1, 2)), rng(seed))
    found = swapped_column(given, first, second)
    expected = list(values)
    for a, b in zip(first.tolist(), second.tolist(), strict=True):
        expected[a], expected[b] = expected[b], expected[a]
    assert read(found) == expected


@given(tables)
def test_blocks_are_those_of_equal_records_in_the_order_of_codes(codes):
    rows = list(zip(*(c.tolist() for c in codes), strict=True))
    ids, sizes = blocks_and_sizes(codes)
    different = sorted({*rows})
    assert ids.tolist() == [different.index(row) for row in rows]
    assert sizes.tolist() == [rows.count(row) for row in different]


def test_blocks_of_many_values_are_the_same_however_they_are_numbered(monkeypatch):
    codes = [np.arange(50, dtype=np.uint32) * 10**8 % 7 for _ in range(3)]
    expected = [each.tolist() for each in blocks_and_sizes(codes)]
    monkeypatch.setattr(methods, "MOST_COUNTED", 1)
    assert [each.tolist() for each in blocks_and_sizes(codes)] == expected
    wide = [np.arange(50, dtype=np.uint32) * 80_000_000] * 3
    assert blocks_and_sizes(wide)[0].tolist() == list(range(50))


@pytest.mark.parametrize("at_once", [1, 7, 1 << 20])
def test_how_many_are_drawn_for_at_once_changes_nothing(at_once, monkeypatch):
    values = [*"abcab", None] * 500
    given = column(values)
    chances = {"a": {"b": Fraction(1, 3), "a": Fraction(2, 3)}}

    def drawn():
        by_matrix = randomised_column(given, chances, rng(), "x")
        return read(kept_or_other(given, Fraction(1, 3), rng(), "x")), read(by_matrix)

    expected = drawn()
    monkeypatch.setattr(methods, "AT_ONCE", at_once)
    assert drawn() == expected


def test_seed_name_step_and_attribute_each_give_other_draws():
    places = [(1, "a", 1, "x"), (2, "a", 1, "x"), (1, "b", 1, "x"), (1, "a", 2, "x")]
    drawn = {int(generator_of(*p).bit_generator.random_raw()) for p in places}
    assert len(drawn) == 4
