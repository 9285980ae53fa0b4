"""The block profile: all that collective measures need to know of a partition."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]

CRITERIA = {"deterministic": "det", "probabilistic": "prob"}
"""How columns of each criterion end."""

SUCCESSES = {"det": "n_certain", "prob": "n_modal"}
"""The count whose share of the records is the posterior of each criterion."""


@dataclass(frozen=True)
class BlockProfile:
    """Blocks of a partition by the QIDs, counted by kind.

    One entry a kind of block: its size, the count of its most frequent
    sensitive value, its number of distinct sensitive values, and how many
    blocks of that kind there are. A missing value is a value like any other;
    which of several equally frequent values comes first does not matter. Of a
    group of values, `modal_count` is the number of members, from 0
    (`group_inference`).
    """

    block_size: Counts
    modal_count: Counts
    n_distinct: Counts
    n_blocks: Counts

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
    n_blocks = np.zeros(len(block_size), dtype=np.int64)
    np.add.at(n_blocks, kind, profile.n_blocks)
    return BlockProfile(block_size, np.ones_like(block_size), block_size, n_blocks)


@dataclass(frozen=True)
class Vulnerability:
    """Success of an attack on a random target before and after, exactly.

    All are shares of the records in [0, 1], but for `degradation_prob`, a
    ratio of at least 1 (Nunes), and `additive_leakage`, a difference (Gonze).
    """

    n_records: int
    n_blocks: int
    n_certain: int
    n_modal: int
    prior_det: Fraction
    posterior_det: Fraction
    prior_prob: Fraction
    posterior_prob: Fraction

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
