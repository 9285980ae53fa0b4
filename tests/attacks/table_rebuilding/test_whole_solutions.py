"""Whole numbers with bounded sums are counted as trying all of them does."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.table_rebuilding.kernels.whole_solutions import n_solutions

sums = st.lists(
    st.tuples(
        st.sets(st.integers(0, 3), min_size=1),
        st.integers(-2, 8),
        st.integers(0, 6) | st.just(1 << 60),
    ),
    min_size=1,
    max_size=5,
)


@given(
    sums,
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=4, max_size=4),
)
def test_all_ways_are_counted(given_, bounds):
    low = np.array([least for least, _ in bounds])
    high = low + [width for _, width in bounds]
    starts = np.cumsum([0, *(len(chosen) for chosen, _, _ in given_)])
    numbers = np.array([n for chosen, _, _ in given_ for n in sorted(chosen)])
    least_of = np.array([least for _, least, _ in given_])
    most_of = np.array([max(least + width, 0) for _, least, width in given_])
    before = low.copy(), high.copy()
    found = n_solutions((starts, numbers, least_of, most_of), low, high, 1000, 5000)
    every = itertools.product(
        *(range(a, b + 1) for a, b in zip(low, high, strict=True))
    )
    limits = [*zip((chosen for chosen, _, _ in given_), least_of, most_of, strict=True)]
    n = sum(
        all(
            least <= sum(each[i] for i in chosen) <= most
            for chosen, least, most in limits
        )
        for each in every
    )
    assert found == (n, True)
    assert (low == before[0]).all()
    assert (high == before[1]).all()


def test_the_search_ends_where_it_is_told():
    starts, numbers = np.array([0, 4]), np.arange(4)
    any_sum = np.array([0]), np.array([100])
    sums_ = starts, numbers, *any_sum
    low, high = np.zeros(4, dtype=np.int64), np.full(4, 9)
    n, is_all = n_solutions(sums_, low, high, 50, 10_000)
    assert (n, is_all) == (51, False)
    assert n_solutions(sums_, low, high, 10**6, 30)[1] is False
    assert n_solutions(sums_, low, high, 10**6, 10**6) == (10**4, True)
