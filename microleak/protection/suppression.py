"""Local suppression: as few cells as can be found become missing for a target."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from microleak.base.arrays import Codes, Integers
from microleak.definitions.exact import kind_sums
from microleak.protection.fewest_cells import at_least, fewest_cells
from microleak.protection.methods import count_codes
from microleak.protection.mixing import mixed_pieces
from microleak.protection.rows import BlockTarget, Groups, Rows, grouped_rows, rows_of
from microleak.protection.search import (
    Alone,
    Pieces,
    alone_with_values,
    lost_alone,
    sums_so_far,
)
from microleak.protection.settling import settled_pieces


@dataclass(frozen=True)
class Suppression:
    """Columns in which each block by all of them meets a target."""

    codes: list[Codes]  # The columns, each of shape (n_records,)
    n_cells: int  # How many cells became missing
    at_least: int  # How many must in every solution, as far as could be shown


def suppressed_columns(
    codes: Sequence[Codes], target: BlockTarget, values: Sequence[Codes] = ()
) -> Suppression:
    """Return columns in which each block by all of them meets a target.

    Cells become missing, code 0, which forms blocks as any other value does; as few as
    a search finds (`settling`, `mixing`), and no more than need be in small tables
    (`fewest_cells`). Of records that are alike the first ones lose most cells. Where
    all records are exempt from the target, no cell does; else, where there are fewer
    records than k, all cells. The order of the columns makes no difference, unless two
    have as many records of each code. Records that are exempt lose no cells.

    >>> sex = np.array([1, 1, 1, 2, 2, 2], np.uint8)
    >>> age = np.array([1, 2, 3, 4, 4, 4], np.uint8)
    >>> found = suppressed_columns([sex, age], BlockTarget(k=3))
    >>> [column.tolist() for column in found.codes]
    [[1, 1, 1, 2, 2, 2], [0, 0, 0, 4, 4, 4]]
    >>> found.n_cells, found.at_least
    (3, 3)

    One of the first three may stay alone:

    >>> found = suppressed_columns([sex, age], BlockTarget(k=2, n_exempt=1))
    >>> [column.tolist() for column in found.codes]
    [[1, 1, 1, 2, 2, 2], [1, 0, 0, 4, 4, 4]]
    """
    if target.n_exempt >= len(codes[0]):
        return Suppression([*codes], 0, 0)
    known = [i for i, column in enumerate(codes) if column.any()]
    order = sorted(known, key=lambda i: _by_values(codes[i])) or [*range(len(codes))]
    found = _suppressed_in_order([codes[i] for i in order], target, values)
    columns = [*codes]
    for i, column in zip(order, found.codes, strict=True):
        columns[i] = column
    return replace(found, codes=columns)


def suppression_by_sets(
    codes: Sequence[Codes], sets: Sequence[Sequence[int]], target: BlockTarget
) -> Suppression:
    """Return columns in which the blocks by each of several sets have k records.

    Cells are suppressed for one set after the other, again and again, until no set
    needs any more: what is missing stays missing, so that this comes to an end. Each
    set is the first one once, and all columns are tried as one set, too; of these ways
    the first that takes fewest cells is taken. Every solution takes as many cells as a
    set alone does, and as sets together that have no column in common.
    """
    alone = [suppressed_columns([codes[i] for i in each], target) for each in sets]
    every = suppressed_columns(codes, target)
    ways = [
        _in_turn(codes, [*sets[at:], *sets[:at]], first, target)
        for at, first in enumerate(alone)
    ]
    columns = min([*ways, every.codes], key=lambda way: _n_missing(way, codes))
    bounds = sorted(
        zip(alone, map(set, sets), strict=True), key=lambda b: -b[0].at_least
    )
    bound, used = 0, set[int]()
    for found, own in bounds:
        if used.isdisjoint(own):
            bound, used = bound + found.at_least, used | own
    return Suppression([*columns], _n_missing(columns, codes), bound)


def _in_turn(
    codes: Sequence[Codes],
    sets: Sequence[Sequence[int]],
    first: Suppression,
    target: BlockTarget,
) -> list[Codes]:
    columns, found, n_kept, at = [*codes], first, 1, 0
    while True:
        for i, column in zip(sets[at], found.codes, strict=True):
            columns[i] = column
        if n_kept == len(sets):
            return columns
        at = (at + 1) % len(sets)
        found = suppressed_columns([columns[i] for i in sets[at]], target)
        n_kept = 1 if found.n_cells else n_kept + 1


def _n_missing(columns: Sequence[Codes], before: Sequence[Codes]) -> int:
    pairs = zip(columns, before, strict=True)
    return sum(int(np.count_nonzero(new != old)) for new, old in pairs)


def _by_values(column: Codes) -> tuple[int, ...]:
    """Return how many values a column has, and how many records each: fewest first."""
    of_code = count_codes(column, int(column.max()) + 1)
    return int(np.count_nonzero(of_code)), *of_code.tolist()


def _suppressed_in_order(
    codes: Sequence[Codes], target: BlockTarget, values: Sequence[Codes]
) -> Suppression:
    rows, ids = rows_of(codes, values)
    if len(ids) < target.k:
        n_cells = int((rows.n_known * rows.counts).sum())
        return Suppression([np.zeros_like(c) for c in codes], n_cells, n_cells)
    lost = _loss_alone(rows, target)
    pieces = _searched_pieces(rows, target, lost)
    if target.n_exempt:
        pieces = _with_exempt(rows, target, pieces)
    better, bound = fewest_cells(rows, target)
    if better is None:
        bound = max(bound, at_least(rows, target, pieces, lost.n_lost))
    elif better.n_cells(rows) < pieces.n_cells(rows):
        pieces = better
    return Suppression(
        _applied_pieces(codes, ids, rows, pieces), pieces.n_cells(rows), bound
    )


def _loss_alone(rows: Rows, target: BlockTarget) -> Alone:
    if target.l > 1:
        return alone_with_values(rows, target.l)
    return lost_alone(rows, target.k)


def _searched_pieces(rows: Rows, target: BlockTarget, lost: Alone) -> Pieces:
    if target.l > 1:
        return mixed_pieces(rows, target.l, lost)
    return settled_pieces(rows, target.k, lost)


def _with_exempt(rows: Rows, target: BlockTarget, pieces: Pieces) -> Pieces:
    """Return a solution in which some are exempt, or without any if it is better."""
    # Those exempt stay as they are, and all others are suppressed once more.
    n = _exempt_records(rows, target, pieces)
    stay, left = np.flatnonzero(n), np.flatnonzero(rows.counts > n)
    found = Pieces(stay, rows.known[stay], n[stay])
    if len(left):
        others = rows.of(left, rows.counts[left] - n[left])
        one = Groups(np.zeros(len(left), dtype=np.int64), 1)
        if not target.is_met(one, others.counts, others.values).all():
            return pieces
        own = _searched_pieces(others, target, _loss_alone(others, target))
        own = replace(own, rows=left[own.rows])
        found = Pieces(*map(np.append, vars(found).values(), vars(own).values()))
    return min(found, pieces, key=lambda each: each.n_cells(rows))


def _exempt_records(rows: Rows, target: BlockTarget, pieces: Pieces) -> Integers:
    """Return how many records of each row stay, by a solution in which none does."""
    # Who loses most cells in it, of several those whose block then need not be.
    n_lost = pieces.n_lost(rows)
    block = grouped_rows(rows.patterns(pieces.rows, pieces.kept))
    n = np.where(target.is_met_by(rows)[pieces.rows], 0, pieces.n)
    saved = block.sums(n_lost * pieces.n) / np.maximum(block.sums(n), 1)
    order = np.lexsort((block.each, -saved[block.each], -n_lost))
    n_before = np.cumsum(n[order]) - n[order]
    taken = np.clip(target.n_exempt - n_before, 0, n[order])
    return kind_sums(pieces.rows[order], taken, len(rows.counts))


def _applied_pieces(
    codes: Sequence[Codes], ids: Integers, rows: Rows, pieces: Pieces
) -> list[Codes]:
    order = np.lexsort((pieces.kept, -pieces.n_lost(rows), pieces.rows))
    of_row, kept, n = pieces.rows[order], pieces.kept[order], pieces.n[order]
    first = np.searchsorted(of_row, np.arange(len(rows.counts)))
    place = first[ids]
    is_split = np.bincount(of_row, minlength=len(rows.counts)) > 1
    records = np.flatnonzero(is_split[ids])
    records = records[np.argsort(ids[records], kind="stable")]
    own = ids[records]
    number = sums_so_far(np.ones_like(own), own) - 1
    # Pieces of all rows in one line: a record's is found by its place in it.
    ends = np.cumsum(n)
    begin = (ends - n)[first[own]]
    place[records] = np.searchsorted(ends, begin + number, side="right")
    found = []
    for i, column in enumerate(codes):
        is_kept = (kept >> np.uint64(i) & np.uint64(1)).astype(bool)
        found.append(np.where(is_kept[place], column, column.dtype.type(0)))
    return found
