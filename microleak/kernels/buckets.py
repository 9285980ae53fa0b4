"""Cutting rows by the values of one QID, so that no block lies in two parts."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numba import njit
from numpy.typing import NDArray

from microleak.kernels.keys import BitField, Word
from microleak.kernels.spilled_rows import Rows


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
    return Cut(field, _ranges(counts, rows_a_bucket))


def scattered(rows: Rows, word: Word, cut: Cut) -> Iterator[tuple[int, Rows]]:
    """Yield each bucket that gets some of the rows, and these rows.

    `word` is the rows' word that has the field of the cut.
    """
    bucket = cut.bucket_of[cut.field.values(word)]
    starts = np.zeros(cut.n_buckets + 1, dtype=np.int64)
    starts[1:] = np.cumsum(np.bincount(bucket, minlength=cut.n_buckets))
    columns = [_sorted_by_bucket(column, bucket, starts[:-1]) for column in rows]
    for number, (lo, hi) in enumerate(pairwise(starts.tolist())):
        if lo < hi:
            yield number, [column[lo:hi] for column in columns]


@njit(cache=True, nogil=True)
def _ranges(counts, rows_a_bucket):
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
    """Sort rows by bucket, by counting; rows of a bucket keep their order."""
    places = starts.copy()
    out = np.empty_like(column)
    for i in range(len(column)):
        out[places[bucket[i]]] = column[i]
        places[bucket[i]] += 1
    return out
