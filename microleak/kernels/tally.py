"""Counting blocks by kind, many small ones and few large ones."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

SMALL = 8
"""Blocks below this size are counted in a dense array, others by hashing."""

LOW = 0xFFFFFFFF


class Tally(NamedTuple):
    """Final blocks counted by (sensitive, block size, modal count, distinct).

    For a marked attribute the number of members takes the modal count's place.

    `dense[s, size, modal, distinct]` holds sizes below `SMALL`; larger blocks
    are in an open-addressing table with `sizes` = size << 32 | modal count and
    `kinds` = distinct << 32 | s. An entry with count 0 is free.
    """

    dense: Integers
    sizes: Integers
    kinds: Integers
    counts: Integers


def empty_tally(n_sensitive: int) -> Tally:
    """Tally of no block, for that many sensitive attributes."""
    room = max(64, 1 << (4 * n_sensitive).bit_length())
    table = [np.zeros(room, dtype=np.int64) for _ in range(3)]
    return Tally(np.zeros((n_sensitive, SMALL, SMALL, SMALL), dtype=np.int64), *table)


def copy_tally(tally: Tally) -> Tally:
    """Return a tally that can be added to without changing this one."""
    return Tally(*(array.copy() for array in tally))


def n_bytes(tally: Tally) -> int:
    """Return the bytes of a tally's arrays."""
    return sum(array.nbytes for array in tally)


@dataclass(frozen=True)
class Histogram:
    """How many blocks there are of each kind, in ascending order of kinds.

    A kind is a sensitive attribute's number, a block size, the count of the
    block's most frequent sensitive value and its number of distinct values;
    `outer` holds the first two, `inner` the other two, in the upper and lower
    32 bits. `n_blocks` counts the blocks of each kind. Of a marked attribute it is
    the members that are counted, whose value may not be the most frequent.
    """

    outer: Integers
    inner: Integers
    n_blocks: Integers

    @property
    def sensitive(self) -> Integers:
        """Number of the sensitive attribute, from 0."""
        return self.outer >> 32

    @property
    def block_size(self) -> Integers:
        """Records of a block."""
        return self.outer & LOW

    @property
    def modal_count(self) -> Integers:
        """Records with the block's most frequent sensitive value, or its members."""
        return self.inner >> 32

    @property
    def n_distinct(self) -> Integers:
        """Sensitive values in a block."""
        return self.inner & LOW

    def __add__(self, other: "Histogram") -> "Histogram":
        """Return the blocks of both, where `other` has the higher attributes."""
        return Histogram(
            np.concatenate([self.outer, other.outer]),
            np.concatenate([self.inner, other.inner]),
            np.concatenate([self.n_blocks, other.n_blocks]),
        )


def histogram(tally: Tally, first: int) -> Histogram:
    """Return what a tally has counted, attributes numbered from `first` on."""
    sensitive, size, modal, distinct = np.nonzero(tally.dense)
    taken = np.flatnonzero(tally.counts)
    sizes, kinds = tally.sizes[taken], tally.kinds[taken]
    small = tally.dense[sensitive, size, modal, distinct]
    outer = np.concatenate([sensitive << 32 | size, (kinds & LOW) << 32 | sizes >> 32])
    inner = np.concatenate([modal << 32 | distinct, (sizes & LOW) << 32 | kinds >> 32])
    order = np.lexsort([inner, outer])
    counts = np.concatenate([small, tally.counts[taken]])
    return Histogram(outer[order] + (first << 32), inner[order], counts[order])
