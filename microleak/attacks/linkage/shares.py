"""Shares of drifting values, as strangers have them who agree in a block.

A value may depend on a stable attribute, as the school on the district, or on another
drifting one: then strangers who agree in that often agree in the value, too. Such an
attribute is a parent; one at most is chosen of each drifting attribute, by
`definitions/links.py`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from math import prod

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.linkage.analysis import ESTIMATED
from microleak.attacks.linkage.words import Both, read_words
from microleak.definitions.exact import run_starts
from microleak.kernels.buckets import Words, mixed
from microleak.kernels.matching import Floats, Integers
from microleak.kernels.together import Codes, count_together
from microleak.records.alike import Word

WEIGHTS = (0.1, 1, 10, 100, 1_000, 10_000)
"""Records that the share in the whole release may count for among those of a parent."""

MOST_CELLS = 1 << 17
"""Pairs of values up to which all are counted, whether any record has them or not."""

LEAST_RECORDS = 1 << 15
"""Auxiliary records by which parents are chosen at least where there are more pairs."""

MOST_PAIRS = 1 << 23
"""Pairs of values that records have together, above which a parent is not taken."""

_WAITING = 1 << 19
_MOST_CODES = 1 << 62

Masks = NDArray[np.bool_]


@dataclass
class Together:
    """How many auxiliary records have a value of an attribute and one of its parent.

    Values that could be few pairs are counted by pair. Otherwise those of some values
    of the parent are, each with all its records.

    Attributes
    ----------
    parents, own
        Places of both among `Both.linking`. Two may be one parent, a stable one and
        another after it.
    n_values
        How many values the parents have, and the attribute.
    of_own
        Records of each of its values.
    is_taken
        Which values of a single parent are counted; None for all.
    is_too_much
        Whether records have more pairs than are held, so that none are any more.
    """

    parents: tuple[int, ...]
    own: int
    n_values: tuple[int, ...]
    of_own: Integers
    is_taken: Masks | None
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
        cls, both: Both, parents: tuple[int, ...], own: int, is_taken: Masks | None
    ) -> "Together":
        """Return what is to be counted, nothing of it yet."""
        counts = [both.auxiliary.counts[both.linking[p]] for p in (*parents, own)]
        return cls(parents, own, tuple(map(len, counts)), counts[-1], is_taken)

    @property
    def has_cells(self) -> bool:
        """Whether there is a count for every pair of values."""
        return prod(self.n_values) <= MOST_CELLS

    @property
    def is_whole(self) -> bool:
        """Whether all records are counted."""
        return self.has_cells or self.is_taken is None

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

    def counted(self) -> tuple[Integers, Integers]:
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
        pairs, counts = np.unique(np.concatenate(waiting), return_counts=True)
        every = np.concatenate([self._pairs, pairs])
        self._pairs, place = np.unique(every, return_inverse=True)
        n = np.concatenate([self._counts, counts])
        self._counts = np.zeros(len(self._pairs), dtype=np.int64)
        np.add.at(self._counts, place, n)
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
        for parent in _before(own, n_stable, transition)
    ]


def _before(own: int, n_stable: int, transition: str) -> range:
    """Return the places of the attributes that an attribute may depend on."""
    return range(own if transition == ESTIMATED else n_stable)


def _some_of(counts: Integers) -> Masks | None:
    """Say which values are taken, a random choice with enough records; None for all."""
    number = mixed(np.arange(1, len(counts) + 1, dtype=np.uint64))
    share = LEAST_RECORDS / int(counts.sum())
    while share < 1:
        is_taken: Masks = number < np.uint64(int(share * 2**64))
        if counts[is_taken].sum() >= LEAST_RECORDS:
            return is_taken
        share *= 2
    return None


def gains_of(together: Together) -> Floats:
    """Return the gain of a parent by each of the weights, of the counted records."""
    pairs, n_both = together.counted()
    parent, own = np.divmod(pairs, len(together.of_own))
    n_others = together.of_own[own] - 1
    is_shared = n_others > 0
    of_parent = _in_runs(parent, n_both)[is_shared]
    n_both, n_others = n_both[is_shared], n_others[is_shared]
    overall = n_others / max(int(together.of_own.sum()) - 1, 1)
    gains = np.zeros(len(WEIGHTS))
    for place, weight in enumerate(WEIGHTS):
        within = (n_both - 1 + weight * overall) / (of_parent - 1 + weight)
        gains[place] = n_both @ np.log(within / overall)
    return gains


def _in_runs(kinds: Integers, counts: Integers) -> Integers:
    """Return of each place the sum of the counts of its kind, which are in order."""
    starts = run_starts(kinds)
    n_each = np.diff(starts, append=len(kinds))
    return np.repeat(np.add.reduceat(counts, starts), n_each)


@dataclass(frozen=True)
class Chosen:
    """A parent, the weight of the share in the whole release, and the gain of both."""

    together: Together
    weight: float
    gain: float


def chosen(together: Sequence[Together]) -> Chosen | None:
    """Return the parent of an attribute of those that it may have, if one is.

    Its gain, had all records been counted, is the largest, and that of the counted
    ones is above twice the logarithm of their number, which chance does not reach.
    """
    found = []
    for each in together:
        pairs, n_both = each.counted()
        if each.is_too_much:
            continue
        n_counted, n_records = int(n_both.sum()), int(each.of_own.sum())
        gains = gains_of(each)
        place = int(gains.argmax())
        scale = n_records / n_counted
        is_large = gains[place] > 2 * np.log(n_counted)
        if is_large and len(pairs) * scale <= MOST_PAIRS:
            found.append(Chosen(each, WEIGHTS[place], float(gains[place]) * scale))
    return max(found, key=lambda each: each.gain, default=None)


@dataclass(frozen=True)
class Within:
    """Shares of an attribute's values among the records with a value of its parent.

    Attributes
    ----------
    together
        The two attributes.
    weight
        Records that the share of all counts for.
    pairs
        The pairs of values that there are, ascending; None for all that there may be.
    shares
        Of each pair, that of the attribute's value within the parent's.
    """

    together: Together
    weight: float
    pairs: Integers | None
    shares: Floats

    @classmethod
    def of(cls, together: Together, weight: float, of_others: bool) -> "Within":
        """Return the shares of what was counted of all records.

        Or `of_others`, of all but one that has these values.
        """
        pairs, n_both = together.counted()
        if together.has_cells:
            n_pairs = prod(together.n_values)
            n_both = np.bincount(pairs, n_both, n_pairs)
            pairs = np.arange(n_pairs)
        parent, own = np.divmod(pairs, len(together.of_own))
        overall = together.of_own[own] / together.of_own.sum()
        n_parent = _in_runs(parent, n_both)
        if of_others:
            n_both, n_parent = np.maximum(n_both - 1, 0), np.maximum(n_parent - 1, 0)
        shares = (n_both + weight * overall) / (n_parent + weight)
        return cls(together, weight, None if together.has_cells else pairs, shares)

    def of_codes(self, codes: Sequence[Codes]) -> Floats:
        """Return the share of each record's value with that of its parent.

        By the codes of the linking attributes.
        """
        parent = self.together.parent_of(codes)
        place = self.together.pairs_of(parent, codes[self.together.own])
        if self.pairs is not None:
            place = np.searchsorted(self.pairs, place)
        return self.shares[place]


@dataclass(frozen=True)
class Shares:
    """Shares of drifting values, of all records or within a parent.

    Attributes
    ----------
    stable, drifting
        The attributes of either role as a number.
    overall
        The share of each value in the auxiliary release, by the drifting attribute.
    within
        Those that have a parent, by their place among the drifting attributes.
    """

    stable: Word
    drifting: Word
    overall: Sequence[Floats]
    within: Mapping[int, Within]

    @cached_property
    def parents(self) -> dict[str, str]:
        """The parent of each drifting attribute that has one."""
        names = (*self.stable.names, *self.drifting.names)
        return {
            self.drifting.names[place]: "&".join(
                names[parent] for parent in each.together.parents
            )
            for place, each in self.within.items()
        }

    @property
    def drifting_parents(self) -> dict[int, int]:
        """The places of attributes and of their parents, where both are drifting."""
        n_stable = len(self.stable.names)
        return {
            place: each.together.parents[-1] - n_stable
            for place, each in self.within.items()
            if each.together.parents[-1] >= n_stable
        }

    def of_rows(self, blocks: Words, block: Integers, drifting: Words) -> Floats:
        """Return the shares of rows' values, a line an attribute.

        Parameters
        ----------
        blocks
            The stable attributes of blocks.
        block
            The block of each auxiliary row.
        drifting
            The drifting attributes of each.
        """
        codes = self.drifting.codes(drifting)
        every = [*self.stable.codes(blocks)[:, block], *codes] if self.within else []
        shares = np.empty(codes.shape)
        for place, (overall, own) in enumerate(zip(self.overall, codes, strict=True)):
            within = self.within.get(place)
            shares[place] = overall[own] if within is None else within.of_codes(every)
        return shares


def shares_of(both: Both, together: Sequence[Together]) -> Shares:
    """Return the shares by the parents that are chosen of what was counted.

    Parents of which not all records were counted are counted now.
    """
    n_stable = len(both.stable.names)
    found = {}
    for own in range(n_stable, len(both.linking)):
        parent = chosen([each for each in together if each.own == own])
        if parent is not None:
            found[own - n_stable] = parent
    parts = [p for p, each in found.items() if not each.together.is_whole]
    for place in parts:
        whole = replace(found[place].together, is_taken=None)
        found[place] = replace(found[place], together=whole)
    _count(both, [found[place].together for place in parts])
    counts = [both.auxiliary.counts[name] for name in both.drifting.names]
    overall = [each / each.sum() for each in counts]
    within = {
        place: Within.of(
            each.together, each.weight, each.together.parents[-1] >= n_stable
        )
        for place, each in found.items()
        if not each.together.is_too_much
    }
    return Shares(both.stable, both.drifting, overall, within)


def _count(both: Both, together: Sequence[Together]) -> None:
    """Count all auxiliary records, if anything is to be counted."""
    if together:
        for _, codes in read_words(both, "auxiliary", both.linking):
            for each in together:
                each.add(codes)
    for each in together:
        each.counted()


def with_pairs(
    both: Both, shares: Shares, places: Sequence[int], transition: str
) -> Shares:
    """Return shares of which some may be within two attributes together.

    One of the two is stable, as what differs within a block has one chance to stay by
    itself. A pair is the parent where its gain is above that of the one parent, of all
    records, by twice the logarithm of their number.

    Parameters
    ----------
    both
        The releases, of which the auxiliary one is read once more.
    shares
        Those by single parents.
    places
        The drifting attributes whose parents are tried, by their place.
    transition
        How changes are learnt.
    """
    n_stable = len(both.stable.names)
    tried = [
        Together.of(both, pair, own, None)
        for own in (n_stable + place for place in places)
        for pair in combinations(_before(own, n_stable, transition), 2)
        if pair[0] < n_stable
    ]
    tried = [each for each in tried if prod(each.n_values) < _MOST_CODES]
    _count(both, tried)
    within = dict(shares.within)
    for place in places:
        pair = chosen([each for each in tried if each.own == n_stable + place])
        known = within.get(place)
        gain = 0.0 if known is None else gains_of(known.together).max()
        if pair and pair.gain > gain + 2 * np.log(pair.together.of_own.sum()):
            is_drifting = pair.together.parents[-1] >= n_stable
            within[place] = Within.of(pair.together, pair.weight, is_drifting)
    return replace(shares, within=within)
