"""What is found by QIDs of both releases: one release, links, or an identifier.

QIDs of either release are one number, so what is known are two; a missing auxiliary
record has that of missing values.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from microleak.attacks.linkage.blocks import Bucket, Buckets, mixed, read_words
from microleak.attacks.linkage.words import Both, Words
from microleak.kernels.matching import Floats, Integers
from microleak.kernels.spilled_rows import NewShelf, Rows, Shelf, joined

WORD, CODE, CHANCE = np.dtype(np.uint64), np.dtype(np.uint32), np.dtype(np.float64)


@dataclass(frozen=True)
class Classes:
    """Focal records of a bucket that are guessed together, sorted.

    Attributes
    ----------
    row
        The row of each class, by which its chances are.
    known
        Where classes of the same block and QIDs begin, and the end.
    guess
        Where classes begin that are the same guess, and the end.
    weight
        Records that count: 1 for re-identification.
    qids, value
        The QIDs, and the number of the guess.
    first
        Where each block begins among the classes, and the end.
    """

    row: Integers
    known: Integers
    guess: Integers
    weight: Floats
    qids: Words
    value: Integers
    first: Integers


def classes_of(bucket: Bucket, attack: int) -> Classes:
    """Return the classes of an attack: 0 re-identifies, others infer.

    For re-identification a guess is a row: records that are alike are as likely.
    """
    focal = bucket.focal
    value = focal.row if not attack else focal.sensitive[attack - 1].astype(np.int64)
    order = np.lexsort((focal.row, value, focal.qids, focal.block))
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


@dataclass(frozen=True)
class Panels:
    """What the auxiliary records of a bucket's blocks say.

    Attributes
    ----------
    first
        Where the entries of each block begin, and the end.
    row, place, n
        Of each entry the auxiliary row, its QIDs' place among those of the block, and
        its records.
    first_qids, qids
        Where the QIDs of each block begin; first those of a missing record.
    """

    first: Integers
    row: Integers
    place: Integers
    n: Integers
    first_qids: Integers
    qids: Words


def panels_of(bucket: Bucket) -> Panels:
    """Return the QIDs of each block's auxiliary records, those of missing ones first."""
    block, row, qids = bucket.block_of_entry, bucket.entry_row, bucket.entry_qids
    n_blocks = len(bucket.blocks.first_focal) - 1
    each_block = np.concatenate([np.arange(n_blocks), block])
    each_qids = np.concatenate([np.zeros(n_blocks, dtype=np.uint64), qids])
    order = np.lexsort((each_qids, each_block))
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
        found[attack] = _best_in_blocks(
            _arrays(bucket), chances, tuple(vars(panels).values())[:5], _of(classes)
        )
    return found


def put_linked(
    bucket: Bucket, chances: Floats, buckets: Buckets, shelves: Sequence[Shelf]
) -> None:
    """Put on the shelf of each attack what may be known, and how likely it is."""
    panels = panels_of(bucket)
    for attack, shelf in enumerate(shelves):
        classes = classes_of(bucket, attack)
        guesses = classes.guess[:-1]
        block = np.searchsorted(classes.first, guesses, side="right") - 1
        n_each = np.diff(panels.first_qids)[block]
        total = int(n_each.sum())
        chance, place = np.zeros(total), np.zeros(total, dtype=np.int64)
        _spread(
            _arrays(bucket),
            chances,
            tuple(vars(panels).values())[:5],
            _of(classes),
            (chance, place),
        )
        kept = chance > 0
        guess = np.repeat(guesses, n_each)[kept]
        qids = classes.qids[guess]
        columns = [qids, panels.qids[place[kept]], classes.value[guess], chance[kept]]
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
    best = np.maximum.reduceat(chance, np.flatnonzero(is_known)) if len(chance) else chance
    return float(best.sum())


LINKED = [WORD, WORD, np.dtype(np.int64), CHANCE]
"""Types of what `put_linked` puts."""


def _arrays(bucket: Bucket) -> tuple[Integers, ...]:
    blocks = bucket.blocks
    return (
        blocks.first_focal,
        blocks.first_auxiliary,
        blocks.first_pair,
        blocks.n_auxiliary,
    )


def _of(classes: Classes) -> tuple[NDArray[np.number], ...]:
    return classes.first, classes.known, classes.guess, classes.row, classes.weight


