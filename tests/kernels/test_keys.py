"""How many sensitive attributes a key holds."""

import numpy as np
import pytest

from microleak.kernels.keys import turns_of
from microleak.kernels.records import Values


def values(n, is_marked=False):
    return Values(np.ones(n, dtype=np.int64), is_marked)


@pytest.mark.parametrize(
    ("sensitive", "turns"),
    [
        ([values(2, True)] * 4, [range(4)]),
        ([values(2, True)] * 5, [range(4), range(4, 5)]),
        ([values(2, True)] * 9, [range(4), range(4, 8), range(8, 9)]),
        ([values(2)] * 6, [range(6)]),
        ([values(1 << 16)] * 2, [range(2)]),
        ([values(1 << 16), values((1 << 16) + 1)], [range(1), range(1, 2)]),
        ([values(2), *[values(2, True)] * 5], [range(5), range(5, 6)]),
        ([], [range(0)]),
    ],
)
def test_sensitive_attributes_are_cut_into_turns_that_fit_a_key(sensitive, turns):
    assert turns_of(sensitive) == turns
