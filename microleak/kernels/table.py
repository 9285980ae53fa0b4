"""Records as rows: integers that hold their attributes, cut into blocks.

A table is `keys` (one integer a row, its attributes in bit fields, most
identifying first, sensitive attributes last), `weights` (records with that
key) and `starts` (first row of each block, then the number of rows). Rows of a
block are adjacent, sorted by key and distinct. Row numbers and weights fit in
31 bits.

A sensitive attribute may be *marked*: it has a bit that is 1 for members, as the
records of a sample or those with a value of a group, and of a block it is not the
most frequent value that is counted but the members.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from microleak.kernels.tally import Tally

Keys = NDArray[np.uint64]
Weights = NDArray[np.int32]
Starts = NDArray[np.int32]


class Fields(NamedTuple):
    """Where the sensitive attributes lie in a key.

    `shifts` and `masks` have one entry a sensitive attribute; no mask reaches
    `n_values`. Kernels look there in keys of every level: before the last, the
    rows of a final block are equal, so that whatever they find is one value.

    The last `n_marked` attributes are marked. Their bits are the lowest of a key,
    the first attribute's the highest of them, on every level.
    """

    shifts: NDArray[np.uint64]
    masks: NDArray[np.uint64]
    n_values: int
    n_marked: int


class Table(NamedTuple):
    """What is left to split, the final blocks so far, and what still varies.

    `varying` has a bit set where rows of one block differ: an attribute whose
    field is all zero there is determined by those already used.
    """

    keys: Keys
    weights: Weights
    starts: Starts
    tally: Tally
    varying: np.uint64
