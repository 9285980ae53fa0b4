"""The overlap of a population and a sample: all that membership attacks need.

The records of both tables are walked together, those of the sample marked: a block
then has the records of both, and its members are those of the sample.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from microleak.base.arrays import Integers
from microleak.definitions.profile import BlockProfile


@dataclass(frozen=True)
class Overlap:
    """Blocks of a partition by the QIDs, counted by their records in both tables.

    One entry a kind of block, named as in Rodrigues (3.4.2). A block is of the
    population, of the sample or of both: `n` or `d` may be 0, not both. A missing
    value is a value like any other.
    """

    # Records of the population in a block.
    n: Integers
    # Records of the sample in it; more than `n` only if the sample is not part of the
    # population, as coded.
    d: Integers
    # Blocks of that kind.
    n_blocks: Integers

    @property
    def n_population(self) -> int:
        """Size of the population, |D|."""
        return int(self.n @ self.n_blocks)

    @property
    def n_sample(self) -> int:
        """Size of the sample, |S|."""
        return int(self.d @ self.n_blocks)

    @property
    def total_blocks(self) -> int:
        """Number of blocks."""
        return int(self.n_blocks.sum())

    @property
    def found(self) -> Integers:
        """Records of the sample in a block for which the population has one each.

        d, but at most n: where d > n, not all of them are of the population.
        """
        return np.minimum(self.d, self.n)

    def where(self, is_counted: NDArray[np.bool_]) -> "Overlap":
        """Return the blocks of some kinds only."""
        return Overlap(*(each[is_counted] for each in vars(self).values()))

    @property
    def of_population(self) -> "Overlap":
        """Blocks that the population has."""
        return self.where(self.n > 0)

    @property
    def of_sample(self) -> "Overlap":
        """Blocks that the sample has."""
        return self.where(self.d > 0)

    @property
    def of_both(self) -> "Overlap":
        """Blocks that population and sample have."""
        return self.where((self.n > 0) & (self.d > 0))


def overlap(profile: BlockProfile) -> Overlap:
    """Return the overlap from the profile of both tables' records together.

    Parameters
    ----------
    profile
        In the place of the modal count it has the number of the sample's records
        of the blocks, from 0 to their size.

    Examples
    --------
    A block of three of which the sample has one, so that two are of the population.

    >>> both = overlap(BlockProfile(*np.array([[3], [1], [2], [1], [0]])))
    >>> both.n_population, both.n_sample
    (2, 1)
    """
    d = profile.modal_count
    return Overlap(profile.block_size - d, d, profile.n_blocks)


def n_not_found(both: Overlap) -> int:
    """Count records of the sample whose values the population does not have, n = 0."""
    return both.where(both.n == 0).n_sample
