"""Counting blocks by kind, many small ones and few large ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from microleak.base.arrays import Integers
from microleak.kernels.blocks import Fields, Final, Weights
from microleak.kernels.kinds import COUNTED, MEMBERS, MOST_MEMBERS, N_KINDS, NUMBERS

LOW = 0xFFFFFFFF

SIZE_BITS = 48
"""Bits of a block's size, beside the number of the sensitive attribute."""

MOST_COUNTED = 2**40 - 1
"""Records that a table may have: what is defined on its blocks stays exact."""

COUNT = 3


class KindTally(NamedTuple):
    """Final blocks by sensitive attribute, size, modal count, values, choices.

    `dense[s, kind]` holds small blocks (`microleak.kernels.kinds`); larger ones are in
    an open-addressing table, whose entries are a row each, as one that is far from the
    last takes the time of a look into memory: s << `SIZE_BITS` | size, modal count (or
    members), distinct << 32 | choices, and the count, 0 if the entry is free.
    """

    dense: Integers
    table: Integers


@njit(cache=True, nogil=True)
def _add_kind(table, size, modal, kind, n):
    """Count n blocks of a kind; return how many places that takes anew, 0 or 1."""
    last = len(table) - 1
    # Unsigned, as compiled code may assume that signed products do not overflow.
    mixed = np.uint64(size) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= np.uint64(modal) * np.uint64(0xC2B2AE3D27D4EB4F)
    mixed ^= np.uint64(kind) * np.uint64(0x165667B19E3779F9)
    mixed ^= mixed >> np.uint64(32)
    mixed *= np.uint64(0x9E3779B97F4A7C15)
    at = np.int64((mixed >> np.uint64(29)) & np.uint64(last))
    while table[at, COUNT] != 0 and (
        table[at, 0] != size or table[at, 1] != modal or table[at, 2] != kind
    ):
        at = (at + 1) & last
    is_new = np.int64(table[at, COUNT] == 0)
    table[at, 0] = size
    table[at, 1] = modal
    table[at, 2] = kind
    table[at, COUNT] += n
    return is_new


@njit(cache=True, nogil=True)
def _grown_tally(tally):
    table = tally.table
    larger = np.zeros((2 * len(table), 4), dtype=np.int64)
    for i in range(len(table)):
        if table[i, COUNT] != 0:
            _add_kind(larger, table[i, 0], table[i, 1], table[i, 2], table[i, COUNT])
    return KindTally(tally.dense, larger)


@njit(cache=True, nogil=True)
def _n_used(table):
    n = 0
    for i in range(len(table)):
        n += table[i, COUNT] != 0
    return n


@njit(cache=True, nogil=True)
def _add_tally(total, part):
    """Add the blocks of one tally to another, which is used up; return the sum."""
    # Entry by entry: adding arrays takes seconds to compile, for its broadcasting.
    dense, added = total.dense.ravel(), part.dense.ravel()
    for i in range(len(added)):
        dense[i] += added[i]
    used = _n_used(total.table)
    table = part.table
    for i in range(len(table)):
        if table[i, COUNT] != 0:
            used += _add_kind(
                total.table, table[i, 0], table[i, 1], table[i, 2], table[i, COUNT]
            )
            if 2 * used >= len(total.table):
                total = _grown_tally(total)
    return total


@njit(cache=True, nogil=True)
def _count_large(tally, s, size, modal, distinct, choice, n):
    """Count n large blocks; return how many places of the table that takes anew."""
    first = np.int64(s) << SIZE_BITS | np.int64(size)
    kind = np.int64(distinct) << 32 | np.int64(choice)
    return _add_kind(tally.table, first, np.int64(modal), kind, n)


