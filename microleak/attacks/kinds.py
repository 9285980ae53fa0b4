"""Numbers of one kind taken together: where they begin, what they add up to."""

import numpy as np

from microleak.attacks.profile import Counts


def run_starts(values: Counts) -> Counts:
    """Return where each run of equal values begins; nothing for no values.

    >>> run_starts(np.array([4, 4, 7, 9, 9]))
    array([0, 2, 3])
    """
    is_new = np.ones(len(values), dtype=bool)
    is_new[1:] = values[1:] != values[:-1]
    return np.flatnonzero(is_new)


def sums(kind: Counts, counts: Counts, n_kinds: int) -> Counts:
    """Return the sum of the counts of each kind, 0 of one that does not occur.

    Kinds are numbered from 0; sums must be below 2**63.

    >>> sums(np.array([2, 0, 2]), np.array([5, 1, 2]), 4)
    array([1, 0, 7, 0])
    """
    totals = np.zeros(n_kinds, dtype=np.int64)
    np.add.at(totals, kind, counts)
    return totals
