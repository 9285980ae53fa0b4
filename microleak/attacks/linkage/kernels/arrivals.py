"""How many arrive in a group, by itself and by each of its records."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

LEAST = 1e-12
"""Least arrivals expected of a group, and least chance, so that none is impossible."""


@njit(cache=True, nogil=True)
def streams(
    n_groups: NDArray[np.int64],
    sizes: NDArray[np.int64],
    arrived: NDArray[np.number],
    n_rounds: int,
) -> tuple[float, float]:
    """Return arrivals a group and a record that are most likely, by EM.

    Arrivals are Poisson, of mean `a + b n` in a group of n records: a sum of two
    streams, of which each round says what part is of either (Dempster, Laird and Rubin
    1977).

    Parameters
    ----------
    n_groups, sizes, arrived
        Groups of each size, the sizes, and how many arrived in all of them.
    n_rounds
        Rounds from a = b = 1 on.

    Examples
    --------
    Groups of one and of three records, in which two and five arrive on average.

    >>> a, b = streams(np.array([5, 5]), np.array([1, 3]), np.array([10., 25.]), 1000)
    >>> round(a, 6), round(b, 6)
    (0.5, 1.5)
    """
    a_group = a_record = 1.0
    all_groups, all_records = n_groups.sum(), (n_groups * sizes).sum()
    for _ in range(n_rounds):
        of_groups = of_records = 0.0
        for place in range(len(sizes)):
            expected = max(a_group + a_record * sizes[place], LEAST)
            part = arrived[place] / expected
            of_groups += part
            of_records += part * sizes[place]
        a_group *= of_groups / all_groups
        a_record *= of_records / all_records
    return a_group, a_record
