"""Both releases of an analysis: their columns, rows that differ, and their numbers."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from microleak.attacks.known_protection.analysis import KnownProtection
from microleak.attacks.known_protection.chances import (
    Room,
    Ways,
    face_value,
    merged,
    needed,
    ways_of,
)
from microleak.base.arrays import Integers
from microleak.base.errors import TableError
from microleak.definitions.exact import first_places
from microleak.protection.methods import DataColumn, blocks_and_sizes, rounded_share
from microleak.records.memory import Memory

BYTES_A_WAY = 160
"""What one way in which a row may be published needs."""


@dataclass(frozen=True)
class Releases:
    """Attributes of both releases."""

    before: Mapping[str, DataColumn]
    after: Mapping[str, DataColumn]
    analysis: KnownProtection
    memory: Memory

    @cached_property
    def most_ways(self) -> int:
        """Ways that may be held at once."""
        return int(self.memory.bytes_a_column / BYTES_A_WAY)

    @cached_property
    def n_records(self) -> int:
        """Records before."""
        return len(next(iter(self.before.values())).codes)

    @cached_property
    def n_protected(self) -> int:
        """Records after."""
        return len(next(iter(self.after.values())).codes)

    def rows(self, names: Sequence[str], but: str = "") -> Ways:
        """Return the rows of some attributes before, but one, published as they are."""
        kept = [n for n in needed(self.analysis.recipe, names) if n != but]
        place, sizes = blocks_and_sizes([self.before[name].codes for name in kept])
        first = first_places(place, len(sizes))
        columns = {
            name: DataColumn(self.before[name].values, self.before[name].codes[first])
            for name in kept
        }
        return Ways(np.arange(len(sizes)), columns, np.ones(len(sizes)), sizes)

    @property
    def room(self) -> Room:
        """How many ways may be held at once."""
        return Room(self.most_ways, self.memory.where)

    def published(self, rows: Ways, names: Sequence[str]) -> Ways:
        """Return the ways in which some attributes of rows may be published."""
        return merged(ways_of(rows, self.analysis.recipe, self.room), names)

    def numbered(self, names: Sequence[str], *others: Ways) -> list[Integers]:
        """Return numbers of the values of published records and of others, from 0."""
        lengths = [self.n_protected, *(len(each.row) for each in others)]
        codes = []
        for name in names:
            own = self.after[name]
            found = [codes_in(each.columns[name], own) for each in others]
            codes.append(np.concatenate([own.codes.astype(np.int64), *found]) + 1)
        number, _ = blocks_and_sizes(codes or [np.zeros(sum(lengths), dtype=np.int64)])
        return np.split(number, np.cumsum(lengths)[:-1])

    def check_made(self) -> None:
        """Refuse a protected release that the steps cannot have made.

        How many records they leave is known, and of values that are not drawn anew, but
        stay or move together, none is there more often than it was.
        """
        n, m = self.n_records, self.n_protected
        for step in self.analysis.steps:
            if step.sample is not None:
                n = rounded_share(Fraction(step.sample), n)
        if m != n:
            raise self._not_made(m, f", not {n:,}")
        for names in self._together:
            rows = self.rows(names)
            place, z = self.numbered(names, face_value(rows, self.analysis.recipe))
            n_z = 1 + max(int(place.max()), int(z.max()))
            before = np.bincount(z, rows.n_records, n_z).astype(np.int64)
            more = np.bincount(place, minlength=n_z) - before
            self.check_possible(int(more[more > 0].sum()))

    @property
    def _together(self) -> Iterable[Sequence[str]]:
        """Published attributes that stay, or move together, with their own values."""
        steps = self.analysis.steps
        found = defaultdict(list)
        for name in self.after:
            changing = {step.method for step in steps if name in step.changed}
            if not changing & {"randomise", "suppress"}:
                found[tuple(name in (step.swap or ()) for step in steps)].append(name)
        return found.values()

    def check_possible(self, n_others: int) -> None:
        """Refuse protected records that the steps cannot have made."""
        if n_others:
            raise self._not_made(n_others, " that they cannot make")

    def _not_made(self, n: int, what: str) -> TableError:
        said = "1 record" if n == 1 else f"{n:,} records"
        return TableError(
            f"{self.memory.where}: the protected release was not made of the one "
            f"before by these steps: it has {said}{what}. Give the release, the steps "
            "and the hierarchies that it was made by."
        )


def codes_in(column: DataColumn, other: DataColumn) -> Integers:
    """Return the codes that a column's values have in another one; -1 of no such."""
    code_of = {value: code for code, value in enumerate(other.values)}
    found = np.array([code_of.get(value, -1) for value in column.values])
    return found[column.codes]
