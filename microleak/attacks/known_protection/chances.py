"""In which ways records may be published, and with which chances: steps without a seed.

Someone who knows a recipe, and not the seed, knows this much of what it did.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

from microleak.base.arrays import Floats, Integers
from microleak.base.errors import TableError
from microleak.definitions.exact import SLACK, first_places, repeated_places, values_at
from microleak.protection.methods import (
    DataColumn,
    blocks_and_sizes,
    column_of,
    rounded_share,
)
from microleak.protection.steps import KeptRecords, after_step
from microleak.records.coding import missing_first
from microleak.study_file.protections import RandomiseSection, Recipe, StepSection

NEGLIGIBLE = 1e-20
"""Share of the likeliest number below which others add nothing to a sum of floats."""

MOST_SAMPLED = 2_000
"""Records of a group up to which each number of them in a sample is weighed; of larger
ones their mean is."""

PairChances = tuple[float, float, float]
"""Of two records that are both alone by the target; of one that is and one that is not;
and of two that are not."""


@dataclass(frozen=True)
class SwapDrawing:
    """How many records are chosen."""

    n_before: int
    n_records: int  # Records among which is chosen
    n_alone: int  # Those of them that nobody is like by the target
    n_chosen: int  # Records that are chosen

    def chances(self, size: int, n_alone: int) -> PairChances:
        """Return the chances of two records of a group to be a pair.

        Two of four are chosen, and nobody is alone: each of three is as likely.

        >>> SwapDrawing(4, 4, 0, 2).chances(4, 0)[2] * 6
        1.0
        """
        if self.n_before == self.n_records:
            return self._of_all(size, n_alone)
        if self.n_records < 2:
            return 0.0, 0.0, 0.0
        both = (self.n_records - 1) / (self.n_before - 1)
        others = self.n_before - 2, size - 2, self.n_records - 2
        if size > MOST_SAMPLED:
            mean = round(others[1] * others[2] / max(others[0], 1))
            return 0.0, 0.0, both * self._of_all(2 + mean, 0)[2]
        found = sum(p * self._of_all(2 + k, 0)[2] for k, p in drawn(*others))
        return 0.0, 0.0, both * found

    def _of_all(self, size: int, n_alone: int) -> PairChances:
        others = size - n_alone
        alike = mixed = apart = 0.0
        for (a, o), p in self._chosen(size, n_alone):
            c = a + o
            within = p / (c if c % 2 else c - 1) if c else 0.0
            beside = p / (c * (size - c)) if c % 2 and c < size else 0.0
            alike += a * (a - 1) * within + 2 * a * (n_alone - a) * beside
            mixed += a * o * within
            mixed += (a * (others - o) + (n_alone - a) * o) * beside
            apart += o * (o - 1) * within + 2 * o * (others - o) * beside
        return (
            alike / max(n_alone * (n_alone - 1), 1),
            mixed / max(n_alone * others, 1),
            apart / max(others * (others - 1), 1),
        )

    def _chosen(
        self, size: int, n_alone: int
    ) -> Iterator[tuple[tuple[int, int], float]]:
        """Yield how many alone and how many other records are chosen, with chances."""
        if self.n_alone >= self.n_chosen and self.n_alone:
            for k, p in drawn(self.n_alone, n_alone, self.n_chosen):
                yield (k, 0), p
            return
        left = self.n_records - self.n_alone, self.n_chosen - self.n_alone
        for k, p in drawn(left[0], size - n_alone, left[1]):
            yield (n_alone, k), p


def drawn(n: int, n_marked: int, n_drawn: int) -> Iterator[tuple[int, float]]:
    """Yield how many of some records are among those drawn, with chances.

    Hypergeometric: of n records, as many marked and as many drawn, without replacement.

    >>> [(k, round(p, 3)) for k, p in drawn(4, 2, 2)]
    [(0, 0.167), (1, 0.667), (2, 0.167)]
    """
    least, most = max(0, n_drawn + n_marked - n), min(n_marked, n_drawn)
    middle = (n_drawn + 1) * (n_marked + 1) // (n + 2)
    start = min(max(middle, least), most)

    def rising(k: int) -> float:
        """Return how much likelier k + 1 is than k."""
        above = (n_marked - k) * (n_drawn - k)
        return above / ((k + 1) * (n - n_marked - n_drawn + k + 1))

    found = {start: 1.0}
    k = start
    while k < most and found[k] > NEGLIGIBLE:
        found[k + 1] = found[k] * rising(k)
        k += 1
    k = start
    while k > least and found[k] > NEGLIGIBLE:
        found[k - 1] = found[k] / rising(k - 1)
        k -= 1
    total = sum(found.values())
    for k in sorted(found):
        yield k, found[k] / total


ENOUGH = 30
"""Records of a value that are expected in a sample, from which it has some.

