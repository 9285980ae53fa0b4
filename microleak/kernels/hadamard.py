"""The fast Walsh-Hadamard transform."""

import numpy as np
from numba import njit

from microleak.kernels.subset_sums import Reals


def walsh_hadamard(values: Reals) -> Reals:
    """Return H @ values, with H[i, j] = (-1) ** (number of bits of i & j).

    Sylvester's order; H @ H is the length, which must be a power of two, times the
    identity. Exact of integers while sums of their sizes are below 2**53. Time
    O(n log n).

    >>> import numpy as np
    >>> walsh_hadamard(np.array([1.0, 0.0, 1.0, 0.0]))
    array([2., 2., 0., 0.])
    """
    assert len(values) & (len(values) - 1) == 0
    return np.asarray(_transform(values.copy()))


@njit(cache=True, nogil=True)
def _transform(values):
    step = 1
    while step < len(values):
        for start in range(0, len(values), 2 * step):
            for i in range(start, start + step):
                first, second = values[i], values[i + step]
                values[i] = first + second
                values[i + step] = first - second
        step *= 2
    return values
