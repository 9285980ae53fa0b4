"""Least and largest population of sampled cells, where tables cross parts of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from math import prod
from typing import Final

import numpy as np

from microleak.attacks.anonymity.definitions.cells import numbered
from microleak.base.arrays import Integers
from microleak.count_tables.bounds import (
    LARGEST,
    LEAST,
    Programs,
    bound_of,
    put_together,
    some_databases,
)
from microleak.count_tables.contradiction import UNBOUNDED, System
from microleak.definitions.exact import kind_sums

MOST_WORK: Final = 1 << 22
"""Cells of a region's joint table times sampled ones, up to which there are programs;
above, simple bounds are all that is told, so that they end."""


@dataclass(frozen=True)
class CellCounts:
    """Counts of cells by some of the attributes."""

    places: tuple[int, ...]  # Which attributes, ascending
    codes: Integers  # Their values, shape (n_cells, n_places); each row once
    counts: Integers  # Of each cell, or at least so many
    most: Integers | None = None  # At most so many, or `UNBOUNDED`; none if counts are
    is_whole: bool = True  # Whether cells that it does not have are empty

    @property
    def high(self) -> Integers:
        """Largest count of each cell."""
        return self.counts if self.most is None else self.most

    @property
    def is_exact(self) -> bool:
        """Whether it says of each cell how many there are."""
        return self.most is None and self.is_whole

    def of_rows(self, rows: Integers) -> "CellCounts":
        """Return some of its cells."""
        most = None if self.most is None else self.most[rows]
        codes, counts = self.codes[rows], self.counts[rows]
        return replace(self, codes=codes, counts=counts, most=most)

    def within(self, places: Sequence[int]) -> "CellCounts | None":
        """Return what it says by those of some places that it has, if any.

        In what is returned these have the numbers of their order among the places.
        """
        kept = [place for place in self.places if place in places]
        if not kept:
            return None
        codes = self.codes[:, [*map(self.places.index, kept)]]
        each, counts = summed(codes, self.counts)
        most = None
        if self.most is not None or not self.is_whole:
            is_open = summed(codes, self.high == UNBOUNDED)[1] > 0
            listed = summed(codes, np.where(self.high == UNBOUNDED, 0, self.high))[1]
            is_open |= not self.is_whole and len(kept) < len(self.places)
            most = np.where(is_open, UNBOUNDED, listed)
        new = tuple(map(places.index, kept))
        return CellCounts(new, each, counts, most, self.is_whole)


def persons_of(table: CellCounts, codes: Integers) -> Integers:
    """Return the largest counts that a table has of some cells."""
    number = numbered(np.concatenate([table.codes, codes]))
    other = 0 if table.is_whole else UNBOUNDED
    found = np.full(int(number.max()) + 1, other, dtype=np.int64)
    found[number[: len(table.codes)]] = table.high
    return found[number[len(table.codes) :]]


class CountsContradictError(Exception):
    """No population has all counts and the sample."""


def summed(codes: Integers, counts: Integers) -> tuple[Integers, Integers]:
    """Return cells each once, in the order of their codes, with the sums of counts."""
    number = numbered(codes)
    first = np.unique(number, return_index=True)[1]
    return codes[first], kind_sums(number, counts, len(first))


def population_bounds(
    sample: CellCounts, tables: Sequence[CellCounts]
) -> tuple[Integers, Integers]:
    """Return the least and the largest number of persons of each sampled cell.

    Parameters
    ----------
    sample
        Records by all attributes.
    tables
        Persons by some of the attributes each: at least one table, and each has room
        for the sample's records.

    Raises
    ------
    CountsContradictError
        No population has all of these counts, and the sample.
    """
    least, most = sample.counts.copy(), np.full(len(sample.counts), UNBOUNDED)
    for table in tables:
        np.minimum(most, _caps(sample, table), out=most)
    for rows, of_region in _regions(sample, tables):
        problem = _problem(sample.of_rows(rows), of_region)
        if problem is not None:
            low, high = _solved(*problem)
            least[rows] = np.maximum(least[rows], low)
            most[rows] = np.minimum(most[rows], high)
    return least, most


def _caps(sample: CellCounts, table: CellCounts) -> Integers:
    """Return what a table leaves of its cell for each sampled one: not the others'."""
    own = sample.codes[:, table.places]
    number = numbered(own)
    records = kind_sums(number, sample.counts, int(number.max()) + 1)
    persons = persons_of(table, own)
    left = persons - (records[number] - sample.counts)
    return np.where(persons == UNBOUNDED, UNBOUNDED, left)