It has none with a chance of at most e^-30, below what sums of floats may be off by.
"""


@dataclass(frozen=True)
class Ways:
    """Ways in which rows of equal records may be published, each once."""

    row: Integers  # Number of the row, shape (n_ways,)
    columns: Mapping[str, DataColumn]  # What is published of it, by attribute
    chance: Floats
    # Records of each row, expected ones if they are no whole numbers, shape (n_rows,)
    n_records: Integers | Floats

    @property
    def expected(self) -> Floats:
        """Records of the row that are expected to be published in each way."""
        return self.n_records[self.row] * self.chance

    def taken(self, places: Integers, chance: Floats) -> "Ways":
        """Return ways at these places, with other chances."""
        columns = {
            name: DataColumn(each.values, each.codes[places])
            for name, each in self.columns.items()
        }
        return Ways(self.row[places], columns, chance, self.n_records)


def weights_by(place: Integers, weights: Floats, n: int) -> Floats:
    """Return the sum of the weights of each of n places."""
    return np.bincount(place, weights, n).astype(np.float64)


@dataclass(frozen=True)
class Room:
    """How many ways there may be; `where` begins what is said of more."""

    most: int
    where: str

    def check(self, n_ways: int) -> None:
        if n_ways > self.most:
            raise TableError(
                f"{self.where}: there are {n_ways:,} ways in which records may have "
                "been published, too many for the memory given. Use fewer or coarser "
                "QIDs, or give the run more memory (--max-memory)."
            )


def ways_of(rows: Ways, recipe: Recipe, room: Room, tracked: str = "") -> Ways:
    # Randomised values are drawn by the stated chances, each by itself. A record that
    # is swapped has the values of another one of its group, any of them; those alone by
    # a target are swapped first. Suppressed cells may be any of those of the step.
    ways = rows
    # Expected records of rows add up to whole ones but for rounding.
    n_before = n_left = round(float(rows.n_records.sum()))
    for number, step in enumerate(recipe.steps, 1):
        narrowed = _narrowed(step, ways.columns)
        if step.sample is not None:
            n_left = rounded_share(Fraction(step.sample), n_left)
        elif narrowed is None:
            continue
        elif step.method == "swap":
            chances = _drawing(n_before, n_left, Fraction(step.rate or "0"))
            swap = _Swap(narrowed.changed, step.within, step.target, chances, tracked)
            ways = _swapped(ways, swap, room)
        elif step.method == "randomise":
            how = narrowed.randomise or {}
            _check_sampled(ways, how, (n_before, n_left), room)
            ways = _randomised(ways, how, room)
        elif step.method == "suppress":
            ways = _suppressed(ways, narrowed.changed, room)
        else:
            ways = face_value(ways, replace(recipe, steps=(narrowed,)), number)
        ways = merged(ways, tuple(ways.columns))
    return ways


def _drawing(
    n_before: int, n_left: int, rate: Fraction
) -> Callable[[int, int, int], PairChances]:
    n_chosen = rounded_share(rate, n_left)

    @cache
    def chances(size: int, n_alone: int, n_all_alone: int) -> PairChances:
        """Return the chances of two records of a group to be a pair."""
        drawing = SwapDrawing(n_before, n_left, n_all_alone, n_chosen)
        return drawing.chances(size, n_alone)

    return chances


def face_value(ways: Ways, recipe: Recipe, number: int = 1) -> Ways:
    """Return ways after the steps that follow from a record's values alone."""
    # `number` is that of the first of them.
    records = KeptRecords(ways.columns, np.ones(len(ways.row), dtype=bool))
    for at, step in enumerate(recipe.steps, number):
        narrowed = _narrowed(step, records.columns)
        if narrowed is not None and step.method in {"drop", "generalise", "round"}:
            records = after_step(records, recipe, at, narrowed)
    return replace(ways, columns=records.columns)


def merged(ways: Ways, names: Sequence[str]) -> Ways:
    """Return ways with some of the columns, each way of a row once."""
    kept = [ways.columns[name] for name in names if name in ways.columns]
    place, sizes = blocks_and_sizes([ways.row, *(column.codes for column in kept)])
    first = first_places(place, len(sizes))
    chance = weights_by(place, ways.chance, len(sizes))
    left = {name: ways.columns[name] for name in names if name in ways.columns}
    return replace(ways, columns=left).taken(first, chance)


