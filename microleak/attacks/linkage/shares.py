"""Shares of drifting values, as strangers have them who agree in a block.

A value may depend on a stable attribute, as the school on the district, or on another
drifting one, or on two together: strangers who agree in these often agree in the value.
Which parent is chosen for each drifting attribute is told by `definitions/links.py`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import prod

import numpy as np

from microleak.attacks.linkage.together import MOST_PAIRS, Together, before, count_all
from microleak.attacks.linkage.words import Both
from microleak.base.arrays import BitWords, Codes, Floats, Integers
from microleak.definitions.exact import run_starts
from microleak.records.alike import Word

WEIGHTS = (0.001, 0.01, 0.1, 1, 10, 100, 1_000, 10_000)
"""Records that the share in the whole release may count for among those of a parent."""

LEAST_IN_COMPANY = 0.5
"""Share of the records that have others with their values of two parents, at least."""

_MOST_CODES = 1 << 62


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
    """Return the sum of the counts of each place's kind; kinds are in order."""
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
    # Nine digits, so that of parents that tell the same the first is taken.
    return max(found, key=lambda each: float(f"{each.gain:.9g}"), default=None)


@dataclass(frozen=True)
class Within:
    """Shares of an attribute's values among the records with a value of its parent."""

    chosen: Chosen  # The parent, and what is said of it
    pairs: Integers | None  # The pairs of values that there are, ascending
    # Of each pair, that of the attribute's value within the parent's, and that of one
    # record of it, shape (2, n)
    shares: Floats

    @classmethod
    def of(cls, chosen: Chosen) -> "Within":
        """Return the shares of what was counted of all records."""
        together, weight = chosen.together, chosen.weight
        pairs, n_both = together.counted()
        if together.has_cells:
            n_pairs = prod(together.n_values)
            n_both = np.bincount(pairs, n_both, n_pairs)
            pairs = np.arange(n_pairs)
        parent, own = np.divmod(pairs, len(together.of_own))
        overall = together.of_own[own] / together.of_own.sum()
        n_parent = _in_runs(parent, n_both)
        of_one = 1 / (n_parent + weight)
        if together.drifting:
            # Of all but one, who is then nobody's partner among them.
            n_both, n_parent = np.maximum(n_both - 1, 0), np.maximum(n_parent - 1, 0)
            of_one = np.zeros(len(pairs))
        shares = (n_both + weight * overall) / (n_parent + weight)
        kept = None if together.has_cells else pairs
        return cls(chosen, kept, np.array([shares, of_one]))

    def of_codes(self, codes: Sequence[Codes]) -> Floats:
        """Return the shares of values by the codes of the linking attributes."""
        together = self.chosen.together
        place = together.pairs_of(together.parent_of(codes), codes[together.own])
        if self.pairs is not None:
            place = np.searchsorted(self.pairs, place)
        return self.shares[:, place]


@dataclass(frozen=True)
class Shares:
    """Shares of drifting values, of all records or within a parent."""

    # The attributes of either role as a number
    stable: Word
    drifting: Word
    overall: Sequence[Floats]
    of_one: float  # The share of one record
    within: Mapping[int, Within]

    @cached_property
    def parents(self) -> dict[str, str]:
        """The parent of each drifting attribute that has one."""
        names = (*self.stable.names, *self.drifting.names)
        return {
            self.drifting.names[place]: "&".join(
                names[parent] for parent in each.chosen.together.parents
            )
            for place, each in self.within.items()
        }

    @property
    def drifting_parents(self) -> dict[int, tuple[int, ...]]:
        """The places of attributes and of those of their parents that drift."""
        drifting = {p: each.chosen.together.drifting for p, each in self.within.items()}
        return {place: each for place, each in drifting.items() if each}

    def of_rows(
        self, blocks: BitWords, block: Integers, drifting: BitWords
    ) -> tuple[Floats, Floats]:
        """Return the shares of rows' values, and of one record, a line an attribute."""
        codes = self.drifting.codes(drifting)
        every = [*self.stable.codes(blocks)[:, block], *codes] if self.within else []
        shares, of_one = np.empty(codes.shape), np.full(codes.shape, self.of_one)
        for place, (overall, own) in enumerate(zip(self.overall, codes, strict=True)):
            within = self.within.get(place)
            if within is None:
                shares[place] = overall[own]
            else:
                shares[place], of_one[place] = within.of_codes(every)
        return shares, of_one


def shares_of(both: Both, together: Sequence[Together]) -> Shares:
    """Return the shares by the parents that are chosen of what was counted."""
    n_stable = len(both.stable.names)
    found = {}
    for own in range(n_stable, len(both.linking)):
        parent = chosen([each for each in together if each.own == own])
        if parent is not None:
            found[own - n_stable] = parent
    # Parents of which not all records were counted are counted now.
    parts = [p for p, each in found.items() if not each.together.is_whole]
    for place in parts:
        whole = replace(found[place].together, is_taken=None)
        found[place] = replace(found[place], together=whole)
    count_all(both, [found[place].together for place in parts])
    for place in parts:
        found[place] = chosen([found[place].together]) or found[place]
    counts = [both.auxiliary.counts[name] for name in both.drifting.names]
    overall = [each / each.sum() for each in counts]
    within = {
        place: Within.of(each)
        for place, each in found.items()
        if not each.together.is_too_much
    }
    of_one = 1 / both.auxiliary.chunks.n_rows
    return Shares(both.stable, both.drifting, overall, of_one, within)


def with_pairs(
    both: Both, shares: Shares, places: Sequence[int], transition: str
) -> Shares:
    """Return shares of which some may be within two attributes together.

    A pair is the parent where its gain is above that of the one parent, of all records,
    by twice the logarithm of their number.
    """
    n_stable = len(both.stable.names)
    best: dict[int, Chosen] = {}
    for tried in _in_turn(both, [n_stable + place for place in places], transition):
        count_all(both, tried)
        for place in {each.own - n_stable for each in tried}:
            known = best[place].gain if place in best else 0.0
            pairs = [each for each in tried if each.own == n_stable + place]
            pair = chosen([each for each in pairs if _is_shared(each)])
            if pair and pair.gain > known:
                best[place] = pair
    within = dict(shares.within)
    for place, pair in best.items():
        gain = within[place].chosen.gain if place in within else 0.0
        if pair.gain > gain + 2 * np.log(both.auxiliary.chunks.n_rows):
            within[place] = Within.of(pair)
    return replace(shares, within=within)


def _is_shared(together: Together) -> bool:
    """Whether most records have others with their values of the parents.

    Where few have, as twins of one birth and district, a gain is theirs alone.
    """
    pairs, n_both = together.counted()
    n_parent = _in_runs(pairs // len(together.of_own), n_both)
    n_in_company = int(n_both[n_parent > 1].sum())
    return n_in_company >= LEAST_IN_COMPANY * int(n_both.sum())


def _in_turn(
    both: Both, every_own: Sequence[int], transition: str
) -> Iterator[list[Together]]:
    """Yield pairs that may be parents, as many at a time as can be counted together."""
    waiting: list[Together] = []
    n_held = 0
    for own in every_own:
        for pair in combinations(before(both, own, transition), 2):
            each = Together.of(both, pair, own, None)
            if prod(each.n_values) >= _MOST_CODES:
                continue
            if waiting and n_held + each.most_pairs > MOST_PAIRS:
                yield waiting
                waiting, n_held = [], 0
            waiting.append(each)
            n_held += each.most_pairs
    yield waiting
