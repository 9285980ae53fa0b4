"""Cutting tables by the values of one QID, so that no block lies in two parts."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numba import njit
from numpy.typing import NDArray

from microleak.kernels.blocks import Keys, Weights
from microleak.kernels.keys import BitField


@dataclass(frozen=True)
class Bucket:
    """Rows of a table, in any order; equal keys may occur several times."""

    keys: Keys
    weights: Weights


@dataclass(frozen=True)
class Cut:
    """Which bucket a row belongs to, by the value of one QID."""

    field: BitField
    bucket_of: NDArray[np.int32]

    @property
    def n_buckets(self) -> int:
        """Number of buckets."""
        return int(self.bucket_of[-1]) + 1


def balanced_cut(buckets: Sequence[Bucket], field: BitField, rows_a_bucket: int) -> Cut:
    """Return a cut by ranges of values with about so many rows a bucket.

    A value with more rows than that has a bucket of its own.
    """
    n_values = (field.mask >> field.shift) + 1
    counts = np.zeros(n_values, dtype=np.int64)
    for bucket in buckets:
        values = (bucket.keys & np.uint64(field.mask)) >> np.uint64(field.shift)
        counts += np.bincount(values.astype(np.int64), minlength=n_values)
    ends = np.cumsum(counts)
    ranges = (ends - 1) // rows_a_bucket
    return Cut(field, np.unique(ranges, return_inverse=True)[1].astype(np.int32))


def scattered(bucket: Bucket, cut: Cut) -> list[Bucket]:
    """Return a bucket's rows as one bucket a part of the cut, some empty."""
    keys, weights, ends = _scatter(
        bucket.keys,
        bucket.weights,
        np.uint64(cut.field.mask),
        np.uint64(cut.field.shift),
        cut.bucket_of,
        cut.n_buckets,
    )
    bounds = [0, *ends.tolist()]
    return [Bucket(keys[lo:hi], weights[lo:hi]) for lo, hi in pairwise(bounds)]


def joined(parts: Sequence[Bucket]) -> Bucket:
    """Return the rows of several buckets as one."""
    return Bucket(
        np.concatenate([part.keys for part in parts]),
        np.concatenate([part.weights for part in parts]),
    )


@njit(cache=True, nogil=True)
def _scatter(keys, weights, mask, shift, bucket_of, n_buckets):
    """Sort rows by bucket, by counting; rows of a bucket keep their order."""
    places = np.zeros(n_buckets + 1, dtype=np.int64)
    for i in range(len(keys)):
        places[bucket_of[np.int64((keys[i] & mask) >> shift)] + 1] += 1
    places = np.cumsum(places)
    out_keys = np.empty_like(keys)
    out_weights = np.empty_like(weights)
    for i in range(len(keys)):
        bucket = bucket_of[np.int64((keys[i] & mask) >> shift)]
        out_keys[places[bucket]] = keys[i]
        out_weights[places[bucket]] = weights[i]
        places[bucket] += 1
    return out_keys, out_weights, places[:-1]
