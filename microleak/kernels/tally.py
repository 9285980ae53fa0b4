"""Counting blocks by kind, many small ones and few large ones."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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


def empty_tally(n_sensitive: int) -> Tally:
    """Tally of no block, for that many sensitive attributes."""
    room = max(64, 1 << (4 * n_sensitive).bit_length())
    table = [np.zeros(room, dtype=np.int64) for _ in range(4)]
    return Tally(np.zeros((n_sensitive, SMALL, SMALL, SMALL), dtype=np.int64), *table)


def copy_tally(tally: Tally) -> Tally:
    """Return a tally that can be added to without changing this one."""
    return Tally(*(array.copy() for array in tally))


def n_bytes(tally: Tally) -> int:
    """Return the bytes of a tally's arrays."""
    return sum(array.nbytes for array in tally)


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


def histogram(tally: Tally, first: int, n_marked: int) -> Histogram:
    """Return what a tally has counted, attributes numbered from `first` on.

    The last `n_marked` of them are marked.
    """
    sensitive, size, modal, distinct = np.nonzero(tally.dense)
    is_unmarked = sensitive < len(tally.dense) - n_marked
    small_choices = np.where(is_unmarked, CHOICES[size, modal, distinct], 0)
    taken = np.flatnonzero(tally.counts)
    sizes, kinds = tally.sizes[taken], tally.kinds[taken]
    small = tally.dense[sensitive, size, modal, distinct]
    outer = np.concatenate([sensitive << 32 | size, (kinds & LOW) << 32 | sizes >> 32])
    inner = np.concatenate([modal << 32 | distinct, (sizes & LOW) << 32 | kinds >> 32])
    choices = np.concatenate([small_choices, tally.choices[taken]])
    order = np.lexsort([choices, inner, outer])
    counts = np.concatenate([small, tally.counts[taken]])
    return Histogram(
        outer[order] + (first << 32), inner[order], choices[order], counts[order]
    )
