"""Members with the most frequent value, and right guesses, dealt out to groups.

Each group is of one of two kinds. In the first kind the most frequent value of all has
every right guess. In the second kind it has none or few, and another one the right
guesses, of which no group has more than the most frequent value has members.
"""

from bisect import bisect_left
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]
"""A whole number for each group."""


class Bounds(NamedTuple):
    """What is wanted of a group, or of each of some.

    Attributes
    ----------
    low, high
        Least and largest number of members with the most frequent value of all.
    guess
        Least number of right guesses.
    """

    low: Any
    high: Any
    guess: Any


class Chosen(NamedTuple):
    """Members with the most frequent value, right guesses, and where others have them.

    One of each for each group.
    """

    frequent: Counts
    guess: Counts
    is_second: NDArray[np.bool_]


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
    def n_at_most(self) -> int:
        """Return a number of values that it surely does not exceed."""
        return self.number or self.n_records + 1

    @property
    def n_others(self) -> int:
        """Return how many values there may be besides one, or one if there are none."""
        return max(self.n_at_most - 1, 1)

    def least(self, size: int) -> int:
        """Return the right guesses that a group has at least.

        >>> Values(90, 3).least(10), Values(90).least(10)
        (4, 1)
        """
        return -(-size // self.n_at_most)

    def most_of_second(self, frequent: int) -> int:
        """Return how many right guesses in each group of the second kind surely may be.

        They are members with one value, and so no more than have the most frequent
        one. If there are few values, groups of the second kind must divide into as
        many parts, each of no more members. They do if the largest is no larger than
        this: put one after the other where there are fewest members, with the rest in
        equal parts, no value gets more than an equal part of all others, and a part of
        the largest group. That is no more than the most frequent value has.

        >>> Values(100, 3).most_of_second(40), Values(100).most_of_second(40)
        (20, 40)
        """
        if self.number is None or self.number == 2:
            return frequent
        room = self.number * frequent - self.n_records
        return min(frequent, room // (self.number - 2)) if self.number > 2 else 0

    def bounds_with(self, another: tuple[int, int], size: int, frequent: int) -> Bounds:
        """Return with which numbers another value surely has so many in a group.

        From the first to the second number, or in the second kind one as good.
        """
        low, high = another
        if self.number is None:
            return Bounds(0, size - low, low)
        n, room = self.number, self.number * frequent - self.n_records
        rest = size - (n - 1) * high
        return Bounds(
            max(-((high - size) // (n - 1)), rest - (n - 2) * (room + 1)),
            min(size - low, size + room + n - 2 - (n - 1) * low),
            low,
        )

    def another(self, members: Counts, found: "Chosen") -> tuple[Counts, Counts]:
        """Return how many of groups have another value, at least and at most.

        As many as right guesses, and the others no more, either. Then the values must
        fit together in all groups: of the first kind one other value may be ahead of
        equal parts by as much as the most frequent value is; or behind by as much for
        each of those left, among which it is divided.

        >>> found = Chosen(np.array([40]), np.array([40]), np.array([False]))
        >>> Values(100, 3).another(np.array([70]), found)
        (array([5]), array([25]))
        """
        rest = members - found.frequent
        most = np.minimum(found.guess, rest)
        if self.number is None:
            return np.zeros_like(rest), most
        n = max(self.number, 2)
        room = n * int(found.frequent.sum()) - self.n_records
        least = np.maximum(rest - (n - 2) * found.guess, 0)
        behind = rest - (n - 2) * (room + 1)
        return (
            np.maximum(least, -(-behind // (n - 1))),
            np.minimum(most, (rest + room + n - 2) // (n - 1)),
        )


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
    n_others
        How many values there may be besides the most frequent one.
    guess
        Least numbers of right guesses.
    """

    members: Counts
    first: tuple[Counts, Counts]
    second: tuple[Counts, Counts]
    most: int
    n_others: int
    guess: Counts

    @property
    def largest_first(self) -> NDArray[np.int64]:
        """Places of the groups."""
        return np.argsort(-self.members, kind="stable")

    def more(self, count: Counts, of: NDArray[np.bool_]) -> tuple[Counts, Counts]:
        """Return how many more right guesses than that groups of the second kind have.

        Least and largest numbers, with so many members with the most frequent value.
        """
        rest = self.members[of] - count
        least = np.maximum(-(-rest // self.n_others), self.guess[of])
        return np.maximum(least - count, 0), np.minimum(rest, self.most) - count


def guesses_in(
    members: Counts,
    bounds: Bounds,
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
    >>> bounds = Bounds(0 * members, members, 0 * members)
    >>> found = guesses_in(members, bounds, (6, 8), Values(10))
    >>> found.frequent.tolist(), found.guess.tolist(), found.is_second.tolist()
    ([5, 0, 1], [5, 2, 1], [False, True, False])
    """
    (low, high, wanted), (frequent, right) = bounds, totals
    most, n_others = values.most_of_second(frequent), values.n_others
    guess = np.maximum(wanted, -(-members // values.n_at_most))
    first = np.maximum(low, guess), high
    least = np.maximum(low, members - n_others * most)
    half = np.minimum(members // 2, members - guess)
    second = least, np.minimum(high, np.minimum(half, most))
    kinds = _Kinds(members, first, second, most, n_others, guess)
    needed = right - frequent
    if (is_second := _second_kind(kinds, frequent, needed)) is None:
        return None
    of_first = first[0][~is_second], high[~is_second]
    of_second = _of_second_kind(kinds, is_second, of_first, totals)
    if of_second is None:
        return None
    of_rest = _spread(*of_first, frequent - int(of_second.sum()))
    more = _spread(*kinds.more(of_second, is_second), needed)
    if of_rest is None or more is None:
        return None
    count = np.zeros_like(members)
    count[~is_second], count[is_second] = of_rest, of_second
    right_in = count.copy()
    right_in[is_second] += more
    return Chosen(count, right_in, is_second)


def _second_kind(kinds: _Kinds, frequent: int, needed: int) -> NDArray[np.bool_] | None:
    """Return which groups are of the second kind; None if one can be of neither."""
    (low, high), (least, half) = kinds.first, kinds.second
    is_second = low > high
    if not (least <= half)[is_second].all():
        return None
    is_second = is_second | _with_room(kinds, is_second, frequent, needed)
    is_second |= _with_few(kinds, is_second, frequent)
    if kinds.n_others == 1:
        is_second ^= _odd(kinds, is_second, needed)
    return is_second


def _with_room(
    kinds: _Kinds, is_second: NDArray[np.bool_], frequent: int, needed: int
) -> NDArray[np.bool_]:
    """Return groups with room for right guesses, besides those of the second kind.

    The largest, each with as few as it may of the most frequent value, while others
    may have what that leaves; or the last one with half or less.
    """
    (_, high), (least, half) = kinds.first, kinds.second
    may, every = least <= half, np.ones_like(is_second)
    _, room = kinds.more(least, every)
    spare = int(np.where(is_second, least, high).sum()) - frequent
    needed -= int(room[is_second].sum())
    found = np.zeros_like(is_second)
    for place in kinds.largest_first.tolist():
        if needed <= 0:
            return found
        left = int(high[place] - least[place])
        if may[place] and not is_second[place] and left <= spare:
            found[place] = True
            spare -= left
            needed -= int(room[place])
    if needed > 0:
        some = np.maximum(least, high - spare)
        _, room = kinds.more(some, every)
        last = may & ~is_second & ~found & (some <= half) & (room >= needed)
        found[np.argmax(last)] |= last.any()
    return found


def _with_few(
    kinds: _Kinds, is_second: NDArray[np.bool_], frequent: int
) -> NDArray[np.bool_]:
    """Return the smallest groups, if the first kind needs more than have the value."""
    (low, _), (least, half) = kinds.first, kinds.second
    smallest_first = kinds.largest_first[::-1]
    free = (least <= half) & (least < low) & ~is_second
    saved = np.cumsum(np.where(free, low - least, 0)[smallest_first])
    lacking = int(np.where(is_second, least, low).sum()) - frequent
    found = np.zeros_like(is_second)
    if lacking > 0:
        n_more = int(np.searchsorted(saved, lacking)) + 1
        found[smallest_first[:n_more]] = free[smallest_first[:n_more]]
    return found


def _odd(kinds: _Kinds, is_second: NDArray[np.bool_], needed: int) -> NDArray[np.bool_]:
    """Return the group that changes its kind, where there are two values, if any.

    The second kind then has an odd number of members if so many are needed.
    """
    (low, high), (least, half) = kinds.first, kinds.second
    found = np.zeros_like(is_second)
    if (int(kinds.members[is_second].sum()) - needed) % 2:
        odd = (least <= half) & (low <= high) & (kinds.members % 2 == 1)
        odd &= ~is_second if (odd & ~is_second).any() else is_second
        found[kinds.largest_first[odd[kinds.largest_first]][-1:]] = True
    return found


def _of_second_kind(
    kinds: _Kinds,
    is_second: NDArray[np.bool_],
    of_first: tuple[Counts, Counts],
    totals: tuple[int, int],
) -> Counts | None:
    """Return how many of the second kind have the most frequent value; None if none.

    As few as leave the first kind no more than it may have, and as no more right
    guesses come with than there are.
    """
    frequent, right = totals
    low, high = (each[is_second] for each in kinds.second)
    fewest, most = (frequent - int(each.sum()) for each in reversed(of_first))
    sums = range(max(int(low.sum()), fewest), min(int(high.sum()), most) + 1)

    def counts(total: int) -> Counts:
        """Return counts of the groups with so many in all, the largest the last."""
        found = _spread(low, high, total)
        assert found is not None
        return found

    def are_few(total: int) -> bool:
        """Say whether so few right guesses may come with as many in all."""
        least, _ = kinds.more(counts(total), is_second)
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
