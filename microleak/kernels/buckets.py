"""Rows in buckets by a number, rows of one number in one bucket."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from microleak.base.arrays import BitWords
from microleak.kernels.spilled_rows import Shelf

ROWS_A_BUCKET = 1 << 17
"""Rows of all releases that a bucket has, about."""


def are_even(most: int) -> bool:
    """Whether buckets are about equal, by the most rows that have one number."""
    return most <= ROWS_A_BUCKET // 8


def mixed_words(words: BitWords) -> BitWords:
    """Return other numbers, each of one number only, that seem to be random.

    The end of SplitMix64 (Steele, Lea and Flood 2014).

    >>> mixed_words(np.array([0, 1], dtype=np.uint64)).tolist()
    [0, 6238072747940578789]
    """
    found = words ^ (words >> np.uint64(30))
    found *= np.uint64(0xBF58476D1CE4E5B9)
    found ^= found >> np.uint64(27)
    found *= np.uint64(0x94D049BB133111EB)
    found ^= found >> np.uint64(31)
    return found


@dataclass(frozen=True)
class Buckets:
    """How many buckets there are, and which a number is of."""

    n_bits: int

    @classmethod
    def of(cls, n_rows: int) -> "Buckets":
        """Return buckets for some number of rows."""
        return cls((n_rows // ROWS_A_BUCKET).bit_length())

    def __len__(self) -> int:
        return 1 << self.n_bits

    def put(
        self, shelf: Shelf, by: BitWords, columns: Sequence[NDArray[np.generic]]
    ) -> None:
        """Put rows on a shelf, by the highest bits of a mixed number."""
        if not self.n_bits:
            shelf.put(0, columns)
            return
        # NumPy sorts numbers of 16 bits by counting.
        number = (by >> np.uint64(64 - self.n_bits)).astype(np.uint16)
        order = np.argsort(number, kind="stable")
        ends = np.cumsum(np.bincount(number, minlength=len(self)))
        sorted_columns = [column[order] for column in columns]
        first = 0
        for place, end in enumerate(ends.tolist()):
            shelf.put(place, [column[first:end] for column in sorted_columns])
            first = end