@njit(cache=True, nogil=True)
def _count_single(tally, fields, single, numbers):
    """Count blocks of one row, by how many there are at each place."""
    n_sensitive = len(fields.shifts)
    used = _n_used(tally.table)
    for place in range(len(single)):
        n = single[place]
        if n != 0:
            size = place >> fields.n_marked
            for s in range(n_sensitive):
                if s >= n_sensitive - fields.n_marked:
                    bit = np.int64(fields.shifts[s])
                    members = size * (place >> bit & 1)
                    used += _count_some(tally, s, size, members, n)
                elif size < len(numbers):
                    choice = np.int64(size > 1)
                    tally.dense[s, numbers[size, size, 1, choice]] += n
                else:
                    used += _count_large(tally, s, size, size, 1, 1, n)
            if 2 * used + 2 * n_sensitive > len(tally.table):
                tally = _grown_tally(tally)
    return tally


@njit(cache=True, nogil=True)
def _count_values(tally, fields, final, numbers):
    """Count final blocks of more than a row for each attribute that is not marked."""
    keys, weights, starts, blocks, _ = final
    shifts, masks, n_values, n_marked = fields
    seen = np.zeros(n_values, dtype=np.int64)
    used = _n_used(tally.table)
    for block in blocks:
        lo, hi = np.int64(starts[block]), np.int64(starts[block + 1])
        size = np.int64(0)
        for row in range(lo, hi):
            size += weights[row]
        for s in range(len(shifts) - n_marked):
            modal = np.int64(0)
            distinct = np.int64(0)
            for row in range(lo, hi):
                value = np.uintp(keys[row] >> shifts[s] & masks[s])
                before = seen[value]
                distinct += before == 0
                seen[value] = before + weights[row]
                modal = max(modal, seen[value])
            n_modal = np.int64(0)
            n_next = np.int64(0)
            for row in range(lo, hi):
                value = np.uintp(keys[row] >> shifts[s] & masks[s])
                n_modal += seen[value] == modal
                n_next += seen[value] == modal - 1
                seen[value] = 0
            choice = 1 + n_next if n_modal == 1 and modal > 1 else np.int64(0)
            if size < len(numbers):
                tally.dense[s, numbers[size, modal, distinct, choice]] += 1
            else:
                used += _count_large(tally, s, size, modal, distinct, choice, 1)
        if 2 * used + 2 * len(shifts) > len(tally.table):
            tally = _grown_tally(tally)
    return tally


