"""Numbers of pairs, and guesses scored, for blocks of two tables side by side.

A pair is a block and a code; a code of -1 is of no value, and its pair has number -1.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Numbers = NDArray[np.int32]
"""Numbers of blocks or codes, from 0; -1 of none."""

NOTHING = -1


@njit(cache=True, nogil=True, inline="always")
def _place(key, keys, is_direct):
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
def number_pairs(blocks, codes, bounds):
    """Return a number for each pair that differs, in the order in which they come.

    `bounds` are above all blocks and all codes; their product is below 2**62. Returns
    the number of each pair, how many differ, and the table by which `find_pairs` finds
    them again.
    """
    n_blocks, n_codes = bounds
    size = 1024
    while size < 2 * len(blocks):
        size *= 2
    is_direct = n_blocks * n_codes <= size
    keys = np.full(size, NOTHING, dtype=np.int64)
    numbers = np.empty(size, dtype=np.int32)
    found = np.empty(len(blocks), dtype=np.int32)
    n = 0
    for row in range(len(blocks)):
        if blocks[row] < 0 or codes[row] < 0:
            found[row] = NOTHING
            continue
        key = np.int64(blocks[row]) * n_codes + codes[row]
        at = _place(key, keys, is_direct)
        if keys[np.uintp(at)] == NOTHING:
            keys[np.uintp(at)] = key
            numbers[np.uintp(at)] = n
            n += 1
        found[row] = numbers[np.uintp(at)]
    return found, n, (keys, numbers, is_direct)


@njit(cache=True, nogil=True)
def find_pairs(blocks, codes, n_codes, table):
    """Return the numbers of pairs in a table of `number_pairs`; -1 of others."""
    keys, numbers, is_direct = table
    found = np.empty(len(blocks), dtype=np.int32)
    for row in range(len(blocks)):
        found[row] = NOTHING
        if blocks[row] >= 0 and codes[row] >= 0:
            key = np.int64(blocks[row]) * n_codes + codes[row]
            at = _place(key, keys, is_direct)
            if keys[np.uintp(at)] == key:
                found[row] = numbers[np.uintp(at)]
    return found


@njit(cache=True, nogil=True)
def _first_from(ranks, begin, end, rank):
    """Return the first entry of a block whose rank is not below some rank."""
    while begin < end:
        middle = (begin + end) // 2
        if ranks[middle] < rank:
            begin = middle + 1
        else:
            end = middle
    return begin


@njit(cache=True, nogil=True)
def _widest(starts):
    widest = 0
    for block in range(len(starts) - 1):
        widest = max(widest, starts[block + 1] - starts[block])
    return widest


@njit(cache=True, nogil=True)
def _support(entries, within, begin, end, found):
    """Count of how many records each entry of a block is right as a guess."""
    _, ranks, n = entries
    low, high = within
    found[: end - begin + 1] = 0
    for at in range(begin, end):
        # A guess is right of a value in whose range it is.
        found[_first_from(ranks, begin, end, low[ranks[at]]) - begin] += n[at]
        found[_first_from(ranks, begin, end, high[ranks[at]] + 1) - begin] -= n[at]
    for i in range(1, end - begin):
        found[i] += found[i - 1]


@njit(cache=True, nogil=True)
def score_guesses(entries, n_candidates, within, asked):
    """Score the best guesses from the values of candidates.

    Parameters
    ----------
    entries
        Where the entries of each block start, and the end; their ranks, which ascend
        within a block; and how many candidates have each.
    n_candidates
        Of each block, of which some may have no value.
    within
        Of each rank the lowest and the highest one that are near enough.
    asked
        Blocks and ranks of the targets, those of a block adjacent.

    Returns
    -------
    Of each target how many of the best guesses are right, of how many (0 without any
    value), and whether all candidates agree in each of these: a claim.
    """
    starts, ranks, _ = entries
    low, high = within
    blocks, true = asked
    n_right = np.zeros(len(blocks), dtype=np.int64)
    n_best = np.zeros(len(blocks), dtype=np.int64)
    is_claim = np.zeros(len(blocks), dtype=np.bool_)
    support = np.zeros(_widest(starts) + 1, dtype=np.int64)
    best = np.zeros_like(support)
    known = NOTHING
    begin = end = most = np.int64(0)
    for target in range(len(blocks)):
        block = blocks[target]
        if block < 0:
            continue
        if block != known:
            known = block
            begin, end = starts[block], starts[block + 1]
            _support(entries, within, begin, end, support)
            most = support[: end - begin].max() if end > begin else 0
            for i in range(end - begin):
                best[i + 1] = best[i] + (support[i] == most)
        if end > begin:
            rank = true[target]
            first = _first_from(ranks, begin, end, low[rank]) - begin
            last = _first_from(ranks, begin, end, high[rank] + 1) - begin
            n_right[target] = best[last] - best[first]
            n_best[target] = best[end - begin]
            is_claim[target] = most == n_candidates[block]
    return n_right, n_best, is_claim


@njit(cache=True, nogil=True)
def score_others(entries, within):
    """Score the best guess of each entry's records from the other ones of its block.

    `entries` and `within` as in `score_guesses`. Returns how many of the best guesses
    are right, of how many (0 where there is nobody else), and whether all others agree
    in each of these.
    """
    starts, ranks, n = entries
    low, high = within
    n_right = np.zeros(len(ranks), dtype=np.int64)
    n_best = np.zeros(len(ranks), dtype=np.int64)
    agree = np.zeros(len(ranks), dtype=np.bool_)
    widest = _widest(starts)
    support = np.zeros(widest + 1, dtype=np.int64)
    # Most support, and how many entries have it, before and from each place on.
    before, n_before = np.zeros_like(support), np.zeros_like(support)
    behind, n_behind = np.zeros_like(support), np.zeros_like(support)
    for block in range(len(starts) - 1):
        begin, end = starts[block], starts[block + 1]
        width = end - begin
        size = n[begin:end].sum()
        if size < 2:
            continue
        _support(entries, within, begin, end, support)
        behind[width] = n_behind[width] = 0
        for i in range(width):
            _add_most(support[i], before, n_before, i, i + 1)
            back = width - 1 - i
            _add_most(support[back], behind, n_behind, back + 1, back)
        for at in range(begin, end):
            # Without the target, guesses near its value have one record less.
            first = _first_from(ranks, begin, end, low[ranks[at]]) - begin
            last = _first_from(ranks, begin, end, high[ranks[at]] + 1) - begin
            most = max(before[first], behind[last])
            n_far = n_before[first] * (before[first] == most)
            n_far += n_behind[last] * (behind[last] == most)
            n_near = np.int64(0)
            for i in range(first, last):
                left = support[i] - 1
                if begin + i == at and n[at] == 1:
                    continue  # The target's own value, which nobody else has
                if left > most:
                    most, n_far, n_near = left, 0, 1
                elif left == most:
                    n_near += 1
            n_right[at] = n_near
            n_best[at] = n_near + n_far
            agree[at] = most == size - 1
    return n_right, n_best, agree


@njit(cache=True, nogil=True, inline="always")
def _add_most(support, most, n_most, old, new):
    if support > most[old]:
        most[new], n_most[new] = support, 1
    else:
        most[new] = most[old]
        n_most[new] = n_most[old] + (support == most[old])
