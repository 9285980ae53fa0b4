"""The walk over QID subsets that yields every subset's block profile.

Subsets are grouped by the most identifying QID they have. For each such QID in
turn, the rows of all records without the QIDs before it are cut into buckets by
its values, so that no block lies in two of them; the tree of decisions is
walked in each bucket, and the counts are added. Buckets are small enough for
the memory given, threads share them, and between two steps they wait on a shelf.

Several jobs may each walk a part (`microleak.kernels.parts`).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from microleak.base.arrays import Integers, QidMask
from microleak.base.progress import Advance, tell_no_progress
from microleak.kernels.blocks import Fields, merged_rows
from microleak.kernels.keys import Layout, layout_of, packed_keys, turns_of, words_of
from microleak.kernels.parts import WalkPart, WalkShare
from microleak.kernels.records import MOST_RECORDS, Records, Values
from microleak.kernels.spilled_rows import (
    MemoryShelf,
    NewShelf,
    Pile,
    Shelf,
    balanced_cut,
    joined_rows,
    needed_layout,
)
from microleak.kernels.tally import (
    LOW,
    MOST_COUNTED,
    Crossed,
    Histogram,
    Tallies,
    added_up,
)
from microleak.kernels.tree import Counter, Counts, Node, QidMasks, Tree, one_block


class Totals:
    """What was counted so far, above `most_bytes` put away; threads may add."""

    def __init__(self, shelf: Shelf, most_bytes: int, counter: Counter) -> None:
        self._shelf = shelf
        self._counter = counter
        self._most_bytes = most_bytes
        self._counts: dict[QidMask, Counts] = {}
        self._n_bytes = 0
        self._lock = Lock()

    def add(self, found: Mapping[QidMask, Counts]) -> None:
        """Add what was counted in a part of the table."""
        counter = self._counter
        for subset, counts in found.items():
            # Nobody waits for a sum: one that is being added to is not there meanwhile.
            known = self._taken(subset)
            if known is None:
                total = counter.copied(counts)
            else:
                total = counter.added(known, counts)
            while (other := self._put(subset, total)) is not None:
                total = counter.added(total, other)

    def _taken(self, subset: QidMask) -> Counts | None:
        with self._lock:
            known = self._counts.pop(subset, None)
            if known is not None:
                self._n_bytes -= self._counter.n_bytes(known)
            return known

    def _put(self, subset: QidMask, counts: Counts) -> Counts | None:
        """Put counts there, or return those that came there meanwhile, taken out."""
        with self._lock:
            other = self._counts.pop(subset, None)
            if other is not None:
                self._n_bytes -= self._counter.n_bytes(other)
                return other
            self._counts[subset] = counts
            self._n_bytes += self._counter.n_bytes(counts)
            if self._n_bytes > self._most_bytes:
                self._put_away()
            return None

    def close(self) -> None:
        """Put all that was counted on the shelf."""
        with self._lock:
            self._put_away()

    def _put_away(self) -> None:
        while self._counts:
            subset, counts = self._counts.popitem()
            self._shelf.put(subset, self._counter.rows(counts))
        self._n_bytes = 0


def taken_histogram(shelf: Shelf, subset: QidMask) -> Histogram:
    """Return a subset's histogram, added up from its parts, and forget it."""
    *kinds, n_blocks = joined_rows(shelf.pieces(subset), shelf.types)
    return added_up(kinds, n_blocks)


ROWS_A_BUCKET = 1 << 22


@dataclass(frozen=True)
class Work:
    """How a walk is done, which changes its time and memory and no result.

    Blocks counted in a bucket are added to those of others when they take more than
    `found_bytes`, and these go to a shelf when they take `tally_bytes`. `advance` is
    told the records walked, once for each subset.
    """

    n_threads: int = 1
    rows_a_bucket: int = ROWS_A_BUCKET
    found_bytes: int = 1 << 28
    tally_bytes: int = 1 << 31
    new_shelf: NewShelf = MemoryShelf
    advance: Advance = tell_no_progress


