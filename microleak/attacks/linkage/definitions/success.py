"""Success of an adversary who knows the target's QIDs in both releases.

The target is one of n focal records i at random, with QIDs x(i) and sensitive value
s(i). It has the auxiliary values z: those of its record there, or none where it is in
no auxiliary record (missing ones, as in a panel, Nunes' AL4). The adversary knows x and
z, and from the links the chance P(z | i) that a record that i links to has z: the sum
of the chances of these links; of none, what is left of 1. It believes by Bayes, so

    re-identification: 1/n sum over x, z of max over i with x of P(z | i)
    inference: 1/n sum over x, z of max over s of sum over i with x, s of P(z | i)

Where all links are certain P is 0 or 1, and both are those of a panel (Nunes'
collective attack on a longitudinal data set, Definition 21); without links z is missing
for all, and both are those of the focal release alone (Eq. 4.5 and 4.12). What an
identifier adds is the panel's success by it less that of the links.
"""

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction

Chances = Sequence[Mapping[Hashable, Fraction]]
"""P(z | i) of each record i, by the values z that it may have."""


def reidentified(qids: Sequence[Hashable], chances: Chances) -> Fraction:
    """Return the chance that the best guess is the target's record.

    >>> half = Fraction(1, 2)
    >>> reidentified(["x", "x"], [{"a": half, "b": half}, {"b": Fraction(1)}])
    Fraction(3, 4)
    """
    best: dict[Hashable, Fraction] = defaultdict(Fraction)
    for x, of_record in zip(qids, chances, strict=True):
        for z, chance in of_record.items():
            best[x, z] = max(best[x, z], chance)
    return sum(best.values(), Fraction(0)) / len(qids)


def inferred(
    qids: Sequence[Hashable], sensitive: Sequence[Hashable], chances: Chances
) -> Fraction:
    """Return the chance that the best guess is the target's sensitive value.

    >>> half = Fraction(1, 2)
    >>> both = [{"a": half, "b": half}, {"b": Fraction(1)}]
    >>> inferred(["x", "x"], ["ill", "well"], both)
    Fraction(3, 4)
    """
    mass: dict[Hashable, Fraction] = defaultdict(Fraction)
    for x, s, of_record in zip(qids, sensitive, chances, strict=True):
        for z, chance in of_record.items():
            mass[x, z, s] += chance
    best: dict[Hashable, Fraction] = defaultdict(Fraction)
    for (x, z, _), each in mass.items():  # type: ignore[misc]
        best[x, z] = max(best[x, z], each)
    return sum(best.values(), Fraction(0)) / len(qids)
