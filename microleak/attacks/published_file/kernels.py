"""Blocks of two tables side by side, divided, and guesses from them scored.

Pairs of a block and a code are numbered as they come, by an open table. The loop that
does so stands here twice: as a function of its own it takes a third longer.
"""

import numpy as np
from numba import njit

from microleak.kernels.divided import NOTHING, open_table, place_of


@njit(cache=True, nogil=True)
def divide_pattern(originals, published, codes, level):
    """Divide a pattern by the labels of one level of one attribute more.

    `originals` and `published` are rows, their blocks, and how many each block has.
    Returns both of those that still meet, with blocks numbered anew, and apart pairs
    of one original and one published record that meet nobody else.
    """
    found, n, table = _numbered_by_label(published, level)
    left, blocks, kept = _met(originals, codes, level, table, n)
    n_originals = np.zeros(n, dtype=np.int32)
    for i in range(len(left)):
        n_originals[blocks[i]] += 1
    n_published = np.zeros(n, dtype=np.int32)
    for i in range(len(found)):
        # Published records that cover nobody do not by more attributes, either.
        found[i] = kept[found[i]] if found[i] >= 0 else NOTHING
        if found[i] >= 0:
            n_published[found[i]] += 1
    number, n_originals, n_published, n_pairs = _numbered_apart(
        n_originals, n_published
    )
    pairs = np.empty((2, n_pairs), dtype=np.int32)
    left, blocks = _put_apart(left, blocks, number, pairs[0])
    theirs, their_blocks = _put_apart(published[0], found, number, pairs[1])
    return (left, blocks, n_originals), (theirs, their_blocks, n_published), pairs


@njit(cache=True, nogil=True)
def _numbered_by_label(published, level):
    """Return numbers of pairs of block and label, how many, and their table."""
    rows, blocks, n_of_block = published
    _, label_of, n_labels = level
    keys, numbers, is_direct = open_table(len(rows), len(n_of_block) * n_labels)
    found = np.empty(len(rows), dtype=np.int32)
    n = 0
    for i in range(len(rows)):
        label = label_of[rows[i]]
        found[i] = NOTHING
        if label >= 0:
            key = np.int64(blocks[i]) * n_labels + label
            at = place_of(key, keys, is_direct)
            if keys[np.uintp(at)] == NOTHING:
                keys[np.uintp(at)] = key
                numbers[np.uintp(at)] = n
                n += 1
            found[i] = numbers[np.uintp(at)]
    return found, n, (keys, numbers, is_direct)


@njit(cache=True, nogil=True)
def _met(originals, codes, level, table, n):
    """Return originals that are covered, their blocks, and the new numbers of all."""
    rows, blocks, _ = originals
    of_value, _, n_labels = level
    keys, numbers, is_direct = table
    kept = np.full(n, NOTHING, dtype=np.int32)
    left = np.empty(len(rows), dtype=np.int32)
    left_blocks = np.empty(len(rows), dtype=np.int32)
    n_left = n_kept = 0
    for i in range(len(rows)):
        label = of_value[codes[rows[i]]]
        if label < 0:
            continue
        key = np.int64(blocks[i]) * n_labels + label
        at = place_of(key, keys, is_direct)
        if keys[np.uintp(at)] != key:
            continue
        number = numbers[np.uintp(at)]
        if kept[number] == NOTHING:
            kept[number] = n_kept
            n_kept += 1
        left[n_left], left_blocks[n_left] = rows[i], kept[number]
        n_left += 1
    return left[:n_left], left_blocks[:n_left], kept


@njit(cache=True, nogil=True)
def _numbered_apart(n_originals, n_published):
    """Return numbers of blocks from 0, of pairs from -1 down, and sizes of blocks."""
    number = np.empty(len(n_originals), dtype=np.int32)
    n_blocks = n_pairs = 0
    for block in range(len(number)):
        if n_originals[block] == 1 and n_published[block] == 1:
            n_pairs += 1
            number[block] = -n_pairs
        elif n_originals[block]:
            number[block] = n_blocks
            n_originals[n_blocks] = n_originals[block]
            n_published[n_blocks] = n_published[block]
            n_blocks += 1
    return number, n_originals[:n_blocks].copy(), n_published[:n_blocks].copy(), n_pairs


@njit(cache=True, nogil=True)
def _put_apart(rows, blocks, number, of_pairs):
    """Put the rows of pairs where they belong, and return the others with blocks."""
    left = np.empty(len(rows), dtype=np.int32)
    left_blocks = np.empty(len(rows), dtype=np.int32)
    n = 0
    for i in range(len(rows)):
        if blocks[i] < 0:
            continue
        block = number[blocks[i]]
        if block < 0:
            of_pairs[-1 - block] = rows[i]
        else:
            left[n], left_blocks[n] = rows[i], block
            n += 1
    return left[:n].copy(), left_blocks[:n].copy()


@njit(cache=True, nogil=True)
def divide_pairs(pairs, codes, level):
    """Return the pairs that still meet by one level of one attribute more."""
    of_value, label_of, _ = level
    found = np.empty_like(pairs)
    n = 0
    for i in range(pairs.shape[1]):
        label = label_of[pairs[1, i]]
        if label >= 0 and of_value[codes[pairs[0, i]]] == label:
            found[0, n], found[1, n] = pairs[0, i], pairs[1, i]
            n += 1
    return found[:, :n].copy()


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
    begin, end, most = 0, 0, 0
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
            n_far = int(n_before[first] * (before[first] == most))
            n_far += int(n_behind[last] * (behind[last] == most))
            n_near = 0
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
