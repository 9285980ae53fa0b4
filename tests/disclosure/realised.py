"""A table that has the numbers of a page, and an end of one of them: looked for.

Simulated annealing, from the table of which the page is made. Two records exchange
their values of a QID, so that all groups keep their sizes; a record gets another
sensitive value, or all of a group do. What is not found may still be possible.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from microleak.disclosure.laws import ENDS

_ENDS = np.array(ENDS, dtype=np.int64)
_FAR = 1 << 40
EXCHANGED, JOINED, GIVEN = 0.7, 0.8, 0.9995  # of all changes, so many or less
_N_KINDS = 2  # how near blocks are to being below an end, and to leaving it


class State(NamedTuple):
    """Counts of a table, kept while its records change.

    Blocks are places in one array for all sets of QIDs, by `strides` and `starts`.
    """

    codes: np.ndarray
    values: np.ndarray
    strides: np.ndarray
    starts: np.ndarray
    sizes: np.ndarray
    members: np.ndarray
    below: np.ndarray
    right: np.ndarray
    near: np.ndarray
    nearness: np.ndarray
    totals: np.ndarray


def state(codes, values, sets):
    """Count a table by sets of QIDs, given as their places."""
    n, n_values = len(codes), int(values.max()) + 1
    width = codes.max(axis=0) + 1
    strides = np.zeros((len(sets), codes.shape[1]), np.int64)
    n_blocks = []
    for number, qids in enumerate(sets):
        product = 1
        for qid in qids:
            strides[number, qid] = product
            product *= width[qid]
        n_blocks.append(product)
    starts = np.cumsum([0, *n_blocks[:-1]])
    blocks = codes @ strides.T + starts
    sizes = np.zeros(sum(n_blocks), np.int64)
    members = np.zeros((len(sizes), n_values), np.int64)
    for number in range(len(sets)):
        np.add.at(sizes, blocks[:, number], 1)
        np.add.at(members, (blocks[:, number], values), 1)
    nearness = _nearness(n)
    of_set = np.repeat(np.arange(len(sets)), n_blocks)
    below = np.zeros((len(sets), len(ENDS)), np.int64)
    near = np.zeros((len(sets), _N_KINDS, len(ENDS)))
    for place, end in enumerate(ENDS):
        np.add.at(below[:, place], of_set, np.where(sizes < end, sizes, 0))
        for kind in range(_N_KINDS):
            np.add.at(near[:, kind, place], of_set, nearness[kind, place, sizes])
    right = np.zeros(len(sets), np.int64)
    np.add.at(right, of_set, members.max(axis=1))
    totals = np.bincount(values, minlength=n_values)
    counted = strides, starts, sizes, members, below, right, near, nearness, totals
    return State(codes.copy(), values.copy(), *counted)


def _nearness(n):
    sizes = np.arange(n + 2, dtype=float)
    found = np.empty((_N_KINDS, len(ENDS), n + 2))
    for place, end in enumerate(ENDS):
        beyond = np.maximum(sizes - end + 1, 0)
        far = (end - 1) * np.exp(-beyond / max(8.0, end / 2))
        found[0, place] = np.where(sizes < end, sizes, far)
        found[1, place] = np.where(sizes < end, sizes * (end - sizes) / end, 0)
    return found


@njit
def _put(s, number, record, sign):
    """Take a record out of its block by a set of QIDs, or put it in."""
    block = s.starts[number]
    for qid in range(s.codes.shape[1]):
        block += s.codes[record, qid] * s.strides[number, qid]
    old = s.sizes[block]
    new = old + sign
    s.sizes[block] = new
    for place in range(len(_ENDS)):
        end = _ENDS[place]
        s.below[number, place] += (new if new < end else 0) - (old if old < end else 0)
        for kind in range(_N_KINDS):
            change = s.nearness[kind, place, new] - s.nearness[kind, place, old]
            s.near[number, kind, place] += change
    before = s.members[block].max()
    s.members[block, s.values[record]] += sign
    s.right[number] += s.members[block].max() - before


@njit
def _exchange(s, one, other, qid):
    for sign in (-1, 1):
        for number in range(len(s.strides)):
            if s.strides[number, qid]:
                _put(s, number, one, sign)
                _put(s, number, other, sign)
        if sign < 0:
            kept = s.codes[one, qid]
            s.codes[one, qid] = s.codes[other, qid]
            s.codes[other, qid] = kept


@njit
def _give(s, record, value):
    for sign in (-1, 1):
        for number in range(len(s.strides)):
            _put(s, number, record, sign)
        s.totals[s.values[record]] += sign
        if sign < 0:
            s.values[record] = value


@njit
def _distance(s, below, right, total, of_group, most):
    """How far the counts are from what they have to be; blocks by their nearness too.

    Bounds of the records below ends, of right guesses, of all with the value that is
    the most frequent, and of members of a group with a value.
    """
    hard, soft = 0.0, 0.0
    for number in range(len(s.right)):
        for place in range(len(_ENDS)):
            count = s.below[number, place]
            if count < below[number, place, 0]:
                hard += below[number, place, 0] - count
                soft += 2 * len(s.codes) - s.near[number, 0, place]
            elif count > below[number, place, 1]:
                hard += count - below[number, place, 1]
                soft += s.near[number, 1, place]
        hard += max(right[number, 0] - s.right[number], 0)
        hard += max(s.right[number] - right[number, 1], 0)
    for value in range(len(s.totals)):
        hard += max(1 - s.totals[value], 0) + max(s.totals[value] - s.totals[most], 0)
    hard += max(total[0] - s.totals[most], 0) + max(s.totals[most] - total[1], 0)
    if of_group[0] >= 0:
        count = s.members[of_group[0], of_group[1]]
        hard += max(of_group[2] - count, 0) + max(count - of_group[3], 0)
    return hard, hard + 0.1 * soft


@njit
def _propose(s, kind, one, others, given):
    """Write down changes; return how many: whom to exchange with, and by which QID.

    Or else who gets another value, and which value they had.
    """
    n, n_qids = s.codes.shape
    if kind < EXCHANGED:
        given[0], others[0] = np.random.randint(n_qids), np.random.randint(n)
        return 1
    if kind < JOINED:  # one comes into the block of another
        other, n_changes = np.random.randint(n), 0
        for qid in range(n_qids):
            for _ in range(60):
                third = np.random.randint(n)
                if third != other and s.codes[third, qid] == s.codes[other, qid]:
                    given[n_changes], others[n_changes] = qid, third
                    n_changes += 1
                    break
        return n_changes
    qid = -1 if kind < GIVEN else np.random.randint(n_qids)
    n_changes = 0
    for record in range(n) if qid >= 0 else range(one, one + 1):
        if qid < 0 or s.codes[record, qid] == s.codes[one, qid]:
            others[n_changes], given[n_changes] = record, s.values[record]
            n_changes += 1
    return n_changes


@njit
def walk(s, bounds, n_steps, hottest, seed):
    """Change records until all counts are as they have to be; say whether they are."""
    np.random.seed(seed)
    n = len(s.codes)
    hard, before = _distance(s, *bounds)
    others, given = np.zeros(n, np.int64), np.zeros(n, np.int64)
    for step in range(n_steps):
        if hard == 0:
            return True
        heat = hottest * (0.05 / hottest) ** (step / n_steps)
        kind, one = np.random.random(), np.random.randint(n)
        value = np.random.randint(len(s.totals))
        n_changes = _propose(s, kind, one, others, given)
        for change in range(n_changes):
            if kind < JOINED:
                _exchange(s, one, others[change], given[change])
            else:
                _give(s, others[change], value)
        found, after = _distance(s, *bounds)
        if after <= before or np.random.random() < np.exp((before - after) / heat):
            hard, before = found, after
            continue
        for change in range(n_changes - 1, -1, -1):
            if kind < JOINED:
                _exchange(s, one, others[change], given[change])
            else:
                _give(s, others[change], given[change])
    return False


def free(n_sets):
    """Bounds that say nothing."""
    below = np.empty((n_sets, len(ENDS), 2), np.int64)
    right, total = np.empty((n_sets, 2), np.int64), np.empty(2, np.int64)
    for each in (below, right, total):
        each[..., 0], each[..., 1] = -_FAR, _FAR
    return below, right, total, np.array([-1, 0, -_FAR, _FAR])
