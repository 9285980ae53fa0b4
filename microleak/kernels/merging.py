"""Compiled: rows sorted by key, equal ones added up, of a table or block by block.

Rows come as few ascending runs, which are merged. Kernels that call one another
share this file, because Numba's cache of a function does not notice a change in
functions that it calls from other files.
"""

import numpy as np
from numba import njit

SHORT_RUN = 12
"""Runs shorter than this are lengthened by insertion before runs are merged."""


@njit(cache=True, nogil=True)
def merge_equal(keys, weights):
    """Sort rows by key, in place, and return them with equal ones added up.

    Time O(n log r) for rows that come as r ascending runs.
    """
    spare_keys = np.empty(len(keys), dtype=np.uint64)
    spare_weights = np.empty(len(keys), dtype=np.int32)
    runs = np.empty(len(keys) + 1, dtype=np.int32)
    n = _sort_and_merge(keys, weights, spare_keys, spare_weights, runs)
    return keys[:n], weights[:n]


@njit(cache=True, nogil=True)
def merge_blocks(keys, weights, starts):
    """Sort the rows of each block by key, in place, with equal ones added up.

    What is left of the blocks moves to the front, and `starts` with it. Time
    O(n log r) for a block of n rows that come as r ascending runs.

    Returns
    -------
    int
        How many rows are left.
    """
    longest = 0
    for block in range(len(starts) - 1):
        longest = max(longest, starts[block + 1] - starts[block])
    spare_keys = np.empty(longest, dtype=np.uint64)
    spare_weights = np.empty(longest, dtype=np.int32)
    runs = np.empty(longest + 1, dtype=np.int32)
    n_rows = 0
    lo = np.int64(0)
    for block in range(len(starts) - 1):
        hi = np.int64(starts[block + 1])
        n = _sort_and_merge(
            keys[lo:hi], weights[lo:hi], spare_keys, spare_weights, runs
        )
        if n_rows < lo:
            for i in range(n):
                keys[n_rows + i] = keys[lo + i]
                weights[n_rows + i] = weights[lo + i]
        n_rows += n
        starts[block + 1] = n_rows
        lo = hi
    return n_rows


@njit(cache=True, nogil=True)
def _sort_and_merge(keys, weights, spare_keys, spare_weights, runs):
    """Sort rows by key, add the weights of equal keys, return how many remain."""
    n = len(keys)
    n_runs = _find_runs(keys, weights, runs)
    if n_runs == 1:
        return _merge_runs(keys, weights, (0, n, n), keys, weights, 0)
    here = True
    while n_runs > 1:
        n_out = 0
        for run in range(0, n_runs, 2):
            mid = runs[run + 1]
            bounds = (runs[run], mid, runs[run + 2] if run + 1 < n_runs else mid)
            runs[run // 2] = n_out
            if here:
                n_out = _merge_runs(
                    keys, weights, bounds, spare_keys, spare_weights, n_out
                )
            else:
                n_out = _merge_runs(
                    spare_keys, spare_weights, bounds, keys, weights, n_out
                )
        n_runs = (n_runs + 1) // 2
        runs[n_runs] = n_out
        here = not here
    if not here:
        for i in range(runs[1]):
            keys[i] = spare_keys[i]
            weights[i] = spare_weights[i]
    return runs[1]


@njit(cache=True, nogil=True)
def _find_runs(keys, weights, runs):
    """Cut rows into ascending runs, lengthening short ones by insertion."""
    n = len(keys)
    n_runs = 0
    lo = 0
    while lo < n:
        hi = lo + 1
        while hi < n and keys[hi - 1] <= keys[hi]:
            hi += 1
        least = min(lo + SHORT_RUN, n)
        while hi < least:
            key = keys[hi]
            weight = weights[hi]
            at = hi
            while at > lo and keys[at - 1] > key:
                keys[at] = keys[at - 1]
                weights[at] = weights[at - 1]
                at -= 1
            keys[at] = key
            weights[at] = weight
            hi += 1
        runs[n_runs] = lo
        n_runs += 1
        lo = hi
    runs[n_runs] = n
    return n_runs


@njit(cache=True, nogil=True)
def _merge_runs(keys, weights, bounds, out_keys, out_weights, n_out):
    """Merge two ascending runs, adding the weights of equal keys.

    `bounds` are the first row of the one, of the other, and the row after it.
    """
    left, mid, hi = bounds
    right = mid
    first = n_out
    while left < mid or right < hi:
        if right >= hi or (left < mid and keys[left] <= keys[right]):
            key = keys[left]
            weight = weights[left]
            left += 1
        else:
            key = keys[right]
            weight = weights[right]
            right += 1
        if n_out > first and out_keys[n_out - 1] == key:
            out_weights[n_out - 1] += weight
        else:
            out_keys[n_out] = key
            out_weights[n_out] = weight
            n_out += 1
    return n_out
