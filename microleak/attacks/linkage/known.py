"""What is found by QIDs of both releases: one release, links, or an identifier.

QIDs of either release are one number, so what is known are two; a missing auxiliary
record has that of missing values.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.linkage.blocks import Bucket, read_words
from microleak.attacks.linkage.words import Both
from microleak.kernels.buckets import Buckets, Words, mixed
from microleak.kernels.matching import Floats, Integers
from microleak.kernels.ordering import order_of
from microleak.kernels.panels import Classes, Panels, best_in_blocks, spread
from microleak.kernels.spilled_rows import NewShelf, Rows, Shelf, joined

WORD, CODE, CHANCE = np.dtype(np.uint64), np.dtype(np.uint32), np.dtype(np.float64)


def classes_of(bucket: Bucket, attack: int) -> Classes:
    """Return the classes of an attack: 0 re-identifies, others infer.

    For re-identification a guess is a row: records that are alike are as likely.
    """
    focal = bucket.focal
    value = focal.row if not attack else focal.sensitive[attack - 1].astype(np.int64)
    order = order_of(focal.block, focal.qids, value, focal.row)
    block, qids = focal.block[order], focal.qids[order]
    value, row = value[order], focal.row[order]
    n = len(order)
    is_known = _is_new(block, qids)
    is_guess = is_known | _is_new(value)
    starts = np.flatnonzero(is_guess | _is_new(row))
    weight = np.diff(starts, append=n) if attack else np.ones(len(starts))
    first = np.searchsorted(block[starts], np.arange(len(bucket.blocks.first_focal)))
    return Classes(
        row[starts],
        np.append(np.flatnonzero(is_known[starts]), len(starts)),
        np.append(np.flatnonzero(is_guess[starts]), len(starts)),
        weight.astype(np.float64),
        qids[starts],
        value[starts],
        first,
    )


def _is_new(*columns: NDArray[np.generic]) -> NDArray[np.bool_]:
    found = np.zeros(len(columns[0]), dtype=np.bool_)
    found[:1] = True
    for column in columns:
        found[1:] |= column[1:] != column[:-1]
    return found


def panels_of(bucket: Bucket) -> Panels:
    """Return what auxiliary records of each block say, missing ones first."""
    block, row, qids = bucket.block_of_entry, bucket.entry_row, bucket.entry_qids
    n_blocks = len(bucket.blocks.first_focal) - 1
    each_block = np.concatenate([np.arange(n_blocks), block])
    each_qids = np.concatenate([np.zeros(n_blocks, dtype=np.uint64), qids])
    order = order_of(each_block, each_qids)
    is_new = _is_new(each_block[order], each_qids[order])
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.cumsum(is_new) - 1
    kept = order[is_new]
    first_qids = np.searchsorted(each_block[kept], np.arange(n_blocks + 1))
    return Panels(
        np.searchsorted(block, np.arange(n_blocks + 1)),
        row,
        number[n_blocks:] - first_qids[block],
        bucket.n_entry,
        first_qids,
        each_qids[kept],
    )


def linked_in_blocks(bucket: Bucket, chances: Floats, n_attacks: int) -> Floats:
    """Return the records guessed right by links, where QIDs tell the blocks apart.

    Parameters
    ----------
    bucket
        Blocks, of which no two have the same QIDs.
    chances
        Of each pair of rows.
    n_attacks
        Re-identification, and each inference.
    """
    panels = panels_of(bucket)
    found = np.zeros(n_attacks)
    for attack in range(n_attacks):
        classes = classes_of(bucket, attack)
        found[attack] = best_in_blocks(bucket.blocks, chances, panels, classes)
    return found


def put_linked(
    bucket: Bucket, chances: Floats, buckets: Buckets, shelves: Sequence[Shelf]
) -> None:
    """Put on the shelf of each attack what may be known, and how likely it is."""
    panels = panels_of(bucket)
    for attack, shelf in enumerate(shelves):
        classes = classes_of(bucket, attack)
        guess, place, chance = spread(bucket.blocks, chances, panels, classes)
        kept = chance > 0
        at = guess[kept]
        qids = classes.qids[at]
        columns = [qids, panels.qids[place[kept]], classes.value[at], chance[kept]]
        buckets.put(shelf, mixed(qids), columns)


def linked_on(shelf: Shelf, number: int, attack: int) -> float:
    """Return the records guessed right of those put under a number."""
    qids, others, value, chance = joined(list(shelf.pieces(number)), shelf.types)
    order = np.lexsort((chance, value, others, qids))
    is_known = _is_new(qids[order], others[order])
    chance = chance[order]
    if attack:
        starts = np.flatnonzero(is_known | _is_new(value[order]))
        chance = np.add.reduceat(chance, starts) if len(starts) else chance
        is_known = is_known[starts]
    best = (
        np.maximum.reduceat(chance, np.flatnonzero(is_known)) if len(chance) else chance
    )
    return float(best.sum())


LINKED = [WORD, WORD, np.dtype(np.int64), CHANCE]
"""Types of what `put_linked` puts."""


@dataclass(frozen=True)
class Guessed:
    """Records guessed right with one release, and with an identifier if there is one.

    By attack, re-identification first; exact.
    """

    single: Integers
    identified: Integers | None
    most_frequent: Integers


def guessed(
    both: Both, sensitive: Sequence[str], new_shelf: NewShelf, n_threads: int
) -> Guessed:
    """Return what is guessed right by the focal QIDs, and by those of the panel."""
    n = both.focal.chunks.n_rows
    panel = np.zeros(n, dtype=np.uint64)
    if both.partner is not None:
        n_before = 0
        for words, _ in read_words(both, "auxiliary", ()):
            rows = both.partner[n_before : n_before + len(words[2])]
            n_before += len(rows)
            panel[rows[rows >= 0]] = words[2][rows >= 0]
    buckets = Buckets.of(n)
    shelf = new_shelf([WORD, WORD, *(CODE for _ in sensitive)])
    n_before = 0
    for words, others in read_words(both, "focal", sensitive):
        mine = slice(n_before, n_before + len(words[2]))
        n_before += len(words[2])
        buckets.put(shelf, mixed(words[2]), [words[2], panel[mine], *others])
    with ThreadPoolExecutor(n_threads) as pool:
        found = list(pool.map(partial(_of_bucket, shelf), range(len(buckets))))
    single, identified = np.sum(found, axis=0)
    counts = [both.focal.counts[name].max() for name in sensitive]
    return Guessed(
        single,
        identified if both.partner is not None else None,
        np.array([1, *counts], dtype=np.int64),
    )


def _of_bucket(shelf: Shelf, number: int) -> list[Integers]:
    """Return what is guessed right by the focal QIDs, and by both, of a bucket."""
    qids, panels, *values = joined(list(shelf.pieces(number)), shelf.types)
    return [_modal([qids], values), _modal([qids, panels], values)]


def _modal(known: Sequence[Words], values: Rows) -> Integers:
    """Return how many blocks there are, and the sums of modal counts."""
    return np.array(list(_each_modal(known, values)), dtype=np.int64)


def _each_modal(known: Sequence[Words], values: Rows) -> Iterator[int]:
    if not len(known[0]):
        yield from [0] * (1 + len(values))
        return
    order = order_of(*known)
    yield int(_is_new(*(each[order] for each in known)).sum())
    for of_attribute in values:
        order = order_of(*known, of_attribute)
        is_known = _is_new(*(each[order] for each in known))
        starts = np.flatnonzero(is_known | _is_new(of_attribute[order]))
        counts = np.diff(starts, append=len(order))
        yield int(np.maximum.reduceat(counts, np.flatnonzero(is_known[starts])).sum())
