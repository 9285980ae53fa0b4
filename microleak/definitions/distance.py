"""How far apart two distributions of records are (Nunes, 2.2.4).

Each is given as how many records have each value; a missing value is a value like any
other, and a value that one of them lacks has no record there. Two tables that say how
many records have what, as `distribution` or `success` of two releases or of a release
and its protected form, are compared by what their rows are of.
"""

from collections.abc import Hashable, Mapping
from fractions import Fraction
from math import fsum, inf, log2

ValueRecords = Mapping[Hashable, int]
"""Records by value; at least one in all, and none negative."""


def total_variation(one: ValueRecords, other: ValueRecords) -> Fraction:
    """Return half of the sum of the differences of shares, in [0, 1].

    It is the largest difference of the chances of any set of values, and the share of
    records that would have to get another value to make the two alike.

    >>> total_variation({"a": 1, "b": 1}, {"a": 1, "c": 3})
    Fraction(3, 4)
    """
    n, m = sum(one.values()), sum(other.values())
    differences = (
        abs(one.get(value, 0) * m - other.get(value, 0) * n)
        for value in one.keys() | other.keys()
    )
    return Fraction(sum(differences), 2 * n * m)


def kullback_leibler(one: ValueRecords, other: ValueRecords) -> float:
    """Return the divergence of one distribution from another, in bits, from 0.

    It is what the logarithm of the ratio of shares is on average over the records of
    the first; infinite where the second lacks a value of the first. The order of values
    changes no bit.

    >>> kullback_leibler({"a": 1, "b": 1}, {"a": 1, "b": 1, "c": 2})
    1.0
    """
    n, m = sum(one.values()), sum(other.values())
    found = {value: count for value, count in one.items() if count}
    if any(not other.get(value, 0) for value in found):
        return inf
    terms = (
        count / n * log2(Fraction(count * m, other[value] * n))
        for value, count in found.items()
    )
    return max(0.0, fsum(terms))
