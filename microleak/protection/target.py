"""What local suppression is for: what each block has, but for records left alone."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from microleak.base.arrays import Codes, Integers, Mask
from microleak.protection.rows import Groups, Rows, grouped_rows

MOST_PAIRS = 1 << 26
"""Pairs of group and value up to which those there are marked rather than sorted."""


@dataclass(frozen=True)
class BlockTarget:
    """What each block has."""

    k: int = 1  # Records that it has at least
    l: int = 1  # noqa: E741, as the field calls it
    n_exempt: int = 0  # How many records need not be in such a block, at most

    def is_met(self, groups: Groups, n: Integers, values: Sequence[Codes] = ()) -> Mask:
        """Return which groups could be blocks, shape (n_groups,)."""
        if self.l > 1:
            return has_values(groups, values, self.l)
        is_large: Mask = groups.sums(n) >= self.k
        return is_large

    def is_met_by(self, rows: Rows) -> Mask:
        """Return by row whether its block is one already."""
        if self.l == 1:
            is_large: Mask = rows.counts >= self.k
            return is_large
        groups = grouped_rows(rows.words)
        is_mixed: Mask = has_values(groups, rows.values, self.l)[groups.each]
        return is_mixed


def has_values(groups: Groups, values: Sequence[Codes], n: int) -> Mask:
    """Return which groups have n different values or more in each column.

    The columns may be of the first rows only; others have no values then.
    """
    found: Mask = np.ones(groups.n, dtype=np.bool_)
    for column in values:
        found &= n_values(groups.each[: len(column)], column, groups.n) >= n
    return found


def n_values(groups: Integers, values: Codes, n_groups: int) -> Integers:
    """Return how many different values each group has.

    >>> n_values(np.array([0, 0, 0, 1]), np.array([3, 1, 3, 3]), 3).tolist()
    [2, 1, 0]
    """
    width = int(values.max(initial=0)) + 1
    return np.bincount(group_value_pairs(groups, values) // width, minlength=n_groups)


def group_value_pairs(groups: Integers, values: Codes) -> NDArray[np.int64]:
    """Return pairs of group and value, each once, as whole numbers in their order."""
    width = int(values.max(initial=0)) + 1
    keys = groups * width + values
    if not len(keys) or (int(groups.max()) + 1) * width > MOST_PAIRS:
        return np.unique(keys)
    is_there = np.zeros((int(groups.max()) + 1) * width, dtype=np.bool_)
    is_there[keys] = True
    return np.flatnonzero(is_there)
