"""Where rows wait between two steps, in buckets by the next QID or by a number."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter
from threading import Lock
from typing import Any, Protocol

import numpy as np
from numba import njit
from numpy.typing import NDArray

from microleak.base.arrays import BitWords
from microleak.kernels.blocks import Weights, merged_rows
from microleak.kernels.keys import BitField, KeyWord, Layout, narrowed_words
from microleak.kernels.tree import QidMasks

Arrays = Sequence[NDArray[Any]]
"""Columns of equal length."""

Types = Sequence[np.dtype[Any]]


class Shelf(Protocol):
    """Rows by a number; threads may use it at the same time."""

    @property
    def types(self) -> Types:
        """Types of the rows' columns."""

    def put(self, number: int, rows: Arrays) -> None:
        """Add a copy of some rows."""

    def n_rows(self, number: int) -> int:
        """Return how many rows are there to be taken."""

    def pieces(self, number: int) -> Iterator[Arrays]:
        """Yield all rows put under a number, piece by piece, and forget them."""


NewShelf = Callable[[Types], Shelf]
"""Makes an empty shelf for rows whose columns have these types."""


class MemoryShelf:
    """A shelf without bound."""

    def __init__(self, types: Types) -> None:
        self.types = types
        self._pieces: dict[int, list[Arrays]] = defaultdict(list)
        self._lock = Lock()

    def put(self, number: int, rows: Arrays) -> None:
        """Add a copy of some rows."""
        piece = [column.copy() for column in rows]
        with self._lock:
            self._pieces[number].append(piece)

    def n_rows(self, number: int) -> int:
        """Return how many rows are there to be taken."""
        return sum(len(piece[0]) for piece in self._pieces.get(number, []))

    def pieces(self, number: int) -> Iterator[Arrays]:
        """Yield all rows put under a number, piece by piece, and forget them."""
        pieces = self._pieces.pop(number, [])
        while pieces:
            yield pieces.pop()


def joined_rows(pieces: Iterable[Arrays], types: Types) -> list[NDArray[Any]]:
    """Return pieces of rows as one, by column."""
    empty = [np.empty(0, dtype=kind) for kind in types]
    return [np.concatenate(column) for column in zip(empty, *pieces, strict=True)]


@dataclass(frozen=True)
class Cut:
    """Which bucket a row belongs to, by the value of one QID in the first word."""

    field: BitField
    bucket_of: NDArray[np.int32]

    @property
    def n_buckets(self) -> int:
        """Number of buckets."""
        return int(self.bucket_of[-1]) + 1


def balanced_cut(field: BitField, counts: NDArray[np.int64], rows_a_bucket: int) -> Cut:
    """Return a cut by ranges of values, given how many rows have each value.

    No bucket has more than `rows_a_bucket` rows, unless they have one value.
    """
    return Cut(field, _bucket_ranges(counts, rows_a_bucket))


def by_bucket(
    rows: Arrays, bucket: NDArray[np.int32], n_buckets: int
) -> Iterator[tuple[int, Arrays]]:
    """Yield each bucket that gets some of the rows, and these rows.

    `bucket` has the number of each row's, below `n_buckets`.
    """
    starts = np.zeros(n_buckets + 1, dtype=np.int64)
    starts[1:] = np.cumsum(np.bincount(bucket, minlength=n_buckets))
    columns = [_sorted_by_bucket(column, bucket, starts[:-1]) for column in rows]
    for number, (lo, hi) in enumerate(pairwise(starts.tolist())):
        if lo < hi:
            yield number, [column[lo:hi] for column in columns]


@njit(cache=True, nogil=True)
def _bucket_ranges(counts, rows_a_bucket):
    bucket_of = np.empty(len(counts), dtype=np.int32)
    bucket = 0
    n_rows = 0
    for value in range(len(counts)):
        if value and n_rows + counts[value] > rows_a_bucket:
            bucket += 1
            n_rows = 0
        n_rows += counts[value]
        bucket_of[value] = bucket
    return bucket_of


@njit(cache=True, nogil=True)
def _sorted_by_bucket(column, bucket, starts):
    places = starts.copy()
    out = np.empty_like(column)
    for i in range(len(column)):
        out[places[bucket[i]]] = column[i]
        places[bucket[i]] += 1
    return out


@dataclass(frozen=True)
class Pile:
    """Rows and the subsets wanted of them, whose most identifying QID cuts them."""

    layout: Layout  # With just the QIDs that the subsets need
    wanted: QidMasks
    cut: Cut | None  # None if there are none: all rows lie in one bucket
    shelf: Shelf

    @property
    def here(self) -> QidMasks:
        """Subsets wanted that have the QID of the cut."""
        return self.wanted[self._has_first]

    @property
    def left(self) -> QidMasks:
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

    def put(self, layout: Layout, words: Sequence[KeyWord], weights: Weights) -> None:
        """Add a copy of rows that have a layout of at least the pile's QIDs."""
        if not len(weights):
            return
        words = narrowed_words(layout, words, self.layout)
        if self.cut is None:
            rows = merged_rows(*words, weights.copy())
            self.shelf.put(0, rows)
            return
        bucket = self.cut.bucket_of[self.cut.field.values(words[0])]
        for number, part in by_bucket([*words, weights], bucket, self.cut.n_buckets):
            self.shelf.put(number, part)

    def take(self, bucket: int) -> tuple[list[KeyWord], Weights]:
        """Return the words and weights of a bucket, which the pile forgets."""
        *words, weights = joined_rows(self.shelf.pieces(bucket), self.shelf.types)
        return words, weights


def needed_layout(layout: Layout, wanted: QidMasks) -> Layout:
    """Return a layout with just the QIDs that some subset has."""
    union = int(np.bitwise_or.reduce(wanted))
    return layout.only(q for q in layout.qids if union >> q & 1)


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
        number = (by >> np.uint64(64 - self.n_bits)).astype(np.int32)
        for place, rows in by_bucket(columns, number, len(self)):
            shelf.put(place, rows)
