"""Sensitive values within blocks: l-diversity, t-closeness, and Google's histogram.

l-diversity: how varied a block's sensitive values are (Machanavajjhala et al. 2007).
Each l is that of the least diverse block. A missing value is a value like any other.

t-closeness: how far a block's sensitive values are from the table's. Li, Li and
Venkatasubramanian 2007: t is the largest earth mover's distance of a block's
distribution P and the table's Q, with one of two distances of values. A missing
value is a value like any other; in an order, its code says where it is.

Histograms of blocks as Google's risk analysis gives them. A bucket has bounds of a
value and what lies within: of k-anonymity the block size and the number of blocks
(`equivalenceClassSizeLowerBound` and `...UpperBound`, `bucketSize`), of l-diversity
the number of sensitive values and of blocks (`sensitiveValueFrequencyLowerBound`),
but of k-map the size in the population and the number of the sample's *records*
(`minAnonymity`). Both counts stand here. The chances of delta-presence are in
`membership`'s definitions. Google does not say how it chooses the bounds; ours are
fixed, so that tables can be compared.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.anonymity.definitions.k_anonymity import BlockSizes
from microleak.base.arrays import Codes, Integers
from microleak.definitions.exact import kind_sums, largest_sum, run_starts
from microleak.definitions.overlap import Overlap
from microleak.definitions.profile import BlockIds, BlockProfile


@dataclass(frozen=True)
class ValueCounts:
    """The table of blocks by sensitive values, without its zeros.

    One entry a block and a value that occurs in it, in any order, each pair once;
    at least one. A missing value has a code of its own.
    """

    block: Integers
    """Number of the block, of any numbers."""
    value: Integers
    """Code of the value, from 0; where values have an order, codes have it too."""
    count: Integers
    """Records of the block with the value, from 1; below 2**31 together."""

    @property
    def n_records(self) -> int:
        """Records of all blocks."""
        return int(self.count.sum())


@dataclass(frozen=True)
class Grouped:
    """Entries of which those of a block follow each other."""

    value: Integers
    count: Integers
    """As in `ValueCounts`."""
    first: Integers
    """Where the entries of each block begin."""

    @property
    def n_values(self) -> Integers:
        """Number of distinct values of each block."""
        return np.diff(self.first, append=len(self.count))

    @property
    def block_size(self) -> Integers:
        """Records of each block."""
        return self.total(self.count)

    def total(self, entries: Integers) -> Integers:
        """Sum of a number of each entry, by block."""
        return np.add.reduceat(entries, self.first)

    def spread(self, of_blocks: Integers) -> Integers:
        """Repeat a number of each block for each of its entries."""
        return np.repeat(of_blocks, self.n_values)

    @property
    def place(self) -> Integers:
        """Place of each entry in its block, from 0."""
        return np.arange(len(self.count)) - self.spread(self.first)


def value_counts(block: BlockIds, value: Codes) -> ValueCounts:
    """Count the records of each block and sensitive value.

    Parameters
    ----------
    block, value
        Of each record, shape (n_records,), both from 0.

    Examples
    --------
    >>> value_counts(np.array([0, 1, 0, 0]), np.array([2, 2, 2, 0]))
    ValueCounts(block=array([0, 0, 1]), value=array([0, 2, 2]), count=array([1, 2, 1]))
    """
    n_values = int(value.max(initial=0)) + 1
    both = block.astype(np.int64) * n_values + value
    pair, count = np.unique(both, return_counts=True)
    return ValueCounts(pair // n_values, pair % n_values, count)


def by_count(counts: ValueCounts) -> Grouped:
    """Group entries by block, the most frequent value first.

    Values that are as frequent are in any order.
    """
    return _grouped(counts, np.lexsort((-counts.count, counts.block)))


def by_value(counts: ValueCounts) -> Grouped:
    """Group entries by block, in the order of the values."""
    return _grouped(counts, np.lexsort((counts.value, counts.block)))


def _grouped(counts: ValueCounts, order: Integers) -> Grouped:
    first = run_starts(counts.block[order])
    return Grouped(counts.value[order], counts.count[order], first)


def distinct_l(profile: BlockProfile) -> int:
    """Return the least number of distinct sensitive values of a block (Google).

    >>> distinct_l(BlockProfile(*np.array([[3, 2], [2, 1], [2, 2], [1, 1], [2, 0]])))
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
    return largest_sum((blocks.count[blocks.first], rest))


