"""How evenly values divide the records: entropy, and the size of blocks.

Gonze (section 4.3) asks whether the entropy of the sensitive attribute explains
the leakage of states, and leaves the joint distribution of the QIDs to others.
"""

from fractions import Fraction
from math import fsum, log2

import numpy as np

from microleak.definitions.profile import Counts


def shannon_entropy(sizes: Counts, n_blocks: Counts) -> float:
    """Return the entropy of a random record's block, in bits.

    H = sum over blocks of (s / n) log2(n / s) = log2(n) - sum of s log2(s) / n, for
    blocks of s of n records (Shannon 1948). The first form has no difference, so
    that it is never negative, and 0 for a single block.

    Parameters
    ----------
    sizes
        Records of a block, from 1, of each kind of blocks; at least one kind, in
        any order, and several may be of one size. A missing value has its block,
        as any value has.
    n_blocks
        Blocks of each kind.

    Returns
    -------
    float
        From 0 to log2(n). The sum is rounded once, so that neither the order of
        the kinds nor how they are cut changes it.

    Examples
    --------
    Of four records two are alike: half of them have 1/2, a quarter each has 1/4.

    >>> shannon_entropy(np.array([2, 1]), np.array([1, 2]))
    1.5
    """
    each, kind = np.unique(sizes, return_inverse=True)
    times = np.zeros_like(each)
    np.add.at(times, kind, n_blocks)
    n = int(sizes @ n_blocks)
    both = zip(each.tolist(), times.tolist(), strict=True)
    return fsum(size * count * log2(n / size) for size, count in both) / n


def mean_block_size(sizes: Counts, n_blocks: Counts) -> Fraction:
    """Return the records of a random block: all records over all blocks.

    Parameters are those of `shannon_entropy`.

    >>> mean_block_size(np.array([2, 1]), np.array([1, 2]))
    Fraction(4, 3)
    """
    return Fraction(int(sizes @ n_blocks), int(n_blocks.sum()))


def expected_block_size(sizes: Counts, n_blocks: Counts) -> Fraction:
    """Return the expected records of a random record's block: sum of s² over n.

    At least the mean block size, and the same only if all blocks are as large.
    Parameters are those of `shannon_entropy`, of less than 2**31 records.

    >>> expected_block_size(np.array([2, 1]), np.array([1, 2]))
    Fraction(3, 2)
    """
    return Fraction(int(sizes**2 @ n_blocks), int(sizes @ n_blocks))
