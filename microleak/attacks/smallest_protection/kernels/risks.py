"""Numbers that risks follow from, of every set of QIDs, without a profile.

A profile has every kind of block. Where there are very many sets, as all nodes of a
lattice, a few numbers of each are enough, whose cost does not grow with the kinds:
blocks, the smallest of them, records alone, and for each sensitive attribute those of
whom an adversary is certain, those guessed right, the fewest values of a block, and the
best guess about anybody.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.smallest_protection.kernels.chains import chains_of
from microleak.attacks.smallest_protection.kernels.cubes import count_dense
from microleak.attacks.smallest_protection.kernels.risk_numbers import (
    ALONE,
    BLOCKS,
    EACH,
    LEAST,
    OF_EACH,
    add_rows,
    count,
    of_nothing,
)
from microleak.attacks.smallest_protection.kernels.short_blocks import (
    MOST_ROWS,
    count_short,
    short_blocks,
    short_of,
)
from microleak.base.arrays import Integers, QidMask
from microleak.kernels.blocks import BlockTable, Fields, Final, Weights
from microleak.kernels.keys import BitField, turns_of
from microleak.kernels.records import Records, Values
from microleak.kernels.tally import OfRecords
from microleak.kernels.tree import Counter, Counts, QidMasks
from microleak.kernels.walk import Turn, Work, walk_turn


@dataclass(frozen=True)
class RiskRows:
    """Numbers that risks follow from, a row a set of QIDs."""

    n_blocks: Integers
    smallest: Integers
    n_alone: Integers
    """Blocks, records of the smallest one, and records alone; shape (n_sets,)."""
    n_certain: Integers
    n_modal: Integers
    least_distinct: Integers
    """Of each sensitive attribute the records of blocks with one value, the sum of the
    counts of the most frequent values, and the fewest values of a block; shape (n_sets,
    n_sensitive)."""
    best: Integers
    best_of: Integers
    """Count of the most frequent value and records of the block in which its share is
    largest; the same shape."""


def risks(records: Records, wanted: QidMasks, work: Work) -> RiskRows:
    """Return the numbers of each set of QIDs wanted, the same for any order of records.

    There is a record at least, and no sensitive attribute is marked. What is counted
    takes 8 * (3 + 5 * n_sensitive) bytes a set.
    """
    values = records.sensitive or [Values(np.array([records.n_records]))]
    turns = turns_of(values)
    found = []
    for turn in turns:
        sums = _RiskSums(wanted, len(turn))

        def begun(_: Counter, sums: _RiskSums = sums) -> _RiskSums:
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
    of_blocks = (first[:, at] for at in (BLOCKS, LEAST, ALONE))
    return RiskRows(*of_blocks, *np.moveaxis(of_each, 2, 0))


class _RiskSums:
    """Takes the numbers of each bucket; threads may add at the same time."""

    def __init__(self, wanted: QidMasks, n_sensitive: int) -> None:
        self._wanted = wanted
        self._lock = Lock()
        self.numbers = np.stack([of_nothing(n_sensitive)] * len(wanted))

    def add(self, found: Mapping[QidMask, Counts]) -> None:
        places = np.searchsorted(self._wanted, [*found])
        with self._lock:
            add_rows(self.numbers, places, np.stack([*found.values()]))

    def close(self) -> None:
        """Nothing is put away."""


class _Numbers(OfRecords):
    """Counts them (`microleak.kernels.tree.Counter`)."""

    types: ClassVar = [np.dtype(np.int64)]

    def __init__(self, fields: Fields) -> None:
        self._fields = fields

    def begin(self, weights: Weights) -> tuple[Weights, Integers]:
        return weights, of_nothing(len(self._fields.shifts))

    def copied(self, numbers: Integers) -> Integers:
        return numbers.copy()

    def counted(self, numbers: Integers, final: Final, _: QidMasks) -> Integers:
        count(numbers, self._fields, final)
        return numbers

    def at_once(
        self, table: BlockTable, undecided: Sequence[BitField], wanted: QidMasks
    ) -> tuple[NDArray[np.int32], Integers]:
        """Count dense and short blocks for all sets of QIDs wanted."""
        found = self._of_nothing(len(wanted))
        numbers = [short_blocks(table, len(wanted))]
        if len(numbers[0]):
            short, places = short_of(numbers[0], undecided, wanted)
            of_short = self._of_nothing(len(short.sets.depth))
            count_short(of_short, self._fields, table, short)
            found = of_short[places]
        if len(table.keys) > MOST_ROWS:
            told = sum(1 << field.qid for field in undecided)
            distinct, places = np.unique(wanted & told, return_inverse=True)
            chains = chains_of(undecided, distinct)
            if chains is not None:
                of_dense = self._of_nothing(len(distinct))
                is_dense = count_dense(of_dense, self._fields, table, chains)
                numbers.append(np.flatnonzero(is_dense).astype(np.int32))
                add_rows(found, np.arange(len(wanted)), of_dense[places])
        return np.sort(np.concatenate(numbers)), found

    def _of_nothing(self, n_sets: int) -> Integers:
        return np.stack([of_nothing(len(self._fields.shifts))] * n_sets)

    def added(self, total: Integers, part: Integers) -> Integers:
        add_rows(total[None], np.zeros(1, dtype=np.int64), part[None])
        return total

    def n_bytes(self, numbers: Integers) -> int:
        return numbers.nbytes

    def rows(self, numbers: Integers) -> list[Integers]:
        return [numbers]
