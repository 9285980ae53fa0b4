"""The intersection attack on independent releases (Ganta, Kasiviswanathan, Smith 2008).

The target is in each of K releases, and its sensitive value is the same in all. The
adversary knows its QIDs x; the candidates of a release are its records with x, among
them the target's. What each of them leaves possible is a set of values, and the target
has one that is in all of these (their Algorithm 1):

    S(x) = S_1(x) n ... n S_K(x)

With c_k(x, s) candidates of the value s in release k, one candidate of each release can
be chosen in prod c_k(x, s) ways so that all have s. Each such choice may be the target
and is believed as likely as any other:

    P(s | x) = prod over k of c_k(x, s) / sum over s' of prod over k of c_k(x, s')

which with one release is the share of the value among the candidates (Nunes, 4.12).
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from fractions import Fraction
from math import prod

CandidateValues = Sequence[Sequence[Hashable]]
"""The sensitive values of the candidates in each release."""


def values_left(candidates: CandidateValues) -> set[Hashable]:
    """Return the values that the candidates of every release have.

    >>> sorted(values_left([["flu", "HIV", "flu"], ["HIV", "cold"]]))
    ['HIV']
    """
    first, *others = map(set, candidates)
    return first.intersection(*others)


def belief(candidates: CandidateValues) -> dict[Hashable, Fraction]:
    """Return how likely each value that is left is the target's; empty of none.

    >>> belief([["flu", "flu", "HIV"], ["flu", "HIV", "cold"]])["flu"]
    Fraction(2, 3)
    """
    counts = [Counter(values) for values in candidates]
    ways = {s: prod(count[s] for count in counts) for s in values_left(candidates)}
    total = sum(ways.values())
    return {s: Fraction(n, total) for s, n in ways.items()}
