"""Right guesses in groups of known sizes, by a formula in place of a solver (law 8).

Of a place or a course with thousands of groups an integer program is a large one, and
yet it is bound to the others of a book by two numbers alone: how many have the most
frequent value of all, and how many right guesses there are. Once these are given, each
group is of one of two kinds. In the first kind that value has every right guess. In the
second kind it has none or few, and another one the right guesses, of which no group has
more than the most frequent value has members. What is found is a suggestion, as that of
a solver is: the rows of the book decide.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from microleak.disclosure.book import Row, Sum
from microleak.disclosure.kinds import Bounds, Chosen, Counts, Values, guesses_in


class Wanted(NamedTuple):
    """A number, and within which bounds it is wanted."""

    number: int
    low: int
    high: int

    def is_in(self, values: Sequence[int]) -> bool:
        """Say whether it is as wanted in a list of all numbers."""
        return self.low <= values[self.number] <= self.high


class Group(NamedTuple):
    """Numbers of a group that stands for those of its size.

    Attributes
    ----------
    frequent, guess
        Members with the most frequent value of all, and right guesses.
    is_second
        Whether other values have the right guesses.
    another
        Members with one other value; None if there are no three.
    """

    frequent: int
    guess: int
    is_second: int
    another: int | None = None


class Alike(NamedTuple):
    """Numbers of all other groups of a size, together.

    Attributes
    ----------
    n_second
        Groups in which other values have the right guesses.
    first
        Right guesses in those in which the most frequent value of all has them.
    second, guess
        Members with this value, and right guesses, in the others.
    frequent
        Members with this value in all of them.
    """

    n_second: int
    first: int
    second: int
    guess: int
    frequent: int


@dataclass(frozen=True, eq=False)
class Guesses:
    """What law 8 holds of the groups of an attribute: a part of a book.

    Its numbers follow by a formula from two others, where it finds any. Rows that have
    any of them have no others besides these two.

    Attributes
    ----------
    frequent, right
        Numbers of members with the most frequent value of all, and of right guesses.
    values
        How many values the sensitive attribute has.
    sizes
        Members of each group.
    groups
        Numbers of each.
    alike
        How many more groups have its size, and their numbers; None if there are none.
    """

    frequent: int
    right: int
    values: Values
    sizes: Sequence[int]
    groups: Sequence[Group]
    alike: Sequence[tuple[int, Alike] | None]

    @property
    def outer(self) -> tuple[int, ...]:
        """Numbers that are given."""
        return self.frequent, self.right

    @cached_property
    def inner(self) -> frozenset[int]:
        """Numbers that follow."""
        parts = [*self.groups, *(each[1] for each in self.alike if each)]
        return frozenset(n for part in parts for n in part if n is not None)

    @cached_property
    def places(self) -> Mapping[int, int]:
        """The place of a group by its numbers of members with a value."""
        frequent = {group.frequent: place for place, group in enumerate(self.groups)}
        return {**frequent, **self.another}

    @cached_property
    def another(self) -> Mapping[int, int]:
        """The place of a group by its number of members with another value."""
        places = enumerate(group.another for group in self.groups)
        return {n: place for place, n in places if n is not None}

    @cached_property
    def _kinds(self) -> NDArray[np.int64]:
        """The place of its size of each group; first those that stand for others."""
        n_more = [each[0] if each else 0 for each in self.alike]
        places = np.arange(len(self.sizes))
        return np.concatenate([places, np.repeat(places, n_more)])

    @cached_property
    def _members(self) -> Counts:
        return np.array(self.sizes, dtype=np.int64)[self._kinds]

    def chosen(self, low: Sequence[int], high: Sequence[int]) -> Row:
        """Return that right guesses are as few as the formula surely finds groups for.

        Groups in which others have all right guesses leave enough to the most frequent
        value, if as many have it as may have it.
        """
        left, room = self.values.n_records - high[self.frequent], 0
        most = self.values.most_of_second(low[self.frequent])
        for size in sorted(self._members.tolist(), reverse=True):
            if size <= left:
                left -= size
                room += min(size, most)
        return Row(Sum({self.frequent: 1, self.right: -1}, room), is_chosen=True)

    def wish(self, is_frequent: bool) -> Mapping[int, int]:
        """Return a sum that is small where much of what is claimed holds together.

        That groups have many members with the most frequent value, or few of them.
        """
        sign = -1 if is_frequent else 1
        return {self.frequent: 2 * sign, self.right: -sign}

    def packed(
        self, values: Sequence[int], waiting: Mapping[int, Wanted]
    ) -> tuple[list[int], dict[int, Wanted]]:
        """Return values in which groups are as is wanted of some, and of which.

        As much as goes together, by places; halves of it if that is too much.
        """
        left = dict(waiting)
        while places := [*left]:
            some = [places[i] for i in self._fitting(values, [*left.values()])]
            while some:
                found = self.filled(values, [left[place] for place in some])
                if found is not None:
                    return with_values(values, found), {p: left[p] for p in some}
                first, some = some[0], some[: len(some) // 2]
                if not some:
                    del left[first]
            if len(left) == len(places):
                break
        return [*values], {}

    def filled(
        self, values: Sequence[int], wanted: Sequence[Wanted] = ()
    ) -> Mapping[int, int] | None:
        """Return the numbers that follow; None if none are found.

        Parameters
        ----------
        values
            A value of each number of the book, of which `outer` are read.
        wanted
            Within which bounds the count of some groups is wanted.
        """
        none = np.zeros_like(self._members)
        low, high, guess = bounds = Bounds(none, self._members.copy(), none.copy())
        frequent, right = (values[n] for n in self.outer)
        for each in wanted:
            place = self.places[each.number]
            of_group = self._bounds(each, frequent)
            low[place] = max(low[place], of_group.low)
            high[place] = min(high[place], of_group.high)
            guess[place] = max(guess[place], of_group.guess)
        found = guesses_in(self._members, bounds, (frequent, right), self.values)
        if found is None:
            return None
        ends = self.values.another(self._members, found)
        is_many = any(each.low for each in wanted if each.number in self.another)
        return self._of_groups(found, ends[is_many])

    def _bounds(self, wanted: Wanted, frequent: int) -> Bounds:
        """Return in which bounds the numbers of a group are surely as is wanted."""
        _, low, high = wanted
        if wanted.number not in self.another:
            return Bounds(low, high, 0)
        size = self.sizes[self.another[wanted.number]]
        return self.values.bounds_with((low, high), size, frequent)

    def _fitting(self, values: Sequence[int], wanted: Sequence[Wanted]) -> list[int]:
        """Return places of what is wanted that may hold together, the largest first.

        As much as groups leave room for, added up; whether it does hold says `filled`.
        """
        frequent, right = (values[n] for n in self.outer)
        left, n_wrong = self.values.n_records - frequent, right - frequent
        more = frequent - sum(map(self.values.least, self._members.tolist()))
        more = more if more >= 0 else frequent
        members = self._members[[self.places[each.number] for each in wanted]]
        places = []
        for place in np.argsort(-members, kind="stable").tolist():
            size = int(members[place])
            low, high, guess = self._bounds(wanted[place], frequent)
            least = self.values.least(size)
            room, used = size - min(high, size), max(low, guess, least) - least
            wrong = 0
            if used > high - least:
                used, wrong = 0, max(guess, -(-room // self.values.n_others))
            if room <= left and used <= more and wrong <= n_wrong:
                left, more, n_wrong = left - room, more - used, n_wrong - wrong
                places.append(place)
        return places

    def _of_groups(self, found: Chosen, another: Counts) -> dict[int, int]:
        """Return what is found for each group by the numbers of the book."""
        n_sizes = len(self.sizes)
        values = {n: int(another[place]) for n, place in self.another.items()}
        columns = zip(*(each[:n_sizes].tolist() for each in found), strict=True)
        for group, of_group in zip(self.groups, columns, strict=True):
            values.update(zip(group[:3], map(int, of_group), strict=True))
        kinds = self._kinds[n_sizes:]
        count, guess, is_second = (each[n_sizes:].astype(np.int64) for each in found)
        first = guess * (1 - is_second)
        of_sizes = is_second, first, count * is_second, guess * is_second, count
        sums = [np.zeros(n_sizes, dtype=np.int64) for _ in of_sizes]
        for sum_, each in zip(sums, of_sizes, strict=True):
            np.add.at(sum_, kinds, each)
        for place, more in enumerate(self.alike):
            if more:
                values.update(zip(more[1], (int(s[place]) for s in sums), strict=True))
        return values


def with_values(values: Sequence[int], others: Mapping[int, int]) -> list[int]:
    """Return values, of which some numbers have others."""
    found = [*values]
    for n, value in others.items():
        found[n] = value
    return found
