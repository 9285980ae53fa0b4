"""Chances of pairs in blocks of two releases, under one-to-one matching with absence.

A block has rows that differ on either side, each of so many records. A matching pairs
some records of one side with records of the other, each once; its weight is the product
of the weights of its pairs, and that of a record left is 1. The chance of a pair is the
weight of all matchings that have it, of all matchings' weight. Records that are alike
have equal chances, so one is found for two rows.

Few states (how many records of each row of one side are taken) are counted forwards and
backwards, which is exact. More are left to belief propagation: a record tells another
how likely it is to be free, as if the other were not there, until nothing changes. On
such matchings it has one fixed point (Bayati and Nair 2006).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from microleak.attacks.linkage.kernels.short_matchings import count_short
from microleak.base.arrays import Floats, Integers

MOST_STATES, MOST_STEPS = 1 << 12, 1 << 20
"""States, and states times records times rows, up to which a block is exact."""

MOST_SHORT = 12
"""Records of a block's smaller side, up to which each is a state."""

_MOST_AT_ONCE = 1 << 17
"""Steps times states up to which blocks are counted side by side, for its memory."""

_MOST = 2.0**480
"""Weight of states up to which none is divided, so that no product is infinite."""

_MOST_SWEEPS, _STILL = 300, 1e-6
"""Sweeps of belief at most, and the change of chances that is none."""

_LEAST_WHOLE = 1e-250
"""Weight of all matchings, as scaled, below which parts of it may have underflowed."""


@dataclass(frozen=True)
class Blocks:
    """Blocks of two sides, and their rows that differ."""

    first_focal: Integers
    first_auxiliary: Integers
    """Where each block's rows begin, shape (n_blocks + 1,)."""
    n_focal: Integers
    n_auxiliary: Integers
    """Records of each row, from 1."""

    @cached_property
    def first_pair(self) -> Integers:
        """Where each block's pairs of rows begin, row by focal row."""
        n_pairs = np.diff(self.first_focal) * np.diff(self.first_auxiliary)
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(n_pairs)])

    @cached_property
    def sizes(self) -> tuple[Integers, Integers]:
        """Records of each block, of either side."""
        return (
            sums_of(self.n_focal, self.first_focal),
            sums_of(self.n_auxiliary, self.first_auxiliary),
        )


def sums_of(numbers: NDArray[Any], first: Integers) -> NDArray[Any]:
    """Return the sums of runs that begin so; an empty one is 0.

    >>> sums_of(np.array([1, 2, 4]), np.array([0, 2, 2, 3])).tolist()
    [3, 0, 4]
    """
    until = np.concatenate([np.zeros(1, numbers.dtype), np.cumsum(numbers)])
    sums: NDArray[Any] = until[first[1:]] - until[first[:-1]]
    return sums


def pair_chances(
    blocks: Blocks, weights: Floats, scales: Floats, most_states: int = MOST_STATES
) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the chance of two records to be a pair, and which blocks' are exact.

    A chance is that of one record of each row of a pair. Weights, which are finite, are
    in the order of `Blocks.first_pair`; those of a block are multiplied by its scale.
    One focal record and two auxiliary ones, one of which it is twice as like: the
    weights of no pair and of either one are 1, 1 and 2.

    >>> one = Blocks(*(np.array(x) for x in ([0, 1], [0, 2], [1], [1, 1])))
    >>> pair_chances(one, np.array([1.0, 2.0]), np.ones(1))[0]
    array([0.25, 0.5 ])
    """
    chances, is_exact = exact_chances(blocks, weights, scales, most_states)
    _believe_others(_arrays(blocks), (weights, scales), (chances, is_exact))
    return chances, is_exact


def exact_chances(
    blocks: Blocks, weights: Floats, scales: Floats, most_states: int = MOST_STATES
) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the chances as `pair_chances` does, 0 where they are not exact."""
    chances = np.zeros(len(weights))
    is_exact = np.ones(len(scales), dtype=np.bool_)
    n_short = np.zeros(len(scales), dtype=np.int64)
    arrays, weighed = _arrays(blocks), (weights, scales)
    most = most_states, MOST_STEPS
    _count_few(arrays, weighed, most, (chances, is_exact, n_short))
    short = np.flatnonzero(n_short)
    n_focal, n_auxiliary = (each[short] for each in blocks.sizes)
    n_steps = np.maximum(n_focal, n_auxiliary)
    order = np.argsort(n_short[short] << 32 | n_steps)
    ends = np.searchsorted(n_short[short[order]], np.arange(MOST_SHORT + 2))
    for n_columns in range(1, MOST_SHORT + 1):
        some = order[ends[n_columns] : ends[n_columns + 1]]
        if len(some):
            which = short[some], n_steps[some], n_focal[some] < n_auxiliary[some]
            count_short(which, n_columns, arrays, weighed, chances)
    return chances, is_exact


