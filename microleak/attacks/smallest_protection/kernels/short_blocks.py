"""Short blocks, which are counted for many sets of attributes at once.

The rows of a block that are alike in a set of attributes are bits of a number, and an
attribute more cuts it by one `and`. Sets are visited in an order in which each follows
the one without its last attribute.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from microleak.attacks.smallest_protection.kernels.risk_numbers import (
    BLOCKS,
    CERTAIN,
    EACH,
    LEAST,
    MODAL,
    NOTHING,
    OF_EACH,
    count_single,
    note,
)
from microleak.base.arrays import Integers
from microleak.kernels.blocks import BlockTable
from microleak.kernels.keys import BitField

MOST_ROWS: Final = 64  # Rows of a block that are the bits of a number
MOST_RECORDS: Final = 99  # Records of such a block

MOST_SETS: Final = 1 << 10
"""Sets for which blocks are counted at once: what is counted of them takes memory."""

ROWS_A_SET: Final = 16
"""Rows of short blocks from which on it takes less time than to go on with them."""


class VisitedSets(NamedTuple):
    """Sets of attributes in the order of visits, the empty one first."""

    depth: Integers  # Attributes of each
    last: Integers  # Number of the last one; of the empty set 0
    end: Integers
    """Number of the first set behind it that does not begin with its attributes."""


class Short(NamedTuple):
    """Short blocks of a table, and the sets of attributes that they are counted for.

    An attribute's value is `key >> shift & mask`; `blocks` are numbers, ascending.
    """

    shifts: NDArray[np.uint64]
    masks: NDArray[np.uint64]
    sets: VisitedSets
    blocks: NDArray[np.int32]


def short_blocks(table: BlockTable, n_sets: int) -> NDArray[np.int32]:
    """Return the blocks that are counted at once, if that is worth while.

    None of them has a single row.
    """
    starts = table.starts[:-1]
    if not 1 < n_sets <= MOST_SETS or not len(starts):
        return np.empty(0, dtype=np.int32)
    n_rows = np.diff(table.starts)
    n_records = np.add.reduceat(table.weights, starts)
    is_short = (n_rows > 1) & (n_rows <= MOST_ROWS) & (n_records <= MOST_RECORDS)
    is_worth = n_rows[is_short].sum() >= ROWS_A_SET * n_sets
    return np.flatnonzero(is_short & is_worth).astype(np.int32)


def short_of(
    blocks: NDArray[np.int32], fields: Sequence[BitField], subsets: Integers
) -> tuple[Short, list[int]]:
    """Return what is counted of short blocks, and the place of each subset in it.

    Attributes that more of the subsets have come first, so that of a hierarchy a
    coarser level precedes finer ones, and few sets are added.
    """
    n_with = [int((subsets >> f.qid & 1).sum()) for f in fields]
    order = sorted(range(len(fields)), key=lambda i: (-n_with[i], i))
    parts = [fields[i] for i in order]
    sets, places = _in_order(
        [
            tuple(i for i, f in enumerate(parts) if subset >> f.qid & 1)
            for subset in subsets.tolist()
        ]
    )
    shifts = np.array([f.shift for f in parts], dtype=np.uint64)
    masks = np.array([f.mask >> f.shift for f in parts], dtype=np.uint64)
    return Short(shifts, masks, sets, blocks), places


def _in_order(sets: Sequence[tuple[int, ...]]) -> tuple[VisitedSets, list[int]]:
    """Return sets of numbers in order, with those that others begin with, and places.

    >>> order, places = _in_order([(0, 2), (1,)])
    >>> order.depth.tolist(), order.last.tolist(), order.end.tolist(), places
    ([0, 1, 2, 1], [0, 0, 2, 1], [4, 3, 3, 4], [2, 3])
    """
    known = sorted({each[:n] for each in sets for n in range(len(each) + 1)})
    place = {each: i for i, each in enumerate(known)}
    depth = np.array([len(each) for each in known])
    last = np.array([each[-1] if each else 0 for each in known])
    end = np.full(len(known), len(known))
    within: list[int] = []
    for i, n in enumerate(depth.tolist()):
        while len(within) > n:
            end[within.pop()] = i
        within.append(i)
    return VisitedSets(depth, last, end), [place[each] for each in sets]


@intrinsic
def lowest(_: Any, __: Any) -> Any:
    """Return the place of the lowest bit of an unsigned number, which is not 0."""

    def code(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, True))

    return types.uint64(types.uint64), code


@intrinsic
def ones(_: Any, __: Any) -> Any:
    """Return how many bits of an unsigned number are 1."""

    def code(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), code


@njit(cache=True, nogil=True)
def count_short(numbers, fields, table, short):
    """Count short blocks for each of some sets of attributes.

    Of a block, the rows that are alike in all attributes of a set are the bits of a
    number; an attribute more cuts each by the rows that agree in it. Rows alone are so
    for all sets behind, too, and counted once: from here on, and up to there.
    """
    keys, weights, starts, _ = table
    n_parts = len(short.masks)
    shifts = np.concatenate((short.shifts, fields.shifts))
    masks = np.concatenate((short.masks, fields.masks))
    of_value = np.zeros(np.int64(masks.max()) + 1, dtype=np.uint64)
    agree = np.empty((len(masks), MOST_ROWS), dtype=np.uint64)
    alike = np.empty((n_parts + 1, MOST_ROWS + 1), dtype=np.uint64)
    alone = np.zeros((len(numbers) + 1, MOST_RECORDS + 1), dtype=np.int64)
    for block in short.blocks:
        lo, hi = np.int64(starts[block]), np.int64(starts[block + 1])
        for part in range(len(masks)):
            row = agree[part]
            _find_agreeing(row, keys[lo:hi], shifts[part], masks[part], of_value)
        alike[0, 0] = ~np.uint64(0) >> np.uint64(64 - (hi - lo))
        heavy = weights[lo:hi] if (weights[lo:hi] != 1).any() else weights[:0]
        _count_sets(numbers, alone, alike, (agree, agree[n_parts:], heavy), short.sets)
    for number in range(len(numbers)):
        for size in range(MOST_RECORDS + 1):
            if alone[number, size] != 0:
                count_single(numbers[number], np.int64(size), alone[number, size])
            alone[number + 1, size] += alone[number, size]


@njit(cache=True, nogil=True)
def _find_agreeing(agree, keys, shift, mask, of_value):
    """Find the rows that have the value of each; `of_value` has no bit, as after."""
    for i in range(len(keys)):
        of_value[np.uintp(keys[i] >> shift & mask)] |= np.uint64(1) << np.uint64(i)
    for i in range(len(keys)):
        agree[i] = of_value[np.uintp(keys[i] >> shift & mask)]
    for i in range(len(keys)):
        of_value[np.uintp(keys[i] >> shift & mask)] = 0


@njit(cache=True, nogil=True)
def _count_sets(numbers, alone, alike, rows, sets):
    """Count a block for each set; `alike` has room for the parts of each depth."""
    depth, last, end = sets
    agree, of_sensitive, heavy = rows
    n_alike = np.ones(len(alike), dtype=np.int64)
    number = np.int64(0)
    while number < len(depth):
        at = np.uintp(depth[number])
        if at > 0:
            before, part = np.uintp(at - 1), np.uintp(last[number])
            n_here, n_alone = np.uintp(0), np.int64(0)
            for j in range(n_alike[before]):
                left = alike[before, np.uintp(j)]
                while left != 0:
                    first = np.uintp(lowest(left))
                    same = left & agree[part, first]
                    left ^= same
                    alike[at, n_here] = same
                    is_alone = same & (same - np.uint64(1)) == 0
                    n_here += np.uintp(not is_alone)
                    if len(heavy) == 0:
                        n_alone += np.int64(is_alone)
                    elif is_alone:
                        weight = np.uintp(heavy[first])
                        alone[np.uintp(number), weight] += 1
                        alone[np.uintp(end[number]), weight] -= 1
            n_alike[at] = np.int64(n_here)
            alone[np.uintp(number), 1] += n_alone
            alone[np.uintp(end[number]), 1] -= n_alone
        if n_alike[at] == 0:
            number = end[number]
        else:
            _count_alike(numbers[number], alike[at], n_alike[at], of_sensitive, heavy)
            number += 1


@njit(cache=True, nogil=True)
def _count_alike(numbers, alike, n, agree, heavy):
    """Count n blocks of two rows or more; `agree` is of the sensitive attributes."""
    least = np.int64(NOTHING)
    for s in range(len(agree)):
        certain, right, fewest = np.int64(0), np.int64(0), np.int64(NOTHING)
        best, best_of = np.int64(0), np.int64(1)
        for j in range(n):
            size, modal, distinct = np.int64(0), np.int64(0), np.int64(0)
            left = alike[np.uintp(j)]
            while left != 0:
                same = left & agree[np.uintp(s), np.uintp(lowest(left))]
                left ^= same
                count = np.int64(0)
                if len(heavy) == 0:
                    count = np.int64(ones(same))
                else:
                    while same != 0:
                        count += np.int64(heavy[np.uintp(lowest(same))])
                        same &= same - np.uint64(1)
                size += count
                modal = max(modal, count)
                distinct += 1
            certain += size * (distinct == 1)
            right += modal
            fewest = min(fewest, distinct)
            if modal * best_of > best * size:
                best, best_of = modal, size
            if s == 0:
                least = min(least, size)
        at = EACH + OF_EACH * s
        numbers[at + CERTAIN] += certain
        numbers[at + MODAL] += right
        note(numbers, at, fewest, best, best_of)
    numbers[BLOCKS] += n
    numbers[LEAST] = min(numbers[LEAST], least)
