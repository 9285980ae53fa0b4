"""What an adversary finds who knows the target's QIDs in both releases, all or some.

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

A target of whom only some QIDs are known is one of the focal records i that have what
is known there, each as likely as any other before. Of the auxiliary release some values
z are known, or that the target is not in it, where all values are missing; P(z | i) is
the sum over records that have what is known of z. Then

    P(i | known) = P(z | i) / sum over i' of P(z | i')
    P(s | known) = sum over i with s of P(i | known)

If nothing is known of the auxiliary release P(z | i) is 1, and both are those of the
focal release alone (Nunes, C.5 and C.11). Where all links are certain they are those of
a panel (C.19 and C.27).
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


def belief_in_records(chances: Sequence[Fraction]) -> list[Fraction]:
    """Return P(i | known), given P(z | i) of each record; none if it cannot be.

    >>> belief_in_records([Fraction(1, 2), Fraction(1, 4)])
    [Fraction(2, 3), Fraction(1, 3)]
    """
    total = sum(chances, Fraction(0))
    return [each / total for each in chances] if total else []