@njit(cache=True, nogil=True)
def _chances_of_panels(k, arrays, chances, panels, found):
    """Find of each row of a block how likely it is to have which auxiliary QIDs."""
    first_focal, first_auxiliary, first_pair, n_auxiliary = arrays
    first, row, place, n, first_qids = panels
    width = first_auxiliary[k + 1] - first_auxiliary[k]
    for a in range(first_focal[k + 1] - first_focal[k]):
        pairs = first_pair[k] + a * width
        left = 1.0
        for b in range(width):
            left -= chances[pairs + b] * n_auxiliary[first_auxiliary[k] + b]
        found[a, : first_qids[k + 1] - first_qids[k]] = 0.0
        found[a, 0] = max(left, 0.0)
        for entry in range(first[k], first[k + 1]):
            b = row[entry] - first_auxiliary[k]
            found[a, place[entry]] += chances[pairs + b] * n[entry]


@njit(cache=True, nogil=True)
def _largest(first):
    most = 1
    for k in range(len(first) - 1):
        most = max(most, first[k + 1] - first[k])
    return most


@njit(cache=True, nogil=True)
def _best_in_blocks(arrays, chances, panels, classes):
    first_focal, first_qids = arrays[0], panels[4]
    first, known, guess, row, weight = classes
    of_rows = np.zeros((_largest(first_focal), _largest(first_qids)))
    of_guess, best = np.zeros(of_rows.shape[1]), np.zeros(of_rows.shape[1])
    total = 0.0
    at_known, at_guess = 0, 0
    for k in range(len(first_focal) - 1):
        _chances_of_panels(k, arrays, chances, panels, of_rows)
        width = first_qids[k + 1] - first_qids[k]
        while known[at_known] < first[k + 1]:
            best[:width] = 0.0
            while guess[at_guess] < known[at_known + 1]:
                of_guess[:width] = 0.0
                for each in range(guess[at_guess], guess[at_guess + 1]):
                    a = row[each] - first_focal[k]
                    for z in range(width):
                        of_guess[z] += weight[each] * of_rows[a, z]
                for z in range(width):
                    best[z] = max(best[z], of_guess[z])
                at_guess += 1
            total += best[:width].sum()
            at_known += 1
    return total


@njit(cache=True, nogil=True)
def _spread(arrays, chances, panels, classes, out):
    """Note of each guess the chance and the place of all that may be known with it."""
    first_focal, first_qids = arrays[0], panels[4]
    first, _, guess, row, weight = classes
    chance, place = out
    of_rows = np.zeros((_largest(first_focal), _largest(first_qids)))
    at_guess, at = 0, 0
    for k in range(len(first_focal) - 1):
        _chances_of_panels(k, arrays, chances, panels, of_rows)
        width = first_qids[k + 1] - first_qids[k]
        while guess[at_guess] < first[k + 1]:
            for each in range(guess[at_guess], guess[at_guess + 1]):
                a = row[each] - first_focal[k]
                for z in range(width):
                    chance[at + z] += weight[each] * of_rows[a, z]
            for z in range(width):
                place[at + z] = first_qids[k] + z
            at += width
            at_guess += 1


@dataclass(frozen=True)
class Guessed:
    """Records guessed right with one release, and with an identifier if there is one.

    By attack, re-identification first; exact.
    """

    single: Integers
    identified: Integers | None
    most_frequent: Integers


def guessed(both: Both, sensitive: Sequence[str], new_shelf: NewShelf) -> Guessed:
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
        rows = slice(n_before, n_before + len(words[2]))
        n_before += len(words[2])
        buckets.put(shelf, mixed(words[2]), [words[2], panel[rows], *others])
    single = np.zeros(1 + len(sensitive), dtype=np.int64)
    identified = single.copy()
    for number in range(len(buckets)):
        qids, panels, *values = joined(list(shelf.pieces(number)), shelf.types)
        single += _modal([qids], values)
        identified += _modal([qids, panels], values)
    counts = [both.focal.counts[name].max() for name in sensitive]
    return Guessed(
        single,
        identified if both.partner is not None else None,
        np.array([1, *counts], dtype=np.int64),
    )


def _modal(known: Sequence[Words], values: Rows) -> Integers:
    """Return how many blocks there are, and the sums of modal counts."""
    return np.array(list(_each_modal(known, values)), dtype=np.int64)


def _each_modal(known: Sequence[Words], values: Rows) -> Iterator[int]:
    if not len(known[0]):
        yield from [0] * (1 + len(values))
        return
    order = np.lexsort(known)
    yield int(_is_new(*(each[order] for each in known)).sum())
    for of_attribute in values:
        order = np.lexsort((of_attribute, *known))
        is_known = _is_new(*(each[order] for each in known))
        starts = np.flatnonzero(is_known | _is_new(of_attribute[order]))
        counts = np.diff(starts, append=len(order))
        yield int(np.maximum.reduceat(counts, np.flatnonzero(is_known[starts])).sum())
