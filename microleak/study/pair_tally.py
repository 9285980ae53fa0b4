"""Counting records by two codes that come in parts."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

FEW_PAIRS = 1 << 22
"""As many possible pairs as are counted in a table; of more, keys are sorted."""

LEAST_MERGED = 1 << 18
"""Counts of parts that are merged at once, at least."""


@dataclass(frozen=True)
class Pairs:
    """Pairs of codes that occur, ascending, and the records of each, from 1.

    A pair is one number, `first * n_second + second`.
    """

    key: Integers
    n_records: Integers


NO_PAIRS = Pairs(np.empty(0, np.int64), np.empty(0, np.int64))


class PairTally:
    """Records by a first and a second code, from 0 up, fewer than the numbers given.

    Memory grows with the pairs that occur, not with those that are possible.
    """

    def __init__(self, n_first: int, n_second: int) -> None:
        self._n_second = n_second
        self._n_possible = n_first * n_second
        self._whole = NO_PAIRS
        self._waiting: list[Pairs] = []
        self._n_waiting = 0

    def add(self, first: Integers, second: Integers) -> None:
        """Count some records."""
        part = _counted(first * self._n_second + second, self._n_possible)
        self._waiting.append(part)
        self._n_waiting += len(part.key)
        # So each pair is merged a few times, however many parts there are.
        if self._n_waiting > max(LEAST_MERGED, self.n_pairs):
            self._merge()

    @property
    def n_pairs(self) -> int:
        """Pairs that occur, but for those of the last parts."""
        return len(self._whole.key)

    @property
    def pairs(self) -> Pairs:
        """All that were counted."""
        self._merge()
        return self._whole

    def _merge(self) -> None:
        if self._waiting:
            self._whole = _merged([self._whole, *self._waiting])
        self._waiting, self._n_waiting = [], 0


def _counted(keys: Integers, n_possible: int) -> Pairs:
    if n_possible > FEW_PAIRS:
        return Pairs(*np.unique(keys, return_counts=True))
    n_records = np.bincount(keys, minlength=n_possible)
    found = np.flatnonzero(n_records)
    return Pairs(found, n_records[found])


def _merged(parts: list[Pairs]) -> Pairs:
    keys = np.concatenate([part.key for part in parts])
    n_records = np.concatenate([part.n_records for part in parts])
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    is_first = np.ones(len(keys), dtype=np.bool_)
    is_first[1:] = keys[1:] != keys[:-1]
    starts = np.flatnonzero(is_first)
    return Pairs(keys[starts], np.add.reduceat(n_records[order], starts))
