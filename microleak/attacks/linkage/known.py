"""What is found by QIDs of both releases: one release, links, or an identifier.

QIDs of either release are one number, so what is known are two; a missing auxiliary
record has that of missing values.
"""

from collections.abc import Sequence

import numpy as np

from microleak.attacks.linkage.blocks import WORD, Bucket, is_new
from microleak.attacks.linkage.kernels.panels import (
    GuessedTogether,
    Panels,
    best_in_groups,
    spread,
)
from microleak.base.arrays import BitWords, Floats, Integers
from microleak.kernels.ordering import order_of
from microleak.kernels.spilled_rows import (
    Arrays,
    Buckets,
    Shelf,
    joined_rows,
    mixed_words,
)

LINKED = [WORD, WORD, np.dtype(np.int64), np.dtype(np.float64)]
"""Types of what `put_linked` puts."""


def classes_of(bucket: Bucket, attack: int) -> GuessedTogether:
    """Return the classes of an attack: 0 re-identifies, others infer."""
    focal = bucket.focal
    # Records that are alike are as likely, so a guess of a record is one of a row.
    value = focal.row if not attack else focal.sensitive[attack - 1].astype(np.int64)
    group = bucket.group[focal.block]
    order = order_of(group, focal.qids, value, focal.row)
    group, qids = group[order], focal.qids[order]
    value, row = value[order], focal.row[order]
    n = len(order)
    is_known = is_new(group, qids)
    is_guess = is_known | is_new(value)
    starts = np.flatnonzero(is_guess | is_new(row))
    weight = np.diff(starts, append=n) if attack else np.ones(len(starts))
    return GuessedTogether(
        row[starts],
        focal.block[order[starts]],
        np.append(np.flatnonzero(is_known[starts]), len(starts)),
        np.append(np.flatnonzero(is_guess[starts]), len(starts)),
        weight.astype(np.float64),
        qids[starts],
        value[starts],
    )


def panels_of(bucket: Bucket) -> Panels:
    """Return what auxiliary records of each group say, missing ones first."""
    block, row, qids = bucket.block_of_entry, bucket.entry_row, bucket.entry_qids
    group = bucket.group[block]
    order = order_of(group, qids)
    is_first = is_new(group[order], qids[order]) & (qids[order] > 0)
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.cumsum(is_first)
    n_groups = int(bucket.group.max(initial=-1)) + 1
    n_each = 1 + np.bincount(group[order[is_first]], minlength=n_groups)
    first_qids = np.concatenate([[0], np.cumsum(n_each)])
    place = number + group - first_qids[group]
    each_qids = np.zeros(first_qids[-1], dtype=np.uint64)
    each_qids[first_qids[group] + place] = qids
    return Panels(
        np.searchsorted(block, np.arange(len(bucket.group) + 1)),
        row,
        place,
        bucket.n_entry,
        bucket.group,
        first_qids,
        each_qids,
    )


def linked_in_groups(bucket: Bucket, chances: Floats, n_attacks: int) -> Floats:
    """Return the records guessed right by links, where QIDs tell the groups apart."""
    panels = panels_of(bucket)
    found = np.zeros(n_attacks)
    for attack in range(n_attacks):
        classes = classes_of(bucket, attack)
        found[attack] = best_in_groups(bucket.blocks, chances, panels, classes)
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
        buckets.put(shelf, mixed_words(qids), columns)


def linked_on(shelf: Shelf, number: int, attack: int) -> float:
    """Return the records guessed right of those put under a number."""
    qids, others, value, chance = joined_rows(list(shelf.pieces(number)), shelf.types)
    order = np.lexsort((chance, value, others, qids))
    is_known = is_new(qids[order], others[order])
    chance = chance[order]
    if attack:
        starts = np.flatnonzero(is_known | is_new(value[order]))
        chance = np.add.reduceat(chance, starts) if len(starts) else chance
        is_known = is_known[starts]
    best = (
        np.maximum.reduceat(chance, np.flatnonzero(is_known)) if len(chance) else chance
    )
    return float(best.sum())


def guessed_alone(bucket: Bucket, panel: BitWords) -> Integers:
    """Return the records guessed right without links, where QIDs tell the groups apart.

    By the focal QIDs and by those of both releases, of each attack, shape (2, n).
    """
    focal = bucket.focal
    return _modal(focal.qids, _panels(bucket, panel), focal.sensitive)


def put_alone(bucket: Bucket, panel: BitWords, buckets: Buckets, shelf: Shelf) -> None:
    """Put on a shelf what `guessed_alone` counts, of groups that may share QIDs."""
    focal = bucket.focal
    known = [focal.qids, _panels(bucket, panel)]
    buckets.put(shelf, mixed_words(focal.qids), [*known, *focal.sensitive])


def alone_on(shelf: Shelf, number: int) -> Integers:
    """Return what `guessed_alone` does, of the records put under a number."""
    qids, panels, *values = joined_rows(list(shelf.pieces(number)), shelf.types)
    return _modal(qids, panels, values)


def _panels(bucket: Bucket, panel: BitWords) -> BitWords:
    """Return the auxiliary QIDs of focal records, those of missing values without."""
    person = bucket.focal.person
    return np.where(person >= 0, panel[person], np.uint64(0))


def _modal(qids: BitWords, panels: BitWords, values: Arrays) -> Integers:
    """Return how many blocks there are, and the sums of modal counts."""
    found = np.zeros((2, 1 + len(values)), dtype=np.int64)
    if not len(qids):
        return found
    order = order_of(qids, panels)
    qids, panels = qids[order], panels[order]
    found[0, 0] = is_new(qids).sum()
    found[1, 0] = is_new(qids, panels).sum()
    for attack, column in enumerate(values, start=1):
        for place, known in enumerate(([qids], [qids, panels])):
            value = column[order]
            by_value = order_of(*known, value)
            is_known = is_new(*(each[by_value] for each in known))
            starts = np.flatnonzero(is_known | is_new(value[by_value]))
            counts = np.diff(starts, append=len(order))
            firsts = np.flatnonzero(is_known[starts])
            found[place, attack] = np.maximum.reduceat(counts, firsts).sum()
    return found