def _arrays(blocks: Blocks) -> tuple[Integers, ...]:
    return (
        blocks.first_focal,
        blocks.first_auxiliary,
        blocks.first_pair,
        blocks.n_focal,
        blocks.n_auxiliary,
    )


@njit(cache=True, nogil=True)
def _of_block(k, arrays, weighed, chances):
    """Return the records of a block's rows and columns, and of pairs weight, chance."""
    first_focal, first_auxiliary, first_pair, n_focal, n_auxiliary = arrays
    rows = n_focal[first_focal[k] : first_focal[k + 1]]
    columns = n_auxiliary[first_auxiliary[k] : first_auxiliary[k + 1]]
    pairs = slice(first_pair[k], first_pair[k + 1])
    shape = len(rows), len(columns)
    weights = (weighed[0][pairs] * weighed[1][k]).reshape(shape)
    return rows, columns, weights, chances[pairs].reshape(shape)


@njit(cache=True, nogil=True)
def _count_few(arrays, weighed, most, out):
    """Find the chances of blocks of few states, and which are left to `count_short`."""
    chances, is_exact, n_short = out
    first_focal, first_auxiliary, _, n_focal, n_auxiliary = arrays
    for k in range(len(is_exact)):
        rows = n_focal[first_focal[k] : first_focal[k + 1]]
        columns = n_auxiliary[first_auxiliary[k] : first_auxiliary[k + 1]]
        n_rows, n_columns = rows.sum(), columns.sum()
        if not n_rows or not n_columns:
            continue
        if n_rows == 1 or n_columns == 1:
            _note_one(k, rows, columns, arrays[2], weighed, chances)
            continue
        by_columns = _n_states(columns, most[0]) * n_rows * len(columns)
        by_rows = _n_states(rows, most[0]) * n_columns * len(rows)
        if min(by_columns, by_rows) > most[1]:
            is_exact[k] = False
            continue
        pairs = slice(arrays[2][k], arrays[2][k + 1])
        largest = weighed[0][pairs].max() * weighed[1][k]
        if _is_short(rows, columns, largest):
            n_short[k] = min(n_rows, n_columns)
            continue
        rows, columns, weights, found = _of_block(k, arrays, weighed, chances)
        if by_columns <= by_rows:
            is_exact[k] = _counted(weights, rows, columns, found)
        else:
            turned = np.zeros((len(columns), len(rows)))
            is_exact[k] = _counted(weights.T.copy(), columns, rows, turned)
            found[:] = turned.T
        if not is_exact[k]:
            found[:] = 0


@njit(cache=True, nogil=True)
def _note_one(k, rows, columns, first_pair, weighed, chances):
    first, scale = first_pair[k], weighed[1][k]
    whole = 1.0
    pair = first
    for n in rows:
        for m in columns:
            chances[pair] = weighed[0][pair] * scale
            whole += n * m * chances[pair]
            pair += 1
    for other in range(first, pair):
        chances[other] /= whole


@njit(cache=True, nogil=True)
def _believe_others(arrays, weighed, out):
    chances, is_exact = out
    for k in range(len(is_exact)):
        if not is_exact[k]:
            rows, columns, weights, found = _of_block(k, arrays, weighed, chances)
            _believed(weights, rows, columns, found)


@njit(cache=True, nogil=True)
def _n_states(counts, most):
    n = 1
    for count in counts:
        n *= count + 1
        if n > most:
            return 1 << 40
    return n


