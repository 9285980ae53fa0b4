"""k-anonymity: how many records share a block (Samarati and Sweeney 1998; Google).

Tools count different things under one name. Here a missing value is a value of its
own, and the records of blocks below k are counted. sdcMicro counts such records
too, but takes a missing value for any value, so that it finds fewer (`freqCalc`,
`kAnon_violations`). mu-ARGUS counts blocks, its unsafe combinations, of at most the
threshold, not below it, and of each subset of the QIDs (as sdcMicro's `riskyCells`
does). Google's service counts blocks, and entities instead of rows if it is given
their identifier.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from microleak.definitions.partition import BlockIds
from microleak.definitions.profile import BlockProfile, Counts, identity_profile

THRESHOLDS = (2, 3, 5, 10)
"""The k that reports speak of."""


@dataclass(frozen=True)
class BlockSizes:
    """How many blocks there are of each size, by size.

    What a block counts are records, or the entities whose rows are equal. There is
    at least one block.

    Attributes
    ----------
    size
        From 1, ascending, each once.
    n_blocks
        Blocks of that size, from 1.
    """

    size: Counts
    n_blocks: Counts

    @property
    def n_records(self) -> int:
        """Records, or entities, of all blocks."""
        return int(self.size @ self.n_blocks)

    @property
    def total_blocks(self) -> int:
        """Number of blocks."""
        return int(self.n_blocks.sum())

    def count(self, size: int) -> int:
        """Return the number of blocks of one size, 0 if there are none."""
        return int(self.n_blocks[self.size == size].sum())


def sizes_in(profile: BlockProfile) -> BlockSizes:
    """Return the sizes of a profile's blocks, of whatever sensitive attribute."""
    merged = identity_profile(profile)
    return BlockSizes(merged.block_size, merged.n_blocks)


def sizes_of(blocks: BlockIds) -> BlockSizes:
    """Return the sizes of the blocks of records or entities, numbered from 0 on."""
    sizes = np.bincount(blocks)
    return BlockSizes(*np.unique(sizes[sizes > 0], return_counts=True))


def k_anonymity(sizes: BlockSizes) -> int:
    """Largest k of which the table is k-anonymous, the size of its smallest block.

    >>> k_anonymity(sizes_of(np.array([0, 1, 0, 1, 1])))
    2
    """
    return int(sizes.size.min())


def n_below(sizes: BlockSizes, k: int) -> int:
    """Count records of blocks of fewer than k, which violate k-anonymity.

    >>> n_below(sizes_of(np.array([0, 1, 0, 1, 1])), 3)
    2
    """
    is_below = sizes.size < k
    return int(sizes.size[is_below] @ sizes.n_blocks[is_below])


def share_below(sizes: BlockSizes, k: int) -> Fraction:
    """Share of the records that violate k-anonymity, in [0, 1]."""
    return Fraction(n_below(sizes, k), sizes.n_records)


def n_unsafe_combinations(sizes: BlockSizes, threshold: int) -> int:
    """Count blocks of at most that many records, as mu-ARGUS does.

    >>> n_unsafe_combinations(sizes_of(np.array([0, 1, 0, 1, 1])), 2)
    1
    """
    return int(sizes.n_blocks[sizes.size <= threshold].sum())
