"""Records in buckets of whole blocks, and the rows of a bucket that differ."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.linkage.kernels.matching import Blocks
from microleak.attacks.linkage.shares import Shares
from microleak.attacks.linkage.together import Together
from microleak.attacks.linkage.words import Both, read_words
from microleak.base.arrays import BitWords, Floats, Integers
from microleak.definitions.exact import run_starts
from microleak.kernels.ordering import order_of
from microleak.kernels.spilled_rows import Buckets, Shelf, joined_rows, mixed_words
from microleak.records.alike import PartnerRows

WORD, ROW, CODE = np.dtype(np.uint64), np.dtype(np.int32), np.dtype(np.uint32)


def put_releases(
    both: Both,
    sensitive: Sequence[str],
    buckets: Buckets,
    shelves: Sequence[Shelf],
    n_threads: int,
    noted: tuple[Sequence[Together], BitWords | None],
) -> None:
    """Put the records of either release on its shelf, by the group of their block.

    A record has its stable attributes, the drifting ones, the QIDs, the row of its
    person in the focal release (-1 if not known in both), and if it is focal the codes
    of the sensitive attributes. Of `noted` the first count which values auxiliary
    records have together; the panel, by focal row, gets the QIDs that the auxiliary
    release has of each person.
    """
    together, panel = noted

    def group(stable: BitWords) -> BitWords:
        return mixed_words(stable // np.uint64(both.n_in_group))

    def put_focal() -> None:
        is_known = np.zeros(both.focal.chunks.n_rows, dtype=np.bool_)
        if both.partner is not None:
            is_known[both.partner[both.partner >= 0]] = True
        n_before = 0
        for words, others in read_words(both, "focal", sensitive):
            rows = np.arange(n_before, n_before + len(words[0]), dtype=np.int32)
            rows[~is_known[n_before : n_before + len(rows)]] = -1
            n_before += len(rows)
            buckets.put(shelves[0], group(words[0]), [*words, rows, *others])

    def put_auxiliary() -> None:
        n_before = 0
        for words, codes in read_words(both, "auxiliary", both.linking):
            for each in together:
                each.add(codes)
            rows = np.full(len(words[0]), -1, dtype=np.int32)
            if both.partner is not None:
                rows = both.partner[n_before : n_before + len(rows)]
                if panel is not None:
                    panel[rows[rows >= 0]] = words[2][rows >= 0]
            n_before += len(rows)
            buckets.put(shelves[1], group(words[0]), [*words, rows])

    with ThreadPoolExecutor(n_threads) as pool:
        for put in [pool.submit(put_focal), pool.submit(put_auxiliary)]:
            put.result()


@dataclass(frozen=True)
class Focal:
    """Focal records of a bucket, sorted by block and row."""

    row: Integers
    block: Integers
    qids: BitWords
    person: PartnerRows
    sensitive: Sequence[NDArray[np.uint32]]


@dataclass(frozen=True)
class Drifting:
    """Rows that differ in drifting attributes, by block, and these as numbers."""

    blocks: Blocks
    focal: BitWords
    auxiliary: BitWords
    # Of the values of auxiliary rows, as all records have them that a stranger may be,
    # and of one of these records, a line an attribute
    shares: Floats
    of_one: Floats

    @cached_property
    def block(self) -> Integers:
        """The block of each auxiliary row."""
        first = self.blocks.first_auxiliary
        return np.repeat(np.arange(len(first) - 1), np.diff(first))

    def where(self, is_kept: NDArray[np.bool_]) -> "Drifting":
        """Return some of the blocks."""
        if is_kept.all():
            return self
        blocks = self.blocks
        n_rows = np.diff(blocks.first_focal), np.diff(blocks.first_auxiliary)
        focal, auxiliary = (np.repeat(is_kept, n) for n in n_rows)
        first = [np.concatenate([[0], np.cumsum(n[is_kept])]) for n in n_rows]
        n = blocks.n_focal[focal], blocks.n_auxiliary[auxiliary]
        kept = Blocks(first[0], first[1], *n)
        rows = self.focal[focal], self.auxiliary[auxiliary]
        return Drifting(
            kept, *rows, self.shares[:, auxiliary], self.of_one[:, auxiliary]
        )


@dataclass(frozen=True)
class Bucket:
    """Whole blocks: all focal records of them, and the auxiliary ones."""

    stable: BitWords  # The stable attributes of each block as a number, ascending
    drifting: Drifting  # The rows that differ
    group: Integers  # The number of each block's group, from 0 up
    focal: Focal
    # Auxiliary records by row and QIDs: how many there are
    entry_row: Integers
    entry_qids: BitWords
    n_entry: Integers
    persons: tuple[Integers, Integers]

    @property
    def blocks(self) -> Blocks:
        """The blocks."""
        return self.drifting.blocks

    @cached_property
    def block_of_entry(self) -> Integers:
        return self.drifting.block[self.entry_row]

    @cached_property
    def person_pairs(self) -> tuple[Integers, Integers]:
        """Block and pair of rows of the identified persons."""
        return self.pairs_of(*self.persons)

    def with_shares(self, shares: Shares) -> "Bucket":
        rows = self.drifting
        found, of_one = shares.of_rows(self.stable, rows.block, rows.auxiliary)
        return replace(self, drifting=replace(rows, shares=found, of_one=of_one))

    def pairs_of(self, row: Integers, other: Integers) -> tuple[Integers, Integers]:
        """Return the blocks and the pairs of focal and auxiliary rows."""
        blocks = self.blocks
        n_rows = np.diff(blocks.first_focal)
        block = np.repeat(np.arange(len(n_rows)), n_rows)[row]
        width = np.diff(blocks.first_auxiliary)[block]
        pair = blocks.first_pair[block] + (row - blocks.first_focal[block]) * width
        return block, pair + other - blocks.first_auxiliary[block]

    def rows_of(self, pair: Integers) -> tuple[Integers, Integers, Integers]:
        """Return the blocks, focal and auxiliary rows of pairs."""
        blocks = self.blocks
        block = np.searchsorted(blocks.first_pair, pair, side="right") - 1
        width = np.diff(blocks.first_auxiliary)[block]
        row, other = np.divmod(pair - blocks.first_pair[block], width)
        row += blocks.first_focal[block]
        return block, row, other + blocks.first_auxiliary[block]


def bucket_of(
    shelves: Sequence[Shelf], number: int, n_in_group: int, shares: Shares
) -> Bucket:
    """Take a bucket from the shelves of both releases."""
    stable, drifting, qids, person, *sensitive = _taken(shelves[0], number)
    order = order_of(stable, drifting, qids, person)
    stable, drifting = stable[order], drifting[order]
    starts = _starts(stable, drifting)
    block_starts = run_starts(stable)
    each_block = stable[block_starts]
    group = each_block // np.uint64(n_in_group)
    focal = Focal(
        _places(starts, len(order)),
        _places(block_starts, len(order)),
        qids[order],
        person[order],
        [column[order] for column in sensitive],
    )
    block, their_drifting, their_qids, their_person = _of_blocks(
        _taken(shelves[1], number), each_block
    )
    their_starts = _starts(block, their_drifting)
    entries = _starts(block, their_drifting, their_qids)
    n_theirs = len(block)
    their_row = _places(their_starts, n_theirs)
    blocks = Blocks(
        np.searchsorted(focal.block[starts], np.arange(len(each_block) + 1)),
        np.searchsorted(block[their_starts], np.arange(len(each_block) + 1)),
        np.diff(starts, append=len(order)),
        np.diff(their_starts, append=n_theirs),
    )
    theirs = their_drifting[their_starts]
    of_rows = shares.of_rows(each_block, block[their_starts], theirs)
    return Bucket(
        each_block,
        Drifting(blocks, drifting[starts], theirs, *of_rows),
        np.cumsum(is_new(group)) - 1,
        focal,
        their_row[entries],
        their_qids[entries],
        np.diff(entries, append=n_theirs),
        _persons(focal, (block, their_row, their_person)),
    )


def _taken(shelf: Shelf, number: int) -> list[NDArray[Any]]:
    return joined_rows(list(shelf.pieces(number)), shelf.types)


def is_new(*columns: NDArray[np.generic]) -> NDArray[np.bool_]:
    """Return which rows differ from the one before in any column."""
    found = np.zeros(len(columns[0]), dtype=np.bool_)
    found[:1] = True
    for column in columns:
        found[1:] |= column[1:] != column[:-1]
    return found


def _starts(*columns: NDArray[np.generic]) -> Integers:
    return np.flatnonzero(is_new(*columns))


def _places(starts: Integers, n: int) -> Integers:
    """Return the number of the run of each of n rows."""
    return np.repeat(np.arange(len(starts)), np.diff(starts, append=n))


def _of_blocks(
    columns: Sequence[NDArray[Any]], each_block: BitWords
) -> tuple[Integers, BitWords, BitWords, PartnerRows]:
    """Return the auxiliary records that have a block, with its number, sorted."""
    stable, drifting, qids, person = columns
    order = order_of(stable, drifting, qids, person)
    stable = stable[order]
    block = np.searchsorted(each_block, stable)
    is_there = block < len(each_block)
    is_there[is_there] = each_block[block[is_there]] == stable[is_there]
    order = order[is_there]
    return block[is_there], drifting[order], qids[order], person[order]


def _persons(
    focal: Focal, auxiliary: tuple[Integers, Integers, PartnerRows]
) -> tuple[Integers, Integers]:
    block, row, person = auxiliary
    mine, theirs = (np.flatnonzero(each >= 0) for each in (focal.person, person))
    mine = mine[np.argsort(focal.person[mine])]
    theirs = theirs[np.argsort(person[theirs])]
    place = np.searchsorted(person[theirs], focal.person[mine])
    is_there = place < len(theirs)
    is_there[is_there] = person[theirs[place[is_there]]] == focal.person[mine[is_there]]
    mine, theirs = mine[is_there], theirs[place[is_there]]
    is_same = focal.block[mine] == block[theirs]
    return focal.row[mine[is_same]], row[theirs[is_same]]
