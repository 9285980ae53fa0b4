"""l-diversity: how varied a block's sensitive values are (Machanavajjhala et al. 2007).

Each l is that of the least diverse block. A missing value is a value like any
other.
"""

from fractions import Fraction
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.anonymity.definitions.value_counts import ValueCounts, by_count
from microleak.definitions.exact import largest
from microleak.definitions.profile import BlockProfile, Counts


def distinct_l(profile: BlockProfile) -> int:
    """Return the least number of distinct sensitive values of a block (Google).

    >>> distinct_l(BlockProfile(*np.array([[3, 2], [2, 1], [2, 2], [1, 1]])))
    2
    """
    return int(profile.n_distinct.min())


def entropy_l(counts: ValueCounts) -> float:
    """Largest l of which the table is entropy l-diverse (their Definition 4.1).

    Each block's entropy must be at least log l; l is the exponential of the least
    entropy, from 1 to the distinct l. It is the same for logarithms of any base.

    >>> entropy_l(ValueCounts(*np.array([[0, 0, 1, 1], [0, 1, 0, 1], [5, 5, 1, 1]])))
    2.0
    """
    return exp(float(block_entropies(counts).min()))


def block_entropies(counts: ValueCounts) -> NDArray[np.float64]:
    """Shannon entropy of the sensitive value in each block, in nats.

    The sum of (c/s) log(s/c) over values that c of s records have, the most
    frequent first, so that the order of records and of values does not change it;
    0 of one value. In ascending order of the blocks' numbers.
    """
    blocks = by_count(counts)
    log_size = np.repeat(_logarithms(blocks.block_size), blocks.n_values)
    terms = blocks.count * (log_size - _logarithms(blocks.count))
    return np.asarray(np.add.reduceat(terms, blocks.first) / blocks.block_size)


def recursive_c(counts: ValueCounts, l_values: int) -> Fraction | None:
    """Bound of the c of which the table is recursively (c, l)-diverse (Def. 4.2).

    A block is if r1 < c (r_l + ... + r_m), where r_i is the count of its i-th most
    frequent value. Returned is the largest r1 / (r_l + ... + r_m) of a block: every
    c above it will do, itself and those below will not. None if none will, as a
    block has fewer than l values.

    Parameters
    ----------
    counts
        The table of blocks by values.
    l_values
        The l, from 2; all blocks are 1-diverse by definition.

    Examples
    --------
    A block whose values occur 5, 3 and 1 times, and one of 2 and 2.

    >>> blocks = [0, 0, 0, 1, 1], [0, 1, 2, 0, 1], [5, 3, 1, 2, 2]
    >>> counts = ValueCounts(*np.array(blocks))
    >>> recursive_c(counts, 2), recursive_c(counts, 3)
    (Fraction(5, 4), None)
    """
    blocks = by_count(counts)
    if blocks.n_values.min() < l_values:
        return None
    rest = blocks.total(np.where(blocks.place >= l_values - 1, blocks.count, 0))
    return largest((blocks.count[blocks.first], rest))


def _logarithms(counts: Counts) -> NDArray[np.float64]:
    """Natural logarithms, the same on every processor, unlike NumPy's."""
    each, kind = np.unique(counts, return_inverse=True)
    return np.array([log(count) for count in each.tolist()])[kind]
