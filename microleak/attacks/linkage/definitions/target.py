"""What links tell of one person of whom some QIDs are known in both releases.

The target is one of the focal records i that have what is known there, each as likely
as any other before. Of the auxiliary release some values z are known, or that the
target is not in it, where all values are missing. From the links the adversary knows
the chance P(z | i) that the record that i links to has them (`success.py`; the sum over
records that have what is known of z). It believes by Bayes

    P(i | known) = P(z | i) / sum over i' of P(z | i')
    P(s | known) = sum over i with s of P(i | known)

If nothing is known of the auxiliary release P(z | i) is 1, and both are those of the
focal release alone (Nunes, C.5 and C.11). Where all links are certain they are those of
a panel (C.19 and C.27).
"""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from fractions import Fraction


def belief_in_records(chances: Sequence[Fraction]) -> list[Fraction]:
    """Return P(i | known), given P(z | i) of each record; none if it cannot be.

    >>> belief_in_records([Fraction(1, 2), Fraction(1, 4)])
    [Fraction(2, 3), Fraction(1, 3)]
    """
    total = sum(chances, Fraction(0))
    return [each / total for each in chances] if total else []


def belief_in_values(
    chances: Sequence[Fraction], sensitive: Sequence[Hashable]
) -> dict[Hashable, Fraction]:
    """Return P(s | known), of each value that a record has; none if it cannot be.

    >>> chances = [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)]
    >>> belief_in_values(chances, ["ill", "well", "well"])
    {'ill': Fraction(1, 2), 'well': Fraction(1, 2)}
    """
    found: dict[Hashable, Fraction] = defaultdict(Fraction)
    if any(chances):
        for s, each in zip(sensitive, belief_in_records(chances), strict=True):
            found[s] += each
    return dict(found)
