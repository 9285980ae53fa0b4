"""Local suppression, record by record as cheap as it can be found: a greedy search.

Rows that are alike are moved together, so that its time depends on different rows.
"""

from dataclasses import dataclass
from fractions import Fraction
from heapq import heapify, heappop, heappush, heapreplace

import numpy as np
from numpy.typing import NDArray

from microleak.kernels.crowds import marked
from microleak.kernels.gifts import n_given
from microleak.protection.alone import ANY, Alone
from microleak.protection.methods import Mask, Numbers
from microleak.protection.rows import Rows, Sets, grouped, least, sums


@dataclass(frozen=True)
class Pieces:
    """Records of a row that keep the same attributes, a piece after the other.

    Attributes
    ----------
    rows
        Number of the row.
    kept
        Set of the attributes that its records keep.
    n
        How many records; of a row they add up to all that it has.
    """

    rows: Numbers
    kept: Sets
    n: Numbers

    def n_lost(self, rows: Rows) -> Numbers:
        """Return how many cells a record of each piece loses."""
        return rows.n_known[self.rows] - _size(self.kept)

    def n_cells(self, rows: Rows) -> int:
        """Return how many cells all records lose together."""
        return int((self.n_lost(rows) * self.n).sum())


def settled(rows: Rows, k: int, alone: Alone) -> Pieces:
    """Return what records keep so that each block has k of them; there are k or more.

    In stage s = 1, 2, ... records that lose s cells at most are settled: those of a
    subset of the attributes that settles most of them first, of several the one that
    drops attributes with most values, in their order; then those for which records of
    other blocks, which have enough, make up a block, where these lose fewer cells than
    the next stage would cost. Fewer than k records may be left: the way that costs
    fewest cells a record settles them, which may make a whole block coarser. At last
    records go to blocks that keep more, where their own does not need them.

    Parameters
    ----------
    rows
        The table.
    k
        Records that a block has at least.
    alone
        What a record of each row loses at least. In the stages before it is passed
        over, and in that one for subsets that it cannot keep: nothing could settle it.
    """
    search = _Search(rows, k, alone)
    for n_lost in range(1, rows.n_attributes + 1):
        search.begin(n_lost)
        if len(search.left):
            search.settle(n_lost)
            search.fill_up(n_lost)
    if len(search.left):
        search.settle_last()
    search.improve()
    return search.pieces()


def sums_so_far(numbers: Numbers, groups: Numbers) -> Numbers:
    """Return sums up to each number, itself among them, within groups in order.

    >>> sums_so_far(np.array([1, 2, 3, 4]), np.array([0, 0, 2, 2])).tolist()
    [1, 3, 3, 7]
    """
    sums = np.cumsum(numbers)
    return np.asarray(sums - (sums - numbers)[np.searchsorted(groups, groups)])


def _size(sets: Sets) -> Numbers:
    return np.bitwise_count(sets).astype(np.int64)


@dataclass(frozen=True)
class _Gifts:
    """Records that rows give to groups."""

    rows: Numbers
    group: Numbers
    n: Numbers

    def of(self, chosen: Mask) -> "_Gifts":
        """Return those to chosen groups."""
        some = chosen[self.group]
        return _Gifts(self.rows[some], self.group[some], self.n[some])


@dataclass(frozen=True)
class _Ready:
    """Rows that can be settled, and blocks that they may join.

    Attributes
    ----------
    left, blocks
        The rows that are left, and the blocks that are there.
    group
        Group of each row, and then of each block.
    n_records
        Records of the rows that are left.
    """

    left: Numbers
    blocks: Numbers
    group: Numbers
    n_records: int

    def named(self, n_rows: int) -> Numbers:
        """Return the block of each row: the first that is there, or its first row."""
        numbers = np.append(self.left + n_rows, self.blocks)
        names = least(self.group, numbers, int(self.group.max()) + 1)
        return names[self.group[: len(self.left)]] % n_rows


@dataclass(frozen=True)
class _Donors:
    """Rows that may have records to give, those first that keep fewest cells.

    Attributes
    ----------
    rows
        Their numbers, in order where they keep as many cells.
    n_kept
        How many cells each keeps.
    """

    rows: Numbers
    n_kept: NDArray[np.uint8]