@njit(cache=True, nogil=True)
def _is_short(rows, columns, largest):
    """Whether records of the smaller side may be states each, undivided."""
    few, many = min(rows.sum(), columns.sum()), max(rows.sum(), columns.sum())
    if few > MOST_SHORT or many << few > _MOST_AT_ONCE:
        return False
    n_states = min(_n_states(rows, MOST_STATES), _n_states(columns, MOST_STATES))
    most = max(largest, 1.0) * (1 + many)
    return 1 << few <= 2 * n_states and most**few < _MOST**2


@njit(cache=True, nogil=True)
def _counted(weights, rows, columns, chances):
    """Find chances by the number of records of each column that are taken.

    Weights are divided by about what the most likely number of pairs makes of a pair,
    which comes back in the end, relative to the largest number. Returns whether no
    float was too small or too large for it, as where one pair is far likelier than the
    others.
    """
    largest = weights.max()
    if largest == 0:
        return True
    n_steps, n_columns = rows.sum(), columns.sum()
    most = min(n_steps, n_columns)
    tilt = largest * max(1.0, n_columns - _likely(largest, n_steps, n_columns))
    relative = weights / tilt
    taken = _n_taken(columns)
    log = np.log(tilt)
    of_taken = np.exp(np.arange(most + 1) * log - max(0.0, most * log))
    behind = np.zeros((n_steps + 1, len(taken)))
    for state in range(len(taken)):
        if taken[state] <= most:
            behind[n_steps, state] = of_taken[taken[state]]
    _go_back(behind, relative, rows, columns)
    before, after = np.zeros(len(taken)), np.zeros(len(taken))
    before[0] = bound = 1.0
    step = 0
    for r in range(len(rows)):
        later = behind[step + 1]
        whole = _note_chances(before, later, relative[r], columns, chances[r])
        if not _LEAST_WHOLE < whole < np.inf:
            return False
        for _ in range(rows[r]):
            step += 1
            if step == n_steps:
                return True
            _step_on(before, after, relative[r], columns)
            bound = _bounded(after, bound * (1 + n_columns))
            before, after = after, before
    return True


@njit(cache=True, nogil=True)
def _likely(weight, n_rows, n_columns):
    """Return the most likely number of pairs, about, if all pairs weigh the same."""
    low, high = 0.0, float(min(n_rows, n_columns))
    for _ in range(60):
        k = (low + high) / 2
        if (n_rows - k) * (n_columns - k) * weight > k:
            low = k
        else:
            high = k
    return low


@njit(cache=True, nogil=True)
def _go_back(behind, relative, rows, columns):
    """Find the weight of all that may follow each step but the first, from the last."""
    step, bound = len(behind) - 1, 1.0
    for r in range(len(rows) - 1, -1, -1):
        for _ in range(rows[r]):
            step -= 1
            if not step:
                return
            _step_back(behind[step], behind[step + 1], relative[r], columns)
            bound = _bounded(behind[step], bound * (1 + columns.sum()))


@njit(cache=True, nogil=True)
def _n_taken(columns):
    n_states = 1
    for count in columns:
        n_states *= count + 1
    taken = np.zeros(n_states, dtype=np.int64)
    stride = 1
    for count in columns:
        for state in range(stride, stride * (count + 1)):
            taken[state] = taken[state - stride] + 1
        stride *= count + 1
    return taken


@njit(cache=True, nogil=True)
def _bounded(numbers, bound):
    """Divide numbers that may be too large by a power of two; return their bound."""
    if bound < _MOST:
        return bound
    numbers /= 2.0 ** np.ceil(np.log2(numbers.max()))
    return 1.0


@njit(cache=True, nogil=True)
def _step_back(found, later, weights, columns):
    """Find the weight of all that may follow one record before."""
    n = len(found)
    found[:] = later
    stride = 1
    for c in range(len(columns)):
        span = stride * (columns[c] + 1)
        for n_taken in range(columns[c]):
            ways = (columns[c] - n_taken) * weights[c]
            if stride == 1:
                for state in range(n_taken, n, span):
                    found[state] += ways * later[state + 1]
            else:
                for here in range(n_taken * stride, n, span):
                    for state in range(here, here + stride):
                        found[state] += ways * later[state + stride]
        stride = span


