"""Local suppression to k alike, record by record as cheap as it can be found."""

from dataclasses import dataclass
from fractions import Fraction
from heapq import heapify, heappop, heapreplace

import numpy as np
from numpy.typing import NDArray

from microleak.base.arrays import Integers, Mask
from microleak.definitions.exact import kind_sums
from microleak.kernels.crowds import n_given
from microleak.protection.rows import Groups, Rows, group_least, grouped_rows
from microleak.protection.search import Alone, CellSearch, Pieces, size_of, sums_so_far


def settled_pieces(rows: Rows, k: int, alone: Alone) -> Pieces:
    """Return what records keep so that each block has k of them; there are k or more.

    In stage s = 1, 2, ... records that lose s cells at most are settled: those of a
    subset of the attributes that settles most of them first, of several the one that
    drops attributes with most values; then those for which records of other blocks,
    which have enough, make up a block, where these lose fewer cells than the next stage
    would cost. Who is left is settled by the way that costs fewest cells a record. At
    last records go to blocks that keep more.
    """
    return _SettlingSearch(rows, k, alone).run()


@dataclass(frozen=True)
class _Gifts:
    rows: Integers
    group: Integers
    n: Integers

    def of(self, chosen: Mask) -> "_Gifts":
        some = chosen[self.group]
        return _Gifts(self.rows[some], self.group[some], self.n[some])


@dataclass(frozen=True)
class _Donors:
    """Rows that may have records to give, those first that keep fewest cells."""

    rows: Integers  # Their numbers, in order where they keep as many cells
    n_kept: NDArray[np.uint8]  # How many cells each keeps


@dataclass(frozen=True)
class _SettlingOffer:
    """Blocks that records of others could make up with those that are left."""

    # Rows that are left, and the group of each
    left: Integers
    group: Integers
    n_left: Integers  # Records of each group that are left
    n_more: Integers  # Cells that the others lose more than so far
    is_full: Mask  # Whether others make up the block
    gifts: _Gifts  # What they give


_Filled = tuple[Fraction, _SettlingOffer, int, int] | None
"""Cells a record, an offer, the group of it, and what its block keeps."""