def _narrowed(
    step: StepSection, columns: Mapping[str, DataColumn]
) -> StepSection | None:
    """Return what a step does to some attributes; None if that is nothing."""
    if step.method == "sample":
        return None
    given = step.changed if step.suppress else getattr(step, step.method)
    if isinstance(given, Mapping):
        left = {name: how for name, how in given.items() if name in columns}
        return step.model_copy(update={step.method: left}) if left else None
    names = tuple(name for name in given if name in columns)
    return step.model_copy(update={step.method: names}) if names else None


def _check_sampled(
    ways: Ways,
    how: Mapping[str, RandomiseSection],
    n_records: tuple[int, int],
    room: Room,
) -> None:
    """Refuse a sample of which nobody knows between which values a step chooses."""
    # `n_records` are those before the sample and in it. Of n records of a value it has
    # one for certain if n is more than it leaves out, and none with the chance C(N - n,
    # m) / C(N, m) <= exp(-n m / N).
    n_before, n_left = n_records
    for name in [name for name, section in how.items() if section.chances is None]:
        column = ways.columns[name]
        of_value = np.bincount(column.codes, ways.expected)
        rarest = of_value[column.codes].min()
        # Sums of chances that are whole may be a little off.
        is_certain = rarest > n_before - n_left + 0.5
        if not is_certain and rarest * n_left < ENOUGH * n_before:
            raise TableError(
                f"{room.where}: {name} is randomised by keep after a sample that may "
                "have none of a rare value, and nobody knows which values others "
                "become then, so no belief is computed. Randomise it before the "
                "sample, or remove it from the analysis."
            )


def _randomised(ways: Ways, how: Mapping[str, RandomiseSection], room: Room) -> Ways:
    for name, section in how.items():
        column = ways.columns[name]
        rows = _chances(column, section)
        outcomes = tuple(sorted({v for row in rows for v in row}, key=missing_first))
        code_of = {value: code for code, value in enumerate(outcomes)}
        n_of = np.array([len(row) for row in rows])
        starts = np.cumsum(n_of) - n_of
        codes = np.array([code_of[value] for row in rows for value in row])
        chances = np.array([float(chance) for row in rows for chance in row.values()])
        n_each = n_of[column.codes]
        room.check(int(n_each.sum()))
        own, entry = repeated_places(n_each, starts[column.codes])
        ways = ways.taken(own, ways.chance[own] * chances[entry])
        new = column_of(outcomes, codes[entry])
        ways = replace(ways, columns={**ways.columns, name: new})
    return ways


def _chances(
    column: DataColumn, section: RandomiseSection
) -> list[Mapping[str | None, Fraction]]:
    """Return the chances of what becomes of each value of a column."""
    if section.chances is not None:
        exact = section.chances.exact
        return [exact.get(value, {value: Fraction(1)}) for value in column.values]
    keep = Fraction(section.keep or 1)
    present = [column.values[code] for code in np.flatnonzero(column.counts)]
    if len(present) < 2 or keep == 1:
        return [{value: Fraction(1)} for value in column.values]
    each = (1 - keep) / (len(present) - 1)
    rows = [
        {other: keep if other == value else each for other in present}
        for value in column.values
    ]
    return [{value: p for value, p in row.items() if p} for row in rows]


@dataclass(frozen=True)
class _Swap:
    """A swap of the ways of rows."""

    # Attributes whose values are exchanged, in which pairs are alike, and by which
    # records alone are chosen first
    changed: Sequence[str]
    within: Sequence[str]
    target: Sequence[str]
    chances: Callable[[int, int, int], PairChances]
    tracked: str  # As of `ways_of`