@njit(cache=True, nogil=True)
def _count_members(tally, fields, final):
    """Count final blocks of more than a row for each marked attribute.

    All but the largest are counted by size and members first, in a triangle with about
    as many places as there are blocks, as the tally's table takes longer.
    """
    keys, weights, starts, blocks, _ = final
    n_marked = fields.n_marked
    large = np.int64(np.sqrt(2 * len(blocks)))
    n_at = np.zeros((n_marked, large * (large + 1) // 2), dtype=np.int64)
    used = _n_used(tally.table)
    for block in blocks:
        lo, hi = np.int64(starts[block]), np.int64(starts[block + 1])
        size = np.int64(0)
        first, second, third, fourth = size, size, size, size  # up to `MOST_MARKED`
        for row in range(lo, hi):
            marks = np.int64(keys[np.uintp(row)])
            weight = np.int64(weights[np.uintp(row)])
            size += weight
            first += weight & -(marks & 1)
            second += weight & -(marks >> 1 & 1)
            third += weight & -(marks >> 2 & 1)
            fourth += weight & -(marks >> 3 & 1)
        members = first, second, third, fourth
        if size < large:
            for bit in range(n_marked):
                place = size * (size + 1) // 2 + members[bit]
                n_at[np.uintp(bit), np.uintp(place)] += 1
        else:
            for bit in range(n_marked):
                s = len(fields.shifts) - 1 - bit
                used += _count_some(tally, s, size, members[bit], 1)
            if 2 * used + 2 * n_marked > len(tally.table):
                tally = _grown_tally(tally)
    for records in range(large):
        # Before the loops, as one in which `tally` changes takes three times as long.
        while 2 * (used + n_marked * (records + 1)) > len(tally.table):
            tally = _grown_tally(tally)
        for bit in range(n_marked):
            s = len(fields.shifts) - 1 - bit
            for marked in range(records + 1):
                n = n_at[bit, records * (records + 1) // 2 + marked]
                if n != 0:
                    used += _count_some(tally, s, records, marked, n)
    return tally


@njit(cache=True, nogil=True)
def _count_some(tally, s, size, members, n):
    """Count n blocks of a marked attribute; return how many places that takes anew."""
    # By size, as the square of that of a large block does not fit in 64 bits.
    if size <= MOST_MEMBERS:
        tally.dense[s, size * (size + 1) // 2 + members] += n
        return np.int64(0)
    distinct = 2 if 0 < members < size else 1
    return _count_large(tally, s, size, members, distinct, 0, n)


@dataclass(frozen=True)
class Histogram:
    """How many blocks there are of each kind, in ascending order of kinds.

    A kind is a sensitive attribute's number, a block size, the count of the block's
    most frequent sensitive value, its number of distinct values, and its choices
    (`kinds.choices_of`). `outer` holds the first two, the size in the lower `SIZE_BITS`
    bits, `inner` the last two, each in 32 bits; `n_blocks` counts the blocks of each
    kind. Of a marked attribute it is the members that are counted, whose value may not
    be the most frequent, and the choices are 0.
    """

    outer: Integers
    modal_count: Integers
    inner: Integers
    n_blocks: Integers

    @classmethod
    def of_columns(cls, *columns: Integers) -> "Histogram":
        """Return the histogram of columns of kinds in any order, some maybe twice."""
        sensitive, size, modal, distinct, choices, n_blocks = columns
        kinds = [sensitive << SIZE_BITS | size, modal, distinct << 32 | choices]
        return added_up(kinds, n_blocks)

    @property
    def sensitive(self) -> Integers:
        """Number of the sensitive attribute, from 0."""
        return self.outer >> SIZE_BITS

    @property
    def block_size(self) -> Integers:
        """Records of a block."""
        return self.outer & ((1 << SIZE_BITS) - 1)

    @property
    def n_distinct(self) -> Integers:
        """Sensitive values in a block."""
        return self.inner >> 32

    @property
    def choices(self) -> Integers:
        """Choices of a block."""
        return self.inner & LOW

    def __add__(self, other: "Histogram") -> "Histogram":
        """Return the blocks of both, where `other` has the higher attributes."""
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return Histogram(*(np.concatenate(pair) for pair in pairs))

    def of(self, sensitive: int, number: int) -> "Histogram":
        """Return the blocks of one sensitive attribute, which gets another number."""
        is_first, is_next = sensitive << SIZE_BITS, (sensitive + 1) << SIZE_BITS
        part = slice(*np.searchsorted(self.outer, [is_first, is_next]).tolist())
        outer, *others = (column[part] for column in vars(self).values())
        return Histogram(outer + ((number - sensitive) << SIZE_BITS), *others)

    def of_two_values(self) -> "Histogram":
        """Return the blocks of an attribute of two values, from those of one's members.

        The histogram is of one marked attribute, which marks one of the two values.
        """
        modal = np.maximum(self.modal_count, self.block_size - self.modal_count)
        lead = 2 * modal - self.block_size
        choices = np.where(lead == 1, 2, 1) * ((lead > 0) & (self.block_size > 1))
        kinds = [self.outer, modal, self.inner | choices]
        return added_up(kinds, self.n_blocks)


def added_up(kinds: Sequence[Integers], n_blocks: Integers) -> Histogram:
    """Return the histogram of kinds of blocks in any order, some maybe twice."""
    order = _order_of_kinds(kinds)
    kinds = [kind[order] for kind in kinds]
    is_new = np.any([np.diff(kind) != 0 for kind in kinds], axis=0)
    first = np.flatnonzero(np.concatenate([[True], is_new]))
    counts = np.add.reduceat(n_blocks[order], first)
    return Histogram(*(kind[first] for kind in kinds), counts)


def _order_of_kinds(kinds: Sequence[Integers]) -> NDArray[np.intp]:
    """Return the order of kinds: by one number each, where they fit in 64 bits."""
    bits = SIZE_BITS, 32, 32
    columns = [
        half
        for kind, n in zip(kinds, bits, strict=True)
        for half in (kind >> n, kind & ((1 << n) - 1))
    ]
    n_bits = [int(column.max(initial=0)).bit_length() for column in columns]
    if sum(n_bits) > 63:
        return np.lexsort(kinds[::-1])
    number = np.zeros(len(kinds[0]), dtype=np.int64)
    for column, n in zip(columns, n_bits, strict=True):
        number = number << n | column
    return np.argsort(number)


class OfRecords:
    """Counts records alike (`microleak.kernels.tree.Counter`)."""

    weight: np.dtype[Any] = np.dtype(np.int32)

    def weights(self, _: int, n_rows: int) -> Weights:
        """Return 1 for each record."""
        return np.ones(n_rows, dtype=self.weight)


class _OfTallies(OfRecords):
    types = [np.dtype(np.int64)] * 4

    def copied(self, tally: KindTally) -> KindTally:
        return KindTally(*(array.copy() for array in tally))

    def added(self, total: KindTally, part: KindTally) -> KindTally:
        both: KindTally = _add_tally(total, part)
        return both

    def n_bytes(self, tally: KindTally) -> int:
        return sum(array.nbytes for array in tally)


@dataclass(frozen=True)
class Tallies(_OfTallies):
    """Counts blocks by kind (`microleak.kernels.tree.Counter`)."""

    fields: Fields
    first: int = 0
    weight: np.dtype[Any] = OfRecords.weight

    def begin(self, weights: Weights) -> tuple[Weights, KindTally]:
        """Return the weights as they are, and a tally of no block."""
        n_sensitive = len(self.fields.shifts)
        room = max(64, 1 << (4 * n_sensitive).bit_length())
        table = np.zeros((room, 4), dtype=np.int64)
        dense = np.zeros((n_sensitive, N_KINDS), dtype=np.int64)
        return weights, KindTally(dense, table)

    def counted(self, tally: KindTally, final: Final, _: object) -> KindTally:
        """Add final blocks to a tally, which is used up."""
        counted: KindTally = _count_single(tally, self.fields, final.single, NUMBERS)
        if self.fields.n_marked < len(self.fields.shifts):
            counted = _count_values(counted, self.fields, final, NUMBERS)
        if self.fields.n_marked:
            counted = _count_members(counted, self.fields, final)
        return counted

    def rows(self, tally: KindTally) -> list[Integers]:
        """Return the columns of a histogram, whose kinds come in no order."""
        sensitive, kind = np.nonzero(tally.dense)
        is_marked = sensitive >= len(tally.dense) - self.fields.n_marked
        # Numbers of the one or the other kinds: those that do not fit are not chosen.
        size, modal, distinct, choices = np.where(
            is_marked, *(kinds[kind % len(kinds)].T for kinds in (MEMBERS, COUNTED))
        )
        large = tally.table[tally.table[:, COUNT] != 0].T
        small = (
            *(sensitive << SIZE_BITS | size, modal, distinct << 32 | choices),
            tally.dense[sensitive, kind],
        )
        outer, *others = map(np.concatenate, zip(small, large, strict=True))
        return [outer + (self.first << SIZE_BITS), *others]


SIZE, HITS, ONE_VALUE = range(3)
"""What `Crossed` adds up: members by the size of their block; those who have a most
frequent value of it, by how many values are that; those in blocks of one value."""


@dataclass(frozen=True)
class Crossed(_OfTallies):
    """Adds up the members of groups in blocks (`microleak.kernels.tree.Counter`).

    The last attribute is marked, and its codes are the groups; the others are inferred.
    """

    fields: Fields
    first: int = 0

    def begin(self, weights: Weights) -> tuple[Weights, KindTally]:
        """Return the weights as they are, and no member of any group."""
        table = np.zeros((1 << 10, 4), dtype=np.int64)
        return weights, KindTally(np.zeros((1, 1), dtype=np.int64), table)

    def counted(self, tally: KindTally, final: Final, _: object) -> KindTally:
        """Add the members in final blocks to a tally, which is used up."""
        n_marked = self.fields.n_marked
        n_inferred = len(self.fields.shifts) - 1
        tally = _cross_single(tally, final.single, n_marked, n_inferred)
        counted: KindTally = _cross_blocks(tally, self.fields, final)
        return counted

    def rows(self, tally: KindTally) -> list[Integers]:
        """Return `SIZE` or `HITS`, attribute and group, a number, and the members."""
        sizes, kinds, what, members = tally.table[tally.table[:, COUNT] != 0].T
        # Blocks are the same in all turns: those of the first say it.
        is_told = (what != SIZE) | (self.first == 0)
        columns = what, kinds + (np.int64(self.first) << 32), sizes, members
        return [column[is_told] for column in columns]


@njit(cache=True, nogil=True)
def _cross_single(tally, single, n_marked, n_inferred):
    """Add the members in blocks of one row; a kind is the attribute << 32 | group."""
    used = _n_used(tally.table)
    for place in range(len(single)):
        if single[place] != 0:
            size, group = place >> n_marked, place & ((1 << n_marked) - 1)
            members = size * single[place]
            used += _add_kind(tally.table, size, group, SIZE, members)
            for s in range(n_inferred):
                kind = s << 32 | group
                used += _add_kind(tally.table, 1, kind, HITS, members)
                used += _add_kind(tally.table, 0, kind, ONE_VALUE, members)
            if 2 * (used + 1 + 2 * n_inferred) > len(tally.table):
                tally = _grown_tally(tally)
    return tally


@njit(cache=True, nogil=True)
def _cross_blocks(tally, fields, final):
    """Add the members in final blocks of more than a row."""
    shifts, masks, n_values, n_marked = fields
    keys, weights, starts, blocks, _ = final
    seen = np.zeros(n_values, dtype=np.int64)
    n_groups = np.int64(1) << n_marked
    n_inferred = len(shifts) - 1
    used = _n_used(tally.table)
    for block in blocks:
        lo, hi = np.int64(starts[block]), np.int64(starts[block + 1])
        room = min(hi - lo, n_groups) * (1 + 2 * n_inferred)
        while 2 * (used + room) > len(tally.table):
            tally = _grown_tally(tally)
        size = np.int64(0)
        for row in range(lo, hi):
            size += weights[row]
        for row in range(lo, hi):
            group = np.int64(keys[row]) & (n_groups - 1)
            used += _add_kind(tally.table, size, group, SIZE, np.int64(weights[row]))
        for s in range(n_inferred):
            modal = np.int64(0)
            for row in range(lo, hi):
                value = np.uintp(keys[row] >> shifts[s] & masks[s])
                seen[value] += weights[row]
                modal = max(modal, seen[value])
            n_modal = np.int64(0)
            distinct = np.int64(0)
            for row in range(lo, hi):
                value = np.uintp(keys[row] >> shifts[s] & masks[s])
                n_modal += seen[value] == modal
                distinct += seen[value] > 0
                seen[value] = -abs(seen[value])
            for row in range(lo, hi):
                value = np.uintp(keys[row] >> shifts[s] & masks[s])
                kind = np.int64(s) << 32 | np.int64(keys[row]) & (n_groups - 1)
                members = np.int64(weights[row])
                if seen[value] == -modal:
                    used += _add_kind(tally.table, n_modal, kind, HITS, members)
                if distinct == 1:
                    used += _add_kind(
                        tally.table, np.int64(0), kind, ONE_VALUE, members
                    )
            for row in range(lo, hi):
                seen[np.uintp(keys[row] >> shifts[s] & masks[s])] = 0
    return tally