class _SettlingSearch(CellSearch):
    def __init__(self, rows: Rows, k: int, alone: Alone):
        is_large = rows.counts >= k
        super().__init__(rows, alone, np.where(is_large, np.arange(len(is_large)), -1))
        self.k = k

    def holds(self, left: Integers, groups: Groups) -> Mask:
        n = np.zeros(len(groups.each), dtype=np.int64)
        n[: len(left)] = self.n[left]
        return groups.sums(n) >= self.k

    def fill_up(self, n_lost: int) -> None:
        everybody = self._donors()
        for kept in self._tried(n_lost):
            donors = everybody
            while len(left := self._able(kept, n_lost)):
                donors = self._near(donors, left, kept, self._most(left, kept))
                offer = self._offer(left, donors, kept)
                chosen = offer.is_full & (offer.n_more < offer.n_left)
                if not chosen.any():
                    break
                self._accept(offer, chosen, kept)

    def settle_last(self) -> None:
        """Settle who is left, as far as is seen who costs fewest cells a record."""
        sizes = range(self.rows.n_attributes, -1, -1)
        tried = [kept for size in sizes for kept in self.rows.subsets(size)]
        # Before a subset is tried, it costs what those left lose by it.
        n_known = int(self.rows.n_known[self.left].min())
        bounds = (max(0, n_known - kept.bit_count()) for kept in tried)
        heap = [(Fraction(bound), i) for i, bound in enumerate(bounds)]
        heapify(heap)
        donors = self._first_donors()
        while len(self.left):
            filled, coarser = self._filled(heap, tried, donors), None
            # A block that becomes coarser loses a cell of each of its k records.
            most = int(self.n[self.left].max())
            if filled is None or filled[0] * most > self.k:
                coarser = self._coarser()
            if coarser is None or (filled is not None and filled[0] <= coarser[0]):
                assert filled is not None
                _, offer, group, kept = filled
                self._accept(offer, np.arange(len(offer.n_left)) == group, kept)
            else:
                _, row, block, kept = coarser
                self._keep(np.array([block]), kept)
                self._join(np.array([row]), np.array([block]))

    def _donors(self) -> _Donors:
        rows = np.flatnonzero((self.block >= 0) & (self.n > 0))
        rows = rows[self.size[self.block[rows]] > self.k]
        n_kept = np.bitwise_count(self.kept[self.block[rows]])
        order = np.argsort(n_kept, kind="stable")
        return _Donors(rows[order], n_kept[order])

    def _near(self, donors: _Donors, left: Integers, kept: int, most: int) -> _Donors:
        n = int(np.searchsorted(donors.n_kept, kept.bit_count() + most, side="right"))
        rows = self.rows.near(donors.rows[:n], left, kept)
        return _Donors(rows, np.bitwise_count(self.kept[self.block[rows]]))

    def _offer(self, left: Integers, donors: _Donors, kept: int) -> _SettlingOffer:
        groups = grouped_rows(self.rows.kept(np.concatenate([left, donors.rows]), kept))
        group, of_donor = groups.each[: len(left)], groups.each[len(left) :]
        n_left = kind_sums(group, self.n[left], int(group.max()) + 1)
        own, block = self.n[donors.rows], self.block[donors.rows]
        n = n_given(of_donor, block, own, self.size, self.k, self.k - n_left)
        gifts = _Gifts(donors.rows[n > 0], of_donor[n > 0], n[n > 0])
        more = size_of(self.kept[self.block[gifts.rows]]) - kept.bit_count()
        n_more = kind_sums(gifts.group, more * gifts.n, len(n_left))
        is_full = n_left + kind_sums(gifts.group, gifts.n, len(n_left)) == self.k
        return _SettlingOffer(left, group, n_left, n_more, is_full, gifts)

    def _most(self, left: Integers, kept: int) -> int:
        """Return how many cells another record may lose more at most, as a rule."""
        # So many are needed as are missing to k, and all together must lose fewer cells
        # than there are records left: it is what each may lose if all lose the same.
        n = int(grouped_rows(self.rows.kept(left, kept)).sums(self.n[left]).max())
        return (n - 1) // (self.k - n)

    def _accept(self, offer: _SettlingOffer, chosen: Mask, kept: int) -> None:
        """Fill up the chosen blocks, of several that ask the same ones the first."""
        gifts = offer.gifts.of(chosen)
        own = self.block[gifts.rows]
        order = np.lexsort((gifts.rows, gifts.group, own))
        own = own[order]
        is_too_much = sums_so_far(gifts.n[order], own) > self.size[own] - self.k
        chosen = chosen.copy()
        chosen[gifts.group[order][is_too_much]] = False
        gifts = gifts.of(chosen)
        is_settled = chosen[offer.group]
        name = group_least(offer.group, offer.left, len(chosen))
        self._open(name[chosen], kept)
        self._join(offer.left[is_settled], name[offer.group[is_settled]])
        self._move(gifts.rows, name[gifts.group], gifts.n)

    def _first_donors(self) -> _Donors:
        """Return some donors for those left: the first for each way to be like one."""
        # Fewer than k rows are left, and each asks for fewer records than k: these have
        # all that is asked for as a rule, if their blocks are different ones.
        donors = self._donors()
        chosen = np.zeros(len(donors.rows), dtype=bool)
        for row in self.left.tolist():
            chosen |= self.rows.first_alike(donors.rows, row, self.k * self.k)
        return _Donors(donors.rows[chosen], donors.n_kept[chosen])

    def _filled(
        self, heap: list[tuple[Fraction, int]], tried: list[int], donors: _Donors
    ) -> _Filled:
        while heap:
            known, i = heap[0]
            found = self._cheapest(tried[i], donors)
            if found is None:
                heappop(heap)
            elif found[0] > known:
                heapreplace(heap, (found[0], i))
            else:
                return found
        return None

    def _cheapest(self, kept: int, donors: _Donors) -> _Filled:
        """Return the cheapest block of a subset that others and who is left make up."""
        left = self.rows.having(self.left, kept)
        if not len(left):
            return None
        donors = self._near(donors, left, kept, self.rows.n_attributes)
        offer = self._offer(left, donors, kept)
        lost = (self.rows.n_known[left] - kept.bit_count()) * self.n[left]
        n_cells = offer.n_more + kind_sums(offer.group, lost, len(offer.n_left))
        full = np.flatnonzero(offer.is_full).tolist()
        costs = (Fraction(int(n_cells[g]), int(offer.n_left[g])) for g in full)
        best = min(zip(costs, full, strict=True), default=None)
        return None if best is None else (best[0], offer, best[1], kept)

    def _coarser(self) -> tuple[Fraction, int, int, int]:
        """Return the block that costs least to be made as coarse as a row left."""
        blocks = np.flatnonzero(self.size > 0)
        known = self.kept[blocks]
        found: list[tuple[Fraction, int, int, int]] = []
        for row in self.left.tolist():
            common = self.rows.common(blocks, row) & known & self.rows.known[row]
            lost = size_of(known) - size_of(common)
            of_row = int(self.rows.n_known[row]) - size_of(common)
            costs = lost * self.size[blocks] + of_row * self.n[row]
            at = int(np.argmin(costs))
            each = Fraction(int(costs[at]), int(self.n[row]))
            found.append((each, row, int(blocks[at]), int(common[at])))
        return min(found)

    def _spare(self, rows: Integers) -> Integers:
        block, n = self.block[rows], self.n[rows]
        spare = self.size[block] - self.k - (sums_so_far(n, block) - n)
        return np.maximum(spare, 0)
