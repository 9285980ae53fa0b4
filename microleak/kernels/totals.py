"""The blocks of each subset, added up over the parts of a table."""

from collections.abc import Mapping
from threading import Lock

import numpy as np

from microleak.kernels.blocks import add_tally
from microleak.kernels.spilled_rows import Shelf, joined
from microleak.kernels.tally import Histogram, Tally, copy_tally, histogram, n_bytes
from microleak.kernels.tree import Subset

HISTOGRAM_TYPES = [np.dtype(np.int64)] * 3


class Totals:
    """Blocks counted so far; threads may add at the same time.

    When their tallies take more than `most_bytes`, they go to a shelf, where
    several parts of a subset's histogram may lie. `first` is the number of the
    tallies' first sensitive attribute.
    """

    def __init__(self, shelf: Shelf, first: int, most_bytes: int) -> None:
        self._shelf = shelf
        self._first = first
        self._most_bytes = most_bytes
        self._tallies: dict[Subset, Tally] = {}
        self._n_bytes = 0
        self._lock = Lock()

    def add(self, found: Mapping[Subset, Tally]) -> None:
        """Add the blocks found in a part of the table."""
        with self._lock:
            for subset, tally in found.items():
                known = self._tallies.get(subset)
                before = n_bytes(known) if known else 0
                total = add_tally(known, tally) if known else copy_tally(tally)
                self._n_bytes += n_bytes(total) - before
                self._tallies[subset] = total
                if self._n_bytes > self._most_bytes:
                    self._put_away()

    def close(self) -> None:
        """Put all that was counted on the shelf."""
        with self._lock:
            self._put_away()

    def _put_away(self) -> None:
        while self._tallies:
            subset, tally = self._tallies.popitem()
            part = histogram(tally, self._first)
            self._shelf.put(subset, [part.outer, part.inner, part.n_blocks])
        self._n_bytes = 0


def taken(shelf: Shelf, subset: Subset) -> Histogram:
    """Return a subset's histogram, added up from its parts, and forget it."""
    outer, inner, n_blocks = joined(shelf.pieces(subset), shelf.types)
    order = np.lexsort([inner, outer])
    outer, inner, n_blocks = outer[order], inner[order], n_blocks[order]
    is_new = (np.diff(outer) != 0) | (np.diff(inner) != 0)
    first = np.flatnonzero(np.concatenate([[True], is_new]))
    return Histogram(outer[first], inner[first], np.add.reduceat(n_blocks, first))
