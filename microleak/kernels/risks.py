"""Numbers that risks follow from, of every set of QIDs, without a profile.

A profile has every kind of block. Where there are very many sets, as all nodes of a
lattice, a few numbers of each are enough, whose cost does not grow with the kinds:
blocks, the smallest of them, small ones by size, and for each sensitive attribute the
records of whom an adversary is certain, those guessed right, the fewest values of a
block, and the best guess about anybody.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import ClassVar

import numpy as np
from numba import njit
from numpy.typing import NDArray

from microleak.kernels.blocks import Fields, Final, Table, Weights
from microleak.kernels.keys import turns_of
from microleak.kernels.records import Records, Values
from microleak.kernels.short_blocks import MOST_ROWS, Short, lowest, ones
from microleak.kernels.tally import OfRecords
from microleak.kernels.tree import Counter, Counts, Subset, Subsets
from microleak.kernels.walk import Turn, Work, walk_turn

Integers = NDArray[np.int64]

SIZES = 100
"""Blocks of fewer records are counted by size."""

BLOCKS, LEAST, BY_SIZE = 0, 1, 2
EACH, OF_EACH = BY_SIZE + SIZES, 5
"""Where numbers lie: those of the first sensitive attribute from `EACH` on."""

CERTAIN, MODAL, DISTINCT, BEST, BEST_OF = range(OF_EACH)

NOTHING = 2**62
"""The least of no numbers."""


@dataclass(frozen=True)
class Risks:
    """Numbers that risks follow from, a row a set of QIDs.

    Attributes
    ----------
    n_blocks, smallest
        Blocks, and records of the smallest one; shape (n_sets,).
    by_size
        Blocks by their records, those of fewer than `SIZES`; shape (n_sets, SIZES).
    n_certain, n_modal, least_distinct
        Of each sensitive attribute the records of blocks with one value, the sum of
        the counts of the most frequent values, and the fewest values of a block; shape
        (n_sets, n_sensitive).
    best, best_of
        Count of the most frequent value and records of the block in which its share is
        largest; the same shape.
    """

    n_blocks: Integers
    smallest: Integers
    by_size: Integers
    n_certain: Integers
    n_modal: Integers
    least_distinct: Integers
    best: Integers
    best_of: Integers

    def n_below(self, k: int) -> Integers:
        """Return the records in blocks of fewer than k records, at most `SIZES`."""
        below: Integers = self.by_size[:, :k] @ np.arange(k)
        return below


def risks(records: Records, wanted: Subsets, work: Work) -> Risks:
    """Return the numbers of each set of QIDs wanted.

    Parameters
    ----------
    records
        At least one record; no sensitive attribute is marked.
    wanted
        Sets of QIDs as bit masks, ascending.
    work
        Bounds and helpers. What is counted takes 8 * (102 + 5 * n_sensitive) bytes a
        set.

    Results are the same for any order of records or attributes.
    """
    values = records.sensitive or [Values(np.array([records.n_records]))]
    turns = turns_of(values)
    found = []
    for turn in turns:
        sums = _Sums(wanted, len(turn))

        def begun(_: Counter, sums: _Sums = sums) -> _Sums:
            return sums

        walk_turn(records, wanted, Turn(turn, _Numbers, begun, 1 / len(turns)), work)
        found.append(sums.numbers)
    each = [
        numbers[:, EACH:].reshape(len(wanted), -1, OF_EACH)
        for numbers in found
        if records.sensitive
    ]
    of_each = np.concatenate(each or [np.empty((len(wanted), 0, OF_EACH), int)], axis=1)
    first = found[0]
    of_blocks = (first[:, BLOCKS], first[:, LEAST], first[:, BY_SIZE:EACH])
    return Risks(*of_blocks, *np.moveaxis(of_each, 2, 0))


class _Sums:
    """Takes the numbers of each bucket; threads may add at the same time."""

    def __init__(self, wanted: Subsets, n_sensitive: int) -> None:
        self._wanted = wanted
        self._lock = Lock()
        self.numbers = np.stack([_of_nothing(n_sensitive)] * len(wanted))

    def add(self, found: Mapping[Subset, Counts]) -> None:
        """Add what was counted in a part of the table."""
        places = np.searchsorted(self._wanted, [*found])
        with self._lock:
            _add_rows(self.numbers, places, np.stack([*found.values()]))

    def close(self) -> None:
        """Nothing is put away."""


def _of_nothing(n_sensitive: int) -> Integers:
    numbers = np.zeros(EACH + OF_EACH * n_sensitive, dtype=np.int64)
    numbers[LEAST] = NOTHING
    for s in range(n_sensitive):
        numbers[EACH + OF_EACH * s + DISTINCT] = NOTHING
        numbers[EACH + OF_EACH * s + BEST_OF] = 1
    return numbers


class _Numbers(OfRecords):
    """Counts them (`microleak.kernels.tree.Counter`)."""

    types: ClassVar = [np.dtype(np.int64)]
    most_records: ClassVar = SIZES - 1

    def __init__(self, fields: Fields) -> None:
        self._fields = fields

    def begin(self, weights: Weights) -> tuple[Weights, Integers]:
        """Return the weights as they are, and the numbers of no block."""
        return weights, _of_nothing(len(self._fields.shifts))

    def copied(self, numbers: Integers) -> Integers:
        """Return the same, to be added to."""
        return numbers.copy()

    def counted(self, numbers: Integers, final: Final, _: Subsets) -> Integers:
        """Count final blocks."""
        _count(numbers, self._fields, final)
        return numbers

    def of_short(self, table: Table, short: Short) -> list[Integers]:
        """Count short blocks, and nothing else, for each of some sets of QIDs."""
        n_sets = len(short.sets.depth)
        found = np.stack([_of_nothing(len(self._fields.shifts))] * n_sets)
        _count_short(found, self._fields, table, short)
        return [*found]

    def added(self, total: Integers, part: Integers) -> Integers:
        """Add numbers to others."""
        _add_rows(total[None], np.zeros(1, dtype=np.int64), part[None])
        return total

    def n_bytes(self, numbers: Integers) -> int:
        """Return the bytes of the array."""
        return numbers.nbytes

    def rows(self, numbers: Integers) -> list[Integers]:
        """Return the numbers as a column."""
        return [numbers]


@njit(cache=True, nogil=True)
def _add_rows(totals, places, parts):
    """Add rows of numbers to those at some places."""
    for i in range(len(places)):
        total, part = totals[places[i]], parts[i]
        total[BLOCKS] += part[BLOCKS]
        total[LEAST] = min(total[LEAST], part[LEAST])
        for at in range(BY_SIZE, EACH):
            total[at] += part[at]
        for at in range(EACH, len(total), OF_EACH):
            total[at + CERTAIN] += part[at + CERTAIN]
            total[at + MODAL] += part[at + MODAL]
            _note(total, at, part[at + DISTINCT], part[at + BEST], part[at + BEST_OF])


@njit(cache=True, nogil=True)
def _note(numbers, at, distinct, best, best_of):
    """Keep the fewest values, and the largest share: of equal ones either one."""
    numbers[at + DISTINCT] = min(numbers[at + DISTINCT], distinct)
    if best * numbers[at + BEST_OF] > numbers[at + BEST] * best_of:
        numbers[at + BEST] = best
        numbers[at + BEST_OF] = best_of


@njit(cache=True, nogil=True)
def _count_size(numbers, size, n):
    numbers[BLOCKS] += n
    numbers[LEAST] = min(numbers[LEAST], size)
    if size < SIZES:
        numbers[BY_SIZE + size] += n


@njit(cache=True, nogil=True)
def _count_single(numbers, size, n):
    """Count n blocks of one row."""
    _count_size(numbers, size, n)
    for at in range(EACH, len(numbers), OF_EACH):
        numbers[at + CERTAIN] += n * size
        numbers[at + MODAL] += n * size
        _note(numbers, at, np.int64(1), np.int64(1), np.int64(1))


@njit(cache=True, nogil=True)
def _count(numbers, fields, final):
    """Count final blocks: those of one row by size, and then the others."""
    shifts, masks, n_values, _ = fields
    keys, weights, starts, blocks, single = final
    for of_single in range(len(single)):
        size, n = np.int64(of_single), single[of_single]
        if n != 0:
            _count_single(numbers, size, n)
    seen = np.zeros(n_values, dtype=np.int64)
    for block in blocks:
        lo, hi = np.int64(starts[block]), np.int64(starts[block + 1])
        size = np.int64(0)
        for row in range(lo, hi):
            size += weights[row]
        _count_size(numbers, size, np.int64(1))
        for s in range(len(shifts)):
            modal = np.int64(0)
            distinct = np.int64(0)
            for row in range(lo, hi):
                value = np.uintp(keys[row] >> shifts[s] & masks[s])
                distinct += seen[value] == 0
                seen[value] += weights[row]
                modal = max(modal, seen[value])
            for row in range(lo, hi):
                seen[np.uintp(keys[row] >> shifts[s] & masks[s])] = 0
            at = EACH + OF_EACH * s
            numbers[at + CERTAIN] += size * (distinct == 1)
            numbers[at + MODAL] += modal
            _note(numbers, at, distinct, modal, size)


@njit(cache=True, nogil=True)
def _count_short(numbers, fields, table, short):
    """Count short blocks for each of some sets of attributes.

    Of a block, the rows that are alike in all attributes of a set are the bits of a
    number; an attribute more cuts each by the rows that agree in it. Rows alone are so
    for all sets behind, too, and counted once: from here on, and up to there.
    """
    keys, weights, starts, _ = table
    n_parts = len(short.masks)
    shifts = np.concatenate((short.shifts, fields.shifts))
    masks = np.concatenate((short.masks, fields.masks))
    of_value = np.zeros(np.int64(masks.max()) + 1, dtype=np.uint64)
    agree = np.empty((len(masks), MOST_ROWS), dtype=np.uint64)
    alike = np.empty((n_parts + 1, MOST_ROWS + 1), dtype=np.uint64)
    alone = np.zeros((len(numbers) + 1, SIZES), dtype=np.int64)
    for block in short.blocks:
        lo, hi = np.int64(starts[block]), np.int64(starts[block + 1])
        for part in range(len(masks)):
            row = agree[part]
            _find_agreeing(row, keys[lo:hi], shifts[part], masks[part], of_value)
        alike[0, 0] = ~np.uint64(0) >> np.uint64(64 - (hi - lo))
        heavy = weights[lo:hi] if (weights[lo:hi] != 1).any() else weights[:0]
        _count_sets(numbers, alone, alike, (agree, agree[n_parts:], heavy), short.sets)
    for number in range(len(numbers)):
        for size in range(SIZES):
            if alone[number, size] != 0:
                _count_single(numbers[number], np.int64(size), alone[number, size])
            alone[number + 1, size] += alone[number, size]


@njit(cache=True, nogil=True)
def _find_agreeing(agree, keys, shift, mask, of_value):
    """Find the rows that have the value of each; `of_value` has no bit, as after."""
    for i in range(len(keys)):
        of_value[np.uintp(keys[i] >> shift & mask)] |= np.uint64(1) << np.uint64(i)
    for i in range(len(keys)):
        agree[i] = of_value[np.uintp(keys[i] >> shift & mask)]
    for i in range(len(keys)):
        of_value[np.uintp(keys[i] >> shift & mask)] = 0


@njit(cache=True, nogil=True)
def _count_sets(numbers, alone, alike, rows, sets):
    """Count a block for each set; `alike` has room for the parts of each depth."""
    depth, last, end = sets
    agree, of_sensitive, heavy = rows
    n_alike = np.ones(len(alike), dtype=np.int64)
    number = np.int64(0)
    while number < len(depth):
        at = np.uintp(depth[number])
        if at > 0:
            before, part = np.uintp(at - 1), np.uintp(last[number])
            n_here, n_alone = np.uintp(0), np.int64(0)
            for j in range(n_alike[before]):
                left = alike[before, np.uintp(j)]
                while left != 0:
                    first = np.uintp(lowest(left))
                    same = left & agree[part, first]
                    left ^= same
                    alike[at, n_here] = same
                    is_alone = same & (same - np.uint64(1)) == 0
                    n_here += np.uintp(not is_alone)
                    if len(heavy) == 0:
                        n_alone += np.int64(is_alone)
                    elif is_alone:
                        weight = np.uintp(heavy[first])
                        alone[np.uintp(number), weight] += 1
                        alone[np.uintp(end[number]), weight] -= 1
            n_alike[at] = np.int64(n_here)
            alone[np.uintp(number), 1] += n_alone
            alone[np.uintp(end[number]), 1] -= n_alone
        if n_alike[at] == 0:
            number = end[number]
        else:
            _count_alike(numbers[number], alike[at], n_alike[at], of_sensitive, heavy)
            number += 1


@njit(cache=True, nogil=True)
def _count_alike(numbers, alike, n, agree, heavy):
    """Count n blocks of two rows or more; `agree` is of the sensitive attributes."""
    least = np.int64(NOTHING)
    for s in range(len(agree)):
        certain, right, fewest = np.int64(0), np.int64(0), np.int64(NOTHING)
        best, best_of = np.int64(0), np.int64(1)
        for j in range(n):
            size, modal, distinct = np.int64(0), np.int64(0), np.int64(0)
            left = alike[np.uintp(j)]
            while left != 0:
                same = left & agree[np.uintp(s), np.uintp(lowest(left))]
                left ^= same
                count = np.int64(0)
                if len(heavy) == 0:
                    count = np.int64(ones(same))
                else:
                    while same != 0:
                        count += np.int64(heavy[np.uintp(lowest(same))])
                        same &= same - np.uint64(1)
                size += count
                modal = max(modal, count)
                distinct += 1
            certain += size * (distinct == 1)
            right += modal
            fewest = min(fewest, distinct)
            if modal * best_of > best * size:
                best, best_of = modal, size
            if s == 0:
                least = min(least, size)
                numbers[np.uintp(BY_SIZE + size)] += 1
        at = EACH + OF_EACH * s
        numbers[at + CERTAIN] += certain
        numbers[at + MODAL] += right
        _note(numbers, at, fewest, best, best_of)
    numbers[BLOCKS] += n
    numbers[LEAST] = min(numbers[LEAST], least)
