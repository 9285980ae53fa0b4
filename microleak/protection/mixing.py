"""Local suppression to several sensitive values in every block: a greedy search.

Rows are those alike in the cells that may be suppressed and in their sensitive values.
What blocks lack are values and not records, so one record of another block is enough
for many that lack its value.
"""

from dataclasses import dataclass

import numpy as np

from microleak.base.arrays import Integers, Mask
from microleak.definitions.exact import kind_sums
from microleak.protection.methods import blocks_and_sizes
from microleak.protection.rows import (
    Groups,
    Rows,
    group_least,
    grouped_rows,
    has_values,
    n_values,
)
from microleak.protection.search import Alone, CellSearch, Pieces, size_of, sums_so_far


def mixed_pieces(rows: Rows, n: int, alone: Alone) -> Pieces:
    """Return what records keep so that each block has n values in each column.

    In stage s = 1, 2, ... records that lose s cells at most are settled: those of a
    subset of the attributes that settles most of them first; then those to whom single
    records of other blocks, which do not need them, bring the values that they lack,
    where these lose fewer cells than records are settled. Who is left gets such records
    at any cost or a whole block becomes coarser. At last records go to blocks that keep
    more.
    """
    return _MixingSearch(rows, n, alone).run()


@dataclass(frozen=True)
class _MixingOffer:
    """Blocks that single records of others could complete with those that are left."""

    # Rows that are left, and the group of each
    left: Integers
    group: Integers
    # Records of each group that are left, and cells that the others lose more
    n_left: Integers
    n_more: Integers
    is_full: Mask  # Whether the group then has the values
    # Rows that give a record, and the group that each gives it to
    rows: Integers
    to: Integers


