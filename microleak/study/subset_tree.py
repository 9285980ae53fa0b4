"""Subsets of QIDs as a tree, in which rows are divided on the way down."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Generic, Protocol, Self, TypeVar

import numpy as np

from microleak.attacks.profile import Counts
from microleak.kernels.records import Codes
from microleak.study.subsets import Subset

MOST_BLOCKS = 2**62
"""Numbers of blocks are below it; blocks are numbered anew before they exceed it."""


class Divisible(Protocol):
    """Rows in blocks by the QIDs that are used up, with the codes of others."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""

    def split(self, qid: int) -> Self:
        """Return all rows, every block divided by one more QID, which is used up."""

    def only(self, qids: Sequence[int]) -> Self:
        """Return rows that have forgotten all but some of the QIDs not used up."""


Rows = TypeVar("Rows", bound=Divisible)


@dataclass(frozen=True)
class SubsetTree(Generic[Rows]):
    """Visits subsets from the most identifying QID on, fewer QIDs before more.

    Attributes
    ----------
    order
        All QIDs, the most identifying first.
    visit
        Takes a wanted subset and its rows, blocks by the subset's QIDs; gives the
        rows that subsets with more QIDs need, of whole blocks. Where that is none,
        these are not visited.
    """

    order: Sequence[int]
    visit: Callable[[Subset, Rows], Rows]

    def first_of(self, wanted: Collection[Subset], has: Subset = 0) -> int:
        """Return the most identifying QID that a wanted subset has beyond some."""
        beyond = union(wanted) & ~has
        return next(qid for qid in self.order if beyond >> qid & 1)

    def descend(self, rows: Rows, has: Subset, wanted: Collection[Subset]) -> None:
        """Visit wanted subsets, all of which have the QIDs that are used up."""
        if has in wanted:
            rows = self.visit(has, rows)
        left = {subset for subset in wanted if subset != has}
        while left and rows.n_rows:
            rows = rows.only(positions(union(left) & ~has))
            first = self.first_of(left, has)
            mine = with_qid(left, first)
            self.descend(rows.split(first), has | 1 << first, mine)
            left -= mine


def most_identifying_first(n_codes: Sequence[int]) -> list[int]:
    """Return QIDs by their number of values, the largest first."""
    return sorted(range(len(n_codes)), key=lambda qid: (-n_codes[qid], qid))


def union(subsets: Collection[Subset]) -> Subset:
    """Return the QIDs that some of the subsets has."""
    return reduce(or_, subsets, 0)


def positions(subset: Subset) -> list[int]:
    """Return the positions of a subset's QIDs, ascending."""
    return [qid for qid in range(subset.bit_length()) if subset >> qid & 1]


def with_qid(subsets: Collection[Subset], qid: int) -> set[Subset]:
    """Return the subsets that have a QID."""
    return {subset for subset in subsets if subset >> qid & 1}


def joined(left: Counts, n_left: int, right: Codes, n_right: int) -> tuple[Counts, int]:
    """Return a number for each pair of numbers, and the bound of these.

    Pairs are equal where the numbers are. What is given on the left is numbered
    anew first if pairs would exceed `MOST_BLOCKS`.

    >>> joined(np.array([0, 1, 1]), 2, np.array([2, 0, 2]), 3)
    (array([2, 3, 5]), 6)
    """
    if n_left * n_right > MOST_BLOCKS:
        each, left = np.unique(left, return_inverse=True)
        n_left = len(each)
    return left * n_right + right, n_left * n_right
