"""Chances of pairs in blocks of few records on one side, several blocks at a time.

A state says which records of the smaller side, the columns, are taken. With f the
weight of all that may come before a record of the other side, a step, and b that of all
that may follow it, the chance of the step's pair with column c is

    w(c) * sum over states S without c of f(S) b(S with c) / weight of all matchings

Blocks of as many columns go through the states side by side, as a processor multiplies
several numbers at once; chances of a block do not depend on which others are beside it.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numba import njit
from numpy.typing import NDArray

from microleak.base.arrays import Floats, Integers

N_AT_ONCE = 32
"""Blocks side by side: LLVM makes vectors of no fewer than sixteen."""


@dataclass(frozen=True)
class ColumnStates:
    """The states of some columns, those of fewer taken first."""

    n_until: Integers  # How many states have up to so many columns taken, from 0 on
    first: Integers
    column: Integers
    other: Integers
    """Where begin, of each state, the columns that it has not taken, and the end;
    these; and the state that has each of them as well."""
    first_taken: Integers
    column_taken: Integers
    other_taken: Integers
    """The same of the columns that it has taken, and the state without each."""


@cache
def states_of(n_columns: int) -> ColumnStates:
    """Return the states of so many columns.

    >>> two = states_of(2)
    >>> two.n_until.tolist()
    [1, 3, 4]
    >>> two.first.tolist(), two.column.tolist(), two.other.tolist()
    ([0, 2, 3, 4, 4], [0, 1, 1, 0], [1, 2, 3, 3])
    """
    every = np.arange(1 << n_columns)
    is_taken = (every[:, np.newaxis] >> np.arange(n_columns) & 1).astype(np.bool_)
    order = np.argsort(is_taken.sum(axis=1), kind="stable")
    number = np.argsort(order)
    is_taken = is_taken[order]
    found = [np.cumsum(np.bincount(is_taken.sum(axis=1)))]
    for is_of in (~is_taken, is_taken):
        at, column = np.nonzero(is_of)
        first = np.concatenate([[0], np.cumsum(is_of.sum(axis=1))])
        found += [first, column, number[every[order[at]] ^ (1 << column)]]
    return ColumnStates(*found)


def count_short(
    which: tuple[Integers, Integers, NDArray[np.bool_]],
    n_columns: int,
    arrays: tuple[Integers, ...],
    weighed: tuple[Floats, Floats],
    chances: Floats,
) -> None:
    """Note the chances of blocks that have so many records on their smaller side.

    `which` has the blocks, the records of their larger side, ascending, and whether the
    smaller side is the focal one; `arrays` as `matching.Blocks` has them; `weighed` the
    weight of each pair, and what those of a block are multiplied by. The weight of all
    matchings is to be finite.
    """
    most_steps, n_states = int(which[1][-1]), 1 << n_columns
    room = (
        np.empty((most_steps, n_columns, N_AT_ONCE)),
        np.empty((most_steps, n_states, N_AT_ONCE)),
        np.empty((n_states, N_AT_ONCE)),
    )
    states = tuple(vars(states_of(n_columns)).values())
    _count_short(which, states, arrays, weighed, room, chances)


@njit(cache=True, nogil=True, inline="always")
def _add_product(sums, row, weights, row_of_weights, numbers, row_of_numbers):
    for i in range(sums.shape[1]):
        sums[row, i] += weights[row_of_weights, i] * numbers[row_of_numbers, i]


@njit(cache=True, nogil=True)
def _count_short(which, states, arrays, weighed, room, chances):
    blocks, n_steps, is_turned = which
    weights, before, behind = room
    for begin in range(0, len(blocks), N_AT_ONCE):
        end = min(begin + N_AT_ONCE, len(blocks))
        # Steps that a block does not have weigh nothing, and change nothing.
        steps = weights[: n_steps[end - 1]]
        steps[:] = 0.0
        for at in range(begin, end):
            turned = is_turned[at]
            _fill(blocks[at], arrays, weighed, (steps, at - begin, turned))
        _go_on(steps, states, before)
        _go_back(steps, states, before, behind)
        for at in range(begin, end):
            found = steps, at - begin, is_turned[at]
            _note(blocks[at], arrays, found, behind[0, at - begin], chances)


@njit(cache=True, nogil=True)
def _fill(k, arrays, weighed, out):
    first_focal, first_auxiliary, first_pair, n_focal, n_auxiliary = arrays
    scale, pair = weighed[1][k], first_pair[k]
    steps, place, is_turned = out
    row = 0
    for a in range(first_focal[k], first_focal[k + 1]):
        column = 0
        for b in range(first_auxiliary[k], first_auxiliary[k + 1]):
            weight = weighed[0][pair] * scale
            for i in range(row, row + n_focal[a]):
                for j in range(column, column + n_auxiliary[b]):
                    if is_turned:
                        steps[j, i, place] = weight
                    else:
                        steps[i, j, place] = weight
            column += n_auxiliary[b]
            pair += 1
        row += n_focal[a]


@njit(cache=True, nogil=True)
def _note(k, arrays, found, whole, chances):
    """Note the chances of a block: of two rows those of any of their records."""
    first_focal, first_auxiliary, first_pair, n_focal, n_auxiliary = arrays
    steps, place, is_turned = found
    pair = first_pair[k]
    row = 0
    for a in range(first_focal[k], first_focal[k + 1]):
        column = 0
        for b in range(first_auxiliary[k], first_auxiliary[k + 1]):
            if is_turned:
                chances[pair] = steps[column, row, place] / whole
            else:
                chances[pair] = steps[row, column, place] / whole
            column += n_auxiliary[b]
            pair += 1
        row += n_focal[a]


@njit(cache=True, nogil=True)
def _go_on(steps, states, before):
    """Find the weight of all that may come before each step, by state."""
    n_until, first, column, other = states[0], states[4], states[5], states[6]
    before[0, 0] = 1.0
    n_now = 1
    for step in range(len(steps) - 1):
        weights, now, after = steps[step], before[step], before[step + 1]
        n_after = n_until[min(step + 1, len(n_until) - 1)]
        now[n_now:n_after] = 0.0
        for state in range(n_after):
            after[state] = now[state]
            for at in range(first[state], first[state + 1]):
                _add_product(after, state, weights, column[at], now, other[at])
        n_now = n_after


@njit(cache=True, nogil=True)
def _go_back(steps, states, before, behind):
    """Make weights of pairs those of all matchings that have them, from the end."""
    n_until, first, column, other = states[0], states[1], states[2], states[3]
    behind[:] = 1.0
    sums = np.empty(steps.shape[1:])
    for step in range(len(steps) - 1, -1, -1):
        weights, now = steps[step], before[step]
        sums[:] = 0.0
        for state in range(n_until[min(step, len(n_until) - 1)]):
            for at in range(first[state], first[state + 1]):
                _add_product(behind, state, weights, column[at], behind, other[at])
                _add_product(sums, column[at], now, state, behind, other[at])
        weights *= sums
