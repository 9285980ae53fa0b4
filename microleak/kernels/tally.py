"""Counting blocks by kind, many small ones and few large ones."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from microleak.kernels.blocks import Fields, Final, Weights

Integers = NDArray[np.int64]

SMALL = 7
"""Blocks below this size are counted in a dense array, others by hashing. From 7
records on, size, modal count and number of values no longer tell the choices
(`choices_of`): 3 + 3 + 1 and 3 + 2 + 2 differ."""

LOW = 0xFFFFFFFF


class Tally(NamedTuple):
    """Final blocks counted by sensitive attribute, size, modal count, values, choices.

    For a marked attribute the number of members takes the modal count's place.

    `dense[s, size, modal, distinct]` holds sizes below `SMALL`; larger blocks
    are in an open-addressing table with `sizes` = size << 32 | modal count,
    `kinds` = distinct << 32 | s, and `choices`. An entry with count 0 is free.
    """

    dense: Integers
    sizes: Integers
    kinds: Integers
    choices: Integers
    counts: Integers


@njit(cache=True, nogil=True)
def _place(tally, size, kind, choice):
    """Return the place of an entry, or the free one where it would go."""
    _, sizes, kinds, choices, counts = tally
    last = len(counts) - 1
    # Unsigned, as compiled code may assume that signed products do not overflow.
    mixed = np.uint64(size) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= np.uint64(kind) * np.uint64(0xC2B2AE3D27D4EB4F)
    mixed ^= mixed >> np.uint64(32)
    mixed *= np.uint64(0x9E3779B97F4A7C15)
    at = np.int64((mixed >> np.uint64(29)) & np.uint64(last))
    while counts[at] != 0 and (
        sizes[at] != size or kinds[at] != kind or choices[at] != choice
    ):
        at = (at + 1) & last
    return at


@njit(cache=True, nogil=True)
def _add(tally, size, kind, choice, n):
    """Count n blocks of a kind; return how many places that takes anew, 0 or 1."""
    at = _place(tally, size, kind, choice)
    is_new = tally.counts[at] == 0
    tally.sizes[at] = size
    tally.kinds[at] = kind
    tally.choices[at] = choice
    tally.counts[at] += n
    return np.int64(is_new)


@njit(cache=True, nogil=True)
def _grown(tally):
    n = 2 * len(tally.counts)
    larger = Tally(
        tally.dense,
        np.zeros(n, dtype=np.int64),
        np.zeros(n, dtype=np.int64),
        np.zeros(n, dtype=np.int64),
        np.zeros(n, dtype=np.int64),
    )
    _, sizes, kinds, choices, counts = tally
    for i in range(len(counts)):
        if counts[i] != 0:
            _add(larger, sizes[i], kinds[i], choices[i], counts[i])
    return larger


@njit(cache=True, nogil=True)
def _add_tally(total, part):
    """Add the blocks of one tally to another, which is used up; return the sum."""
    # Entry by entry: adding arrays takes seconds to compile, for its broadcasting.
    dense, added = total.dense.ravel(), part.dense.ravel()
    for i in range(len(added)):
        dense[i] += added[i]
    used = np.count_nonzero(total.counts)
    _, sizes, kinds, choices, counts = part
    for i in range(len(counts)):
        if counts[i] != 0:
            used += _add(total, sizes[i], kinds[i], choices[i], counts[i])
            if 2 * used >= len(total.counts):
                total = _grown(total)
    return total


@njit(cache=True, nogil=True)
def _count_large(tally, s, size, modal, distinct, choice, n):
    """Count n large blocks; return how many places of the table that takes anew."""
    first = np.int64(size) << 32 | np.int64(modal)
    kind = np.int64(distinct) << 32 | np.int64(s)
    return _add(tally, first, kind, np.int64(choice), n)


@njit(cache=True, nogil=True)
def _count_single(tally, fields, single):
    """Count blocks of one row, of which there are so many at each place."""
    n_sensitive = len(fields.shifts)
    used = np.count_nonzero(tally.counts)
    for place in range(len(single)):
        n = single[place]
        if n != 0:
            size = place >> fields.n_marked
            for s in range(n_sensitive):
                is_marked = s >= n_sensitive - fields.n_marked
                bit = np.int64(fields.shifts[s])
                modal = size * (place >> bit & 1) if is_marked else size
                if size < tally.dense.shape[1]:
                    tally.dense[s, size, modal, 1] += n
                else:
                    choice = not is_marked
                    used += _count_large(tally, s, size, modal, 1, choice, n)
            if 2 * used + 2 * n_sensitive > len(tally.counts):
                tally = _grown(tally)
    return tally


@njit(cache=True, nogil=True)
def _count_values(tally, fields, final):
    """Count final blocks of more than a row for each attribute that is not marked."""
    keys, weights, starts, blocks, _ = final
    shifts, masks, n_values, n_marked = fields
    seen = np.zeros(n_values, dtype=np.int64)
    used = np.count_nonzero(tally.counts)
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
            if size < tally.dense.shape[1]:
                tally.dense[s, size, modal, distinct] += 1
            else:
                choice = 1 + n_next if n_modal == 1 and modal > 1 else np.int64(0)
                used += _count_large(tally, s, size, modal, distinct, choice, 1)
        if 2 * used + 2 * len(shifts) > len(tally.counts):
            tally = _grown(tally)
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
    used = np.count_nonzero(tally.counts)
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
                used += _count_some(tally, fields, bit, size, members[bit], 1)
            if 2 * used + 2 * n_marked > len(tally.counts):
                tally = _grown(tally)
    for records in range(large):
        # Before the loops, as one in which `tally` changes takes three times as long.
        while 2 * (used + n_marked * (records + 1)) > len(tally.counts):
            tally = _grown(tally)
        for bit in range(n_marked):
            for marked in range(records + 1):
                n = n_at[bit, records * (records + 1) // 2 + marked]
                if n != 0:
                    used += _count_some(tally, fields, bit, records, marked, n)
    return tally


@njit(cache=True, nogil=True)
def _count_some(tally, fields, bit, size, members, n):
    """Count n blocks of a marked attribute; return how many places that takes anew."""
    s = len(fields.shifts) - 1 - bit
    distinct = 2 if 0 < members < size else 1
    if size < tally.dense.shape[1]:
        tally.dense[s, size, members, distinct] += n
        return np.int64(0)
    return _count_large(tally, s, size, members, distinct, 0, n)


def _partitions(n: int, most: int) -> Iterator[list[int]]:
    """Yield the ways to write n as a sum of integers up to `most`, descending."""
    if n == 0:
        yield []
    for first in range(min(n, most), 0, -1):
        for rest in _partitions(n - first, first):
            yield [first, *rest]


def choices_of(counts: Sequence[int]) -> int:
    """Return the choices of a block with so many records of each value.

    Without one of its records with the most frequent value, so many values are the
    most frequent, if that value still is one of them; else, or in a block of one,
    there are none.

    >>> [choices_of(counts) for counts in ([5, 4, 4, 1], [5, 3], [2, 2], [1])]
    [3, 1, 0, 0]
    """
    n_of = Counter(counts)
    modal = max(counts)
    return 1 + n_of[modal - 1] if modal > 1 and n_of[modal] == 1 else 0


def _small_choices() -> Integers:
    found = np.zeros((SMALL, SMALL, SMALL), dtype=np.int64)
    for size in range(1, SMALL):
        for counts in _partitions(size, size):
            found[size, counts[0], len(counts)] = choices_of(counts)
    return found


CHOICES = _small_choices()
"""Choices of small blocks by size, modal count and number of values."""


@dataclass(frozen=True)
class Histogram:
    """How many blocks there are of each kind, in ascending order of kinds.

    A kind is a sensitive attribute's number, a block size, the count of the block's
    most frequent sensitive value, its number of distinct values, and its choices
    (`choices_of`); `outer` holds the first two, `inner` the next two, in the upper
    and lower 32 bits. `n_blocks` counts the blocks of each kind. Of a marked attribute
    it is the members that are counted, whose value may not be the most frequent, and
    the choices are 0.
    """

    outer: Integers
    inner: Integers
    choices: Integers
    n_blocks: Integers

    @property
    def sensitive(self) -> Integers:
        """Number of the sensitive attribute, from 0."""
        return self.outer >> 32

    @property
    def block_size(self) -> Integers:
        """Records of a block."""
        return self.outer & LOW

    @property
    def modal_count(self) -> Integers:
        """Records with the block's most frequent sensitive value, or its members."""
        return self.inner >> 32

    @property
    def n_distinct(self) -> Integers:
        """Sensitive values in a block."""
        return self.inner & LOW

    def __add__(self, other: "Histogram") -> "Histogram":
        """Return the blocks of both, where `other` has the higher attributes."""
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return Histogram(*(np.concatenate(pair) for pair in pairs))

    def of(self, sensitive: int, number: int) -> "Histogram":
        """Return the blocks of one sensitive attribute, which gets another number."""
        is_first, is_next = sensitive << 32, (sensitive + 1) << 32
        part = slice(*np.searchsorted(self.outer, [is_first, is_next]).tolist())
        outer, *others = (column[part] for column in vars(self).values())
        return Histogram(outer + ((number - sensitive) << 32), *others)

    def of_two_values(self) -> "Histogram":
        """Return the blocks of an attribute of two values, from those of one's members.

        The histogram is of one marked attribute, which marks one of the two values.
        """
        modal = np.maximum(self.modal_count, self.block_size - self.modal_count)
        lead = 2 * modal - self.block_size
        choices = np.where(lead == 1, 2, 1) * ((lead > 0) & (self.block_size > 1))
        inner = modal << 32 | self.n_distinct
        return added_up([self.outer, inner, choices], self.n_blocks)


