"""Bounds of cells of a connected part of a joint table, with their proofs."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from microleak.base.arrays import Integers
from microleak.count_tables.contradiction import Proof
from microleak.count_tables.programs import LARGEST, LEAST, Programs, beyond_range

MOST_SEARCHES: Final = 200
"""Searches for a database of whole numbers in a region, so that it ends."""

LEAST_CELLS: Final = 100
"""Cells of programs, at least: smaller parts of a region are put together."""

UNKNOWN: Final = -1
"""The database that takes a bound, where none was found."""


@dataclass(frozen=True)
class Bound:
    """Least or largest count of a cell."""

    value: int | None  # The count
    proof: Proof | None  # That no database has fewer, or more
    database: int


def put_together(
    parts: Iterable[tuple[Integers, Integers]],
) -> Iterator[tuple[Integers, Integers]]:
    """Yield rows and cells of parts, small ones together, as each has its programs."""
    kept: list[tuple[Integers, Integers]] = []
    for part in parts:
        kept.append(part)
        if sum(len(cells) for _, cells in kept) >= LEAST_CELLS:
            yield _sorted(kept)
            kept = []
    if kept:
        yield _sorted(kept)


def _sorted(parts: Sequence[tuple[Integers, Integers]]) -> tuple[Integers, Integers]:
    rows, cells = (np.sort(np.concatenate(each)) for each in zip(*parts, strict=True))
    return rows, cells


@dataclass
class DatabasesFound:
    """Databases that fit, found so far, and searches that may still be made."""

    databases: list[Integers]
    n_left: int = MOST_SEARCHES

    def taking(self, cell: int, count: int, new: Integers | None) -> int:
        """Return the first with a count of a cell, or the new one, or `UNKNOWN`."""
        for place, each in enumerate(self.databases):
            if each[cell] == count:
                return place
        if new is None or new[cell] != count:
            return UNKNOWN
        self.databases.append(new)
        return len(self.databases) - 1


def bound_of(programs: Programs, found: DatabasesFound, cell: int, sign: int) -> Bound:
    """Return the least or largest count of a cell, as far as it is proved."""
    if sign == LARGEST and not programs.is_bounded(cell):
        return Bound(None, None, 0 if found.databases else UNKNOWN)
    value, proof = _single(programs, cell, sign)
    taking = found.taking(cell, value, None)
    if taking != UNKNOWN:
        return Bound(value, proof, taking)
    value, proof, database = programs.bound(cell, sign) or (value, proof, None)
    taking = found.taking(cell, value, database)
    while taking == UNKNOWN and found.n_left:
        found.n_left -= 1
        database = programs.database({cell: (value, value)})
        taking = found.taking(cell, value, database)
        if taking == UNKNOWN:
            better = programs.refute({cell: beyond_range(value + sign, sign)})
            if better is None:
                break
            value, proof = value + sign, better
            taking = found.taking(cell, value, None)
    return Bound(value, None if sign == LEAST and value <= 0 else proof, taking)


def some_databases(
    programs: Programs, published: NDArray[np.float64]
) -> DatabasesFound:
    """Return databases that fit, near to what was published or with large counts."""
    is_known = not np.isnan(published).all()
    first = programs.nearest(published) if is_known else None
    first = programs.database({}) if first is None else first
    if first is None:
        return DatabasesFound([])
    found, n_missed = DatabasesFound([first]), 0
    # Largest counts that single rows allow, in as many cells as a program comes to, so
    # that few cells need programs of their own.
    left = (programs.caps > 0) & (first != programs.caps)
    while left.any() and n_missed < len(found.databases):
        cell = int(left.argmax())
        new = programs.most(left, cell)
        if new is None or new[cell] != programs.caps[cell]:
            left[cell] = False
            n_missed += 1
        if new is not None and (left & (new == programs.caps)).any():
            found.databases.append(new)
            left &= new != programs.caps
    return found


def _single(programs: Programs, cell: int, sign: int) -> tuple[int, Proof | None]:
    return programs.floor(cell) if sign == LEAST else programs.cap(cell)
