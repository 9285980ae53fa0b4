"""Random tables for property tests: missing values, few or many distinct ones."""

import numpy as np
from hypothesis import strategies as st

from microleak.kernels.records import AttributeCodes

values = st.one_of(st.none(), st.integers(0, 3))
"""Few values, so that blocks form; None is a missing value."""


@st.composite
def tables(draw, max_qids=4, max_sensitive=2, max_records=30):
    """QID columns and sensitive columns of one to `max_records` records."""
    n = draw(st.integers(1, max_records))
    kinds = st.sampled_from(["few", "equal", "distinct", "many"])

    def column():
        kind = draw(kinds)
        if kind == "equal":
            return [draw(values)] * n
        if kind == "distinct":
            return draw(st.permutations(range(n)))
        spread = values if kind == "few" else st.integers(0, 5000)
        return draw(st.lists(spread, min_size=n, max_size=n))

    qids = [column() for _ in range(draw(st.integers(1, max_qids)))]
    return qids, [column() for _ in range(draw(st.integers(0, max_sensitive)))]


def attribute(column):
    """Codes of a column; a missing value has a code of its own."""
    known = {value: code for code, value in enumerate(dict.fromkeys(column))}
    return AttributeCodes(np.array([known[value] for value in column]), len(known))


def records(qids, subset):
    chosen = [q for i, q in enumerate(qids) if subset >> i & 1]
    return [tuple(q[row] for q in chosen) for row in range(len(qids[0]))]
