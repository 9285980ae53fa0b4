"""In which ways records may be published, and with which chances: steps without a seed.

Someone who knows a recipe, and not the seed, knows this much of what it did.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import exp, fsum, lgamma
from operator import mul

import numpy as np
from numpy.typing import NDArray

from microleak.base.errors import TableError
from microleak.definitions.exact import firsts, repeated
from microleak.protection.methods import (
    Column,
    Numbers,
    blocks,
    column_of,
    rounded_share,
)
from microleak.protection.steps import Recipe, Records, stepped
from microleak.records.coding import missing_first
from microleak.study_file.protections import RandomiseSection, StepSection

Floats = NDArray[np.float64]

MOST_EXACT = 2_000
"""Records of a group up to which who is left over is reckoned exactly."""


@dataclass(frozen=True)
class Ways:
    """Ways in which rows of equal records may be published, each once.

    Attributes
    ----------
    row
        Number of the row, shape (n_ways,).
    columns
        What is published of it, by attribute; of one that was dropped nothing.
    chance
        The chance of it. Those of a row add up to 1, but where cells were suppressed:
        which ones follows from all records, and each way has the chance that it would
        have if that one were chosen.
    n_records
        Records of each row, shape (n_rows,).
    """

    row: Numbers
    columns: Mapping[str, Column]
    chance: Floats
    n_records: Numbers

    @property
    def expected(self) -> Floats:
        """Records of the row that are expected to be published in each way."""
        return self.n_records[self.row] * self.chance

    def taken(self, places: Numbers, chance: Floats) -> "Ways":
        """Return ways at these places, with other chances."""
        columns = {
            name: Column(each.values, each.codes[places])
            for name, each in self.columns.items()
        }
        return Ways(self.row[places], columns, chance, self.n_records)


def weights_by(place: Numbers, weights: Floats, n: int) -> Floats:
    """Return the sum of the weights of each of n places."""
    return np.bincount(place, weights, n).astype(np.float64)


def needed(recipe: Recipe, names: Sequence[str]) -> tuple[str, ...]:
    """Return attributes, and those within whose values theirs are swapped.

    These come last.
    """
    found = dict.fromkeys(names)
    for step in reversed(recipe.steps):
        if found.keys() & {*(step.swap or ())}:
            found |= dict.fromkeys(step.within)
    return tuple(found)


def ways_of(rows: Ways, recipe: Recipe, most: int, where: str) -> Ways:
    """Return the ways in which rows may be published after all steps of a recipe.

    Randomised values are drawn by the stated chances, each by itself. A record that is
    swapped has the values of another one of its group, any of them. Suppressed cells
    may be any of those of the step.

    Parameters
    ----------
    rows
        Records that differ, one way each; their columns are `needed`.
    recipe
        What is done; steps that sample change no record, and are passed over.
    most
        Ways that may be held at once.
    where
        Begins what is said.

    Raises
    ------
    TableError
        If there are more ways, or a value does not fit a step.
    """
    ways, room = rows, _Room(most, where)
    for number, step in enumerate(recipe.steps, 1):
        narrowed = _narrowed(step, ways.columns)
        if narrowed is None:
            continue
        if step.method == "randomise":
            ways = _randomised(ways, narrowed.randomise or {}, room)
        elif step.method == "swap":
            ways = _swapped(ways, narrowed, room)
        elif step.method == "suppress":
            ways = _suppressed(ways, narrowed.changed, room)
        else:
            ways = face_value(ways, replace(recipe, steps=(narrowed,)), number)
        ways = merged(ways, tuple(ways.columns))
    return ways


def face_value(ways: Ways, recipe: Recipe, number: int = 1) -> Ways:
    """Return ways after the steps that follow from a record's values alone.

    `number` is that of the first of them.
    """
    records = Records(ways.columns, np.ones(len(ways.row), dtype=bool))
    for at, step in enumerate(recipe.steps, number):
        narrowed = _narrowed(step, records.columns)
        if narrowed is not None and step.method in {"drop", "generalise", "round"}:
            records = stepped(records, recipe, at, narrowed)
    return replace(ways, columns=records.columns)


def merged(ways: Ways, names: Sequence[str]) -> Ways:
    """Return ways with some of the columns, each way of a row once."""
    kept = [ways.columns[name] for name in names if name in ways.columns]
    place, sizes = blocks([ways.row, *(column.codes for column in kept)])
    first = firsts(place, len(sizes))
    chance = weights_by(place, ways.chance, len(sizes))
    left = {name: ways.columns[name] for name in names if name in ways.columns}
    return replace(ways, columns=left).taken(first, chance)


@dataclass(frozen=True)
class _Room:
    """How many ways there may be."""

    most: int
    where: str

    def check(self, n_ways: int) -> None:
        """Refuse more ways."""
        if n_ways > self.most:
            raise TableError(
                f"{self.where}: there are {n_ways:,} ways in which records may have "
                "been published, too many for the memory given. Use fewer or coarser "
                "QIDs, or give the run more memory (--max-memory)."
            )


def _narrowed(step: StepSection, columns: Mapping[str, Column]) -> StepSection | None:
    """Return what a step does to some attributes; None if that is nothing."""
    if step.method == "sample":
        return None
    given = getattr(step, step.method)
    if isinstance(given, Mapping):
        left = {name: how for name, how in given.items() if name in columns}
        return step.model_copy(update={step.method: left}) if left else None
    names = tuple(name for name in given if name in columns)
    return step.model_copy(update={step.method: names}) if names else None


def _randomised(ways: Ways, how: Mapping[str, RandomiseSection], room: _Room) -> Ways:
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
        own, entry = repeated(n_each, starts[column.codes])
        ways = ways.taken(own, ways.chance[own] * chances[entry])
        new = column_of(outcomes, codes[entry])
        ways = replace(ways, columns={**ways.columns, name: new})
    return ways


def _chances(
    column: Column, section: RandomiseSection
) -> list[Mapping[str | None, Fraction]]:
    """Return of each value of a column the chances of what becomes of it."""
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


def _swapped(ways: Ways, step: StepSection, room: _Room) -> Ways:
    """Return ways that stay, and those with the values of each other one of a group.

    What a record may be itself is not among what its partner may be.
    """
    n_ways = len(ways.row)
    within = [ways.columns[name].codes for name in step.within]
    group, sizes = blocks(within or [np.zeros(n_ways, dtype=np.int64)])
    pair, of_pair = blocks([group, *(ways.columns[n].codes for n in step.changed)])
    example = firsts(pair, len(of_pair))
    one, expected = ways.chance, ways.expected
    in_all = weights_by(group, expected, len(sizes))
    n, rate = int(ways.n_records.sum()), Fraction(step.rate or "0")
    chosen = _chance_paired(in_all, n, rate)[group]
    in_pair = weights_by(pair, expected, len(of_pair))
    own_group = _Sums([ways.row, group], one)
    others = in_all[group] - own_group.of([ways.row, group])
    # Rounding of floats may leave a little of a record that is alone.
    can = (chosen > 0) & (others > 1e-9 * in_all[group])
    n_each = np.bincount(group[example], minlength=len(sizes))
    starts = np.cumsum(n_each) - n_each
    room.check(n_ways + int(n_each[group[can]].sum()))
    own, partner = repeated(np.where(can, n_each[group], 0), starts[group])
    own_pair = _Sums([ways.row, pair], one)
    share = in_pair[partner] - own_pair.of([ways.row[own], partner])
    share = np.maximum(share, 0.0) / others[own]
    chance = np.concatenate(
        [one * (1 - np.where(can, chosen, 0.0)), (one * chosen)[own] * share]
    )
    donors = np.concatenate([np.arange(n_ways), example[partner]])
    found = ways.taken(np.concatenate([np.arange(n_ways), own]), chance)
    new = {
        name: Column(column.values, column.codes[donors])
        for name, column in ways.columns.items()
        if name in step.changed
    }
    is_possible = np.flatnonzero(chance > 1e-15)
    found = replace(found, columns={**found.columns, **new})
    return found.taken(is_possible, chance[is_possible])


class _Sums:
    """Sums of weights by rows of numbers."""

    def __init__(self, columns: Sequence[Numbers], weights: Floats) -> None:
        self._width = int(columns[1].max(initial=0)) + 1
        key = columns[0] * self._width + columns[1]
        self._known, place = np.unique(key, return_inverse=True)
        self._sums = weights_by(place, weights, len(self._known))

    def of(self, columns: Sequence[Numbers]) -> Floats:
        """Return the sum of each row, 0 of one that was not given."""
        key = columns[0] * self._width + columns[1]
        place = np.minimum(np.searchsorted(self._known, key), len(self._known) - 1)
        found: Floats = np.where(self._known[place] == key, self._sums[place], 0.0)
        return found


def _chance_paired(sizes: Floats, n: int, rate: Fraction) -> Floats:
    """Return the chance of a record to be in a pair, by the records of its group.

    Of a group of *s* records c are chosen (hypergeometric); one that is left over is
    paired with one that was not chosen, if there is one.
    """
    n_chosen = rounded_share(rate, n)
    whole = np.rint(sizes).astype(np.int64)
    distinct, place = np.unique(whole, return_inverse=True)
    found = np.array([_mean_paired(int(s), n, n_chosen) for s in distinct])
    return (found / np.maximum(distinct, 1))[place]


def _mean_paired(size: int, n: int, n_chosen: int) -> float:
    """Return how many of a group's records are in a pair, on average."""
    if size >= n:
        return float(min(n_chosen + n_chosen % 2, size - size % 2))
    if size > MOST_EXACT:
        return min(size * n_chosen / n + 0.5, size - size % 2)
    least, most = max(0, n_chosen - (n - size)), min(size, n_chosen)
    logs = [
        lgamma(size + 1)
        - lgamma(c + 1)
        - lgamma(size - c + 1)
        + lgamma(n - size + 1)
        - lgamma(n_chosen - c + 1)
        - lgamma(n - size - n_chosen + c + 1)
        for c in range(least, most + 1)
    ]
    weights = [exp(each - max(logs)) for each in logs]
    paired = [min(c + c % 2, size - size % 2) for c in range(least, most + 1)]
    return fsum(map(mul, weights, paired)) / fsum(weights)


def _suppressed(ways: Ways, names: Sequence[str], room: _Room) -> Ways:
    for name in names:
        column = ways.columns[name]
        has_value = np.flatnonzero(column.codes != 0)
        n_ways = len(ways.row)
        room.check(n_ways + len(has_value))
        both = np.concatenate([np.arange(n_ways), has_value])
        ways = ways.taken(both, ways.chance[both])
        codes = ways.columns[name].codes.copy()
        codes[n_ways:] = 0
        columns = {**ways.columns, name: Column(column.values, codes)}
        ways = replace(ways, columns=columns)
    return ways
