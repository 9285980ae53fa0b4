"""The records most at risk, worst first: who is found out surely by the fewest facts.

Sets of facts are looked at from the smallest on, and of these only some: measures say
how many records each of them finds out.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from microleak.base.arrays import Integers, QidMask
from microleak.kernels.divided import Numbers, divide_shared
from microleak.records.subsets import qid_positions

Rows = NDArray[np.integer[Any]]


class ListedColumn(NamedTuple):
    """A column by the code of each record's value, from 0."""

    codes: Numbers
    counts: Integers  # Records with each code
    usual: int  # The most frequent code
    missing: int  # The code of a missing value, -1 if none is missing


class Learnt(NamedTuple):
    """A sensitive attribute of which a set of facts tells the value for certain.

    Others are those who share all facts but the one that brings most.
    """

    place: int
    n_people: int  # Records with the value
    n_others_alike: int  # Others who have it, too
    n_others: int


class RecordChange(NamedTuple):
    """A fact emptied (level 0) or coarser, in all records that share the others."""

    place: int
    level: int
    n_alike: int  # Records that are alike then
    is_cured: bool  # Whether no sensitive value is certain then


class FoundOut(NamedTuple):
    """A record that a set of facts finds out, and no set that was looked at before."""

    row: int  # From 0
    facts: QidMask
    n_alike: int  # Records with these facts, itself among them
    n_without: Mapping[int, int]  # The same without each fact, by its place
    learnt: Sequence[Learnt]  # The rarest first
    changes: Sequence[RecordChange]

    @property
    def decisive(self) -> int:
        """The fact without which it is like most records, the first of equal ones."""
        return max(self.n_without, key=lambda place: self.n_without[place])


class SmallBlock(NamedTuple):
    """A block of few records, one of so many of its size."""

    size: int
    n_blocks: int
    row: int  # Its first record, from 0
    n_values: Sequence[int]  # Distinct values of each sensitive attribute


@dataclass(frozen=True)
class RecordBlocks:
    """Who shares a block with others, in order, and who is alone."""

    shared: Numbers
    number: Numbers  # The block of each
    n: int
    alone: Numbers

    @property
    def sizes(self) -> Integers:
        """Records of each block of several."""
        return np.bincount(self.number, minlength=self.n)

    def number_of(self, rows: Rows) -> Integers:
        """Return the block of each of some records, -1 of who is alone."""
        found = np.full(len(rows), -1, dtype=np.int64)
        if len(self.shared):
            at = np.searchsorted(self.shared, rows).clip(max=len(self.shared) - 1)
            is_shared = self.shared[at] == rows
            found[is_shared] = self.number[at[is_shared]]
        return found

    def n_alike(self, rows: Rows) -> Integers:
        """Return how many records each of some has in its block, itself among them."""
        number = self.number_of(rows)
        sizes = np.append(self.sizes, 1)  # The last is of -1
        return np.asarray(sizes[number])

    def n_with_values(self, rows: Rows, *columns: ListedColumn) -> Integers:
        """Return how many of the block of each record have its values."""
        number = self.number_of(rows)
        is_near = np.append(np.zeros(self.n, dtype=np.bool_), False)
        is_near[number[number >= 0]] = True
        near = is_near[self.number]
        keys, wanted = self.number[near].astype(np.int64), number.copy()
        others = self.shared[near]
        for column in columns:
            n_codes = len(column.counts)
            keys = keys * n_codes + column.codes[others]
            wanted = wanted * n_codes + column.codes[rows]
        keys.sort()
        n = np.searchsorted(keys, wanted, "right") - np.searchsorted(keys, wanted)
        return np.where(number < 0, 1, n)


