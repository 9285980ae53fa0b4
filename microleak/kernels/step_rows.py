"""The rows of one step of the walk, on a shelf in buckets by the next QID."""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from microleak.kernels.buckets import Cut, scattered
from microleak.kernels.keys import Layout, Word, narrowed
from microleak.kernels.merging import merge_equal
from microleak.kernels.spilled_rows import Shelf, joined
from microleak.kernels.table import Weights
from microleak.kernels.tree import Subsets


@dataclass(frozen=True)
class Pile:
    """Rows and the subsets wanted of them, whose most identifying QID cuts them.

    `layout` has just the QIDs that the subsets need; if there are none, all rows
    lie in one bucket.
    """

    layout: Layout
    wanted: Subsets
    cut: Cut | None
    shelf: Shelf

    @property
    def here(self) -> Subsets:
        """Subsets wanted that have the QID of the cut."""
        return self.wanted[self._has_first]

    @property
    def left(self) -> Subsets:
        """Subsets wanted that do not have it."""
        return self.wanted[~self._has_first]

    @property
    def _has_first(self) -> NDArray[np.bool_]:
        if self.cut is None:
            return np.ones(len(self.wanted), dtype=np.bool_)
        return (self.wanted >> self.cut.field.qid & 1).astype(np.bool_)

    @property
    def n_rows(self) -> dict[int, int]:
        """Rows of each bucket, from most to fewest."""
        numbers = range(self.cut.n_buckets if self.cut else 1)
        sizes = {number: self.shelf.n_rows(number) for number in numbers}
        return dict(sorted(sizes.items(), key=itemgetter(1), reverse=True))

    def has_one_value(self, bucket: int) -> bool:
        """Whether a bucket's rows all have the same value of the cut's QID."""
        assert self.cut is not None
        return int(np.count_nonzero(self.cut.bucket_of == bucket)) == 1

    def put(self, layout: Layout, words: Sequence[Word], weights: Weights) -> None:
        """Add a copy of rows that have a layout of at least the pile's QIDs."""
        if not len(weights):
            return
        words = narrowed(layout, words, self.layout)
        if self.cut is None:
            rows = merge_equal(*words, weights.copy())
            self.shelf.put(0, rows)
            return
        for number, part in scattered([*words, weights], words[0], self.cut):
            self.shelf.put(number, part)

    def take(self, bucket: int) -> tuple[list[Word], Weights]:
        """Return the words and weights of a bucket, which the pile forgets."""
        *words, weights = joined(self.shelf.pieces(bucket), self.shelf.types)
        return words, weights


def needed(layout: Layout, wanted: Subsets) -> Layout:
    """Return a layout with just the QIDs that some subset has."""
    union = int(np.bitwise_or.reduce(wanted))
    return layout.only(q for q in layout.qids if union >> q & 1)