def _regions(
    sample: CellCounts, tables: Sequence[CellCounts]
) -> Iterator[tuple[Integers, list[CellCounts]]]:
    """Yield sampled cells that agree on what all tables have, with their tables."""
    # By the attribute of most values, so that each region is a program of its own.
    common = set.intersection(*({*table.places} for table in tables))
    if not common:
        yield np.arange(len(sample.counts)), [*tables]
        return
    by = max(sorted(common), key=lambda place: len(np.unique(sample.codes[:, place])))
    for code in np.unique(sample.codes[:, by]).tolist():
        of_region = [
            each.of_rows(np.flatnonzero(each.codes[:, each.places.index(by)] == code))
            for each in tables
        ]
        yield np.flatnonzero(sample.codes[:, by] == code), of_region


def _problem(
    sample: CellCounts, tables: Sequence[CellCounts]
) -> tuple[System, Integers] | None:
    """Return what all say of a region's joint cells, and the sampled ones; or none."""
    values = [_values_at(place, sample, tables) for place in sample.places]
    cells = np.arange(prod(map(len, values))).reshape([*map(len, values)])
    if cells.size * len(sample.counts) > MOST_WORK:
        return None
    rows, low, high = [], [], []
    for table in tables:
        least, most = _dense(table, values)
        others = [p for p in sample.places if p not in table.places]
        joint = cells.transpose(*table.places, *others).reshape(least.size, -1)
        rows += [*joint]
        low.append(least.ravel())
        high.append(most.ravel())
    pairs = zip(values, sample.codes.T, strict=True)
    sampled = cells[tuple(np.searchsorted(each, column) for each, column in pairs)]
    rows += [*sampled.reshape(-1, 1)]
    low.append(sample.counts)
    high.append(np.full(len(sampled), UNBOUNDED))
    system = System(
        cells.size,
        np.append(0, np.cumsum([len(row) for row in rows])),
        np.concatenate(rows),
        np.concatenate(low),
        np.concatenate(high),
    )
    return system, sampled


def _values_at(
    place: int, sample: CellCounts, tables: Sequence[CellCounts]
) -> Integers:
    """Return the values that somebody in a region can have, ascending."""
    whole = [t for t in tables if place in t.places and t.is_whole]
    if whole:
        own = (np.unique(t.codes[:, t.places.index(place)]) for t in whole)
        return reduce(np.intersect1d, own)
    # Whoever has another value, which no table rules out, has one value more.
    each = np.unique(sample.codes[:, place])
    return np.append(each, each[-1] + 1)


def _dense(table: CellCounts, values: Sequence[Integers]) -> tuple[Integers, Integers]:
    """Return the least and largest counts of all cells that values of a table make."""
    own = [values[place] for place in table.places]
    least, most = np.zeros((2, *map(len, own)), dtype=np.int64)
    most += 0 if table.is_whole else UNBOUNDED
    is_known = np.all(
        [np.isin(c, each) for c, each in zip(table.codes.T, own, strict=True)], axis=0
    )
    known = table.of_rows(np.flatnonzero(is_known))
    pairs = zip(own, known.codes.T, strict=True)
    at = tuple(np.searchsorted(each, column) for each, column in pairs)
    least[at], most[at] = known.counts, known.high
    return least, most


def _solved(system: System, sampled: Integers) -> tuple[Integers, Integers]:
    """Return what programs prove of the sampled cells, in their order."""
    least = np.zeros(system.n_cells, dtype=np.int64)
    most = np.full(system.n_cells, UNBOUNDED)
    empty = np.flatnonzero(system.high == 0)
    is_open = np.ones(system.n_cells, dtype=bool)
    is_open[system.of_rows(empty).cells] = False
    unknown = np.full(system.n_rows, np.nan)
    if not is_open[sampled].all():
        raise CountsContradictError
    is_sampled = np.zeros(system.n_cells, dtype=bool)
    is_sampled[sampled] = True
    for rows, of_part in put_together(system.parts(is_open)):
        programs = Programs(system, np.union1d(rows, empty), of_part)
        found = some_databases(programs, unknown)
        if not found.databases and programs.refute({}):
            raise CountsContradictError
        for cell in programs.open[is_sampled[programs.open]].tolist():
            low = bound_of(programs, found, cell, LEAST).value
            high = bound_of(programs, found, cell, LARGEST).value
            least[cell] = low or 0
            most[cell] = UNBOUNDED if high is None else high
    return least[sampled], most[sampled]
