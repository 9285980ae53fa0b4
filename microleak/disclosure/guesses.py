"""Right guesses in groups of known sizes, by a formula in place of a solver (law 8).

Of a place or a course with thousands of groups an integer program is a large one, and
yet it is bound to the others of a book by two numbers alone: how many have the most
frequent value of all, and how many right guesses there are. Once these are given, each
group is of one of two kinds. In the first kind that value has every right guess. In the
second kind it has none or few, and another one the right guesses, of which no group has
more than the most frequent value has members. What is found is a suggestion, as that of
a solver is: the rows of the book decide.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from microleak.disclosure.book import Row, Sum

Counts = NDArray[np.int64]
"""A whole number for each group."""


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
class Values:
    """How many values an attribute has, of how many records.

    Attributes
    ----------
    n_records
        All members of the groups.
    number
        It has no more values; None if any number is possible.
    """

    n_records: int
    number: int | None = None

    @property
    def most(self) -> int:
        """Return a number of values that it surely does not exceed."""
        return self.number or self.n_records + 1

    @property
    def others(self) -> int:
        """Return how many values there may be besides one, or one if there are none."""
        return max(self.most - 1, 1)

    def least(self, size: int) -> int:
        """Return the right guesses that a group has at least.

        >>> Values(90, 3).least(10), Values(90).least(10)
        (4, 1)
        """
        return -(-size // self.most)

    def most_of_others(self, frequent: int) -> int:
        """Return how many right guesses in each group of the second kind surely may be.

        They are members with one value, and so no more than have the most frequent
        one. If there are few values, groups of the second kind must divide into as
        many parts, each of no more members. They do if the largest is no larger than
        this: put one after the other where there are fewest members, with the rest in
        equal parts, no value gets more than an equal part of all others, and a part of
        the largest group. That is no more than the most frequent value has.

        >>> Values(100, 3).most_of_others(40), Values(100).most_of_others(40)
        (20, 40)
        """
        if self.number is None or self.number == 2:
            return frequent
        room = self.number * frequent - self.n_records
        return min(frequent, room // (self.number - 2)) if self.number > 2 else 0


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
    others
        How many more groups have its size, and their numbers; None if there are none.
    """

    frequent: int
    right: int
    values: Values
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
    def counts(self) -> Mapping[int, int]:
        """The place of a group by its number of members with the frequent value."""
        return {group.frequent: place for place, group in enumerate(self.groups)}

    @cached_property
    def _kinds(self) -> NDArray[np.int64]:
        """The place of its size of each group; first those that stand for others."""
        n_more = [each[0] if each else 0 for each in self.others]
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
        most = self.values.most_of_others(low[self.frequent])
        for size in sorted(self._members.tolist(), reverse=True):
            if size <= left:
                left -= size
                room += min(size, most)
        return Row(Sum({self.frequent: 1, self.right: -1}, room), is_chosen=True)

    def wish(self, end: str) -> Mapping[int, int]:
        """Return a sum that is small where much of what is claimed holds together."""
        sign = 1 if end in ("none", "nearly all") else -1
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
        low, high = np.zeros_like(self._members), self._members.copy()
        for each in wanted:
            place = self.counts[each.number]
            low[place] = max(low[place], each.low)
            high[place] = min(high[place], each.high)
        frequent, right = (values[n] for n in self.outer)
        found = guesses_in(self._members, (low, high), (frequent, right), self.values)
        return None if found is None else self._of_groups(found)

    def _fitting(self, values: Sequence[int], wanted: Sequence[Wanted]) -> list[int]:
        """Return places of what is wanted that may hold together, the largest first.

        As much as groups leave room for, added up; whether it does hold says `filled`.
        """
        frequent, right = (values[n] for n in self.outer)
        left, n_wrong = self.values.n_records - frequent, right - frequent
        more = frequent - sum(map(self.values.least, self._members.tolist()))
        more = more if more >= 0 else frequent
        members = self._members[[self.counts[each.number] for each in wanted]]
        places = []
        for place in np.argsort(-members, kind="stable").tolist():
            each, size = wanted[place], int(members[place])
            least = self.values.least(size)
            room, used = size - min(each.high, size), max(each.low, least) - least
            wrong = -(-room // self.values.others) if each.high < least else 0
            if room <= left and used <= more and wrong <= n_wrong:
                left, more, n_wrong = left - room, more - used, n_wrong - wrong
                places.append(place)
        return places

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


class _Kinds(NamedTuple):
    """What groups may have in each kind.

    Attributes
    ----------
    members
        Members of each group.
    first, second
        Least and largest numbers of members with the most frequent value.
    most
        Largest number of right guesses in a group of the second kind.
    others
        How many values there may be besides the most frequent one.
    """

    members: Counts
    first: tuple[Counts, Counts]
    second: tuple[Counts, Counts]
    most: int
    others: int

    def more(self, count: Counts, of: NDArray[np.bool_]) -> tuple[Counts, Counts]:
        """Return how many more right guesses than that groups of the second kind have.

        Least and largest numbers, with so many members with the most frequent value.
        """
        rest = self.members[of] - count
        least = np.maximum(-(-rest // self.others), 1)
        return np.maximum(least - count, 0), np.minimum(rest, self.most) - count


def guesses_in(
    members: Counts,
    bounds: tuple[Counts, Counts],
    totals: tuple[int, int],
    values: Values,
) -> Chosen | None:
    """Return counts of groups with so many in all; None if none are found.

    Groups without members with the most frequent value are of the second kind, and
    besides the largest that leave enough to this value, until they have room for the
    right guesses that it does not have.

    Examples
    --------
    Of groups of 6, 3 and 1, six have the value and eight are guessed right:

    >>> members = np.array([6, 3, 1])
    >>> found = guesses_in(members, (0 * members, members), (6, 8), Values(10))
    >>> found.frequent.tolist(), found.guess.tolist(), found.is_other.tolist()
    ([5, 0, 1], [5, 2, 1], [False, True, False])
    """
    (low, high), (frequent, right) = bounds, totals
    most, others = values.most_of_others(frequent), values.others
    first = np.maximum(low, -(-members // values.most)), high
    least = np.maximum(low, members - others * most)
    second = least, np.minimum(high, np.minimum(members // 2, most))
    kinds = _Kinds(members, first, second, most, others)
    needed = right - frequent
    if (is_other := _second_kind(kinds, frequent, needed)) is None:
        return None
    of_first = first[0][~is_other], high[~is_other]
    of_others = _of_second_kind(kinds, is_other, of_first, totals)
    if of_others is None:
        return None
    of_rest = _spread(*of_first, frequent - int(of_others.sum()))
    more = _spread(*kinds.more(of_others, is_other), needed)
    if of_rest is None or more is None:
        return None
    count = np.zeros_like(members)
    count[~is_other], count[is_other] = of_rest, of_others
    guess = count.copy()
    guess[is_other] += more
    return Chosen(count, guess, is_other)


def _second_kind(kinds: _Kinds, frequent: int, needed: int) -> NDArray[np.bool_] | None:
    """Return which groups are of the second kind; None if one can be of neither.

    First the largest, while room is needed for right guesses: each with as few as it
    may of the most frequent value, or the last one with half or less, as others leave
    it. Then the smallest, if the most frequent value has too few for the first kind. Of
    two values the second kind has an odd number of members if so many are needed.
    """
    (low, high), (least, half) = kinds.first, kinds.second
    is_other, may = low > high, least <= half
    if not may[is_other].all():
        return None
    every = np.ones_like(may)
    _, room = kinds.more(least, every)
    spare = int(np.where(is_other, least, high).sum()) - frequent
    needed_room = needed - int(room[is_other].sum())
    order = np.argsort(-kinds.members, kind="stable")
    for place in order.tolist():
        if needed_room <= 0:
            break
        left = int(high[place] - least[place])
        if may[place] and not is_other[place] and left <= spare:
            is_other[place] = True
            spare -= left
            needed_room -= int(room[place])
    if needed_room > 0:
        some = np.maximum(least, high - spare)
        _, room = kinds.more(some, every)
        last = may & ~is_other & (some <= half) & (room >= needed_room)
        is_other[np.argmax(last)] |= last.any()
    free = may & (least < low) & ~is_other
    saved = np.cumsum(np.where(free, low - least, 0)[order[::-1]])
    lacking = int(np.where(is_other, least, low).sum()) - frequent
    if lacking > 0:
        n_more = int(np.searchsorted(saved, lacking)) + 1
        is_other[order[::-1][:n_more]] |= free[order[::-1][:n_more]]
    if kinds.others == 1 and (int(kinds.members[is_other].sum()) - needed) % 2:
        odd = may & (low <= high) & (kinds.members % 2 == 1)
        odd &= ~is_other if (odd & ~is_other).any() else is_other
        last_odd = order[odd[order]][-1:]
        is_other[last_odd] = ~is_other[last_odd]
    return is_other


def _of_second_kind(
    kinds: _Kinds,
    is_other: NDArray[np.bool_],
    of_first: tuple[Counts, Counts],
    totals: tuple[int, int],
) -> Counts | None:
    """Return how many of the second kind have the most frequent value; None if none.

    As few as leave the first kind no more than it may have, and as no more right
    guesses come with than there are.
    """
    frequent, right = totals
    low, high = (each[is_other] for each in kinds.second)
    fewest, most = (frequent - int(each.sum()) for each in reversed(of_first))
    sums = range(max(int(low.sum()), fewest), min(int(high.sum()), most) + 1)

    def counts(total: int) -> Counts:
        """Return counts of the groups with so many in all, the largest the last."""
        found = _spread(low, high, total)
        assert found is not None
        return found

    def are_few(total: int) -> bool:
        """Say whether so few right guesses may come with as many in all."""
        least, _ = kinds.more(counts(total), is_other)
        return int(least.sum()) <= right - frequent

    place = bisect_left(sums, True, key=are_few)
    return counts(sums[place]) if place < len(sums) else None


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


def with_values(values: Sequence[int], others: Mapping[int, int]) -> list[int]:
    """Return values, of which some numbers have others."""
    found = [*values]
    for n, value in others.items():
        found[n] = value
    return found
