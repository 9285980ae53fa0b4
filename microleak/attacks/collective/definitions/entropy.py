"""How evenly values divide the records, and what that explains (Gonze, 4.3).

Gonze (section
4.3) asks whether the entropy of the sensitive attribute explains the leakage of
states, and leaves the joint distribution of the QIDs to others.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import starmap
from math import copysign, fsum, log2, sqrt
from operator import mul

import numpy as np

from microleak.base.arrays import Integers
from microleak.definitions.exact import LOW_BITS, kind_sums, upper_and_lower


def shannon_entropy(sizes: Integers, n_blocks: Integers) -> float:
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
    times = kind_sums(kind, n_blocks, len(each))
    n = int(sizes @ n_blocks)
    both = zip(each.tolist(), times.tolist(), strict=True)
    return fsum(size * count * log2(n / size) for size, count in both) / n


def mean_block_size(sizes: Integers, n_blocks: Integers) -> Fraction:
    """Return the records of a random block: all records over all blocks.

    Parameters are those of `shannon_entropy`.

    >>> mean_block_size(np.array([2, 1]), np.array([1, 2]))
    Fraction(4, 3)
    """
    return Fraction(int(sizes @ n_blocks), int(n_blocks.sum()))


def expected_block_size(sizes: Integers, n_blocks: Integers) -> Fraction:
    """Return the expected records of a random record's block: sum of s² over n.

    At least the mean block size, and the same only if all blocks are as large.
    Parameters are those of `shannon_entropy`, of less than 2**40 records.

    >>> expected_block_size(np.array([2, 1]), np.array([1, 2]))
    Fraction(3, 2)
    """
    n_records = sizes * n_blocks
    high, low = (int(half @ n_records) for half in upper_and_lower(sizes))
    return Fraction((high << LOW_BITS) + low, int(n_records.sum()))


StateQuantities = Sequence[Fraction]
"""A quantity of each state, in one order of the states for all quantities."""

FractionMatrix = list[list[Fraction]]


def correlation(one: StateQuantities, other: StateQuantities) -> float | None:
    """Return Pearson's correlation of two quantities, in [-1, 1].

    Exact up to its square, with one division and one root at the end. None, as it
    says nothing, of fewer than three states or where a quantity does not vary.

    >>> correlation([Fraction(x) for x in (1, 2, 3)], [Fraction(y) for y in (6, 4, 2)])
    -1.0
    """
    (own, both), (_, others) = _covariation([one, other])
    if len(one) < 3 or not own or not others:
        return None
    return copysign(sqrt(both * both / (own * others)), both)


def r_squared(
    explanations: Sequence[StateQuantities], explained: StateQuantities
) -> Fraction | None:
    """Return the share of a quantity's variance that others explain together.

    That of the linear fit by least squares with a constant, in [0, 1]; of one
    explanation the square of the correlation. None where it is undefined or says
    nothing: if there are not at least two states more than explanations, the
    quantity does not vary, or an explanation follows from the others.

    Notes
    -----
    Gaussian elimination of the explanations from the sums of squares and products
    leaves what they do not explain. These sums have no negative eigenvalue: a
    pivot is zero only if the explanation follows from those before it.
    """
    n_explanations = len(explanations)
    left = _covariation([*explanations, explained])
    variation = left[-1][-1]
    if len(explained) <= n_explanations + 1 or not variation:
        return None
    for pivot in range(n_explanations):
        if not left[pivot][pivot]:
            return None
        left = _eliminated(left, pivot)
    return 1 - left[-1][-1] / variation


def adjusted(share: Fraction, n_states: int, n_explanations: int) -> Fraction:
    """Return R² less what chance explains: 1 - (1 - R²)(n - 1)/(n - p - 1).

    At most R², and below 0 if worse than chance. `n_states` is at least two more
    than `n_explanations`.

    >>> adjusted(Fraction(1, 2), 5, 1)
    Fraction(1, 3)
    """
    return 1 - (1 - share) * Fraction(n_states - 1, n_states - n_explanations - 1)


def _covariation(quantities: Sequence[StateQuantities]) -> FractionMatrix:
    """Return the sums of products of each two quantities' deviations."""
    apart = [[x - Fraction(sum(q), len(q)) for x in q] for q in quantities]
    return [
        [Fraction(sum(starmap(mul, zip(a, b, strict=True)))) for b in apart]
        for a in apart
    ]


def _eliminated(matrix: FractionMatrix, pivot: int) -> FractionMatrix:
    """Subtract the pivot's row from those below, so that its column is zero there."""
    first = matrix[pivot]
    below = [
        [x - row[pivot] / first[pivot] * y for x, y in zip(row, first, strict=True)]
        for row in matrix[pivot + 1 :]
    ]
    return [*matrix[: pivot + 1], *below]