def added_up(kinds: Sequence[Integers], n_blocks: Integers) -> Histogram:
    """Return the histogram of kinds of blocks in any order, some maybe twice."""
    order = np.lexsort(kinds[::-1])
    kinds = [kind[order] for kind in kinds]
    is_new = np.any([np.diff(kind) != 0 for kind in kinds], axis=0)
    first = np.flatnonzero(np.concatenate([[True], is_new]))
    counts = np.add.reduceat(n_blocks[order], first)
    return Histogram(*(kind[first] for kind in kinds), counts)


class OfRecords:
    """Counts records alike (`microleak.kernels.tree.Counter`)."""

    weight = np.dtype(np.int32)

    def weights(self, _: int, n_rows: int) -> Weights:
        """Return 1 for each record."""
        return np.ones(n_rows, dtype=self.weight)


class _OfTallies(OfRecords):
    """Counts in tallies."""

    types = [np.dtype(np.int64)] * 4

    def copied(self, tally: Tally) -> Tally:
        """Return a tally that can be added to without changing this one."""
        return Tally(*(array.copy() for array in tally))

    def added(self, total: Tally, part: Tally) -> Tally:
        """Add one tally to another, which is used up."""
        both: Tally = _add_tally(total, part)
        return both

    def n_bytes(self, tally: Tally) -> int:
        """Return the bytes of a tally's arrays."""
        return sum(array.nbytes for array in tally)


