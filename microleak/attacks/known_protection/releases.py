"""Both releases of an analysis: their columns, rows that differ, and their numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod

import numpy as np

from microleak.attacks.known_protection.analysis import KnownProtection
from microleak.base.errors import TableError
from microleak.definitions.exact import firsts
from microleak.protection.chances import Room, Ways, merged, needed, ways_of
from microleak.protection.methods import Column, Numbers, blocks
from microleak.records.memory import Memory

BYTES_A_WAY = 160
"""What one way in which a row may be published needs."""


@dataclass(frozen=True)
class Releases:
    """Attributes of both releases."""

    before: Mapping[str, Column]
    after: Mapping[str, Column]
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
        place, sizes = blocks([self.before[name].codes for name in kept])
        first = firsts(place, len(sizes))
        columns = {
            name: Column(self.before[name].values, self.before[name].codes[first])
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

    def numbered(self, names: Sequence[str], *others: Ways) -> list[Numbers]:
        """Return numbers of the values of published records and of others, from 0."""
        lengths = [self.n_protected, *(len(each.row) for each in others)]
        codes = []
        for name in names:
            own = self.after[name]
            found = [codes_in(each.columns[name], own) for each in others]
            codes.append(np.concatenate([own.codes.astype(np.int64), *found]) + 1)
        number, _ = blocks(codes or [np.zeros(sum(lengths), dtype=np.int64)])
        return np.split(number, np.cumsum(lengths)[:-1])

    def check_made(self, n_others: int) -> None:
        """Refuse protected records that the steps cannot have made, or too many."""
        steps = self.analysis.steps
        rates = (Fraction(step.sample) for step in steps if step.sample)
        rate = prod(rates, start=Fraction(1))
        n, m = self.n_records, self.n_protected
        if n_others or abs(m - rate * n) > len(steps):
            raise TableError(
                f"{self.memory.where}: the protected release was not made of the one "
                "before by these steps: it has "
                + (
                    f"{n_others:,} records that they cannot make."
                    if n_others
                    else f"{m:,} records, not {int(rate * n):,}."
                )
                + " Give the release, the steps and the hierarchies that it was made "
                "by."
            )


def codes_in(column: Column, other: Column) -> Numbers:
    """Return the codes that a column's values have in another one; -1 of no such."""
    code_of = {value: code for code, value in enumerate(other.values)}
    found = np.array([code_of.get(value, -1) for value in column.values])
    return found[column.codes]