def _logarithms(counts: Integers) -> NDArray[np.float64]:
    """Natural logarithms, the same on every processor, unlike NumPy's."""
    each, kind = np.unique(counts, return_inverse=True)
    return np.array([log(count) for count in each.tolist()])[kind]


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


def _totals(blocks: Grouped) -> tuple[Integers, Integers]:
    """Return the rank of each entry's value, and the table's records by rank."""
    total = kind_sums(blocks.value, blocks.count, int(blocks.value.max()) + 1)
    rank = np.cumsum(total > 0) - 1
    return rank[blocks.value], total[total > 0]


def _areas(
    blocks: Grouped, rank: Integers, total: Integers
) -> tuple[Integers, Integers]:
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


def _running(blocks: Grouped, entries: Integers) -> Integers:
    """Return the sums of entries of a block up to each."""
    sums = np.cumsum(entries)
    return sums - blocks.spread(sums[blocks.first] - entries[blocks.first])


def _largest_difference(blocks: Grouped, p: Integers, q: Integers, n: int) -> Fraction:
    return largest_sum((p, blocks.block_size), (-q, np.full_like(q, n)))


LOWER_BOUNDS = (0, 1, 2, 3, *(i * 10**e for e in range(10) for i in (5, 10, 20)))
"""The least value of each bucket: 0, 1, 2, 3, 5, 10, 20, 50, 100, 200, ..."""


@dataclass(frozen=True)
class ValueHistogram:
    """Blocks by a value of theirs, ascending; buckets without a block are left out."""

    lower: Integers
    upper: Integers
    """Least and largest value of a bucket, both within; `upper` of the last is the
    largest value that occurs."""
    n_blocks: Integers
    n_records: Integers
    """Blocks within, and their records."""

    @property
    def share_of_blocks(self) -> list[Fraction]:
        """Share of the blocks in each bucket, in ]0, 1]."""
        return _shares(self.n_blocks)

    @property
    def share_of_records(self) -> list[Fraction]:
        """Share of the records in each bucket, in [0, 1]."""
        return _shares(self.n_records)


def k_anonymity_histogram(
    sizes: BlockSizes, lower_bounds: Sequence[int] = LOWER_BOUNDS
) -> ValueHistogram:
    """Blocks by their size; of entities if the sizes are.

    `lower_bounds` ascend, and none of the values is below the first.

    >>> sizes = BlockSizes(np.array([1, 3, 4, 7]), np.array([6, 2, 1, 1]))
    >>> k_anonymity_histogram(sizes)  # doctest: +NORMALIZE_WHITESPACE
    ValueHistogram(lower=array([1, 3, 5]), upper=array([1, 4, 7]),
                   n_blocks=array([6, 3, 1]), n_records=array([ 6, 10,  7]))
    """
    counts = sizes.n_blocks, sizes.size * sizes.n_blocks
    return _histogram(sizes.size, counts, lower_bounds)


def l_diversity_histogram(
    profile: BlockProfile, lower_bounds: Sequence[int] = LOWER_BOUNDS
) -> ValueHistogram:
    """Blocks by their number of distinct sensitive values, a missing one counted."""
    counts = profile.n_blocks, profile.block_size * profile.n_blocks
    return _histogram(profile.n_distinct, counts, lower_bounds)


def k_map_histogram(
    both: Overlap, lower_bounds: Sequence[int] = LOWER_BOUNDS
) -> ValueHistogram:
    """Blocks of the sample by their size in the population, 0 if it has none."""
    blocks = both.of_sample
    counts = blocks.n_blocks, blocks.d * blocks.n_blocks
    return _histogram(blocks.n, counts, lower_bounds)


def _histogram(
    values: Integers, counts: tuple[Integers, Integers], lower_bounds: Sequence[int]
) -> ValueHistogram:
    bounds = np.array(lower_bounds, dtype=np.int64)
    bucket = np.searchsorted(bounds, values, side="right") - 1
    assert bucket.min(initial=0) >= 0, "a value is below the first bound"
    most = values.max(initial=0)
    upper = np.minimum(np.append(bounds[1:] - 1, most), most)
    of_buckets = bounds, upper, *(kind_sums(bucket, c, len(bounds)) for c in counts)
    taken = np.unique(bucket)
    return ValueHistogram(*(array[taken] for array in of_buckets))


def _shares(counts: Integers) -> list[Fraction]:
    total = int(counts.sum())
    return [Fraction(count, total) for count in counts.tolist()]