def walk_subsets(
    records: Records,
    subsets: Iterable[QidMask],
    work: Work,
    part: WalkPart | None = None,
) -> Iterator[tuple[QidMask, Histogram]]:
    """Yield the block profile of each of the QID subsets wanted, ascending.

    Of a part of the walk only subsets are yielded that it has blocks of. Records are at
    least one and fewer than 2**40; without a sensitive attribute, blocks are profiled
    for one with equal values. Subset 0 is the empty one, whose only block holds all
    records. Results are the same for any order of records, attributes or subsets.
    """
    assert 1 <= records.n_records <= MOST_COUNTED
    wanted = np.unique(np.array(list(subsets), dtype=np.int64))
    shares = [WalkShare(wanted, records.n_records)]
    if part:
        shares = list(part.shares(records.qids, wanted))
        n_others = len(wanted) - sum(len(share.subsets) for share in shares)
        work.advance(n_others * records.n_records)
    most = max((share.n_records for share in shares), default=0)
    weight = np.dtype(np.int32 if most <= MOST_RECORDS else np.int64)
    shelf = work.new_shelf(Tallies.types)
    totals_of = partial(Totals, shelf, work.tally_bytes)
    turns = turns_of(records.sensitive or [_ONE_VALUE])
    for turn in turns:
        counter_of = partial(Tallies, first=turn.start, weight=weight)
        of_turn = Turn(turn, counter_of, totals_of, 1 / len(turns))
        walk_turn(records, wanted, of_turn, work, shares)
    for subset in wanted.tolist():
        if shelf.n_rows(subset):
            yield subset, taken_histogram(shelf, subset)


Members = tuple[Integers, ...]
"""Columns: what is added up (`SIZE`, `HITS`, `ONE_VALUE`), the number of the sensitive
attribute, the group, its size or number of values, and how many members there are."""


def walk_crossed(
    records: Records, wanted: QidMasks, work: Work
) -> Iterator[tuple[QidMask, Members]]:
    """Yield the members of each group, for each of the QID subsets wanted, ascending.

    The last of the sensitive attributes is marked, and its codes are the groups.
    """
    *inferred, _ = records.sensitive
    turns = turns_of(inferred) if inferred else [range(0)]
    shelf = work.new_shelf(Crossed.types)
    totals_of = partial(Totals, shelf, work.tally_bytes)
    for turn in turns:
        counter_of = partial(Crossed, first=turn.start)
        share = 1 / len(turns)
        numbers = [*turn, len(inferred)]
        walk_turn(records, wanted, Turn(numbers, counter_of, totals_of, share), work)
    for subset in wanted.tolist():
        *kinds, members = joined_rows(shelf.pieces(subset), shelf.types)
        what, kind, number, n_members = vars(added_up(kinds, members)).values()
        yield subset, (what, kind >> 32, kind & LOW, number, n_members)


@dataclass(frozen=True)
class Turn:
    """One walk with some of the sensitive attributes, which fit a key together."""

    sensitive: Iterable[int]
    counter_of: Callable[[Fields], Counter]  # Told where these lie in a key
    totals_of: Callable[[Counter], "WalkSums"]  # What the counter adds to
    share: float = 1  # Of the progress of a subset


class WalkSums(Protocol):
    """Takes what is counted in each bucket, as `Totals` does."""

    def add(self, found: Mapping[QidMask, Counts]) -> None:
        """Add what was counted in a part of the table."""

    def close(self) -> None:
        """Put all that was counted on the shelf."""


def walk_turn(
    records: Records,
    wanted: QidMasks,
    turn: Turn,
    work: Work,
    shares: Sequence[WalkShare] | None = None,
) -> None:
    """Count the blocks of each of the QID subsets wanted, or those of some shares."""
    if shares is None:
        shares = [WalkShare(wanted, records.n_records)]
    values = records.sensitive or [_ONE_VALUE]
    sensitive = {len(records.qids) + i: values[i] for i in turn.sensitive}
    union = int(np.bitwise_or.reduce(wanted))
    qids = {q: values for q, values in enumerate(records.qids) if union >> q & 1}
    layout = layout_of(qids, sensitive)
    counter = turn.counter_of(layout.sensitive)
    most = max((share.n_records for share in shares), default=0)
    assert most <= np.iinfo(counter.weight).max
    totals = turn.totals_of(counter)
    with ThreadPoolExecutor(work.n_threads) as pool:
        spine = _Spine(records, work, pool, counter, totals)
        for pile in spine.first_piles(layout, shares):
            spine.walk(pile, turn.share)
    totals.close()


_ONE_VALUE = Values(np.array([1]))
"""Of a sensitive attribute that all records have the same value of."""


def _told_in_units(advance: Advance, units: float) -> Advance:
    """Return what tells of `units` for each one done, in whole numbers."""
    n_done = 0

    def done(n: int) -> None:
        nonlocal n_done
        n_done += n
        advance(round(n_done * units) - round((n_done - n) * units))

    return done