@njit(cache=True, nogil=True)
def _step_on(before, after, weights, columns):
    """Find the weight of all that may come before one record later."""
    n = len(after)
    after[:] = before
    stride = 1
    for c in range(len(columns)):
        span = stride * (columns[c] + 1)
        for n_taken in range(columns[c]):
            ways = (columns[c] - n_taken) * weights[c]
            if stride == 1:
                for state in range(n_taken, n, span):
                    after[state + 1] += ways * before[state]
            else:
                for here in range(n_taken * stride, n, span):
                    for state in range(here, here + stride):
                        after[state + stride] += ways * before[state]
        stride = span


@njit(cache=True, nogil=True)
def _note_chances(before, later, weights, columns, chances):
    """Note the chance of the next record with one of each column; return all weight."""
    stride = 1
    whole = 0.0
    for c in range(len(columns)):
        span = stride * (columns[c] + 1)
        of_column = chances[c]
        for base in range(0, len(before), span):
            for n_taken in range(columns[c]):
                ways = 0.0
                here = base + n_taken * stride
                for state in range(here, here + stride):
                    ways += before[state] * later[state + stride]
                of_column += (columns[c] - n_taken) * weights[c] * ways
        chances[c] = of_column
        whole += of_column
        stride = span
    left = 0.0
    for state in range(len(before)):
        left += before[state] * later[state]
    whole += left
    if whole:
        for c in range(len(columns)):
            chances[c] /= whole * columns[c]
    return whole


@njit(cache=True, nogil=True)
def _believed(weights, rows, columns, chances):
    """Find chances by belief: how likely either record is free but for the other.

    Where nobody is absent records of one row are free as often as a square root says.
    """
    n_rows, n_columns = weights.shape
    of_rows, of_columns = np.ones(weights.shape), np.ones(weights.shape)
    for r in range(n_rows):
        others = (weights[r] * columns).sum() - weights[r]
        of_rows[r] = 1 / np.sqrt(1 + np.maximum(others, 0))
    for _ in range(_MOST_SWEEPS):
        _sweep_columns(weights, rows, of_rows, of_columns)
        _sweep_rows(weights, columns, of_rows, of_columns)
        most = 0.0
        for r in range(n_rows):
            for c in range(n_columns):
                odds = weights[r, c] * of_rows[r, c] * of_columns[r, c]
                chance = odds / (1 + odds)
                most = max(most, abs(chance - chances[r, c]))
                chances[r, c] = chance
        if most < _STILL:
            break
    # A record is that of one person at most, also where belief has not come to rest.
    of_row = (chances * columns).sum(axis=1)
    of_column = (chances.T * rows).sum(axis=1)
    for r in range(n_rows):
        chances[r] /= np.maximum(np.maximum(of_row[r], of_column), 1)


@njit(cache=True, nogil=True)
def _sweep_columns(weights, rows, of_rows, of_columns):
    """Renew what columns tell rows; sums leave out a term and subtract none."""
    n_rows, n_columns = weights.shape
    so_far = np.zeros(n_columns)
    for r in range(n_rows):
        for c in range(n_columns):
            more = weights[r, c] * of_rows[r, c]
            of_columns[r, c] = 1 + so_far[c] + (rows[r] - 1) * more
            so_far[c] += rows[r] * more
    so_far[:] = 0
    for r in range(n_rows - 1, -1, -1):
        for c in range(n_columns):
            of_columns[r, c] = 1 / (of_columns[r, c] + so_far[c])
            so_far[c] += rows[r] * weights[r, c] * of_rows[r, c]


@njit(cache=True, nogil=True)
def _sweep_rows(weights, columns, of_rows, of_columns):
    n_rows, n_columns = weights.shape
    for r in range(n_rows):
        so_far = 0.0
        for c in range(n_columns):
            more = weights[r, c] * of_columns[r, c]
            of_rows[r, c] = 1 + so_far + (columns[c] - 1) * more
            so_far += columns[c] * more
        so_far = 0.0
        for c in range(n_columns - 1, -1, -1):
            more = columns[c] * weights[r, c] * of_columns[r, c]
            of_rows[r, c] = 1 / (of_rows[r, c] + so_far)
            so_far += more
