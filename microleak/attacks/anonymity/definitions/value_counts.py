"""How often each sensitive value occurs in each block."""

from dataclasses import dataclass

import numpy as np

from microleak.definitions.exact import run_starts
from microleak.definitions.partition import BlockIds
from microleak.definitions.profile import Counts
from microleak.kernels.records import Codes


@dataclass(frozen=True)
class ValueCounts:
    """The table of blocks by sensitive values, without its zeros.

    One entry a block and a value that occurs in it, in any order, each pair once;
    at least one. A missing value has a code of its own.

    Attributes
    ----------
    block
        Number of the block, of any numbers.
    value
        Code of the value, from 0; where values have an order, codes have it too.
    count
        Records of the block with the value, from 1; below 2**31 together.
    """

    block: Counts
    value: Counts
    count: Counts

    @property
    def n_records(self) -> int:
        """Records of all blocks."""
        return int(self.count.sum())


@dataclass(frozen=True)
class Grouped:
    """Entries of which those of a block follow each other.

    Attributes
    ----------
    value, count
        As in `ValueCounts`.
    first
        Where the entries of each block begin.
    """

    value: Counts
    count: Counts
    first: Counts

    @property
    def n_values(self) -> Counts:
        """Number of distinct values of each block."""
        return np.diff(self.first, append=len(self.count))

    @property
    def block_size(self) -> Counts:
        """Records of each block."""
        return self.total(self.count)

    def total(self, entries: Counts) -> Counts:
        """Sum of a number of each entry, by block."""
        return np.add.reduceat(entries, self.first)

    def spread(self, of_blocks: Counts) -> Counts:
        """Repeat a number of each block for each of its entries."""
        return np.repeat(of_blocks, self.n_values)

    @property
    def place(self) -> Counts:
        """Place of each entry in its block, from 0."""
        return np.arange(len(self.count)) - self.spread(self.first)


def value_counts(block: BlockIds, value: Codes) -> ValueCounts:
    """Count the records of each block and sensitive value.

    Parameters
    ----------
    block, value
        Of each record, shape (n_records,), both from 0.

    Examples
    --------
    >>> value_counts(np.array([0, 1, 0, 0]), np.array([2, 2, 2, 0]))
    ValueCounts(block=array([0, 0, 1]), value=array([0, 2, 2]), count=array([1, 2, 1]))
    """
    n_values = int(value.max(initial=0)) + 1
    both = block.astype(np.int64) * n_values + value
    pair, count = np.unique(both, return_counts=True)
    return ValueCounts(pair // n_values, pair % n_values, count)


def by_count(counts: ValueCounts) -> Grouped:
    """Group entries by block, the most frequent value first.

    Values that are as frequent are in any order.
    """
    return _grouped(counts, np.lexsort((-counts.count, counts.block)))


def by_value(counts: ValueCounts) -> Grouped:
    """Group entries by block, in the order of the values."""
    return _grouped(counts, np.lexsort((counts.value, counts.block)))


def _grouped(counts: ValueCounts, order: Counts) -> Grouped:
    first = run_starts(counts.block[order])
    return Grouped(counts.value[order], counts.count[order], first)
