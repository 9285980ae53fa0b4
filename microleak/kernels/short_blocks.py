"""Short blocks, which are counted for many sets of attributes at once.

The rows of a block that are alike in a set of attributes are bits of a number, and an
attribute more cuts it by one `and`. Sets are visited in an order in which each follows
the one without its last attribute.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from microleak.kernels.blocks import Table
from microleak.kernels.keys import BitField

Integers = NDArray[np.int64]

MOST_ROWS: Final = 64
"""Rows of a block that are the bits of a number."""

MOST_SETS: Final = 1 << 10
"""Sets for which blocks are counted at once: what is counted of them takes memory."""

ROWS_A_SET: Final = 16
"""Rows of short blocks from which on it takes less time than to go on with them."""


class Sets(NamedTuple):
    """Sets of attributes in the order in which they are visited, the empty one first.

    Attributes
    ----------
    depth
        Attributes of each.
    last
        Number of the last one; of the empty set 0.
    end
        Number of the first set behind it that does not begin with its attributes.
    """

    depth: Integers
    last: Integers
    end: Integers


class Short(NamedTuple):
    """Short blocks of a table, and the sets of attributes that they are counted for.

    An attribute's value is `key >> shift & mask`; `blocks` are numbers, ascending.
    """

    shifts: NDArray[np.uint64]
    masks: NDArray[np.uint64]
    sets: Sets
    blocks: NDArray[np.int32]


def short_blocks(table: Table, most_records: int, n_sets: int) -> NDArray[np.int32]:
    """Return the blocks of a table that are counted at once, if that is worth while.

    They have up to `MOST_ROWS` rows, and `most_records` records.
    """
    starts = table.starts[:-1]
    if not 1 < n_sets <= MOST_SETS or not len(starts):
        return np.empty(0, dtype=np.int32)
    n_rows = np.diff(table.starts)
    n_records = np.add.reduceat(table.weights, starts)
    is_short = (n_rows <= MOST_ROWS) & (n_records <= most_records)
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


def _in_order(sets: Sequence[tuple[int, ...]]) -> tuple[Sets, list[int]]:
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
    return Sets(depth, last, end), [place[each] for each in sets]


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
