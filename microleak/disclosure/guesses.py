"""Right guesses in groups of known sizes, by a formula in place of a solver (law 8).

Of a place or a course with thousands of groups an integer program is a large one, and
yet it is bound to the others of a book by two numbers alone: how many have the most
frequent value of all, and how many right guesses there are. Once these are given, each
group is of one of two kinds. In the first kind that value has every right guess. In the
second kind it has none or few, and the others the right guesses. What is found is a
suggestion, as that of a solver is: the rows of the book decide.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from microleak.disclosure.book import Row, Sum, Wanted

Counts = NDArray[np.int64]
"""A whole number for each group."""


class Group(NamedTuple):
    """Numbers of a group that stands for those of its size.

    Attributes
    ----------
    frequent, guess
        Members with the most frequent value of all, and right guesses.
    is_other
        Whether other values have the right guesses.
    """

    frequent: int
    guess: int
    is_other: int


class Others(NamedTuple):
    """Numbers of all other groups of a size, together.

    Attributes
    ----------
    n_others
        Groups in which other values have the right guesses.
    first
        Right guesses in those in which the most frequent value of all has them.
    second, guess
        Members with this value, and right guesses, in the others.
    frequent
        Members with this value in all of them.
    """

    n_others: int
    first: int
    second: int
    guess: int
    frequent: int


class Chosen(NamedTuple):
    """Members with the most frequent value, right guesses, and where others have them.

    One of each for each group.
    """

    frequent: Counts
    guess: Counts
    is_other: NDArray[np.bool_]


@dataclass(frozen=True)
class Guesses:
    """What law 8 holds of the groups of an attribute: a part of a book.

    Attributes
    ----------
    frequent, right
        Numbers of members with the most frequent value of all, and of right guesses.
    sizes
        Members of a group of each size, from any order, each once.
    groups
        Numbers of the first group of each size.
    others
        How many more groups have each size, and their numbers; None if there are none.
    """

    frequent: int
    right: int
    sizes: Sequence[int]
    groups: Sequence[Group]
    others: Sequence[tuple[int, Others] | None]

    @property
    def outer(self) -> tuple[int, ...]:
        """Numbers that are given."""
        return self.frequent, self.right

    @cached_property
    def inner(self) -> frozenset[int]:
        """Numbers that follow."""
        others = (n for each in self.others if each for n in each[1])
        return frozenset([*(n for group in self.groups for n in group), *others])

    @cached_property
    def _kinds(self) -> NDArray[np.int64]:
        """The place of its size of each group; first those that stand for others."""
        n_more = [each[0] if each else 0 for each in self.others]
        places = np.arange(len(self.sizes))
        return np.concatenate([places, np.repeat(places, n_more)])

    @cached_property
    def _members(self) -> Counts:
        return np.array(self.sizes, dtype=np.int64)[self._kinds]

    @cached_property
    def _place(self) -> Mapping[int, int]:
        """The place of a group by its number of members with the frequent value."""
        return {group.frequent: place for place, group in enumerate(self.groups)}

    def chosen(self, high: Sequence[int]) -> Row:
        """Return that right guesses are as few as the formula surely finds groups for.

        Groups in which others have all right guesses leave enough to the most frequent
        value, if as many have it as may have it.
        """
        left, room = int(self._members.sum()) - high[self.frequent], 0
        for size in sorted(self._members.tolist(), reverse=True):
            if room + size <= left:
                room += size
        return Row(Sum({self.frequent: 1, self.right: -1}, room), is_chosen=True)

    def wish(self, end: str) -> Mapping[int, int]:
        """Return a sum that is small where much of what is claimed holds together."""
        sign = 1 if end in ("none", "nearly all") else -1
        return {self.frequent: 2 * sign, self.right: -sign}

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
        low, high = self._bounds(wanted)
        frequent, right = (values[n] for n in self.outer)
        found = guesses_in(self._members, (low, high), frequent, right)
        return None if found is None else self._of_groups(found)

    def fitting(self, values: Sequence[int], wanted: Sequence[Wanted]) -> list[int]:
        """Return places of what is wanted that may hold together, the largest first.

        As much as groups leave room for, added up; whether it does hold says `filled`.
        """
        members = self._members[[self._place[each.number] for each in wanted]]
        frequent, right = (values[n] for n in self.outer)
        left = int(self._members.sum()) - frequent
        more, n_none = frequent - len(self._members), right - frequent
        places = []
        for place in np.argsort(-members, kind="stable").tolist():
            each, size = wanted[place], int(members[place])
            low, high = max(each.low, 1), min(each.high, size)
            fits_in = size - high <= left and low - 1 <= more
            if fits_in and (high or n_none):
                left, more = left - (size - high), more - (low - 1)
                n_none -= not high
                places.append(place)
        return places

    def _bounds(self, wanted: Sequence[Wanted]) -> tuple[Counts, Counts]:
        """Return least and largest counts of groups, as they are wanted."""
        low, high = np.zeros_like(self._members), self._members.copy()
        for each in wanted:
            place = self._place[each.number]
            low[place] = max(low[place], each.low)
            high[place] = min(high[place], each.high)
        return low, high

    def _of_groups(self, found: Chosen) -> dict[int, int]:
        """Return what is found for each group by the numbers of the book."""
        n_sizes, values = len(self.sizes), dict[int, int]()
        columns = zip(*(each[:n_sizes].tolist() for each in found), strict=True)
        for group, of_group in zip(self.groups, columns, strict=True):
            values.update(zip(group, map(int, of_group), strict=True))
        kinds = self._kinds[n_sizes:]
        count, guess, is_other = (each[n_sizes:].astype(np.int64) for each in found)
        first = guess * (1 - is_other)
        of_sizes = is_other, first, count * is_other, guess * is_other, count
        sums = [np.zeros(n_sizes, dtype=np.int64) for _ in of_sizes]
        for sum_, each in zip(sums, of_sizes, strict=True):
            np.add.at(sum_, kinds, each)
        for place, more in enumerate(self.others):
            if more:
                values.update(zip(more[1], (int(s[place]) for s in sums), strict=True))
        return values


def guesses_in(
    members: Counts, bounds: tuple[Counts, Counts], frequent: int, right: int
) -> Chosen | None:
    """Return counts of groups with so many in all; None if none are found.

    Groups without members with the most frequent value are of the second kind, and
    besides the largest that leave enough to this value, until they have room for the
    right guesses that it does not have.

    Examples
    --------
    Of groups of 6, 3 and 1, six have the value and eight are guessed right:

    >>> members = np.array([6, 3, 1])
    >>> found = guesses_in(members, (0 * members, members), 6, 8)
    >>> found.frequent.tolist(), found.guess.tolist(), found.is_other.tolist()
    ([5, 0, 1], [5, 2, 1], [False, True, False])
    """
    low, high = bounds
    found = _of_second_kind(members, bounds, frequent, right - frequent)
    if found is None:
        return None
    count, is_other = found
    is_first = ~is_other
    of_others = count[is_other]
    n_others = int(of_others.sum())
    of_first = _spread(
        np.maximum(low, 1)[is_first], high[is_first], frequent - n_others
    )
    of_second = _spread(
        np.maximum(of_others, 1),
        members[is_other] - of_others,
        right - frequent + n_others,
    )
    if of_first is None or of_second is None:
        return None
    count[is_first] = of_first
    guess = count.copy()
    guess[is_other] = of_second
    return Chosen(count, guess, is_other)


def _of_second_kind(
    members: Counts, bounds: tuple[Counts, Counts], frequent: int, needed: int
) -> tuple[Counts, NDArray[np.bool_]] | None:
    """Return which groups are of the second kind, and least counts; None if too few.

    Each has as few as it may of the most frequent value. If room is still needed, the
    first group gives it that has half or less of this value, as others leave it.
    """
    low, high = bounds
    spare = int(high.sum()) - frequent
    if spare < 0 or (low > high).any():
        return None
    count, is_other = low.copy(), high == 0
    needed -= int(members[is_other].sum())
    may = ~is_other & (2 * low <= members)
    for place in np.argsort(-members, kind="stable").tolist():
        if needed <= 0:
            break
        if may[place] and (left := int(high[place] - low[place])) <= spare:
            is_other[place], may[place] = True, False
            spare -= left
            needed -= int(members[place] - 2 * low[place])
    if needed > 0:
        least = np.maximum(low, high - spare)
        may &= members - 2 * least >= needed
        if not may.any():
            return None
        last = int(np.argmax(may))
        count[last], is_other[last] = least[last], True
    return count, is_other


def _spread(low: Counts, high: Counts, total: int) -> Counts | None:
    """Return numbers within bounds that add up to a total, the first ones the largest.

    None if there are none.
    """
    if (low > high).any() or not int(low.sum()) <= total <= int(high.sum()):
        return None
    room = high - low
    left = total - int(low.sum()) - (np.cumsum(room) - room)
    found: Counts = low + np.minimum(np.maximum(left, 0), room)
    return found
