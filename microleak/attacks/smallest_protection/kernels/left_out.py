"""What the others of a block tell of each of its records, for every set of QIDs.

Whoever guesses a record from all the others is right as often as the choices of its
block say (`kernels.kinds.choices_of`), or, if it is alone, those of the whole table.
So of each set of QIDs records guessed right are added up by choices, and those that are
alone by whether they have the table's most frequent value.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from numba import njit

from microleak.base.arrays import Codes, Integers
from microleak.kernels.blocks import Fields, Final, Weights
from microleak.kernels.records import Records, Values
from microleak.kernels.spilled_rows import joined_rows
from microleak.kernels.tally import OfRecords
from microleak.kernels.tree import QidMasks
from microleak.kernels.walk import Totals, Turn, Work, walk_turn

ALONE_MODAL, ALONE_OTHER, BY_CHOICES = range(3)
"""Where records are that are alone in their block, with the table's most frequent value
and with another one; and from where on the most frequent values of all other blocks are
added up by choices, from 0."""


def left_out(
    records: Records, sensitive: int, wanted: QidMasks, work: Work
) -> Iterator[Integers]:
    """Yield the counts of one sensitive attribute, for each set of QIDs in turn.

    Counts lie by place (`ALONE_MODAL`, `ALONE_OTHER`, and from `BY_CHOICES` on), shape
    (3 + n_values,). There is a record at least, and no sensitive attribute is marked;
    of several most frequent values of the table the first is taken for it.
    """
    asked = _with_mark(records, sensitive)
    shelf = work.new_shelf(_LeftOutCounter.types)
    totals_of = partial(Totals, shelf, work.tally_bytes)
    walk_turn(asked, wanted, Turn([0, 1], _LeftOutCounter, totals_of), work)
    n_places = BY_CHOICES + 1 + len(records.sensitive[sensitive].counts)
    for subset in wanted.tolist():
        place, n = joined_rows(shelf.pieces(subset), shelf.types)
        counts = np.zeros(n_places, dtype=np.int64)
        np.add.at(counts, place, n)
        yield counts


def _with_mark(records: Records, sensitive: int) -> Records:
    """Return records with one sensitive attribute, its most frequent value marked."""
    values = records.sensitive[sensitive]
    modal, n_qids = int(values.counts.argmax()), len(records.qids)
    n_modal = int(values.counts[modal])
    mark = Values(np.array([records.n_records - n_modal, n_modal]), is_marked=True)

    def chunk(number: int, names: Sequence[int]) -> list[Codes]:
        own = [name if name < n_qids else n_qids + sensitive for name in names]
        asked = [*dict.fromkeys(own)]
        found = dict(zip(asked, records.chunk(number, asked), strict=True))
        return [
            (found[at] == modal).astype(np.uint8) if name == n_qids + 1 else found[at]
            for name, at in zip(names, own, strict=True)
        ]

    return Records(records.qids, [values, mark], records.n_chunks, chunk)


@dataclass(frozen=True)
class _LeftOutCounter(OfRecords):
    """Counts them (`microleak.kernels.tree.Counter`)."""

    fields: Fields

    types: ClassVar = [np.dtype(np.int64)] * 2

    def begin(self, weights: Weights) -> tuple[Weights, Integers]:
        n_places = BY_CHOICES + 1 + self.fields.n_values
        return weights, np.zeros(n_places, dtype=np.int64)

    def copied(self, counts: Integers) -> Integers:
        return counts.copy()

    def counted(self, counts: Integers, final: Final, _: QidMasks) -> Integers:
        _count_single(counts, final.single)
        _count_blocks(counts, self.fields, final)
        return counts

    def added(self, total: Integers, part: Integers) -> Integers:
        return total + part

    def n_bytes(self, counts: Integers) -> int:
        return counts.nbytes

    def rows(self, counts: Integers) -> list[Integers]:
        """Return the places that have some, and how many."""
        place = np.flatnonzero(counts)
        return [place, counts[place]]


@njit(cache=True, nogil=True)
def _count_single(counts, single):
    """Count blocks of one row, by size and mark: of several records one choice."""
    counts[ALONE_MODAL] += single[3]
    counts[ALONE_OTHER] += single[2]
    for place in range(4, len(single)):
        counts[BY_CHOICES + 1] += single[place] * (place >> 1)


@njit(cache=True, nogil=True)
def _count_blocks(counts, fields, final):
    """Count final blocks of more than a record."""
    keys, weights, starts, blocks, _ = final
    shift, mask = fields.shifts[0], fields.masks[0]
    seen = np.zeros(fields.n_values, dtype=np.int64)
    for block in blocks:
        lo, hi = np.int64(starts[block]), np.int64(starts[block + 1])
        modal = np.int64(0)
        for row in range(lo, hi):
            value = np.uintp(keys[row] >> shift & mask)
            seen[value] += weights[row]
            modal = max(modal, seen[value])
        n_modal = np.int64(0)
        n_next = np.int64(0)
        for row in range(lo, hi):
            value = np.uintp(keys[row] >> shift & mask)
            n_modal += seen[value] == modal
            n_next += seen[value] == modal - 1
            seen[value] = 0
        choices = 1 + n_next if n_modal == 1 and modal > 1 else np.int64(0)
        counts[BY_CHOICES + choices] += modal
