"""Which shares counts become, and how many counts stand behind each."""

import numpy as np
import pandas as pd
import pytest

from microleak.disclosure.rounding import percent, step_of
from tests.attacks.mechanism.intervals import counts_of


@pytest.mark.parametrize("n", [1_000, 1_001, 1_999, 2_000, 5_003, 10_000, 48_176_423])
def test_at_least_fifty_counts_stand_behind_each_number(n):
    step = step_of(n)
    for number in range(0, 101, step):
        first, last = counts_of(number, n, step)
        assert last - first >= 49
        edges = percent(pd.Series([first, last]), n, step)
        assert set(edges) == {number}
        before, after = percent(pd.Series([first - 1, last + 1]), n, step)
        assert before < number or first == 0
        assert after > number or last == n


def test_neither_none_nor_all_is_told_from_up_to_nine():
    for n in (1_000, 4_999, 10_000):
        few, many = pd.Series(range(10)), pd.Series(range(n - 9, n + 1))
        assert set(percent(few, n, step_of(n))) == {0}
        assert set(percent(many, n, step_of(n))) == {100}


def test_counts_stay_whole_numbers_where_there_are_many():
    shares = percent(pd.Series(np.array([3 * 10**11], dtype="int64")), 10**12, 1)
    assert shares.tolist() == [30]


def test_each_count_may_have_records_and_a_step_of_its_own():
    sizes = pd.Series([1_000, 2_000, 48_176_423])
    steps = sizes.map(step_of)
    counts = pd.Series([349, 349, 24_088_211])
    each = [
        percent(pd.Series([count]), int(n), int(step))[0]
        for count, n, step in zip(counts, sizes, steps, strict=True)
    ]
    assert percent(counts, sizes, steps).tolist() == each == [30, 15, 50]