@dataclass(frozen=True)
class PeopleAtRisk:
    """The records of an analysis; `column` returns one by its name.

    A fact is known of all linked releases, and so may have several columns; `levels`
    returns those of a fact of one column that may be coarser.
    """

    n_records: int
    facts: Sequence[Sequence[str]]
    sensitive: Sequence[str]
    column: Callable[[str], ListedColumn]
    levels: Callable[[int], Sequence[ListedColumn]]
    least_alike: Callable[[QidMask], int]  # How many records are to be alike
    n_threads: int = 1

    def blocks(self, facts: QidMask) -> RecordBlocks:
        """Return the blocks of a set of facts; of none, all are in one."""
        shared = np.arange(self.n_records, dtype=np.int32)
        number, n = np.zeros(self.n_records, dtype=np.int32), 1
        alone = [shared[:0]]
        for name in (n for place in qid_positions(facts) for n in self.facts[place]):
            column = self.column(name)
            shared, number, n, more = divide_shared(
                shared, number, n, column.codes, len(column.counts)
            )
            alone.append(more)
        return RecordBlocks(shared, number, n, np.concatenate(alone))

    def _is_learnt(self, blocks: RecordBlocks, name: str) -> NDArray[np.bool_]:
        """Return for each record whether a value is certain that nobody would guess.

        Of who is alone it is any value; of others, one that all in the block have, and
        not the most frequent one of the release. A missing one is none.
        """
        codes, _, usual, missing = self.column(name)
        own = codes[blocks.shared]
        first = np.empty(blocks.n, dtype=codes.dtype)
        first[blocks.number] = own
        is_mixed = np.zeros(blocks.n, dtype=np.bool_)
        is_mixed[blocks.number[own != first[blocks.number]]] = True
        found = np.zeros(self.n_records, dtype=np.bool_)
        found[blocks.shared] = ~is_mixed[blocks.number] & (own != usual)
        found[blocks.alone] = True
        found[codes == missing] = False
        return found

    def found_out(
        self, facts: QidMask, is_known: NDArray[np.bool_], most: int
    ) -> Iterator[FoundOut]:
        """Yield who is found out by a set, those with the rarest values first."""
        blocks = self.blocks(facts)
        is_learnt = [self._is_learnt(blocks, name) for name in self.sensitive]
        is_found = np.zeros(self.n_records, dtype=np.bool_)
        is_found[blocks.alone] = True
        is_small = blocks.sizes < self.least_alike(facts)
        is_found[blocks.shared[is_small[blocks.number]]] = True
        for each in is_learnt:
            is_found |= each
        rows = np.flatnonzero(is_found & ~is_known)
        rarest = np.full(len(rows), self.n_records + 1)
        for name, each in zip(self.sensitive, is_learnt, strict=True):
            column = self.column(name)
            n_people = np.minimum(rarest, column.counts[column.codes[rows]])
            rarest = np.where(each[rows], n_people, rarest)
        rows = rows[np.lexsort((rows, rarest))][:most]
        is_known[rows] = True
        if len(rows):
            yield from self._told(
                facts, blocks, rows, [each[rows] for each in is_learnt]
            )

    def _told(
        self,
        facts: QidMask,
        blocks: RecordBlocks,
        rows: Rows,
        is_learnt: Sequence[NDArray[np.bool_]],
    ) -> Iterator[FoundOut]:
        places = qid_positions(facts)
        fewer = [facts & ~(1 << place) for place in places]
        with ThreadPoolExecutor(self.n_threads) as pool:
            without = [*pool.map(self.blocks, fewer)]
        n_without = np.stack([each.n_alike(rows) for each in without])
        decisive = n_without.argmax(axis=0)
        learnt: list[list[Learnt]] = [[] for _ in rows]
        for at, name in enumerate(self.sensitive):
            column = self.column(name)
            n_with = np.stack([each.n_with_values(rows, column) for each in without])
            for i in np.flatnonzero(is_learnt[at]).tolist():
                n_people = int(column.counts[column.codes[rows[i]]])
                n_others = int(n_without[decisive[i], i]) - 1
                n_others_alike = int(n_with[decisive[i], i]) - 1
                learnt[i].append(Learnt(at, n_people, n_others_alike, n_others))
        changes = [
            change
            for place, each in zip(places, without, strict=True)
            for change in self._changes(place, each, rows)
        ]
        for i, n_alike in enumerate(blocks.n_alike(rows).tolist()):
            n_of_fact = dict(zip(places, n_without[:, i].tolist(), strict=True))
            rarest_first = sorted(learnt[i], key=lambda each: each.n_people)
            own = [
                RecordChange(place, level, int(n[i]), bool(is_cured[i]))
                for place, level, n, is_cured in changes
            ]
            yield FoundOut(int(rows[i]), facts, n_alike, n_of_fact, rarest_first, own)

    def _changes(
        self, place: int, without: RecordBlocks, rows: Rows
    ) -> Iterator[tuple[int, int, Integers, NDArray[np.bool_]]]:
        """Yield what becomes of records if a fact of them is coarser or suppressed.

        A fact of linked releases would stay in the others, and so is left as it is.
        """
        if len(self.facts[place]) > 1:
            return
        for level, coarser in enumerate(
            ((), *((each,) for each in self.levels(place)))
        ):
            n_alike = without.n_with_values(rows, *coarser)
            is_cured = np.ones(len(rows), dtype=np.bool_)
            for name in self.sensitive:
                column = self.column(name)
                own = column.codes[rows]
                n_same = without.n_with_values(rows, *coarser, column)
                is_guess = (own == column.usual) & (n_alike > 1)
                is_cured &= (n_same < n_alike) | is_guess | (own == column.missing)
            yield place, level, n_alike, is_cured

    def small_blocks(
        self, facts: QidMask, most_size: int, n_examples: int
    ) -> Iterator[SmallBlock]:
        """Yield some blocks of each size up to `most_size`, by their first records."""
        blocks = self.blocks(facts)
        alone = np.sort(blocks.alone)
        for row in alone[:n_examples].tolist():
            yield SmallBlock(1, len(alone), row, [1] * len(self.sensitive))
        sizes = blocks.sizes
        first = np.empty(blocks.n, dtype=np.int32)
        first[blocks.number[::-1]] = blocks.shared[::-1]
        for size in np.unique(sizes[sizes <= most_size]).tolist():
            numbers = np.flatnonzero(sizes == size)
            for number in numbers[np.argsort(first[numbers])][:n_examples].tolist():
                rows = blocks.shared[blocks.number == number]
                n_values = [
                    len(np.unique(self.column(name).codes[rows]))
                    for name in self.sensitive
                ]
                yield SmallBlock(size, len(numbers), int(rows[0]), n_values)


def most_at_risk(
    people: PeopleAtRisk, n_found_out: Mapping[QidMask, int], most: int
) -> Iterator[FoundOut]:
    """Yield up to `most` records by sets from the smallest on, of one size the worst.

    `n_found_out` are the records that each set finds out, as measures have them. Where
    more than two are to be alike, a set that finds nobody out may have small blocks.
    """
    is_known = np.zeros(people.n_records, dtype=np.bool_)
    wanted = (f for f, n in n_found_out.items() if n or people.least_alike(f) > 2)
    n_left = most
    for facts in sorted(wanted, key=lambda f: (f.bit_count(), -n_found_out[f], f)):
        for found in people.found_out(facts, is_known, n_left):
            n_left -= 1
            yield found
        if n_left <= 0:
            return
