"""Blocks of records divided by one attribute after another, who is alone put apart.

Pairs of a block and a code are numbered as they come, by an open table.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Numbers = NDArray[np.int32]
"""Numbers of blocks or codes, from 0; -1 of none."""

NOTHING = -1


@njit(cache=True, nogil=True, inline="always")
def place_of(key, keys, is_direct):
    """Return where a key is in an open table, or the free place where it belongs."""
    mask = len(keys) - 1
    at = key
    if not is_direct:
        mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
        at = np.int64(mixed >> np.uint64(20)) & mask
    while keys[np.uintp(at)] != key and keys[np.uintp(at)] != NOTHING:
        at = (at + 1) & mask
    return at


@njit(cache=True, nogil=True)
def open_table(n_keys, most):
    """Return an open table for so many keys below `most`, and whether none collide."""
    size = 1024
    while size < min(2 * n_keys, most):
        size *= 2
    keys = np.full(size, NOTHING, dtype=np.int64)
    return keys, np.empty(size, dtype=np.int32), most <= size


@njit(cache=True, nogil=True)
def divide_shared(rows, blocks, n_blocks, codes, n_codes):
    """Divide blocks of several records by the codes of one attribute more.

    Returns the rows that still share a block with others, the blocks, how many there
    are, and the rows that are alone now.
    """
    keys, numbers, is_direct = open_table(len(rows), n_blocks * n_codes)
    size = np.zeros(len(rows), dtype=np.int32)
    found = np.empty(len(rows), dtype=np.int32)
    n = 0
    for i in range(len(rows)):
        key = np.int64(blocks[i]) * n_codes + codes[rows[i]]
        at = place_of(key, keys, is_direct)
        if keys[np.uintp(at)] == NOTHING:
            keys[np.uintp(at)] = key
            numbers[np.uintp(at)] = n
            n += 1
        found[i] = numbers[np.uintp(at)]
        size[found[i]] += 1
    n_shared = 0
    for block in range(n):
        if size[block] > 1:
            size[block] = n_shared
            n_shared += 1
        else:
            size[block] = NOTHING
    shared = np.empty(len(rows), dtype=np.int32)
    left = np.empty(len(rows), dtype=np.int32)
    alone = np.empty(len(rows), dtype=np.int32)
    n_left = n_alone = 0
    for i in range(len(rows)):
        block = size[found[i]]
        if block == NOTHING:
            alone[n_alone] = rows[i]
            n_alone += 1
        else:
            shared[n_left] = rows[i]
            left[n_left] = block
            n_left += 1
    return (
        shared[:n_left].copy(),
        left[:n_left].copy(),
        n_shared,
        alone[:n_alone].copy(),
    )
