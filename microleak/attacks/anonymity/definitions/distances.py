"""t-closeness: how far a block's sensitive values are from the table's.

Li, Li and Venkatasubramanian 2007: t is the largest earth mover's distance of a
block's distribution P and the table's Q, with one of two distances of values. A
missing value is a value like any other; in an order, its code says where it is.
"""

from fractions import Fraction

import numpy as np

from microleak.attacks.anonymity.definitions.value_counts import (
    Grouped,
    ValueCounts,
    by_value,
)
from microleak.definitions.exact import largest, sums
from microleak.definitions.profile import Counts


def t_equal(counts: ValueCounts) -> Fraction:
    """Least t of which the table is t-close, all values equally far apart.

    The largest sum over values of |p - q| / 2, which is the sum of p - q over those
    more frequent in the block (their equal distance). In [0, 1[.

    Examples
    --------
    Two of three records have the first value; a block has only these.

    >>> t_equal(ValueCounts(*np.array([[0, 1], [0, 1], [2, 1]])))
    Fraction(2, 3)
    """
    blocks, n_records = by_value(counts), counts.n_records
    rank, total = _totals(blocks)
    in_table = total[rank]
    # Both products are below 2**62.
    is_more = blocks.count * n_records > in_table * blocks.spread(blocks.block_size)
    more_p = blocks.total(np.where(is_more, blocks.count, 0))
    more_q = blocks.total(np.where(is_more, in_table, 0))
    return _largest_difference(blocks, more_p, more_q, n_records)


def t_ordered(counts: ValueCounts) -> Fraction:
    """Least t of which the table is t-close, values as far apart as their ranks.

    The largest sum over ranks i of |P_i - Q_i| / (m - 1), where P_i and Q_i are the
    shares up to the i-th of m values (their ordered distance). Ranks are those of
    the values that occur in the table. In [0, 1[; 0 if there is one value only.

    Examples
    --------
    The paper's incomes, 3k to 11k, and a block of the three least.

    >>> block = np.array([0, 0, 0, 1, 1, 1, 1, 1, 1])
    >>> t_ordered(ValueCounts(block, np.arange(9), np.ones(9, dtype=int)))
    Fraction(3, 8)
    """
    blocks, n_records = by_value(counts), counts.n_records
    rank, total = _totals(blocks)
    if len(total) == 1:
        return Fraction(0)
    p, q = _areas(blocks, rank, total)
    return _largest_difference(blocks, p, q, n_records) / (len(total) - 1)


def _totals(blocks: Grouped) -> tuple[Counts, Counts]:
    """Return the rank of each entry's value, and the table's records by rank."""
    total = sums(blocks.value, blocks.count, int(blocks.value.max()) + 1)
    rank = np.cumsum(total > 0) - 1
    return rank[blocks.value], total[total > 0]


def _areas(blocks: Grouped, rank: Counts, total: Counts) -> tuple[Counts, Counts]:
    """Return p and q of each block, so that p / size - q / n = sum |P_i - Q_i|.

    P_i is the same from the rank of one of the block's values to that before its
    next, Q_i ascends: it is below P_i up to some rank, and above from there on.
    Ranks before the block's first value have P_i = 0, which adds all of Q_i.
    """
    up_to = np.cumsum(total)
    area = np.append(0, np.cumsum(up_to))
    in_block = _running(blocks, blocks.count)
    begin, end = rank, np.append(rank[1:], len(total))
    end[blocks.first[1:] - 1] = len(total)
    level = in_block * up_to[-1] // blocks.spread(blocks.block_size)
    turn = np.clip(np.searchsorted(up_to, level, side="right"), begin, end)
    p = blocks.total(in_block * (2 * turn - begin - end))
    q = blocks.total(2 * area[turn] - area[begin] - area[end])
    return p, q - area[rank[blocks.first]]


def _running(blocks: Grouped, entries: Counts) -> Counts:
    """Return the sums of entries of a block up to each."""
    sums = np.cumsum(entries)
    return sums - blocks.spread(sums[blocks.first] - entries[blocks.first])


def _largest_difference(blocks: Grouped, p: Counts, q: Counts, n: int) -> Fraction:
    return largest((p, blocks.block_size), (-q, np.full_like(q, n)))
