"""Histograms of blocks as Google's risk analysis gives them.

A bucket has bounds of a value and what lies within: of k-anonymity the block size
and the number of blocks (`equivalenceClassSizeLowerBound` and `...UpperBound`,
`bucketSize`), of l-diversity the number of sensitive values and of blocks
(`sensitiveValueFrequencyLowerBound`), but of k-map the size in the population and
the number of the sample's *records* (`minAnonymity`). Both counts stand here. The
chances of delta-presence are in `definitions.presence`. Google does not say
how it chooses the bounds; ours are fixed, so that tables can be compared.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from microleak.attacks.anonymity.definitions.k_anonymity import BlockSizes
from microleak.definitions.exact import sums
from microleak.definitions.overlap import Overlap
from microleak.definitions.profile import BlockProfile, Counts

LOWER_BOUNDS = (0, 1, 2, 3, *(i * 10**e for e in range(10) for i in (5, 10, 20)))
"""The least value of each bucket: 0, 1, 2, 3, 5, 10, 20, 50, 100, 200, ..."""


@dataclass(frozen=True)
class ValueHistogram:
    """Blocks by a value of theirs, ascending; buckets without a block are left out.

    Attributes
    ----------
    lower, upper
        Least and largest value of a bucket, both within; `upper` of the last is the
        largest value that occurs.
    n_blocks, n_records
        Blocks within, and their records.
    """

    lower: Counts
    upper: Counts
    n_blocks: Counts
    n_records: Counts

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
    values: Counts, counts: tuple[Counts, Counts], lower_bounds: Sequence[int]
) -> ValueHistogram:
    bounds = np.array(lower_bounds, dtype=np.int64)
    bucket = np.searchsorted(bounds, values, side="right") - 1
    assert bucket.min(initial=0) >= 0, "a value is below the first bound"
    most = values.max(initial=0)
    upper = np.minimum(np.append(bounds[1:] - 1, most), most)
    of_buckets = bounds, upper, *(sums(bucket, c, len(bounds)) for c in counts)
    taken = np.unique(bucket)
    return ValueHistogram(*(array[taken] for array in of_buckets))


def _shares(counts: Counts) -> list[Fraction]:
    total = int(counts.sum())
    return [Fraction(count, total) for count in counts.tolist()]
