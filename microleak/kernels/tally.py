"""Counting blocks by kind, many small ones and few large ones."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

SMALL = 16
"""Blocks below this size are counted in a dense array, others by hashing."""


class Tally(NamedTuple):
    """Final blocks counted by (sensitive, block size, modal count, distinct).

    `dense[s, size, modal, distinct]` holds sizes below `SMALL`; larger blocks
    are in an open-addressing table with `sizes` = size << 32 | modal count and
    `kinds` = distinct << 32 | s. An entry with count 0 is free.
    """

    dense: NDArray[np.int64]
    sizes: NDArray[np.int64]
    kinds: NDArray[np.int64]
    counts: NDArray[np.int64]


def empty_tally(n_sensitive: int) -> Tally:
    """Tally of no block, for that many sensitive attributes."""
    room = max(64, 1 << (4 * n_sensitive).bit_length())
    table = [np.zeros(room, dtype=np.int64) for _ in range(3)]
    return Tally(np.zeros((n_sensitive, SMALL, SMALL, SMALL), dtype=np.int64), *table)


def copy_tally(tally: Tally) -> Tally:
    """Return a tally that can be added to without changing this one."""
    return Tally(*(array.copy() for array in tally))


@dataclass(frozen=True)
class Histogram:
    """How many blocks there are of each kind, sorted by the first four.

    All arrays have one entry a kind of block: which sensitive attribute, the
    block's size, the count of its most frequent sensitive value, its number of
    distinct sensitive values, and how many such blocks there are.
    """

    sensitive: NDArray[np.int32]
    block_size: NDArray[np.int64]
    modal_count: NDArray[np.int64]
    n_distinct: NDArray[np.int64]
    n_blocks: NDArray[np.int64]


def histogram(tally: Tally) -> Histogram:
    """Return what a tally has counted, in a stated order."""
    sensitive, size, modal, distinct = np.nonzero(tally.dense)
    taken = np.flatnonzero(tally.counts)
    sizes, kinds = tally.sizes[taken], tally.kinds[taken]
    low = 2**32 - 1
    columns = [
        np.concatenate([sensitive, kinds & low]),
        np.concatenate([size, sizes >> 32]),
        np.concatenate([modal, sizes & low]),
        np.concatenate([distinct, kinds >> 32]),
        np.concatenate(
            [tally.dense[sensitive, size, modal, distinct], tally.counts[taken]]
        ),
    ]
    order = np.lexsort(columns[3::-1])
    sensitive, *rest = (column[order] for column in columns)
    return Histogram(sensitive.astype(np.int32), *rest)
