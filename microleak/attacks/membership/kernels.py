"""How much lists of a collection have in common with one that is asked for."""

from numba import njit

from microleak.base.arrays import Integers


@njit(cache=True, nogil=True)
def add_common(common: Integers, members: Integers, n: Integers, most: int) -> None:
    """Add to what members have in common what each has of one thing, up to the most.

    >>> import numpy as np
    >>> common = np.zeros(3, dtype=np.int64)
    >>> add_common(common, np.array([0, 2]), np.array([5, 1]), 2)
    >>> common.tolist()
    [2, 0, 1]
    """
    for place in range(len(members)):
        common[members[place]] += min(n[place], most)
