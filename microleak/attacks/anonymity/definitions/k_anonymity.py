"""k-anonymity of records, and of entities that have several rows.

k-anonymity is Samarati's and Sweeney's (1998), blocks of entities are Google's. Tools
count different things under one name. Here a missing value is a value of its own, and
the records of blocks below k are counted. sdcMicro counts such records too, but takes a
missing value for any value, so that it finds fewer (`freqCalc`, `kAnon_violations`).
mu-ARGUS counts blocks, its unsafe combinations, of at most the threshold, not below it,
and of each subset of the QIDs (as sdcMicro's `riskyCells` does). Google's service
counts blocks, and entities instead of rows if it is given their identifier.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from microleak.base.arrays import Codes, Integers
from microleak.definitions.exact import run_starts
from microleak.definitions.profile import BlockIds, BlockProfile, identity_profile

THRESHOLDS = (2, 3, 5, 10)
"""The k that reports speak of."""


@dataclass(frozen=True)
class BlockSizes:
    """How many blocks there are of each size, by size.

    What a block counts are records, or the entities whose rows are equal. There is
    at least one block.
    """

    size: Integers
    """From 1, ascending, each once."""
    n_blocks: Integers
    """Blocks of that size, from 1."""

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


def entity_blocks(entity: Codes, block: BlockIds) -> BlockIds:
    """Return the block of each entity: entities with the same multiset of rows.

    An entity's QID value is the multiset of its rows' blocks. How often a block
    occurs counts, the order of the rows does not. Multisets are compared, not
    hashed, so that only equal ones are one block.

    Parameters
    ----------
    entity
        Code of each row's entity, shape (n_rows,). Each row has one: rows without
        an identifier are nobody's and must be set aside.
    block
        Block of each row by the QIDs, same rows in the same order. Together fewer
        than 2**63 pairs of an entity and a block.

    Returns
    -------
    BlockIds
        Shape (n_entities,), in the order of the codes that occur; numbered from 0.
        Time O(n log n), whatever the number of rows of an entity.

    Notes
    -----
    Rows sorted, each entity is a list of numbers. Neighbours within it are joined
    to pairs, the pairs numbered, so that equal ones have the same number, until
    each entity is one number. All lists are halved at once: the n-th number of
    each stands for as many rows as that of another, or for the last of them.

    Examples
    --------
    Google's users 01 to 04 have the codes 42000; 17000 and 42000; 17000 and twice
    42000; 42000 and 17000.

    >>> user = np.array([1, 2, 2, 3, 3, 3, 4, 4])
    >>> code = np.array([1, 0, 1, 0, 1, 1, 1, 0])
    >>> entity_blocks(user, code)
    array([2, 0, 1, 0])
    """
    owner, number = _sorted_rows(entity, block)
    first = run_starts(owner)
    while len(first) < len(owner):
        owner, number = _halved(owner, number, first)
        first = run_starts(owner)
    return _numbered(number)


def _sorted_rows(entity: Codes, block: BlockIds) -> tuple[Integers, Integers]:
    """Return entity and block of each row, sorted by both."""
    n_blocks = int(block.max(initial=0)) + 1
    both = entity.astype(np.int64) * n_blocks + block
    both.sort()
    return both // n_blocks, both % n_blocks


def _halved(
    owner: Integers, number: Integers, first: Integers
) -> tuple[Integers, Integers]:
    """Return owner and number of each pair of neighbours, the last maybe single."""
    lengths = np.diff(first, append=len(owner))
    place = np.arange(len(owner)) - np.repeat(first, lengths)
    left = np.flatnonzero(place % 2 == 0)
    is_single = np.append(owner, -1)[left + 1] != owner[left]
    # 0 stands for no right neighbour, so numbers of right neighbours begin at 1.
    right = np.where(is_single, 0, np.append(number, 0)[left + 1] + 1)
    return owner[left], _numbered(number[left] * (int(number.max()) + 2) + right)


def _numbered(values: Integers) -> Integers:
    return np.unique(values, return_inverse=True)[1].reshape(-1)
