"""Partitions, their block profiles, and success by record (Nunes, Fig. 4.6, 4.10)."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log, log1p, log2

import numpy as np
from numpy.typing import NDArray

from microleak.base.arrays import Codes, Integers
from microleak.definitions.exact import kind_sums

CRITERIA = {"deterministic": "det", "probabilistic": "prob"}
"""How columns of each criterion end."""

LEAST_NAMED = 5
"""People who have a value, from which on it is named before those that fewer have,
and at all where an attribute has many values."""

SUCCESSES = {"det": "n_certain", "prob": "n_modal"}
"""The count whose share of the records is the posterior of each criterion."""


@dataclass(frozen=True)
class BlockProfile:
    """Blocks of a partition by the QIDs, counted by kind.

    One entry a kind of block: its size, the count of its most frequent
    sensitive value, its number of distinct sensitive values, how many blocks of
    that kind there are, and its choices: without a record that has the most
    frequent value so many values are the most frequent, if that value still is one
    of them, else 0. A missing value is a value like any other; which of several
    equally frequent values comes first does not matter. Of a group of values,
    `modal_count` is the number of members, from 0 (`group_inference`), and there
    are no choices.
    """

    block_size: Integers
    modal_count: Integers
    n_distinct: Integers
    n_blocks: Integers
    n_choices: Integers

    @property
    def n_records(self) -> int:
        """Size of the table, |D|."""
        return int(self.block_size @ self.n_blocks)

    @property
    def total_blocks(self) -> int:
        """Size of the partition, the number of its blocks."""
        return int(self.n_blocks.sum())

    @property
    def n_alone(self) -> int:
        """Records that are alone in their block."""
        return int(self.n_blocks[self.block_size == 1].sum())

    @property
    def total_modal(self) -> int:
        """Sum over the blocks of the count of the most frequent value."""
        return int(self.modal_count @ self.n_blocks)

    @property
    def n_certain(self) -> int:
        """Records of blocks with one sensitive value only."""
        is_certain = self.n_distinct == 1
        return int(self.block_size[is_certain] @ self.n_blocks[is_certain])


def identity_profile(profile: BlockProfile) -> BlockProfile:
    """Profile of the same blocks for the identity, which differs in all records.

    Re-identification is attribute inference of the identity: the most frequent
    value of a block occurs once, and there are as many values as records.
    """
    block_size, kind = np.unique(profile.block_size, return_inverse=True)
    n_blocks = kind_sums(kind, profile.n_blocks, len(block_size))
    one = np.ones_like(block_size)
    return BlockProfile(block_size, one, block_size, n_blocks, one - 1)


@dataclass(frozen=True)
class Vulnerability:
    """Success of an attack on a random target before and after, exactly.

    All are shares of the records in [0, 1], but for `degradation_prob`, a
    ratio of at least 1 (Nunes), and `additive_leakage`, a difference (Gonze). Entropies
    and min-entropy leakage are in bits, from 0. `n_largest` records have the
    `largest_success` of all.
    """

    n_records: int
    n_blocks: int
    n_certain: int
    n_modal: int
    n_largest: int
    prior_det: Fraction
    posterior_det: Fraction
    prior_prob: Fraction
    posterior_prob: Fraction
    largest_success: Fraction

    @property
    def min_entropy(self) -> float:
        """What the adversary does not know before (Nunes, Definition 36)."""
        return log2_of_ratio(1 / self.prior_prob)

    @property
    def conditional_min_entropy(self) -> float:
        """What it does not know after, on average (Nunes, Definition 38)."""
        return log2_of_ratio(1 / self.posterior_prob)

    @property
    def min_entropy_leakage(self) -> float:
        """Difference of the two, in bits (Nunes, Definition 5)."""
        return log2_of_ratio(self.degradation_prob)

    @property
    def degradation_det(self) -> Fraction:
        """Difference of the deterministic successes (Nunes, Eqs. 4.3, 4.10)."""
        return self.posterior_det - self.prior_det

    @property
    def degradation_prob(self) -> Fraction:
        """Ratio of the probabilistic successes (Nunes, Eqs. 4.6, 4.13)."""
        return self.posterior_prob / self.prior_prob

    @property
    def additive_leakage(self) -> Fraction:
        """Difference of the probabilistic successes (Gonze, Eq. 4)."""
        return self.posterior_prob - self.prior_prob


def log2_of_ratio(ratio: Fraction) -> float:
    """Return the logarithm to base 2 of a ratio of at least 1.

    It is exact for powers of 2, and as precise near 1 as elsewhere.

    >>> log2_of_ratio(Fraction(8)), log2_of_ratio(Fraction(10**12 + 1, 10**12)) * 10**12
    (3.0, 1.4426950408882422)
    """
    return log2(ratio) if ratio >= 2 else log1p(ratio - 1) / log(2)


def largest_success(profile: BlockProfile) -> tuple[Fraction, int]:
    """Return the largest individual success, and how many records have it.

    The individual success of a record is its block's modal count over its size.

    >>> sizes, modal, one = np.array([[4, 6, 3], [2, 4, 2], [1, 1, 1]])
    >>> largest_success(BlockProfile(sizes, modal, 2 * one, np.array([5, 1, 2]), one))
    (Fraction(2, 3), 12)
    """
    success = profile.modal_count / profile.block_size
    is_near = success == success.max()
    near = zip(profile.modal_count[is_near], profile.block_size[is_near], strict=True)
    largest = max(Fraction(int(modal), int(size)) for modal, size in near)
    # In lowest terms, as products of counts may not fit in 64 bits.
    common = np.gcd(profile.modal_count, profile.block_size)
    has_it = (profile.modal_count // common == largest.numerator) & (
        profile.block_size // common == largest.denominator
    )
    return largest, int(profile.block_size[has_it] @ profile.n_blocks[has_it])


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


EXACTLY_ONE = 100
"""The bin of the records whose success is certain."""


@dataclass(frozen=True)
class SuccessDistribution:
    """Records by their individual probabilistic success, ascending.

    The success of a record is `numerator / denominator`, in lowest terms: the
    modal count over the size of its block (for re-identification 1 over the
    size). `n_records` have it.
    """

    numerator: Integers
    denominator: Integers
    n_records: Integers


def success_distribution(profile: BlockProfile) -> SuccessDistribution:
    """Return the exact number of records at each value of individual success.

    Examples
    --------
    One block of 4 with 2 alike, one of 2 with 1 of each value, one of 1.

    >>> import numpy as np
    >>> sizes, modal, distinct, one = np.array(
    ...     [[4, 2, 1], [2, 1, 1], [2, 2, 1], [1, 1, 1]]
    ... )
    >>> blocks = BlockProfile(sizes, modal, distinct, one, 0 * one)
    >>> success_distribution(blocks)  # doctest: +NORMALIZE_WHITESPACE
    SuccessDistribution(numerator=array([1, 1]), denominator=array([2, 1]),
                        n_records=array([6, 1]))
    """
    n_records = profile.block_size * profile.n_blocks
    return records_by_chance(profile.modal_count, profile.block_size, n_records)


def records_by_chance(
    numerator: Integers, denominator: Integers, n_records: Integers
) -> SuccessDistribution:
    """Return the exact number of records at each of some chances.

    Parameters
    ----------
    numerator, denominator
        Of the chance of each kind of block, in any terms and order; the
        denominator from 1.
    n_records
        Records that have it.

    Examples
    --------
    >>> halves = np.array([2, 1]), np.array([4, 2])
    >>> records_by_chance(*halves, np.array([4, 2]))  # doctest: +NORMALIZE_WHITESPACE
    SuccessDistribution(numerator=array([1]), denominator=array([2]),
                        n_records=array([6]))
    """
    common = np.gcd(numerator, denominator)
    numerator, denominator = numerator // common, denominator // common
    order = np.lexsort((numerator, numerator / denominator))
    numerator, denominator = numerator[order], denominator[order]
    is_new = (np.diff(numerator) != 0) | (np.diff(denominator) != 0)
    first = np.flatnonzero(np.append(True, is_new))
    return SuccessDistribution(
        numerator[first], denominator[first], np.add.reduceat(n_records[order], first)
    )


def success_bin(numerator: Integers, denominator: Integers) -> Integers:
    """Return the bin of individual success, of 101.

    Bin b from 0 to 99 holds success in [b/100, (b+1)/100), bin 100 success of
    exactly 1. The bin is found by integer division, so that a success of
    29/100 is in bin 29.

    >>> success_bin(np.array([29, 1, 2]), np.array([100, 3, 2]))
    array([ 29,  33, 100])
    """
    return EXACTLY_ONE * numerator // denominator