@dataclass(frozen=True)
class Tallies(_OfTallies):
    """Counts blocks by kind (`microleak.kernels.tree.Counter`).

    The sensitive attributes, of which each that is marked has one bit, are numbered
    from `first` on.
    """

    fields: Fields
    first: int = 0

    def begin(self, weights: Weights) -> tuple[Weights, Tally]:
        """Return the weights as they are, and a tally of no block."""
        n_sensitive = len(self.fields.shifts)
        room = max(64, 1 << (4 * n_sensitive).bit_length())
        table = [np.zeros(room, dtype=np.int64) for _ in range(4)]
        dense = np.zeros((n_sensitive, SMALL, SMALL, SMALL), dtype=np.int64)
        return weights, Tally(dense, *table)

    def counted(self, tally: Tally, final: Final, _: object) -> Tally:
        """Add final blocks to a tally, which is used up."""
        counted: Tally = _count_single(tally, self.fields, final.single)
        if self.fields.n_marked < len(self.fields.shifts):
            counted = _count_values(counted, self.fields, final)
        if self.fields.n_marked:
            counted = _count_members(counted, self.fields, final)
        return counted

    def rows(self, tally: Tally) -> list[Integers]:
        """Return the columns of a histogram, whose kinds come in no order."""
        sensitive, size, modal, distinct = np.nonzero(tally.dense)
        small = tally.dense[sensitive, size, modal, distinct]
        is_unmarked = sensitive < len(tally.dense) - self.fields.n_marked
        choices = np.where(is_unmarked, CHOICES[size, modal, distinct], 0)
        taken = np.flatnonzero(tally.counts)
        sizes, kinds = tally.sizes[taken], tally.kinds[taken]
        outer = [sensitive << 32 | size, (kinds & LOW) << 32 | sizes >> 32]
        inner = [modal << 32 | distinct, (sizes & LOW) << 32 | kinds >> 32]
        return [
            np.concatenate(outer) + (self.first << 32),
            np.concatenate(inner),
            np.concatenate([choices, tally.choices[taken]]),
            np.concatenate([small, tally.counts[taken]]),
        ]


