"""Partitions of records and the distributions an adversary derives from them."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from microleak.kernels.records import Codes

BlockIds = NDArray[np.int64]
"""Block of each record, shape (n_records,), numbered from 0 in order of values."""


def partition(attributes: Sequence[Codes]) -> BlockIds:
    """Return the block of each record: equal in all attributes (Nunes, Def. 11).

    A missing value must have a code of its own and is equal to itself.

    >>> partition([np.array([1, 0, 1, 1]), np.array([0, 0, 0, 1])])
    array([1, 0, 1, 2])
    """
    rows = np.stack(attributes, axis=1)
    return np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)


def marginal_distribution(attributes: Sequence[Codes]) -> list[Fraction]:
    """Return the probability of each block, in order of values (Nunes, Eq. 3.2).

    Its last printed form is too large by the number of records; this is the
    first: records of the block over all records.

    >>> marginal_distribution([np.array([1, 0, 1, 1])])
    [Fraction(1, 4), Fraction(3, 4)]
    """
    sizes = np.bincount(partition(attributes))
    return [Fraction(int(size), int(sizes.sum())) for size in sizes]
