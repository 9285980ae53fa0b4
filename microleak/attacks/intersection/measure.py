"""What independent releases leave possible, bucket by bucket of their QIDs."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import prod
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from microleak.attacks.intersection.section import Intersection
from microleak.base.arrays import BitWords, Floats, Integers
from microleak.base.machine import Resources
from microleak.base.progress import progress
from microleak.definitions.exact import SLACK, kind_sums, run_starts
from microleak.kernels.ordering import order_of
from microleak.kernels.spilled_rows import Buckets, Shelf, mixed_words
from microleak.records.alike import Coded, Word, coded_alike, partner_rows, word_of
from microleak.records.chunks import Given
from microleak.records.memory import Memory, full_disk_said
from microleak.records.subsets import which
from microleak.tables.rows import as_table
from microleak.tables.spec import tables_of

TABLES = tables_of("microleak.attacks.intersection")
WORD, CODE, DEPTH = np.dtype(np.uint64), np.dtype(np.uint32), np.dtype(np.uint16)
MOST_EXACT = 1 << 53  # Products of whole numbers up to which floats have them exactly

MOST_WAITING = 1 << 18
"""Rows of a bucket that wait until equal ones are added up, or as many as were kept if
these are more. A thread holds those that wait, with all sensitive attributes, a piece
of the shelf and, of each attribute, the rows that differ, however many have the same
values; while these are sorted and counted, of one attribute at a time, a copy."""


@dataclass(frozen=True)
class OwnTally:
    """What is counted of the focal records, with one release and with more."""

    n_possible: int = 0
    # Those of whose QIDs all releases, or the focal one alone, leave one value
    n_one: int = 0
    n_one_alone: int = 0
    # Sums over them of the belief in the best guess
    believed: float = 0.0
    believed_alone: float = 0.0
    n_in_all: int = 0  # Persons of all releases, by the identifier, and so the rest
    # Those of whose QIDs one value is left, and those who have it
    n_one_in_all: int = 0
    n_one_right: int = 0
    # Those who have the best guess
    right: Fraction = Fraction(0)
    right_alone: Fraction = Fraction(0)

    def __add__(self, other: "OwnTally") -> "OwnTally":
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return OwnTally(*(one + another for one, another in pairs))


def intersection_table(
    releases: Sequence[Given], analysis: Intersection, resources: Resources
) -> pd.DataFrame:
    # Rows are in the order of the sensitive attributes, and then of the number of
    # releases.
    memory = Memory(resources, f"analysis {analysis.name!r}")
    with full_disk_said(memory.where, resources.scratch):
        files = zip(analysis.releases, releases, strict=True)
        wanted = {name: (given, analysis.names) for name, given in files}
        coded, memory = coded_alike(wanted, memory)
        qids = word_of("qids", analysis.qids, coded[0], memory.where)
        depth = _depth(releases, coded[0].chunks.n_rows, analysis.person_id)
        buckets = Buckets.of(sum(each.chunks.n_rows for each in coded))
        types: list[np.dtype[Any]] = [WORD, DEPTH, *(CODE for _ in analysis.sensitive)]
        new_shelf = memory.new_shelf()
        shelves = [new_shelf(types) for _ in coded]
        with progress("sorting records by QIDs", len(coded)) as advance:
            for number, (each, shelf) in enumerate(zip(coded, shelves, strict=True)):
                persons = depth if not number else None
                _put(each, (qids, analysis.sensitive), persons, (buckets, shelf))
                advance(1)
        n_codes = [len(coded[0].values[name].values) for name in analysis.sensitive]
        found = [[OwnTally()] * len(coded) for _ in n_codes]
        with (
            progress("intersecting values", len(buckets)) as advance,
            ThreadPoolExecutor(memory.resources.threads) as pool,
        ):
            of_bucket = partial(_of_bucket, shelves, n_codes)
            for tallies in pool.map(of_bucket, range(len(buckets))):
                for place, of_attribute in enumerate(tallies):
                    both = zip(found[place], of_attribute, strict=True)
                    found[place] = [one + other for one, other in both]
                advance(1)
    n_records = coded[0].chunks.n_rows
    rows = _rows(found, n_records, analysis)
    return as_table(TABLES["intersection"], rows)


def _depth(
    releases: Sequence[Given], n_records: int, person_id: str | None
) -> NDArray[np.uint16]:
    """Return in how many of the first releases the person of each record is."""
    depth = np.ones(n_records, dtype=DEPTH)
    if person_id is not None:
        for number, given in enumerate(releases[1:], 1):
            rows = partner_rows(releases[0], given, person_id)
            is_there = np.zeros(n_records, dtype=np.bool_)
            is_there[rows[rows >= 0]] = True
            depth[is_there & (depth == number)] += 1
    return depth


def _put(
    coded: Coded,
    roles: tuple[Word, Sequence[str]],
    depth: NDArray[np.uint16] | None,
    out: tuple[Buckets, Shelf],
) -> None:
    """Put the records of a release on its shelf, by their QIDs."""
    qids, sensitive = roles
    buckets, shelf = out
    n_before = 0
    for each in coded.read([*qids.names, *sensitive]):
        known, values = each[: len(qids.names)], each[len(qids.names) :]
        word = mixed_words(qids.packed(known))
        rows = slice(n_before, n_before + len(word))
        n_before += len(word)
        persons = np.zeros(len(word), DEPTH) if depth is None else depth[rows]
        buckets.put(shelf, word, [word, persons, *(v.astype(CODE) for v in values)])


@dataclass(frozen=True)
class BucketRows:
    """Rows of a bucket that differ in QIDs, one sensitive attribute or depth, sorted.

    `n` has how many records are alike.
    """

    word: BitWords
    code: NDArray[np.uint32]
    depth: NDArray[np.uint16]
    n: Integers

    @classmethod
    def added(cls, parts: "Sequence[BucketRows]") -> "BucketRows":
        """Return rows of which equal ones are added up."""
        columns = zip(*(vars(rows).values() for rows in parts), strict=True)
        each = [np.concatenate(column) for column in columns]
        order = order_of(*each[:-1])
        word, code, depth, n = (column[order] for column in each)
        starts = _changes(word, code, depth)
        n = np.add.reduceat(n, starts) if len(n) else n
        return cls(word[starts], code[starts], depth[starts], n)


def _changes(*columns: NDArray[np.generic]) -> Integers:
    """Return where rows begin that differ from the one before in any column."""
    is_new = np.ones(len(columns[0]), dtype=np.bool_)
    is_new[1:] = np.any([each[1:] != each[:-1] for each in columns], axis=0)
    return np.flatnonzero(is_new)


def _taken(shelf: Shelf, number: int) -> list[list[BucketRows]]:
    """Take a bucket from a shelf: of each sensitive attribute parts to be added up."""
    empty = BucketRows(*(np.empty(0, kind) for kind in (WORD, CODE, DEPTH, np.int64)))
    held = [[empty] for _ in shelf.types[2:]]
    n_waiting, most = 0, MOST_WAITING
    for word, depth, *values in shelf.pieces(number):
        ones = np.ones(len(word), dtype=np.int64)
        for parts, code in zip(held, values, strict=True):
            parts.append(BucketRows(word, code, depth, ones))
        n_waiting += len(word)
        if n_waiting >= most:
            for parts in held:
                parts[:] = [BucketRows.added(parts)]
            n_waiting = 0
            most = max(MOST_WAITING, *(len(kept.n) for (kept,) in held))
    return held


def _of_bucket(
    shelves: Sequence[Shelf], n_codes: Sequence[int], number: int
) -> list[list[OwnTally]]:
    """Return what is counted of a bucket, of each attribute and number of releases."""
    taken = [_taken(shelf, number) for shelf in shelves]
    each = zip(n_codes, *taken, strict=True)
    return [
        list(_tallies(_cells([BucketRows.added(parts) for parts in releases], n)))
        for n, *releases in each
    ]


@dataclass(frozen=True)
class CandidateCells:
    """Values that the focal candidates have, by their QIDs."""

    block: Integers  # Number of the QIDs of each cell, ascending
    counts: Integers  # Candidates in each release, shape (n_releases, n_cells)
    persons: Integers


def _cells(releases: Sequence[BucketRows], n_codes: int) -> CandidateCells:
    focal, *others = releases
    starts = _changes(focal.word, focal.code)
    word = focal.word[starts]
    first = _changes(word)
    block = np.repeat(np.arange(len(first)), np.diff(first, append=len(word)))
    known, cells = word[first], block * n_codes + focal.code[starts]
    cell_of = np.repeat(np.arange(len(cells)), np.diff(starts, append=len(focal.n)))
    counts = np.zeros((len(releases), len(cells)), dtype=np.int64)
    persons = np.zeros_like(counts)
    counts[0] = kind_sums(cell_of, focal.n, len(cells))
    for place, other in enumerate(others, 1):
        their_block = np.searchsorted(known, other.word)
        is_there = their_block < len(known)
        is_there[is_there] = known[their_block[is_there]] == other.word[is_there]
        keys = their_block[is_there] * n_codes + other.code[is_there]
        cell = np.searchsorted(cells, keys)
        is_cell = cell < len(cells)
        is_cell[is_cell] = cells[cell[is_cell]] == keys[is_cell]
        n = other.n[is_there][is_cell]
        counts[place] = kind_sums(cell[is_cell], n, len(cells))
    for place in range(len(releases)):
        persons[place] = kind_sums(cell_of, focal.n * (focal.depth > place), len(cells))
    return CandidateCells(block, counts, persons)


def _tallies(cells: CandidateCells) -> Iterator[OwnTally]:
    """Yield what is counted with the first release, the first two, and so on."""
    alone = cells.counts[0].astype(np.float64)
    for n_releases, persons in enumerate(cells.persons, 1):
        some = replace(cells, counts=cells.counts[:n_releases])
        # Ascending, as the rounding of products depends on the order of factors.
        ways = np.sort(cells.counts[:n_releases], axis=0).prod(axis=0, dtype=np.float64)
        yield _tally(some, (alone, ways), persons)


def _tally(
    cells: CandidateCells, weights: tuple[Floats, Floats], persons: Integers
) -> OwnTally:
    """Return what is counted with some of the releases, by the weights of values."""
    block, own = cells.block, cells.counts[0]
    if not len(block):
        return OwnTally()
    alone, ways = weights
    starts = run_starts(block)
    is_left = ways > 0
    n_left = np.add.reduceat(is_left.astype(np.int64), starts)
    n_alone = np.bincount(block)
    n_possible = np.add.reduceat(own * is_left, starts)
    in_all = np.add.reduceat(persons, starts)
    guess = np.where((n_left > 0)[block], ways, alone)
    return OwnTally(
        n_possible=int(n_possible.sum()),
        n_one=int(n_possible[n_left == 1].sum()),
        n_one_alone=int(n_possible[n_alone == 1].sum()),
        believed=_believed(n_possible, ways, starts),
        believed_alone=_believed(n_possible, alone, starts),
        n_in_all=int(in_all.sum()),
        n_one_in_all=int(in_all[n_left == 1].sum()),
        n_one_right=int(persons[is_left & (n_left == 1)[block]].sum()),
        right=_right(persons, _best(guess, cells, starts), starts),
        right_alone=_right(persons, _best(alone, cells, starts), starts),
    )


def _believed(n_possible: Integers, weights: Floats, starts: Integers) -> float:
    """Return the sum over records of the share of the largest weight."""
    total = np.add.reduceat(weights, starts)
    most = np.maximum.reduceat(weights, starts)
    return float((n_possible * (most / np.maximum(total, 1))).sum())


def _best(
    weights: Floats, cells: CandidateCells, starts: Integers
) -> NDArray[np.bool_]:
    """Return the values with most weight in each block; products of counts, exactly."""
    most = np.maximum.reduceat(weights, starts)[cells.block]
    is_best = weights >= np.where(most > MOST_EXACT, most * (1 - SLACK), most)
    close = np.flatnonzero(is_best & (most > MOST_EXACT))
    if len(close):
        exact = np.array([*map(prod, cells.counts[:, close].T.tolist())], dtype=object)
        runs = run_starts(cells.block[close])
        largest = np.maximum.reduceat(exact, runs)
        is_best[close] = exact == np.repeat(largest, np.diff(runs, append=len(close)))
    return is_best


def _right(persons: Integers, is_best: NDArray[np.bool_], starts: Integers) -> Fraction:
    """Return how many persons have the value of most weight, in shares where tied."""
    n_best = np.add.reduceat(is_best.astype(np.int64), starts)
    right = np.bincount(n_best, np.add.reduceat(persons * is_best, starts))
    tied = np.flatnonzero(right).tolist()
    return sum((Fraction(int(right[n]), n) for n in tied), Fraction(0))


def _rows(
    found: Sequence[Sequence[OwnTally]], n_records: int, analysis: Intersection
) -> Iterator[dict[str, Any]]:
    for sensitive, tallies in zip(analysis.sensitive, found, strict=True):
        for n_releases, tally in enumerate(tallies, 1):
            n = tally.n_possible
            yield {
                **which(analysis, analysis.qids),
                "auxiliary": "|".join(analysis.others[: n_releases - 1]),
                "sensitive": sensitive,
                "n_releases": n_releases,
                "n_records": n_records,
                "n_possible": n,
                "posterior_det_single": _share(tally.n_one_alone, n),
                "posterior_det": _share(tally.n_one, n),
                "posterior_prob_single": _share(tally.believed_alone, n),
                "posterior_prob": _share(tally.believed, n),
                **_truth(tally, analysis),
            }


def _truth(tally: OwnTally, analysis: Intersection) -> dict[str, Any]:
    """Return how often it is right, where an identifier says it."""
    shares = {
        "claimed": _share(tally.n_one_in_all, tally.n_in_all),
        "claims_that_hold": _share(tally.n_one_right, tally.n_one_in_all),
        "right_single": _share(tally.right_alone, tally.n_in_all),
        "right": _share(tally.right, tally.n_in_all),
    }
    found: dict[str, Any] = {"n_in_all": tally.n_in_all, **shares}
    return found if analysis.person_id is not None else dict.fromkeys(found)


def _share(part: float | Fraction, n: int) -> float | None:
    return float(part / n) if n else None
