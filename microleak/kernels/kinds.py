"""Kinds of small blocks, each with a number, so that they are counted in an array.

Of an attribute whose values are counted, a block's kind is its size, the count of its
most frequent value, its number of values, and its choices (`choices_of`). Of a marked
one it is its size and its number of members.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np

from microleak.base.arrays import Integers

MOST_COUNTED, MOST_MEMBERS = 12, 21
"""Records of the largest blocks whose kinds have a number: of values, of members. Both
have about 250 kinds."""


def choices_of(counts: Sequence[int]) -> int:
    """Return the choices of a block, by its records of each value.

    Without a record of the most frequent value so many values are the most frequent, if
    that one still is; else, or in a block of one, there are none.

    >>> [choices_of(counts) for counts in ([5, 4, 4, 1], [5, 3], [2, 2], [1])]
    [3, 1, 0, 0]
    """
    n_of = Counter(counts)
    modal = max(counts)
    return 1 + n_of[modal - 1] if modal > 1 and n_of[modal] == 1 else 0


def _partitions_of(n: int, most: int) -> Iterator[list[int]]:
    """Yield the ways to write n as a sum of integers up to `most`, descending."""
    if n == 0:
        yield []
    for first in range(min(n, most), 0, -1):
        for rest in _partitions_of(n - first, first):
            yield [first, *rest]


def _counted_kinds() -> Integers:
    sizes = range(1, MOST_COUNTED + 1)
    blocks = chain.from_iterable(_partitions_of(size, size) for size in sizes)
    kinds = {(sum(of), of[0], len(of), choices_of(of)) for of in blocks}
    return np.array(sorted(kinds))


def _members_of_kinds() -> Integers:
    pairs = ((n, of) for n in range(MOST_MEMBERS + 1) for of in range(n + 1))
    return np.array([(n, of, 1 + (0 < of < n), 0) for n, of in pairs])


COUNTED, MEMBERS = _counted_kinds(), _members_of_kinds()
"""Kinds by number, shape (n_kinds, 4): size, modal count or members, number of values,
choices. A block of some size has the kinds of members from size * (size + 1) / 2 on."""

N_KINDS = len(MEMBERS)
assert len(COUNTED) <= N_KINDS

NUMBERS = np.full((MOST_COUNTED + 1,) * 4, -1, dtype=np.int16)
"""Number of each kind of `COUNTED`, by its four properties."""
NUMBERS[tuple(COUNTED.T)] = np.arange(len(COUNTED))
