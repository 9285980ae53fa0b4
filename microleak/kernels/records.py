"""The coded records of a table, to be read in chunks, and more than once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from microleak.base.arrays import Codes

MOST_RECORDS = 2**31 - 1
"""Records that numbers of 32 bits count; the walk takes others for more of them."""

ROWS_A_CHUNK = 1 << 20


@dataclass(frozen=True)
class Values:
    """How many records have each value of an attribute, by the value's code.

    A marked attribute mostly has two codes, 1 for members. One that is a part of
    another may say of the whole, in bits, how far it identifies: the parts are then
    walked in order.
    """

    counts: NDArray[np.int64]
    is_marked: bool = False
    of_whole: float | None = None

    @property
    def n_bits(self) -> int:
        """Bits that hold every code; none for an attribute with one value."""
        return (max(len(self.counts), 1) - 1).bit_length()

    @property
    def identifies(self) -> float:
        """How far the attribute, or the one it is a part of, identifies in bits."""
        # It decides where the walk begins, which changes its speed and no result.
        return self.entropy if self.of_whole is None else self.of_whole

    @cached_property
    def entropy(self) -> float:
        """Shannon entropy of the values in bits; 0 if all records are equal."""
        shares = self.counts[self.counts > 0] / self.counts.sum()
        return float(-shares @ np.log2(shares))


@dataclass(frozen=True)
class Records:
    """Values of each attribute, and the records' codes chunk by chunk.

    `chunk(i, names)` returns the codes of chunk i, from 0 to `n_chunks` - 1, of
    some attributes; an attribute's name is its position, QIDs before sensitive
    ones, of which those that are marked come last. Threads may read chunks at the
    same time.
    """

    qids: Sequence[Values]
    sensitive: Sequence[Values]
    n_chunks: int
    chunk: Callable[[int, Sequence[int]], list[Codes]]

    @property
    def n_records(self) -> int:
        """Number of records."""
        return int(self.qids[0].counts.sum())


@dataclass(frozen=True)
class AttributeCodes:
    """Codes of one attribute, how many codes there are, and whether it is marked."""

    codes: Codes
    n_values: int
    is_marked: bool = False


def in_memory(
    qids: Sequence[AttributeCodes], sensitive: Sequence[AttributeCodes]
) -> Records:
    """Return records of arrays of equal length."""
    both = [*qids, *sensitive]

    def chunk(i: int, names: Sequence[int]) -> list[Codes]:
        rows = slice(i * ROWS_A_CHUNK, (i + 1) * ROWS_A_CHUNK)
        return [both[name].codes[rows] for name in names]

    values = [
        Values(np.bincount(a.codes, minlength=a.n_values), a.is_marked) for a in both
    ]
    n_chunks = -(-len(qids[0].codes) // ROWS_A_CHUNK)
    return Records(values[: len(qids)], values[len(qids) :], n_chunks, chunk)
