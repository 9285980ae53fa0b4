"""Risks to people in units, and what the records of other units teach.

A record's unit is found if only its own unit has records with its values: whoever
knows them knows which records are of the household, and reads all of them. Of a set
that has a list of all members, this is a household of which there is one.

What others teach is measured as by leaving one out, but the whole unit goes: members
of a household share much, and who is in the release is there with the others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from microleak.base.arrays import Integers, QidMask

MOST_SIZE = 20
"""Units of more members are told of together."""


@dataclass(frozen=True)
class UnitsFound:
    """Records and units that are found by their own values, by class of size."""

    n_records: Integers  # Records of which only their own unit has the values
    n_units: Integers  # Units that have such a record
    n_read: Integers  # Records of these units


@dataclass(frozen=True)
class UnitsInferred:
    """What is learnt of one sensitive attribute, by class of the unit's size.

    The last two begin with units of one record.
    """

    n_certain: Integers  # Records in a block of one value
    n_certain_others: Integers  # Of them, those of which other units teach it, too
    n_rarer: Integers  # Records with another value than the most frequent
    n_certain_rarer: Integers  # Of them, those in a block of one value
    right: Sequence[Fraction]  # Records whose value is guessed right, ties as shares
    right_others: Sequence[Fraction]  # The same, guessed from other units alone


def best_others(
    found: Mapping[QidMask, Sequence[Fraction]],
) -> dict[QidMask, Sequence[Fraction]]:
    """Return what others teach with the QIDs of each subset, or with some of them.

    The adversary chooses the subset by which most records of all sizes are guessed
    right; of several, the one of fewest QIDs that comes first.

    >>> one = Fraction(1)
    >>> best_others({0: [one, one], 1: [2 * one, one], 3: [one, 0 * one]})[3]
    [Fraction(2, 1), Fraction(1, 1)]
    """
    in_order = sorted(found, key=lambda subset: (subset.bit_count(), subset))
    best = {}
    for subset in found:
        parts = [found[part] for part in in_order if part & ~subset == 0]
        best[subset] = max(parts, key=sum)
    return best


def size_classes(n_members: Integers) -> Integers:
    """Return the class of each unit: its number of members, or one more than the most.

    >>> size_classes(np.array([1, 4, 20, 21, 900])).tolist()
    [1, 4, 20, 21, 21]
    """
    return np.minimum(n_members, MOST_SIZE + 1)