SIZE, HITS, ONE_VALUE = range(3)
"""What `Crossed` adds up: members by the size of their block; those who have a most
frequent value of it, by how many values are that; those in blocks of one value."""


@dataclass(frozen=True)
class Crossed(_OfTallies):
    """Adds up the members of groups in blocks (`microleak.kernels.tree.Counter`).

    The last attribute is marked, and its codes are the groups; the others, which are
    not marked, are inferred. They are numbered from `first` on.
    """

    fields: Fields
    first: int = 0

    def begin(self, weights: Weights) -> tuple[Weights, Tally]:
        """Return the weights as they are, and no member of any group."""
        table = [np.zeros(1 << 10, dtype=np.int64) for _ in range(4)]
        return weights, Tally(np.zeros((1, 1, 1, 1), dtype=np.int64), *table)

    def counted(self, tally: Tally, final: Final, _: object) -> Tally:
        """Add the members in final blocks to a tally, which is used up."""
        n_marked = self.fields.n_marked
        n_inferred = len(self.fields.shifts) - 1
        tally = _cross_single(tally, final.single, n_marked, n_inferred)
        counted: Tally = _cross_blocks(tally, self.fields, final)
        return counted

    def rows(self, tally: Tally) -> list[Integers]:
        """Return what is added up, the attribute and the group, a number, the members.

        The number is that of `SIZE` or `HITS`.
        """
        taken = np.flatnonzero(tally.counts)
        kinds = tally.kinds[taken]
        # Blocks are the same in all turns: those of the first say it.
        is_told = (tally.choices[taken] != SIZE) | (self.first == 0)
        columns = (
            tally.choices[taken],
            kinds + (np.int64(self.first) << 32),
            tally.sizes[taken],
            tally.counts[taken],
        )
        return [column[is_told] for column in columns]


@njit(cache=True, nogil=True)
def _cross_single(tally, single, n_marked, n_inferred):
    """Add the members in blocks of one row; a kind is the attribute << 32 | group."""
    used = np.count_nonzero(tally.counts)
    for place in range(len(single)):
        if single[place] != 0:
            size, group = place >> n_marked, place & ((1 << n_marked) - 1)
            members = size * single[place]
            used += _add(tally, size, group, SIZE, members)
            for s in range(n_inferred):
                kind = s << 32 | group
                used += _add(tally, 1, kind, HITS, members)
                used += _add(tally, 0, kind, ONE_VALUE, members)
            if 2 * (used + 1 + 2 * n_inferred) > len(tally.counts):
                tally = _grown(tally)
    return tally


@njit(cache=True, nogil=True)
def _cross_blocks(tally, fields, final):
    """Add the members in final blocks of more than a row."""
    shifts, masks, n_values, n_marked = fields
    keys, weights, starts, blocks, _ = final
    seen = np.zeros(n_values, dtype=np.int64)
    n_groups = np.int64(1) << n_marked
    n_inferred = len(shifts) - 1
    used = np.count_nonzero(tally.counts)
    for block in blocks:
        lo, hi = np.int64(starts[block]), np.int64(starts[block + 1])
        room = min(hi - lo, n_groups) * (1 + 2 * n_inferred)
        while 2 * (used + room) > len(tally.counts):
            tally = _grown(tally)
        size = np.int64(0)
        for row in range(lo, hi):
            size += weights[row]
        for row in range(lo, hi):
            group = np.int64(keys[row]) & (n_groups - 1)
            used += _add(tally, size, group, SIZE, np.int64(weights[row]))
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
                    used += _add(tally, n_modal, kind, HITS, members)
                if distinct == 1:
                    used += _add(tally, np.int64(0), kind, ONE_VALUE, members)
            for row in range(lo, hi):
                seen[np.uintp(keys[row] >> shifts[s] & masks[s])] = 0
    return tally
