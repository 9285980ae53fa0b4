"""Both releases of an analysis: their columns, rows that differ, and their numbers."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.known_protection.chances import (
    Room,
    Ways,
    face_value,
    merged,
    ways_of,
    weights_by,
)
from microleak.attacks.known_protection.definitions import fitted, likelihoods
from microleak.attacks.known_protection.section import KnownProtection
from microleak.base.arrays import Floats, Integers
from microleak.base.errors import TableError
from microleak.definitions.exact import first_places
from microleak.protection.methods import DataColumn, blocks_and_sizes, rounded_share
from microleak.records.memory import Memory

BYTES_A_WAY = 160  # What one way in which a row may be published needs


@dataclass(frozen=True)
class Releases:
    """Attributes of both releases."""

    before: Mapping[str, DataColumn]
    after: Mapping[str, DataColumn]
    analysis: KnownProtection
    memory: Memory

    @cached_property
    def most_ways(self) -> int:
        return int(self.memory.bytes_a_column / BYTES_A_WAY)

    @cached_property
    def n_records(self) -> int:
        return len(next(iter(self.before.values())).codes)

    @cached_property
    def n_protected(self) -> int:
        return len(next(iter(self.after.values())).codes)

    def rows(self, names: Sequence[str], but: str = "") -> Ways:
        """Return the rows of some attributes before, but one, published as they are."""
        kept = [n for n in self.analysis.recipe.needed(names) if n != but]
        place, sizes = blocks_and_sizes([self.before[name].codes for name in kept])
        first = first_places(place, len(sizes))
        columns = {
            name: DataColumn(self.before[name].values, self.before[name].codes[first])
            for name in kept
        }
        return Ways(np.arange(len(sizes)), columns, np.ones(len(sizes)), sizes)

    @property
    def room(self) -> Room:
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
        """Refuse a protected release that the steps cannot have made."""
        # How many records they leave is known, and of values that are not drawn anew,
        # but stay or move together, none is there more often than it was.
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


@dataclass(frozen=True)
class Beliefs:
    """What is believed by the QIDs of a target."""

    n_of_t: Integers  # Records before that have each t
    # Pairs of true QIDs and published ones that are in the protected release, with
    # their likelihood
    t: Integers
    z: Integers
    weight: Floats
    size: Integers  # Records of each z in the protected release
    place: Integers  # The z of each of its records
    is_sampled: bool  # Whether records were left out by a sample

    @cached_property
    def total(self) -> Floats:
        """Sum of all weights by t."""
        return self.there + self.absent

    @cached_property
    def there(self) -> Floats:
        """Sum of the weights of all protected records by t."""
        n = len(self.n_of_t)
        return weights_by(self.t, self.weight * self.size[self.z], n)

    @cached_property
    def absent(self) -> Floats:
        """The weight of not being there by t: what of those with t was not drawn."""
        if not self.is_sampled:
            return np.zeros(len(self.n_of_t))
        left: Floats = np.maximum(self.n_of_t.sum() - self.there, 0.0)
        return left

    def share(self, weights: Floats) -> Floats:
        """Return weights by t as beliefs; 0 where nothing is possible."""
        return weights / np.where(self.total > 0, self.total, 1.0)


def beliefs_by(
    releases: Releases, rows: Ways, true: tuple[Integers, Integers], qids: Sequence[str]
) -> tuple[Beliefs, Integers]:
    """Return beliefs, and the z that each t has at face value, -1 if there is none."""
    t, n_of_t = true
    names = [name for name in qids if name in releases.after]
    ways = releases.published(rows, names)
    n, m = releases.n_records, releases.n_protected
    taken = face_value(rows, releases.analysis.recipe)
    place, z, face_z = releases.numbered(names, ways, taken)
    n_z = 1 + max(int(each.max()) for each in (place, z, face_z))
    size = np.bincount(place, minlength=n_z)
    # Several rows may have one t, and several ways of theirs one z.
    both = t[ways.row] * n_z + z
    pair, where = np.unique(both, return_inverse=True)
    expected = weights_by(where, ways.expected, len(pair))
    of_t, of_z = pair // n_z, pair % n_z
    is_there = size[of_z] > 0
    if m == n and any(step.suppress for step in releases.analysis.steps):
        # Which cells were suppressed is not drawn: what is known are both sums.
        pairs = of_t[is_there], of_z[is_there]
        expected[is_there] = fitted(expected[is_there], *pairs, n_of_t, size)
        expected[~is_there] = 0.0
    weight = likelihoods(expected, of_t, of_z, n_of_t)
    is_there &= weight > 0
    face = np.full(len(n_of_t), -1)
    face[t] = np.where(size[face_z] > 0, face_z, -1)
    possible = of_t[is_there], of_z[is_there], weight[is_there]
    beliefs = Beliefs(n_of_t, *possible, size, place, is_sampled=m < n)
    is_made = np.zeros(n_z, dtype=bool)
    is_made[beliefs.z] = True
    releases.check_possible(int(size[~is_made].sum()))
    return beliefs, face


def mean(of_t: NDArray[Any], n_of_t: Integers) -> float:
    """Return the mean over all records of a number by t."""
    return float((of_t * n_of_t).sum() / n_of_t.sum())
