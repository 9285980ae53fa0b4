"""Parts of a walk: each counts other blocks, and their counts add up to those of all.

Subsets are grouped by the first QID that they have, in an order of the QIDs that all
parts share, and the values of each QID are divided among the parts. A block of a group
has one value of its QID, so it lies in one part with all its records. The empty subset,
whose one block has all records, is of the first part.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from microleak.base.arrays import Codes, Integers
from microleak.kernels.records import Values
from microleak.kernels.tree import QidMasks


@dataclass(frozen=True)
class WalkShare:
    """Subsets that are walked together, and the records that they are walked for.

    These are those of which `is_mine` is true for their value of `qid`; all without
    one.
    """

    subsets: QidMasks
    n_records: int
    qid: int | None = None
    is_mine: NDArray[np.bool_] = field(default_factory=lambda: np.ones(1, np.bool_))
    counts: Mapping[int, Integers] = field(default_factory=dict)

    def rows(self, codes: Mapping[int, Codes]) -> slice | NDArray[np.intp]:
        """Return the rows of its records, given the codes of QIDs that vary."""
        if self.qid is None or self.qid not in codes:
            return slice(None)
        return np.flatnonzero(self.is_mine[codes[self.qid]])


@dataclass(frozen=True)
class WalkPart:
    """One of several parts of a walk."""

    number: int
    n_parts: int
    """Which part it is, from 0, and how many there are."""
    orders: Sequence[NDArray[np.intp]]
    """Of each QID, its codes in an order of the values that all parts share, though
    their codes may differ."""

    def shares(self, qids: Sequence[Values], wanted: QidMasks) -> Iterator[WalkShare]:
        """Yield the groups of subsets of which the part has records, with these.

        A part has at most its share of a group's records, and as many more as have the
        most frequent value of its QID: the QID with the fewest of these comes first.
        Integers alone decide on it, as parts of other machines must not order QIDs
        otherwise.
        """
        order = sorted(range(len(qids)), key=lambda q: (int(qids[q].counts.max()), q))
        left = wanted
        for qid in order:
            has = left >> qid & 1 == 1
            counts = qids[qid].counts
            is_mine = self._is_mine(counts, self.orders[qid])
            n_records = int(counts[is_mine].sum())
            if has.any() and n_records:
                yield WalkShare(
                    left[has], n_records, qid, is_mine, {qid: counts * is_mine}
                )
            left = left[~has]
        if len(left) and self.number == 0:
            yield WalkShare(left, int(qids[0].counts.sum()))

    def _is_mine(self, counts: Integers, order: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Return which values are of this part: those whose middle record is.

        >>> order = np.arange(3)
        >>> for number in range(2):
        ...     print(WalkPart(number, 2, [])._is_mine(np.array([5, 1, 4]), order))
        [ True False False]
        [False  True  True]
        """
        ordered = counts[order]
        middle = 2 * np.cumsum(ordered) - ordered
        is_mine = np.empty(len(counts), dtype=np.bool_)
        is_mine[order] = self.n_parts * middle // (2 * counts.sum()) == self.number
        return is_mine
