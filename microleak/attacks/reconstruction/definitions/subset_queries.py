"""Databases and the subset queries asked of them (Nepomuceno 2.2).

Entries are numbered from 0, as in the paper's worked example, not from 1 as its text
says: Q = {1, 3, 5} of (0, 0, 1, 0, 1, 1, 0, 1) has the exact answer 1.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, Protocol

import numpy as np

from microleak.attacks.reconstruction.kernels.subset_sums import (
    LARGEST_N,
    Bits,
    n_words,
    subset_counts,
)
from microleak.base.arrays import BitWords, Integers
from microleak.base.errors import StudyError


class Stream(IntEnum):
    """What random numbers are for; another purpose gets another number."""

    DATABASE = 0
    SUBSETS = 1
    NOISE = 2
    OUTLIERS = 3
    PLACES = 4
    POINTS = 5


def stream(seed: int, purpose: Stream, number: int = 0) -> np.random.Generator:
    """Return the generator of one numbered part of a purpose.

    Parts can be drawn in any order, again, and on any machine: PCG64 seeded by
    (seed, purpose, number).
    """
    keys = np.random.SeedSequence(seed, spawn_key=(int(purpose), number))
    return np.random.Generator(np.random.PCG64(keys))


BLOCK_WORDS: Final = 1 << 20
"""Words of subsets held at a time, 8 MiB."""


class Queries(Protocol):
    """Subset queries of n entries, whose exact answers come block by block."""

    @property
    def n(self) -> int:
        """Entries of the database."""

    @property
    def n_queries(self) -> int:
        """Queries asked, t."""

    def counts(self, database: Bits) -> Iterator[Integers]:
        """Return the exact answers that a database would have, in order (Eq. 2.4)."""


@dataclass(frozen=True)
class SubsetQueries(ABC):
    """Queries whose subsets are given as words, block by block."""

    n: int
    n_queries: int

    def __post_init__(self) -> None:
        check_sizes(self.n, self.n_queries)

    @property
    def rows_a_block(self) -> int:
        """Queries of every block but the last, which may have fewer."""
        return max(1, BLOCK_WORDS // n_words(self.n))

    def blocks(self) -> Iterator[BitWords]:
        """Return the subsets in order, the same at every call."""
        for number, start in enumerate(range(0, self.n_queries, self.rows_a_block)):
            yield self._block(number, min(self.rows_a_block, self.n_queries - start))

    def words(self) -> BitWords:
        """Return all subsets at once."""
        return np.concatenate(list(self.blocks()))

    def counts(self, database: Bits) -> Iterator[Integers]:
        """Return the exact answers that a database would have, in order (Eq. 2.4)."""
        for words in self.blocks():
            yield subset_counts(words, database)

    @abstractmethod
    def _block(self, number: int, n_rows: int) -> BitWords:
        """Return the subsets of a block, by its number from 0 up."""


@dataclass(frozen=True)
class RandomSubsets(SubsetQueries):
    """Queries drawn with replacement from all 2**n subsets alike (Eq. 2.3).

    Every entry is in a subset with chance 1/2. Nothing is stored: a block is drawn
    from the seed again whenever it is needed.
    """

    seed: int

    def _block(self, number: int, n_rows: int) -> BitWords:
        n_columns = n_words(self.n)
        source = stream(self.seed, Stream.SUBSETS, number).bit_generator
        words: BitWords = source.random_raw(n_rows * n_columns).reshape(
            n_rows, n_columns
        )
        words[:, -1] >>= np.uint64(-self.n % 64)
        return words


@dataclass(frozen=True)
class AllSubsets(SubsetQueries):
    """Every subset once, in order of the integer its entries are bits of (2.4)."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n > LARGEST_N or self.n_queries != 1 << self.n:
            raise StudyError(
                f"All subsets of {self.n} entries cannot be asked: there must be 2**n "
                f"queries, and n at most {LARGEST_N}. Lower n, or ask random subsets, "
                "in the analysis of the study file."
            )

    def _block(self, number: int, n_rows: int) -> BitWords:
        first = number * self.rows_a_block
        return np.arange(first, first + n_rows, dtype=np.uint64)[:, np.newaxis]


def all_subsets(n: int) -> AllSubsets:
    """Return the query of every subset of n entries, 2**n of them."""
    return AllSubsets(n, 1 << n if n <= LARGEST_N else 1)


def random_database(n: int, seed: int) -> Bits:
    """Return a database of n entries that are each 1 with chance 1/2 (Eq. 2.1)."""
    check_sizes(n, 1)
    return stream(seed, Stream.DATABASE).integers(0, 2, n, dtype=np.uint8)


def check_sizes(n: int, n_queries: int) -> None:
    """Refuse a database of fewer than two entries, and no queries at all."""
    if n < 2:
        raise StudyError(
            f"A database of {n} entries cannot be hidden by noise or rebuilt from "
            "sums. Give an n of at least 2 in the analysis of the study file."
        )
    if n_queries < 1:
        raise StudyError(
            f"{n_queries} queries give nothing away. Ask at least 1: change the "
            "formula of queries in the analysis of the study file."
        )