class _MixingSearch(CellSearch):
    def __init__(self, rows: Rows, n: int, alone: Alone):
        own = grouped_rows(rows.words)
        everyone = np.arange(len(rows.counts))
        is_met = has_values(own, rows.values, n)
        first = own.least(everyone)
        # Records that were moved count for nothing in what a block can spare: it has
        # their values besides those that are counted.
        super().__init__(rows, alone, np.where(is_met, first, -1)[own.each])
        self.n_values = n
        self.kind, _ = blocks_and_sizes(rows.values)

    def holds(self, left: Integers, groups: Groups) -> Mask:
        return has_values(groups, self.rows.values_of(left), self.n_values)

    def fill_up(self, n_lost: int) -> None:
        for kept in self._tried(n_lost):
            while len(left := self._able(kept, n_lost)):
                offer = self._offer(left, kept)
                chosen = offer.is_full & (offer.n_more < offer.n_left)
                if not self._accept(offer, chosen, kept):
                    break

    def settle_last(self) -> None:
        for size in range(self.rows.n_attributes, -1, -1):
            for kept in self.rows.subsets(size):
                while len(left := self.rows.having(self.left, kept)):
                    offer = self._offer(left, kept)
                    if not self._accept(offer, offer.is_full, kept):
                        break
        while len(self.left):
            self._coarsen(int(self.left[0]))

    def _offer(self, left: Integers, kept: int) -> _MixingOffer:
        donors = self._donors(left, kept)
        groups = grouped_rows(self.rows.kept(np.concatenate([left, donors]), kept))
        group, of_donor = groups.each[: len(left)], groups.each[len(left) :]
        n_groups = int(group.max()) + 1
        donors, of_donor = donors[of_donor < n_groups], of_donor[of_donor < n_groups]
        rows, to = left, group
        is_asked = np.ones(n_groups, dtype=bool)
        while is_asked.any():
            gain = self._gain(rows, to, donors, of_donor, n_groups)
            gain[~is_asked[of_donor]] = 0
            place = np.where(gain > 0, np.arange(len(donors)), len(donors))
            first = group_least(of_donor, place, n_groups)
            is_asked = first < len(donors)
            chosen = first[is_asked]
            rows = np.append(rows, donors[chosen])
            to = np.append(to, of_donor[chosen])
        given, given_to = rows[len(left) :], to[len(left) :]
        more = size_of(self.kept[self.block[given]]) - kept.bit_count()
        return _MixingOffer(
            left,
            group,
            kind_sums(group, self.n[left], n_groups),
            kind_sums(given_to, more, n_groups),
            has_values(Groups(to, n_groups), self.rows.values_of(rows), self.n_values),
            given,
            given_to,
        )

    def _gain(
        self,
        rows: Integers,
        to: Integers,
        donors: Integers,
        of_donor: Integers,
        n_groups: int,
    ) -> Integers:
        """Return in how many columns each donor has a value that its group lacks."""
        gain = np.zeros(len(donors), dtype=np.int64)
        for values in self.rows.values:
            has = n_values(to, values[rows], n_groups)
            width = int(values.max()) + 1
            there = np.unique(to * width + values[rows])
            own = of_donor * width + values[donors]
            at = np.minimum(np.searchsorted(there, own), len(there) - 1)
            gain += (has[of_donor] < self.n_values) & (there[at] != own)
        return gain

    def _donors(self, left: Integers, kept: int) -> Integers:
        """Return settled rows near those left that can spare one, cheapest first."""
        settled = np.flatnonzero((self.block >= 0) & (self.n > 0))
        rows = self.rows.near(self.rows.having(settled, kept), left, kept)
        n_alike, has_more, _ = self._blocks_of(rows)
        # Its block has another one of the same values, or more values than it needs.
        rows = rows[(n_alike > 1) | has_more]
        n_kept = size_of(self.kept[self.block[rows]])
        order = np.argsort(n_kept, kind="stable")
        return rows[order][n_kept[order] >= kept.bit_count()]

    def _blocks_of(self, rows: Integers) -> tuple[Integers, Mask, Integers]:
        """Return records alike in settled rows' blocks, values to spare, and kinds."""
        is_asked = np.zeros(len(self.n), dtype=np.bool_)
        is_asked[self.block[rows]] = True
        settled = np.flatnonzero((self.block >= 0) & (self.n > 0))
        members = settled[is_asked[self.block[settled]]]
        of_block, number = np.unique(self.block[members], return_inverse=True)
        kind, n_alike = blocks_and_sizes([number, self.kind[members]])
        place = np.empty(len(self.n), dtype=np.int64)
        place[members] = np.arange(len(members))
        own = place[rows]
        n_alike = kind_sums(kind, self.n[members], len(n_alike))
        groups = Groups(number, len(of_block))
        values = self.rows.values_of(members)
        has_more = has_values(groups, values, self.n_values + 1)
        return n_alike[kind[own]], has_more[number[own]], kind[own]

    def _accept(self, offer: _MixingOffer, chosen: Mask, kept: int) -> bool:
        """Complete chosen groups, of several that ask too much of a block the first."""
        rows, to = offer.rows[chosen[offer.to]], offer.to[chosen[offer.to]]
        order = np.argsort(to, kind="stable")
        rows, to = rows[order], to[order]
        n_alike, _, kind = self._blocks_of(rows)
        block = self.block[rows]
        # Either one record of a block is taken, or values that it keeps a record of.
        is_first = _turn_in_group(block) == 0
        takes_last = _turn_in_group(kind) >= n_alike - 1
        has_lost = np.zeros(len(self.n), dtype=np.bool_)
        has_lost[block[takes_last & is_first]] = True
        is_refused = ~is_first & (takes_last | has_lost[block])
        chosen = chosen.copy()
        chosen[to[is_refused]] = False
        if not chosen.any():
            return False
        is_given = chosen[to]
        is_settled = chosen[offer.group]
        name = group_least(offer.group, offer.left, len(chosen))
        self._open(name[chosen], kept)
        self._join(offer.left[is_settled], name[offer.group[is_settled]])
        given = rows[is_given]
        self._move(given, name[to[is_given]], np.ones_like(given))
        return True

    def _coarsen(self, row: int) -> None:
        """Settle a row in the block that costs least to be made as coarse as both."""
        there = np.flatnonzero(self.size > 0)
        common = self.rows.common(there, row) & self.kept[there]
        lost = (size_of(self.kept[there]) - size_of(common)) * self.size[there]
        own = (self.rows.n_known[row] - size_of(common)) * self.n[row]
        at = int(np.argmin(lost + own))
        block, kept = there[[at]], int(common[at])
        if kept != int(self.kept[block[0]]):
            self._keep(block, kept)
        self._join(np.array([row]), block)

    def _spare(self, rows: Integers) -> Integers:
        n_alike, _, kind = self._blocks_of(rows)
        order = np.argsort(kind, kind="stable")
        n = self.n[rows[order]]
        so_far = sums_so_far(n, kind[order]) - n
        spare = np.empty_like(n)
        spare[order] = np.maximum(n_alike[order] - 1 - so_far, 0)
        return spare


def _turn_in_group(groups: Integers) -> Integers:
    """Return how many before each are of its group.

    >>> _turn_in_group(np.array([5, 2, 5, 5])).tolist()
    [0, 0, 1, 2]
    """
    order = np.argsort(groups, kind="stable")
    found = np.empty_like(groups)
    found[order] = sums_so_far(np.ones_like(groups), groups[order]) - 1
    return found
