"""Vectors of counts, and how much one person more changes each at most.

docs/decisions/0030-private-counts.md.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

SIZES = ("1", "2-4", "5-9", "10-99", "100-")
"""Classes of blocks by their records."""

FIRST_SIZES = (1, 2, 5, 10, 100)
"""The least size of each class."""

OTHERS = ""
"""The group of all who are in none that was declared."""

Statistic = Literal[
    "records",
    "most_frequent",
    "unique",
    "block_sizes",
    "right_guesses",
    "unique_by_group",
]

SENSITIVITY: Mapping[Statistic, int] = {
    "records": 1,
    "most_frequent": 1,
    "unique": 1,
    "block_sizes": 2,
    "right_guesses": 1,
    "unique_by_group": 1,
}
"""The L1 norm of the largest change of each vector by one record more.

`records` grows by 1. `most_frequent`, the largest of several counts, grows by 0 or 1,
as one of them grows by 1; `right_guesses` is a sum of such counts over blocks, of which
one grows. A record that is the first of its block makes one that is `unique` more; one
that is the second makes one fewer; others none. In `block_sizes` the first of its block
makes one block more, and any other moves one block to the next class or none: one count
falls by 1 and one grows by 1. In `unique_by_group` who becomes unique, or no longer is,
is in one group of a partition.

One record fewer changes them likewise. A person is one record of the focal release, by
the identifier, however many rows they have in it and in releases that are linked.
"""


MOST_EPSILON = 20
"""Of a page: above it a page tells nearly all about a person."""

CUSTOMARY_EPSILON = 10
"""Of all publications on a person: above it a run warns.

Who advises on epsilons asks for at most 1, or else for less than 10 (guide of
TensorFlow Privacy; Ponomareva et al. 2023, How to DP-fy ML, tiers 1 and 2).
"""


@dataclass(frozen=True)
class Vector:
    """Counts of a kind: which there are, whatever the records, and how each is made."""

    # Analysis that they are of, and the releases that it reads.
    analysis: str
    table: str
    focal: str
    auxiliary: tuple[str, ...]
    # A key of `SENSITIVITY`.
    statistic: Statistic
    # Returns the counts without noise, given the folder of the study's results.
    count: Callable[[Path], Sequence[int]]
    # What `count` reads, as paths below that folder.
    needs: tuple[str, ...]
    # What each count is of; a vector of one has the empty text.
    groups: tuple[str, ...] = field(default=("",), kw_only=True)
    # QIDs that are known, if any are.
    qids: tuple[str, ...] = field(default=(), kw_only=True)
    # Attribute that is guessed, if one is.
    sensitive: str = field(default="", kw_only=True)
    # What groups are made by, if they are.
    by: str = field(default="", kw_only=True)

    @property
    def releases(self) -> tuple[str, ...]:
        """The focal release and then the auxiliary ones."""
        return (self.focal, *self.auxiliary)

    @property
    def name(self) -> list[Any]:
        """What tells it from any other vector of a page."""
        known = self.qids, self.sensitive, self.by, self.groups
        return [self.analysis, self.statistic, *known]