@dataclass(frozen=True)
class _Spine:
    """The decisions against one QID after another, with trees beside each."""

    records: Records
    work: Work
    pool: ThreadPoolExecutor
    counter: Counter
    totals: WalkSums

    def first_piles(self, layout: Layout, shares: Sequence[WalkShare]) -> list[Pile]:
        """Code and pack all records, and put those of each share on a pile."""
        piles = [
            self._pile(layout, share.subsets, share.n_records, share.counts)
            for share in shares
        ]
        names = layout.attributes or [0]

        def put(i: int) -> None:
            codes = dict(zip(names, self.records.chunk(i, names), strict=True))
            n_rows = len(codes[names[0]])
            weights = self.counter.weights(i, n_rows)
            words = words_of(layout, codes, n_rows)
            for share, pile in zip(shares, piles, strict=True):
                rows = share.rows(codes)
                pile.put(layout, [word[rows] for word in words], weights[rows])

        for _ in self._shared(put, range(self.records.n_chunks)):
            pass
        return piles

    def walk(self, pile: Pile, share: float) -> None:
        """Walk beside the spine in every bucket, and go on with the next pile."""
        while True:
            sizes = pile.n_rows
            further = self._further(pile, sum(sizes.values()))
            share_a_row = share / sum(sizes.values())
            small = [b for b in sizes if not self._is_large(pile, sizes[b])]
            a_row = share_a_row * self.records.n_records
            task = partial(self._walk_bucket, pile, further, a_row)
            for _ in self._shared(task, small):
                pass
            for bucket in sizes.keys() - small:
                self._walk_large(pile, further, bucket, share_a_row * sizes[bucket])
            if further is None:
                return
            pile = further

    def _is_large(self, pile: Pile, n_rows: int) -> bool:
        return pile.cut is not None and n_rows > self.work.rows_a_bucket

    def _walk_bucket(
        self, pile: Pile, further: Pile | None, a_row: float, bucket: int
    ) -> None:
        """Walk a bucket; `a_row` is the progress of a subset that a row stands for."""
        words, weights = pile.take(bucket)
        if not len(weights):
            return
        n_rows, rows = len(weights), packed_keys(pile.layout, words)
        keys, weights = merged_rows(rows.keys, weights)
        if further:
            further.put(pile.layout, rows.words(keys), weights)
        done = _told_in_units(self.work.advance, a_row * n_rows)
        weights, counts = self.counter.begin(weights)
        tree = Tree(rows, self.counter, self.totals.add, self.work.found_bytes, done)
        table = one_block(keys, weights)
        node = Node(table, counts, 0, rows.levels[0].fields, pile.here)
        tree.visit(tree.with_first(node, pile.here) if pile.cut else node)
        tree.hand_over()

    def _walk_large(
        self, pile: Pile, further: Pile | None, bucket: int, share: float
    ) -> None:
        """Walk a bucket as a table of its own, cut by the next QID or the same."""
        assert pile.cut is not None
        n_rows, first = pile.shelf.n_rows(bucket), pile.cut.field.qid
        # By the same QID again each part is small or has one value of it.
        if pile.has_one_value(bucket):
            layout = pile.layout.only(pile.layout.qids[1:])
            inner = self._pile(layout, pile.here, n_rows)
        else:
            counts = {first: np.minimum(self.records.qids[first].counts, n_rows)}
            inner = self._pile(pile.layout, pile.here, n_rows, counts)
        for *words, weights in pile.shelf.pieces(bucket):
            inner.put(pile.layout, words, weights)
            if further:
                further.put(pile.layout, words, weights)
        self.walk(inner, share)

    def _further(self, pile: Pile, n_rows: int) -> Pile | None:
        if not len(pile.left):
            return None
        return self._pile(pile.layout, pile.left, n_rows)

    def _pile(
        self,
        layout: Layout,
        wanted: QidMasks,
        n_rows: int,
        most: Mapping[int, NDArray[np.int64]] | None = None,
    ) -> Pile:
        """Return an empty pile for some subsets of at most `n_rows` rows.

        Its buckets are small if no value of its first QID has more rows than `most`
        says, or, of a QID that is not there, if rows are spread over the values as all
        records are.
        """
        layout = needed_layout(layout, wanted)
        shelf = self.work.new_shelf([*layout.types, self.counter.weight])
        if not layout.qids:
            return Pile(layout, wanted, None, shelf)
        first = next(field for word in layout.words for field in word)
        counts = (most or {}).get(first.qid)
        if counts is None:
            # Not in integers, whose products of records may not fit in 64 bits.
            share = n_rows / self.records.n_records
            counts = (self.records.qids[first.qid].counts * share).astype(np.int64)
        rows = min(self.work.rows_a_bucket, 1 + n_rows // (2 * self.work.n_threads))
        return Pile(layout, wanted, balanced_cut(first, counts, rows), shelf)

    def _shared(
        self, task: Callable[[int], None], numbers: Iterable[int]
    ) -> Iterator[int]:
        """Do a task for each number on all threads; yield those that are done."""
        futures = {self.pool.submit(task, number): number for number in numbers}
        try:
            for future in as_completed(futures):
                future.result()
                yield futures[future]
        finally:
            for future in futures:
                future.cancel()
