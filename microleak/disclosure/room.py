"""What groups of known sizes can have in small blocks, beside their large ones.

Others divide a group into so many blocks. Its records in large blocks, and what is
counted in small ones, can then be few things at their ends, which are the corners of
all that they can be. So the most that a weighted sum of both comes to is known of each
group, and of all together.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

MOST_SIZES: Final = 6
"""Sizes of groups whose corners give the weights that are tried."""

MOST_DENOMINATOR: Final = 1_000
"""Weights are fractions with a denominator up to it."""

MOST_MEMBERS: Final = 20_000
"""Members up to which a group is looked at that some leave for rare combinations."""


class Counted(NamedTuple):
    """What is counted, and beside what.

    Attributes
    ----------
    first
        Small blocks have as many records, or more.
    end
        They have fewer records; twice as many as the first, or more.
    larger
        Large blocks have as many records, or more.
    are_blocks
        Whether small blocks are counted, and not their records. They are from 1 on.
    """

    first: int
    end: int
    larger: int
    are_blocks: bool


class WeightedBounds(NamedTuple):
    """That each of `small` times what is counted is `most` and `large` times at most.

    `large` is of the records in large blocks, and may be below 0.
    """

    small: Integers
    large: Integers
    most: Integers

    def tightest(self, n_large: int) -> tuple[float, tuple[int, ...]]:
        """Return the most that is counted beside so many records in large blocks."""
        at = (self.most + self.large * n_large) / self.small
        place = int(at.argmin())
        return float(at[place]), tuple(int(each[place]) for each in self)


def corners(
    sizes: Integers, n_blocks: int, counted: Counted
) -> tuple[Integers, Integers]:
    """Return corners of what groups can be: records in large blocks, and what counts.

    Parameters
    ----------
    sizes
        Members of each group, shape (n_groups,).
    n_blocks
        Blocks of a group, at most.
    counted
        What is counted.

    Returns
    -------
    tuple
        Both of shape (5, n_groups); corners may be the same.
    """
    first, end, larger, are_blocks = counted
    each = 1 if are_blocks else end - 1
    fit_small = sizes <= n_blocks * (end - 1)
    fewer = np.minimum(sizes, n_blocks) if are_blocks else sizes
    most = np.where(fewer < first, 0, fewer)
    # Up to so many small blocks, which are full, no other one has to be large.
    room = (n_blocks * (larger - 1) - sizes) // (larger - end)
    last = np.clip(room, -1, n_blocks - 1)
    large, small = [], []
    for n in (np.maximum(last, 0), np.minimum(last + 1, n_blocks - 1), n_blocks - 1):
        others = (n_blocks - n - 1) * (larger - 1)
        rest = np.where(n <= last, 0, sizes - n * (end - 1) - others)
        large.append(np.where(fit_small, 0, rest))
        small.append(np.where(fit_small, most, n * each))
    # Those in which all that is not small is in one large block.
    beside = np.minimum(sizes - larger, (n_blocks - 1) * each)
    can_be = sizes >= larger
    for n in (np.where(beside < first, 0, beside), np.zeros_like(sizes)):
        large.append(np.where(can_be, sizes - n, large[0]))
        small.append(np.where(can_be, n, small[0]))
    return np.array(large), np.array(small)


class Groups:
    """Groups of a grouping, which combinations of others divide.

    Parameters
    ----------
    sizes
        Members of each group.
    choices
        How many combinations are taken for the main ones, and how many records have
        others at most.
    """

    def __init__(
        self, sizes: Collection[int], choices: Sequence[tuple[int, int]]
    ) -> None:
        times = Counter(sizes)
        self._sizes = np.array(sorted(times), dtype=np.int64)
        self._times = np.array([times[n] for n in self._sizes.tolist()], dtype=np.int64)
        self._choices = choices

    def bounds(
        self, counted: Counted, said: Mapping[int, int]
    ) -> Iterator[WeightedBounds]:
        """Yield bounds of what is counted by some weights, for each choice.

        A record with a rare combination is in a small block or in a large one of its
        own, at most, and its group has one record fewer. Choices are left out which
        say no more than is `said` of some numbers of records in large blocks, by these.
        """
        largest = int(self._sizes[-1])
        for n_blocks, n_rare in self._choices:
            highest = n_blocks * (counted.larger - 1) + counted.larger + 1
            n = min(largest, highest)
            can_all_be_small = n_blocks * (counted.end - 1) >= largest
            if can_all_be_small or (n_rare and n > MOST_MEMBERS):
                continue
            found = corners(self._sizes, n_blocks, counted)
            if _can_be([each @ self._times for each in found], n_rare, said):
                continue
            small, large = self._weights(*found)
            sums = _most(found, small, large) @ self._times
            if n_rare:
                best = _most(corners(np.arange(n + 1), n_blocks, counted), small, large)
                left = (best[:, :-1] - best[:, 1:]).max(axis=1)
                if largest > n:
                    left = np.maximum(left, large)
                sums += n_rare * np.maximum(0, np.maximum(small, -large) + left)
            yield WeightedBounds(small, large, sums)

    def _weights(self, large: Integers, small: Integers) -> tuple[Integers, Integers]:
        """Return weights by which two corners of a group are alike, and that of none.

        Of what is counted, and of records in large blocks.
        """
        places = np.linspace(0, len(self._sizes) - 1, MOST_SIZES).astype(int)
        found = {(1, 0)}
        for place in {*places.tolist()}:
            ends = large[:, place].tolist(), small[:, place].tolist()
            points = sorted({*zip(*ends, strict=True)})
            for (a, b), (c, d) in combinations(points, 2):
                if a != c:
                    slope = Fraction(d - b, c - a).limit_denominator(MOST_DENOMINATOR)
                    found.add((slope.denominator, slope.numerator))
        first, second = zip(*sorted(found), strict=True)
        return np.array(first), np.array(second)


def _can_be(points: Sequence[Integers], rare: int, said: Mapping[int, int]) -> bool:
    """Say whether all that is said can be, surely, between two points.

    As many more may be counted as have rare combinations, or be in large blocks.
    """
    ends = [*zip(*(each.tolist() for each in points), strict=True)]
    last = max(a for a, _ in ends)
    return all(
        any(
            a <= n <= c and b * (c - n) + d * (n - a) >= (most - rare) * (c - a)
            for (a, b), (c, d) in product(ends, ends)
        )
        for n, most in ((min(n, last), most) for n, most in said.items())
    )


def _most(
    found: tuple[Integers, Integers], small: Integers, large: Integers
) -> Integers:
    """Return the most of weighted sums: a row for both weights, a column a group."""
    of_large, of_small = found
    return np.array(
        [
            (by * of_small - times * of_large).max(axis=0)
            for by, times in zip(small, large, strict=True)
        ]
    )
