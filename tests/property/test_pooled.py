"""Where the release is a QID, the profile of a pool is the sum of its parts'."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from microleak.kernels.records import AttributeCodes
from microleak.records.profile_file import profiles_of
from tests.walking import walked

N_VALUES = 3
value = st.integers(0, N_VALUES - 1)
rows = st.lists(st.tuples(value, value, value), min_size=1, max_size=12)
parts = st.lists(rows, min_size=2, max_size=4)
KINDS = ("block_size", "modal_count", "n_distinct", "n_blocks")


def kinds(given_rows, subset, releases=None):
    """How many blocks there are of each size, modal count and number of values."""
    columns = np.array(given_rows).T
    attributes = [AttributeCodes(c, N_VALUES) for c in columns]
    qids = attributes[:2]
    if releases is not None:
        qids.append(AttributeCodes(np.array(releases), max(releases) + 1))
        subset |= 0b100
    profile = profiles_of(walked(qids, [attributes[2]], [subset])[subset])[0]
    *which, n_blocks = (getattr(profile, name).tolist() for name in KINDS)
    found = Counter()
    for kind, n in zip(zip(*which, strict=True), n_blocks, strict=True):
        found[kind] += n
    return found


@given(parts, st.integers(0, 0b11))
def test_the_profile_with_the_release_is_the_sum_of_the_profiles(parts, subset):
    pooled = [row for part in parts for row in part]
    releases = [i for i, part in enumerate(parts) for _ in part]
    apart = sum((kinds(part, subset) for part in parts), Counter())
    assert kinds(pooled, subset, releases) == apart