@dataclass(frozen=True)
class _Offer:
    """Blocks that records of others could make up with those that are left.

    Attributes
    ----------
    left, group
        Rows that are left, and the group of each.
    n_left
        Records of each group that are left.
    n_more
        Cells that the others lose more than so far.
    is_full
        Whether others make up the block.
    gifts
        What they give.
    """

    left: Numbers
    group: Numbers
    n_left: Numbers
    n_more: Numbers
    is_full: Mask
    gifts: _Gifts


_Filled = tuple[Fraction, _Offer, int, int] | None
"""Cells a record, an offer, the group of it, and what its block keeps."""


class _Search:
    """What records keep so far.

    A block has the number of one of its rows. Of a row, `block` is that of its records
    that were not moved on, -1 as long as they are left, and `n` is how many they are.
    Rows that are `left` may be settled in this stage, and others are `waiting` for a
    later one.
    """

    def __init__(self, rows: Rows, k: int, alone: Alone):
        self.rows, self.k, self.alone = rows, k, alone
        self.marks = alone.marks.copy()
        is_large = rows.counts >= k
        self.n = rows.counts.copy()
        self.block = np.where(is_large, np.arange(len(is_large)), -1)
        self.size = np.where(is_large, rows.counts, 0)
        self.kept = rows.known.copy()
        self.left = np.empty(0, dtype=np.int64)
        self.waiting = np.flatnonzero(~is_large)
        large = np.flatnonzero(is_large)
        self.keeping = {
            kept: large[rows.known[large] == np.uint64(kept)]
            for kept in np.unique(rows.known[large]).tolist()
        }
        self.moved: list[tuple[Numbers, Numbers, Numbers]] = []

    def pieces(self) -> Pieces:
        """Return what all records keep."""
        every = [(np.arange(len(self.n)), self.block, self.n), *self.moved]
        found, block, n = (np.concatenate(part) for part in zip(*every, strict=True))
        some = n > 0
        return Pieces(found[some], self.kept[block[some]], n[some])

    def begin(self, n_lost: int) -> None:
        """Begin the stage in which so many cells are lost at most."""
        self.marks[self.alone.n_lost < n_lost] = ANY
        is_next = self.alone.n_lost[self.waiting] <= n_lost
        self.left = np.concatenate([self.left, self.waiting[is_next]])
        self.left.sort()
        self.waiting = self.waiting[~is_next]

    def settle(self, n_lost: int) -> None:
        """Settle all who can be by losing so many cells at most, without others."""
        tried = self._tried(n_lost)
        heap = [(-self._ready(s, n_lost).n_records, i) for i, s in enumerate(tried)]
        heapify(heap)
        # A subset settles ever fewer: each row that leaves makes its groups smaller.
        while heap and heap[0][0] < 0:
            _, i = heappop(heap)
            ready = self._ready(tried[i], n_lost)
            if heap and (-ready.n_records, i) > heap[0]:
                heappush(heap, (-ready.n_records, i))
            elif ready.n_records:
                blocks = ready.named(len(self.n))
                self._open(blocks, tried[i])
                self._join(ready.left, blocks)

    def fill_up(self, n_lost: int) -> None:
        """Settle those for whom others lose fewer cells than the next stage costs."""
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
        """Settle who is left, as far as is seen always who costs fewest cells a record.

        Before a subset is tried, what it costs is taken for what those left lose by it.
        """
        sizes = range(self.rows.n_attributes, -1, -1)
        tried = [kept for size in sizes for kept in self.rows.subsets(size)]
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
                self.kept[block] = kept
                self._join(np.array([row]), np.array([block]))
                of_kept = self.keeping.get(kept, self.left[:0])
                self.keeping[kept] = np.append(of_kept, block)

    def improve(self) -> None:
        """Move records to blocks that keep more, as far as theirs do not need them."""
        most = self.rows.n_known - self.alone.n_lost
        rows = np.flatnonzero(_size(self.kept[self.block]) < most)
        for size in range(self.rows.n_attributes, 0, -1):
            dearer = rows[_size(self.kept[self.block[rows]]) < size]
            for kept in self.rows.subsets(size):
                if kept in self.keeping and len(dearer):
                    self._move_up(self.rows.having(dearer, kept), kept)

    def _tried(self, n_lost: int) -> list[int]:
        """Return subsets for which somebody left would lose exactly so many cells."""
        of_left: list[int] = np.unique(self.rows.known[self.left]).tolist()
        sizes = sorted({known.bit_count() - n_lost for known in of_left})
        return [
            kept
            for size in sizes
            if size >= 0
            for kept in self.rows.subsets(size)
            if any(
                known & kept == kept and known.bit_count() == size + n_lost
                for known in of_left
            )
        ]

    def _able(self, kept: int, n_lost: int) -> Numbers:
        """Return rows that are left and can keep a subset at a cost at most."""
        left = marked(self.marks, self.left, kept)
        left = left[self.rows.n_known[left] <= kept.bit_count() + n_lost]
        return self.rows.having(left, kept)

    def _ready(self, kept: int, n_lost: int) -> _Ready:
        """Return the rows that can be settled, with the blocks that they may join."""
        left = self._able(kept, n_lost)
        if not len(left):
            return _Ready(left, left, left, 0)
        blocks = self._blocks(kept, left)
        groups = grouped(self.rows.kept(np.concatenate([left, blocks]), kept))
        n = np.concatenate([self.n[left], np.full(len(blocks), self.k)])
        chosen = (groups.sums(n) >= self.k)[groups.each]
        blocks = blocks[chosen[len(left) :]]
        n_records = int(n[: len(left)][chosen[: len(left)]].sum())
        left = left[chosen[: len(left)]]
        return _Ready(left, blocks, groups.each[chosen], n_records)

    def _blocks(self, kept: int, wanted: Numbers) -> Numbers:
        """Return blocks that keep a subset and may be like wanted rows."""
        found = self.keeping.get(kept, self.left[:0])
        found = found[(self.size[found] > 0) & (self.kept[found] == np.uint64(kept))]
        return self.rows.near(found, wanted, kept)

    def _open(self, blocks: Numbers, kept: int) -> None:
        """Open those of some blocks, which keep a subset, that are not there."""
        new = np.unique(blocks[self.size[blocks] == 0])
        known = self.keeping.get(kept, new[:0])
        self.keeping[kept] = np.concatenate([known, new])
        self.kept[new] = kept

    def _join(self, left: Numbers, blocks: Numbers) -> None:
        """Settle rows in blocks that are open."""
        self.block[left] = blocks
        np.add.at(self.size, blocks, self.n[left])
        self.left = self.left[self.block[self.left] < 0]

    def _move(self, rows: Numbers, blocks: Numbers, n: Numbers) -> None:
        """Move records of settled rows to other blocks."""
        np.subtract.at(self.size, self.block[rows], n)
        np.add.at(self.size, blocks, n)
        self.n[rows] -= n
        self.moved.append((rows, blocks, n))

    def _donors(self) -> _Donors:
        """Return settled rows that have records to give."""
        rows = np.flatnonzero((self.block >= 0) & (self.n > 0))
        rows = rows[self.size[self.block[rows]] > self.k]
        n_kept = np.bitwise_count(self.kept[self.block[rows]])
        order = np.argsort(n_kept, kind="stable")
        return _Donors(rows[order], n_kept[order])

    def _near(self, donors: _Donors, left: Numbers, kept: int, most: int) -> _Donors:
        """Return those who lose some cells more at most and may be like rows left."""
        n = int(np.searchsorted(donors.n_kept, kept.bit_count() + most, side="right"))
        rows = self.rows.near(donors.rows[:n], left, kept)
        return _Donors(rows, np.bitwise_count(self.kept[self.block[rows]]))

    def _offer(self, left: Numbers, donors: _Donors, kept: int) -> _Offer:
        """Return blocks that records of these donors could make up."""
        groups = grouped(self.rows.kept(np.concatenate([left, donors.rows]), kept))
        group, of_donor = groups.each[: len(left)], groups.each[len(left) :]
        n_left = sums(group, self.n[left], int(group.max()) + 1)
        own, block = self.n[donors.rows], self.block[donors.rows]
        n = n_given(of_donor, block, own, self.size, self.k, self.k - n_left)
        gifts = _Gifts(donors.rows[n > 0], of_donor[n > 0], n[n > 0])
        more = _size(self.kept[self.block[gifts.rows]]) - kept.bit_count()
        n_more = sums(gifts.group, more * gifts.n, len(n_left))
        is_full = n_left + sums(gifts.group, gifts.n, len(n_left)) == self.k
        return _Offer(left, group, n_left, n_more, is_full, gifts)

    def _most(self, left: Numbers, kept: int) -> int:
        """Return how many cells another record may lose more at most, as a rule.

        As many records are needed as are missing to k, and all of them together must
        lose fewer cells than there are records left. It is what each of them may lose
        if all lose the same.
        """
        n = int(grouped(self.rows.kept(left, kept)).sums(self.n[left]).max())
        return (n - 1) // (self.k - n)

    def _accept(self, offer: _Offer, chosen: Mask, kept: int) -> None:
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
        name = least(offer.group, offer.left, len(chosen))
        self._open(name[chosen], kept)
        self._join(offer.left[is_settled], name[offer.group[is_settled]])
        self._move(gifts.rows, name[gifts.group], gifts.n)

    def _first_donors(self) -> _Donors:
        """Return some donors for those left: the first for each way to be like one.

        Fewer than k rows are left, and each of them asks for fewer records than k. So
        these have all that is asked for as a rule, if their blocks are different ones.
        """
        donors = self._donors()
        chosen = np.zeros(len(donors.rows), dtype=bool)
        for row in self.left.tolist():
            chosen |= self.rows.first_alike(donors.rows, row, self.k * self.k)
        return _Donors(donors.rows[chosen], donors.n_kept[chosen])

    def _filled(
        self, heap: list[tuple[Fraction, int]], tried: list[int], donors: _Donors
    ) -> _Filled:
        """Return the cheapest block that others make up with who is left.

        `heap` has what blocks of each subset tried cost when it was last looked at.
        """
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
        n_cells = offer.n_more + sums(offer.group, lost, len(offer.n_left))
        full = np.flatnonzero(offer.is_full).tolist()
        costs = (Fraction(int(n_cells[g]), int(offer.n_left[g])) for g in full)
        best = min(zip(costs, full, strict=True), default=None)
        return None if best is None else (best[0], offer, best[1], kept)

    def _coarser(self) -> tuple[Fraction, int, int, int]:
        """Return the block that costs least to be made as coarse as a row left.

        It comes after its cells a record and the row, before what it then keeps.
        """
        blocks = np.flatnonzero(self.size > 0)
        words, known = self.rows.words[:, blocks], self.kept[blocks]
        found: list[tuple[Fraction, int, int, int]] = []
        for row in self.left.tolist():
            common = np.zeros_like(known)
            for i, mask in enumerate(self.rows.masks):
                other = (words ^ self.rows.words[:, [row]]) & mask[:, None]
                common |= (~other.any(axis=0)).astype(np.uint64) << np.uint64(i)
            common &= known & self.rows.known[row]
            lost = _size(known) - _size(common)
            of_row = int(self.rows.n_known[row]) - _size(common)
            costs = lost * self.size[blocks] + of_row * self.n[row]
            at = int(np.argmin(costs))
            each = Fraction(int(costs[at]), int(self.n[row]))
            found.append((each, row, int(blocks[at]), int(common[at])))
        return min(found)

    def _move_up(self, rows: Numbers, kept: int) -> None:
        """Move records that keep less to blocks that keep a subset."""
        is_dearer = _size(self.kept[self.block[rows]]) < kept.bit_count()
        rows = rows[is_dearer & (self.n[rows] > 0)]
        if not len(rows):
            return
        blocks = self._blocks(kept, rows)
        groups = grouped(self.rows.kept(np.concatenate([rows, blocks]), kept))
        nobody = len(self.n)
        target = groups.least(np.concatenate([np.full(len(rows), nobody), blocks]))
        target = target[groups.each[: len(rows)]]
        rows, target = rows[target < nobody], target[target < nobody]
        order = np.argsort(self.block[rows], kind="stable")
        rows, target = rows[order], target[order]
        block, n = self.block[rows], self.n[rows]
        total = sums(block, n, nobody)[block]
        spare = self.size[block] - self.k - (sums_so_far(n, block) - n)
        n = np.where(total == self.size[block], n, np.clip(spare, 0, n))
        some = n > 0
        self._move(rows[some], target[some], n[some])
