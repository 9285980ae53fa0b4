"""What records of other blocks give to groups that lack some."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def n_given(groups, blocks, n, size, k, needed):
    """Return how many records each row gives to its group, the first ones all they can.

    A block keeps k records, whatever it gives to one group; what it gives to others is
    not seen here. Time is that of the rows times the blocks that a group asks.

    Parameters
    ----------
    groups, blocks, n
        Of each row its group, its block and its records, shape (n_rows,). A row of a
        group beyond those in `needed` gives nothing.
    size
        Records of each block, shape (n_blocks,).
    k
        Records that a block keeps.
    needed
        What groups lack, shape (n_groups,), none negative.

    Returns
    -------
    Shape (n_rows,).
    """
    lacking = needed.copy()
    # Of a group as many blocks are told apart as it lacks records: each gives one.
    starts = np.cumsum(needed) - needed
    n_blocks = np.zeros_like(needed)
    block_of = np.empty(needed.sum(), dtype=np.int64)
    left_of = np.empty_like(block_of)
    found = np.zeros(len(groups), dtype=np.int64)
    for row in range(len(groups)):
        group = groups[row]
        if group >= len(needed) or lacking[group] == 0:
            continue
        at = starts[group]
        end = at + n_blocks[group]
        while at < end and block_of[at] != blocks[row]:
            at += 1
        if at == end:
            block_of[at] = blocks[row]
            left_of[at] = size[blocks[row]] - k
        taken = min(n[row], left_of[at], lacking[group])
        if taken > 0:
            n_blocks[group] += at == end
            left_of[at] -= taken
            lacking[group] -= taken
            found[row] = taken
    return found