def _swapped(ways: Ways, swap: _Swap, room: Room) -> Ways:
    """Return ways that stay, and those with the values of each other one of a group."""
    # What a record may be itself is not among what its partner may be.
    n_ways = len(ways.row)
    groups = _Groups.of(ways, swap)
    moved = [ways.columns[name].codes for name in swap.changed]
    pair, of_pair = blocks_and_sizes([groups.place, *moved])
    example = first_places(pair, len(of_pair))
    n_each = np.bincount(groups.place[example], minlength=groups.n)
    starts = np.cumsum(n_each) - n_each
    can = groups.can[groups.place] & (groups.others > 0)
    room.check(n_ways + int(n_each[groups.place[can]].sum()))
    own, partner = repeated_places(
        np.where(can, n_each[groups.place], 0), starts[groups.place]
    )
    itself = _WeightSums([ways.row, pair], ways.chance).of([ways.row[own], partner])
    by_kind = [
        weights_by(pair, ways.expected * is_kind, len(of_pair))
        for is_kind in (~groups.is_alone, groups.is_alone)
    ]
    is_alone = groups.is_alone[own]
    alike = np.where(is_alone, by_kind[1][partner], by_kind[0][partner]) - itself
    unlike = np.where(is_alone, by_kind[0][partner], by_kind[1][partner])
    both, one, none = groups.chances[groups.place[own]].T
    weight = np.maximum(alike, 0.0) * np.where(is_alone, both, none) + unlike * one
    given = ways.chance[own] * weight * groups.scale[own]
    stays = ways.chance - weights_by(own, given, n_ways)
    stays = np.where(stays < SLACK * ways.chance, 0.0, stays)
    chance = np.concatenate([stays, given])
    donors = np.concatenate([np.arange(n_ways), example[partner]])
    found = ways.taken(np.concatenate([np.arange(n_ways), own]), chance)
    new = {
        name: DataColumn(ways.columns[name].values, ways.columns[name].codes[donors])
        for name in swap.changed
    }
    if swap.tracked in swap.changed:
        column = new[swap.tracked]
        shift = len(column.values) // 2 * (np.arange(len(donors)) >= n_ways)
        new[swap.tracked] = DataColumn(column.values, column.codes + shift)
    is_possible = np.flatnonzero(chance > 1e-15)
    found = replace(found, columns={**found.columns, **new})
    return found.taken(is_possible, chance[is_possible])


@dataclass(frozen=True)
class _Groups:
    """Groups of ways in which pairs are made."""

    place: Integers  # Group of each way, shape (n_ways,)
    is_alone: NDArray[np.bool_]  # Whether nobody is like it by the target
    others: Floats  # Records of its group that are not its own
    scale: Floats
    chances: Floats  # Chances of two records to be a pair, by group
    can: NDArray[np.bool_]  # Whether there may be pairs

    @property
    def n(self) -> int:
        return len(self.can)

    @classmethod
    def of(cls, ways: Ways, swap: _Swap) -> "_Groups":
        within = [ways.columns[name].codes for name in swap.within]
        place, sizes = blocks_and_sizes(
            within or [np.zeros(len(ways.row), dtype=np.int64)]
        )
        is_alone = np.zeros(len(ways.row), dtype=np.bool_)
        if swap.target:
            alike, n_alike = blocks_and_sizes(
                [ways.columns[n].codes for n in swap.target]
            )
            is_alone = weights_by(alike, ways.expected, len(n_alike))[alike] < 1.5
        in_all = weights_by(place, ways.expected, len(sizes))
        n_alone = weights_by(place, ways.expected * is_alone, len(sizes))
        whole = np.rint(np.stack([in_all, n_alone])).astype(np.int64)
        distinct, which = np.unique(whole, axis=1, return_inverse=True)
        n_all_alone = int(whole[1].sum())
        chances = np.array(
            [
                swap.chances(size, alone, n_all_alone) if size > 1 else (0.0, 0.0, 0.0)
                for size, alone in distinct.T.tolist()
            ]
        )[which.ravel()]
        itself = _WeightSums([ways.row, place], ways.chance).of([ways.row, place])
        others = in_all[place] - itself
        # Rounding of floats may leave a little of a record that is alone.
        others = np.where(others > 1e-9 * in_all[place], others, 0.0)
        scale = (whole[0][place] - 1) / np.where(others > 0, others, 1.0)
        can = np.asarray(chances.any(axis=1))
        return cls(place, is_alone, others, scale, chances, can)


class _WeightSums:
    """Sums of weights by rows of numbers."""

    def __init__(self, columns: Sequence[Integers], weights: Floats) -> None:
        self._width = int(columns[1].max(initial=0)) + 1
        key = columns[0] * self._width + columns[1]
        self._known, place = np.unique(key, return_inverse=True)
        self._sums = weights_by(place, weights, len(self._known))

    def of(self, columns: Sequence[Integers]) -> Floats:
        """Return the sum of each row, 0 of one that was not given."""
        return values_at(columns[0] * self._width + columns[1], self._known, self._sums)


def _suppressed(ways: Ways, names: Sequence[str], room: Room) -> Ways:
    for name in names:
        column = ways.columns[name]
        has_value = np.flatnonzero(column.codes != 0)
        n_ways = len(ways.row)
        room.check(n_ways + len(has_value))
        both = np.concatenate([np.arange(n_ways), has_value])
        ways = ways.taken(both, ways.chance[both])
        codes = ways.columns[name].codes.copy()
        codes[n_ways:] = 0
        columns = {**ways.columns, name: DataColumn(column.values, codes)}
        ways = replace(ways, columns=columns)
    return ways
