"""What blocks give to groups that lack records, beside a plain loop over records."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from microleak.kernels.crowds import n_given

ROWS = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(0, 4)), max_size=30
)


@given(
    ROWS,
    st.lists(st.integers(1, 9), min_size=4, max_size=4),
    st.integers(1, 5),
    st.lists(st.integers(0, 5), min_size=3, max_size=3),
)
def test_rows_give_one_record_after_the_other(rows, size, k, needed):
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
