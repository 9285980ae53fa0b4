"""What the best guess gains in every block, added up over the blocks of each subset.

A guess gains so much by each value that the sensitive attribute may have, and the best
one of a block is that which gains most from all of its records.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numba import njit

from microleak.base.arrays import Integers, QidMask
from microleak.kernels.blocks import Fields, Final, Weights
from microleak.kernels.records import Records
from microleak.kernels.spilled_rows import joined_rows
from microleak.kernels.tally import OfRecords
from microleak.kernels.tree import Counter, QidMasks
from microleak.kernels.walk import Totals, Turn, Work, walk_turn


class _GainSums(OfRecords):
    """Adds up gains (`microleak.kernels.tree.Counter`); with them it counts blocks."""

    fields: Fields
    types = [np.dtype(np.int64)] * 2

    def begin(self, weights: Weights) -> tuple[Weights, Integers]:
        return weights, np.zeros(2, dtype=np.int64)

    def copied(self, sums: Integers) -> Integers:
        return sums.copy()

    def counted(self, sums: Integers, final: Final, _: QidMasks) -> Integers:
        """Add what the best guess gains in final blocks."""
        n_blocks = final.single.sum() + len(final.blocks)
        both: Integers = sums + np.array([self._of(final), n_blocks])
        return both

    @abstractmethod
    def _of(self, final: Final) -> int:
        """Return what the best guess gains in final blocks."""

    def added(self, total: Integers, part: Integers) -> Integers:
        return total + part

    def n_bytes(self, sums: Integers) -> int:
        return sums.nbytes

    def rows(self, sums: Integers) -> list[Integers]:
        return [sums[:1], sums[1:]]


@dataclass(frozen=True)
class BestGuess(_GainSums):
    """The best of some guesses.

    `gains` has what each guess gains by each code of the attribute, which is marked;
    integers below 2**31 in size, shape (n_guesses, n_codes).
    """

    fields: Fields
    gains: Integers

    def _of(self, final: Final) -> int:
        return int(
            _of_single(final.single, self.gains.max(axis=0))
            + _best_gains(final, int(self.fields.masks[0]), self.gains)
        )


@dataclass(frozen=True)
class Tries(_GainSums):
    """The best set of a number of guesses, of which one is to be right.

    The attribute is not marked: of several values it is told at the last level, and
    one that is the only of its block is found by the first guess.
    """

    fields: Fields
    n_tries: int

    def _of(self, final: Final) -> int:
        of_one_value = _of_single(final.single, np.ones(1, dtype=np.int64))
        n_tries = min(self.n_tries, self.fields.n_values)
        return int(of_one_value + _in_tries(final, self.fields, n_tries))


def best_gains(
    records: Records, wanted: QidMasks, of: Callable[[Fields], Counter], work: Work
) -> Iterator[tuple[QidMask, int, int]]:
    """Yield the QID subsets wanted, ascending, each with its gain and its blocks.

    `records` have the one sensitive attribute that is guessed, marked for `BestGuess`;
    `of` returns a `BestGuess` or `Tries`, told where the attribute lies.
    """
    shelf = work.new_shelf(_GainSums.types)
    totals_of = partial(Totals, shelf, work.tally_bytes)
    walk_turn(records, wanted, Turn([0], of, totals_of), work)
    for subset in wanted.tolist():
        gain, n_blocks = joined_rows(shelf.pieces(subset), shelf.types)
        yield subset, int(gain.sum()), int(n_blocks.sum())


@njit(cache=True, nogil=True)
def _of_single(single, best):
    """Return the gain in blocks of one row, counted by size and marks."""
    n_marked = 0
    while 1 << n_marked < len(best):
        n_marked += 1
    total = np.int64(0)
    for place in range(len(single)):
        if single[place] != 0:
            value = place & ((1 << n_marked) - 1)
            total += single[place] * (place >> n_marked) * best[value]
    return total


@njit(cache=True, nogil=True)
def _best_gains(final, mask, gains):
    keys, weights, starts, blocks, _ = final
    total = np.int64(0)
    for block in blocks:
        lo, hi = starts[block], starts[block + 1]
        best = np.int64(0)
        for guess in range(len(gains)):
            gain = np.int64(0)
            for row in range(lo, hi):
                value = np.int64(keys[row]) & mask
                gain += weights[row] * gains[guess, value]
            if guess == 0 or gain > best:
                best = gain
        total += best
    return total


@njit(cache=True, nogil=True)
def _in_tries(final, fields, n_tries):
    keys, weights, starts, blocks, _ = final
    shift, mask = fields.shifts[0], fields.masks[0]
    seen = np.zeros(fields.n_values, dtype=np.int64)
    most = np.zeros(n_tries, dtype=np.int64)
    total = np.int64(0)
    for block in blocks:
        lo, hi = starts[block], starts[block + 1]
        for row in range(lo, hi):
            seen[np.uintp(keys[row] >> shift & mask)] += weights[row]
        most[:] = 0
        for row in range(lo, hi):
            value = np.uintp(keys[row] >> shift & mask)
            count = seen[value]
            seen[value] = 0
            # Insert it among the largest, which descend; the least of them leaves.
            for place in range(n_tries):
                if count > most[place]:
                    most[place], count = count, most[place]
        total += most.sum()
    return total
