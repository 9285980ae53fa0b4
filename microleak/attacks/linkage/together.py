"""How many records have a value of a drifting attribute and one of its parent."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

import numpy as np

from microleak.attacks.linkage.kernels.pairs import count_together
from microleak.attacks.linkage.section import ESTIMATED
from microleak.attacks.linkage.words import Both, read_words
from microleak.base.arrays import Codes, Integers, Mask
from microleak.definitions.exact import kind_sums
from microleak.kernels.spilled_rows import mixed_words

MOST_CELLS = 1 << 17
"""Pairs of values up to which all are counted, whether any record has them or not."""

LEAST_RECORDS = 1 << 15
"""Auxiliary records by which parents are chosen at least where there are more pairs."""

MOST_PAIRS = 1 << 23
"""Pairs of values that records have together, above which a parent is not taken."""

_WAITING = 1 << 19


CountedPairs = tuple[Integers, Integers]
"""Numbers of pairs of codes, sorted, and how many records have each."""


def added_counts(first: CountedPairs, second: CountedPairs) -> CountedPairs:
    """Return the pairs of both, and how many have each in all."""
    keys, place = np.unique(np.concatenate([first[0], second[0]]), return_inverse=True)
    return keys, kind_sums(place, np.concatenate([first[1], second[1]]), len(keys))


@dataclass
class Together:
    """How many auxiliary records have a value of an attribute and one of its parent.

    Values that could be few pairs are counted by pair. Otherwise those of some values
    of the parent are, each with all its records.
    """

    # Places of both among `Both.linking`
    parents: tuple[int, ...]
    own: int
    drifting: tuple[int, ...]
    n_values: tuple[int, ...]  # How many values the parents have, and the attribute
    of_own: Integers  # Records of each of its values
    is_taken: Mask | None  # Which values of a single parent are counted
    is_too_much: bool = field(init=False, default=False)
    _pairs: Integers = field(init=False)
    _counts: Integers = field(init=False)
    _waiting: list[Integers] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        self._pairs = np.empty(0, dtype=np.int64)
        shape = prod(self.n_values[:-1]), self.n_values[-1]
        self._counts = np.zeros(shape if self.has_cells else 0, dtype=np.int64)

    @classmethod
    def of(
        cls, both: Both, parents: tuple[int, ...], own: int, is_taken: Mask | None
    ) -> "Together":
        """Return what is to be counted, nothing of it yet."""
        counts = [both.auxiliary.counts[both.linking[p]] for p in (*parents, own)]
        n_stable = len(both.stable.names)
        drifting = tuple(p - n_stable for p in parents if p >= n_stable)
        n_values = tuple(map(len, counts))
        return cls(parents, own, drifting, n_values, counts[-1], is_taken)

    @property
    def has_cells(self) -> bool:
        """Whether there is a count for every pair of values."""
        return prod(self.n_values) <= MOST_CELLS

    @property
    def is_whole(self) -> bool:
        """Whether all records are counted."""
        return self.has_cells or self.is_taken is None

    @property
    def most_pairs(self) -> int:
        """How many pairs of values there may be at most, of those that are held."""
        return min(prod(self.n_values), int(self.of_own.sum()), MOST_PAIRS)

    def add(self, codes: Sequence[Codes]) -> None:
        """Count records by their codes of the linking attributes."""
        parent, own = self.parent_of(codes), codes[self.own]
        if self.has_cells:
            count_together(parent.astype(np.uint32, copy=False), own, self._counts)
            return
        if self.is_taken is not None:
            kept = np.flatnonzero(self.is_taken[parent])
            parent, own = parent[kept], own[kept]
        self._waiting.append(self.pairs_of(parent, own))
        if sum(map(len, self._waiting)) > max(_WAITING, len(self._pairs)):
            self._add_waiting()

    def parent_of(self, codes: Sequence[Codes]) -> Integers | Codes:
        """Return the code of the parent, by those of the linking attributes."""
        first, *second = self.parents
        if not second:
            return codes[first]
        found: Integers = codes[first].astype(np.int64) * self.n_values[1]
        return found + codes[second[0]]

    def pairs_of(self, parent: Integers | Codes, own: Codes) -> Integers:
        """Return codes of both as one number."""
        return parent.astype(np.int64) * self.n_values[-1] + own

    def counted(self) -> CountedPairs:
        """Return the pairs that records have, ascending, and how many have each."""
        if self.has_cells:
            counts = self._counts.reshape(-1)
            pairs = np.flatnonzero(counts)
            return pairs, counts[pairs]
        self._add_waiting()
        return self._pairs, self._counts

    def _add_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        if self.is_too_much or not waiting:
            return
        found = np.unique(np.concatenate(waiting), return_counts=True)
        self._pairs, self._counts = added_counts((self._pairs, self._counts), found)
        if len(self._pairs) > MOST_PAIRS:
            self.is_too_much = True
            self._pairs, self._counts = self._pairs[:0], self._counts[:0]


def together_of(both: Both, transition: str) -> list[Together]:
    """Return what is to be counted: each drifting attribute, and what may be a parent.

    These are the stable ones and, where changes are estimated, the drifting ones before
    it: a counted change is of all persons, whether the parent's value changed or not.
    """
    names, n_stable = both.linking, len(both.stable.names)
    is_taken = [_some_of(both.auxiliary.counts[name]) for name in names[:-1]]
    return [
        Together.of(both, (parent,), own, is_taken[parent])
        for own in range(n_stable, len(names))
        for parent in before(both, own, transition)
    ]


def before(both: Both, own: int, transition: str) -> range:
    """Return the places of the attributes that an attribute may depend on."""
    return range(own if transition == ESTIMATED else len(both.stable.names))


def _some_of(counts: Integers) -> Mask | None:
    """Return the values taken, a random choice with enough records; None for all."""
    number = mixed_words(np.arange(1, len(counts) + 1, dtype=np.uint64))
    share = LEAST_RECORDS / int(counts.sum())
    while share < 1:
        is_taken: Mask = number < np.uint64(int(share * 2**64))
        if counts[is_taken].sum() >= LEAST_RECORDS:
            return is_taken
        share *= 2
    return None


def count_all(both: Both, together: Sequence[Together]) -> None:
    """Count all auxiliary records, if anything is to be counted."""
    if together:
        for _, codes in read_words(both, "auxiliary", both.linking):
            for each in together:
                each.add(codes)
