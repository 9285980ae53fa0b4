"""All minimal sample uniques of every record, from the walk over QID subsets.

A set of QIDs is a *minimal sample unique* of a record that is alone with its values of
these QIDs, and of no proper subset of them (Elliot, Manning and Ford 2002). Rows are
told apart in this walk: a weight has the number of a row's records above `NUMBER_BITS`
bits and below, if it is one record, which one. Where a split leaves a record alone, the
QIDs decided for so far are a unique of it, minimal if none that was found before is a
part of them. The tree decides against a QID before it decides for it, so that parts of
a set come before it; and a record has left the table where a part of a set was enough
on the way.

That is so among the sets with the same most identifying QID, of which a tree has all.
Sets without it are found later, and those found before that have one of them as a part
are left out in the end, chunk by chunk of the records.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from threading import Lock
from typing import ClassVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

from microleak.base.arrays import QidMask
from microleak.kernels.blocks import Fields, Final, Weights
from microleak.kernels.records import Records
from microleak.kernels.spilled_rows import Shelf, Types, joined_rows
from microleak.kernels.tree import Counts, QidMasks
from microleak.kernels.walk import Turn, Work, walk_turn

NUMBER_BITS = 32

MOST_WAITING = 1 << 23
"""Minimal sample uniques of a bucket that wait for its end; more are put away before,
and some that are not minimal with them, which are left out in the end."""

Masks = NDArray[np.uint16]


class UniquesFound:
    """Minimal sample uniques found in a bucket, in a list for each of its rows."""

    def __init__(self, numbers: NDArray[np.int32]) -> None:
        self.numbers = numbers
        self.first = np.full(len(numbers), -1, dtype=np.int32)
        self.n = 0
        self.rows = np.empty(0, dtype=np.int32)
        self.following = np.empty(0, dtype=np.int32)
        self.masks: Masks = np.empty(0, dtype=np.uint16)

    def make_room(self, n_more: int) -> None:
        """Make room for more."""
        if self.n + n_more > len(self.masks):
            n = max(2 * len(self.masks), self.n + n_more, 1 << 10)
            self.rows = np.resize(self.rows, n)
            self.following = np.resize(self.following, n)
            self.masks = np.resize(self.masks, n)


class Numbered:
    """Numbers of the records of each chunk, in the order in which chunks are read."""

    def __init__(self, n_chunks: int) -> None:
        self.first = np.zeros(n_chunks, dtype=np.int64)
        self._n = 0
        self._lock = Lock()

    def begin(self, chunk: int, n_rows: int) -> int:
        """Return the number of a chunk's first record."""
        with self._lock:
            self.first[chunk] = self._n
            self._n += n_rows
            return int(self.first[chunk])

    def chunks_of(self, numbers: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return which chunk each record is of."""
        order = np.argsort(self.first)
        place = np.searchsorted(self.first[order], numbers, side="right") - 1
        return order[place]


@dataclass(frozen=True)
class MinimalUniques:
    """Finds minimal sample uniques (`microleak.kernels.tree.Counter`)."""

    fields: Fields
    numbered: Numbered
    shelf: Shelf

    types: ClassVar[Types] = [np.dtype(np.int32), np.dtype(np.uint16)]
    weight: ClassVar = np.dtype(np.int64)

    def weights(self, chunk: int, n_rows: int) -> Weights:
        """Return a weight for each record, from which its number can be read."""
        first = (1 << NUMBER_BITS) + self.numbered.begin(chunk, n_rows)
        return np.arange(first, first + n_rows, dtype=self.weight)

    def begin(self, weights: Weights) -> tuple[Weights, UniquesFound]:
        """Return weights by the rows of a bucket, and nothing found of these."""
        is_one = weights >> NUMBER_BITS == 1
        row = np.arange(len(weights), dtype=self.weight)
        one, several = 1 << NUMBER_BITS, 2 << NUMBER_BITS
        numbers = (weights & ((1 << NUMBER_BITS) - 1)).astype(np.int32)
        return np.where(is_one, one + row, several), UniquesFound(numbers)

    def copied(self, found: UniquesFound) -> UniquesFound:
        """Return the same, as all subsets add to it."""
        return found

    def counted(
        self, found: UniquesFound, final: Final, wanted: QidMasks
    ) -> UniquesFound:
        """Add the QIDs that all subsets wanted have, of records that are alone."""
        mask = np.bitwise_and.reduce(wanted)
        found.make_room(len(final.blocks))
        lists = found.rows, found.following, found.masks
        found.n = _add_minimal(final, np.uint16(mask), found.first, lists, found.n)
        if found.n > MOST_WAITING:
            self.put(found)
        return found

    def put(self, found: UniquesFound) -> None:
        """Put what was found on the shelf, by the records' chunk, and begin anew."""
        numbers, masks = self.rows(found)
        chunk = self.numbered.chunks_of(numbers)
        order = np.argsort(chunk, kind="stable")
        cuts = np.searchsorted(chunk[order], np.arange(len(self.numbered.first) + 1))
        for number, (lo, hi) in enumerate(pairwise(cuts.tolist())):
            if lo < hi:
                rows = order[lo:hi]
                self.shelf.put(number, [numbers[rows], masks[rows]])
        found.first[:] = -1
        found.n = 0

    def added(self, total: UniquesFound, part: UniquesFound) -> UniquesFound:
        """Return one of two, which are the same."""
        assert total is part
        return total

    def n_bytes(self, _: UniquesFound) -> int:
        """Return nothing, as what is found goes at the end of a bucket."""
        return 0

    def rows(self, found: UniquesFound) -> list[NDArray[np.integer]]:
        """Return records and masks."""
        rows = found.rows[: found.n]
        return [found.numbers[rows], found.masks[: found.n]]


@dataclass(frozen=True)
class _AtTheEnd:
    """Puts what is found in a bucket on the shelf at its end."""

    counter: MinimalUniques

    def add(self, found: Mapping[QidMask, Counts]) -> None:
        """Put what was found in a bucket, the same for each of its subsets."""
        self.counter.put(next(iter(found.values())))

    def close(self) -> None:
        """Do nothing, as nothing waits."""


def minimal_uniques(
    records: Records, work: Work
) -> Iterator[tuple[int, NDArray[np.int64], Masks]]:
    """Yield the minimal sample uniques of every record, chunk by chunk.

    That is the number of a chunk, where the list of each of its records begins and the
    last one ends, and the lists: sets of QIDs as bit masks, in no order. `records` have
    up to 16 QIDs, and no sensitive attribute. The only record of a table is alone
    without any QID, and has none.
    """
    n_qids = len(records.qids)
    assert n_qids <= 16  # Of so many a set is a number of 16 bits
    if records.n_records == 1:
        yield 0, np.zeros(2, dtype=np.int64), np.empty(0, dtype=np.uint16)
        return
    numbered = Numbered(records.n_chunks)
    shelf = work.new_shelf(MinimalUniques.types)
    turn = Turn(
        [0],
        partial(MinimalUniques, numbered=numbered, shelf=shelf),
        lambda counter: _AtTheEnd(cast(MinimalUniques, counter)),
    )
    walk_turn(records, np.arange(1, 1 << n_qids), turn, work)
    ends = np.append(np.sort(numbered.first)[1:], records.n_records)
    end_of = dict(zip(np.argsort(numbered.first).tolist(), ends.tolist(), strict=True))
    for chunk in range(records.n_chunks):
        numbers, masks = joined_rows(shelf.pieces(chunk), shelf.types)
        first = int(numbered.first[chunk])
        yield chunk, *_minimal(numbers - first, masks, end_of[chunk] - first)


@njit(cache=True, nogil=True)
def _add_minimal(final, mask, first, lists, n):
    _, weights, starts, blocks, _ = final
    rows, following, masks = lists
    for block in blocks:
        row = starts[block]
        weight = weights[row]
        if starts[block + 1] - row != 1 or weight >> NUMBER_BITS != 1:
            continue
        number = weight & ((1 << NUMBER_BITS) - 1)
        at = first[number]
        while at >= 0 and masks[at] & mask != masks[at]:
            at = following[at]
        if at < 0:
            rows[n] = number
            masks[n] = mask
            following[n] = first[number]
            first[number] = n
            n += 1
    return n


@njit(cache=True, nogil=True)
def _minimal(numbers, masks, n_records):
    """Return the starts of the records' lists, and the masks that have no other."""
    starts = np.zeros(n_records + 1, dtype=np.int64)
    for number in numbers:
        starts[number + 1] += 1
    for number in range(n_records):
        starts[number + 1] += starts[number]
    places = starts[:-1].copy()
    by_record = np.empty_like(masks)
    for i in range(len(numbers)):
        by_record[places[numbers[i]]] = masks[i]
        places[numbers[i]] += 1
    n = 0
    left = np.empty_like(by_record)
    for number in range(n_records):
        lo, hi = starts[number], starts[number + 1]
        starts[number] = n
        for i in range(lo, hi):
            mask = by_record[i]
            is_minimal = True
            for j in range(lo, hi):
                if j != i and by_record[j] & mask == by_record[j]:
                    is_minimal = False
                    break
            if is_minimal:
                left[n] = mask
                n += 1
    starts[n_records] = n
    return starts, left[:n]


@njit(cache=True, nogil=True)
def count_minimal(lists, known, scoring, found):
    """Count the minimal sample uniques of some records.

    Parameters
    ----------
    lists
        Where the list of each record begins, the masks, and how many bits each has.
    known
        Of each record the number of its value, of some QIDs; and which QIDs.
    scoring
        For each score what a mask of each size counts, and by what that is whole.
    found
        Arrays to add to: masks by size; records by size, and by the size of their
        smallest mask; masks by QID and size, and records with them; the same by value;
        records of each score by the bits of its whole part.
    """
    starts, masks, sizes = lists
    values, qid_of = known
    scores, whole = scoring
    n_minimal, n_special, n_smallest = found[:3]
    of_attribute, n_with_attribute, of_value, n_with_value, n_scored = found[3:]
    n_qids = len(of_attribute)
    n_of_size = np.zeros(n_qids + 1, dtype=np.int64)
    for record in range(len(starts) - 1):
        lo, hi = starts[record], starts[record + 1]
        if lo == hi:
            continue
        n_of_size[:] = 0
        union = np.int64(0)
        for i in range(lo, hi):
            mask = np.int64(masks[i])
            union |= mask
            size = sizes[i]
            n_of_size[size] += 1
            for q in range(n_qids):
                of_attribute[q, size] += mask >> q & 1
            for place in range(len(qid_of)):
                of_value[values[record, place], size] += mask >> qid_of[place] & 1
        smallest = 0
        for size in range(n_qids, 0, -1):
            n_minimal[size] += n_of_size[size]
            if n_of_size[size]:
                n_special[size] += 1
                smallest = size
        n_smallest[smallest] += 1
        for q in range(n_qids):
            n_with_attribute[q] += union >> q & 1
        for place in range(len(qid_of)):
            n_with_value[values[record, place]] += union >> qid_of[place] & 1
        for kind in range(len(scores)):
            score = np.int64(0)
            for size in range(1, n_qids + 1):
                score += n_of_size[size] * scores[kind, size]
            at = 0
            rest = score // whole[kind]
            while rest:
                at += 1
                rest >>= 1
            n_scored[kind, at] += 1
