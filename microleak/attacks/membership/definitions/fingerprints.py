"""Which class of the population a class of the sample is, by what its members answered.

After Rodrigues 3.6.1, where one person alone is found: here a whole class is. Each of
the M members of class c, N(x) of whom have the QIDs x, answers by itself: truly with
the chance r (1 - e), something of the distribution p(x) with r e, and nothing with
1 - r. Of the m records of class s of the sample, d(x) say x. Adding up over J, how many
of them are misreports, and over how many misreports v(x) say x,

    P(s | c) = sum over J of q(J) V(J)
    q(J) = C(M - m + J, J) (r e)^J (r (1 - e))^(m - J) (1 - r)^(M - m)
    V(J) = sum over v of J! product over x of C(N(x), d(x) - v(x)) p(x)^v(x) / v(x)!

Up to `most_misreported` misreports are thought of: more have a chance below 10^-9.
Classes of the stratum were as likely before, so that P(c | s) is P(s | c) divided by
the sum over all of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microleak.base.arrays import Integers

IDENTIFIED = Fraction(99, 100)
"""Chance from which a class is identified."""

UNTHOUGHT = Fraction(1, 10**9)
"""Chance below which more misreports are not thought of."""

BigIntegers = NDArray[Any]
"""Python's integers of any size, as an array of objects."""


@dataclass(frozen=True)
class Answering:
    """How members of a class answer: at all, and something else than what is so."""

    response: Fraction
    misreport: Fraction

    def most_misreported(self, m: int) -> int:
        """Return the fewest misreports that m answers exceed with so small a chance.

        >>> Answering(Fraction(1), Fraction(1, 100)).most_misreported(30)
        7
        """
        wrong, rest, most = self.misreport, Fraction(1), -1
        while rest >= UNTHOUGHT:
            most += 1
            rest -= comb(m, most) * wrong**most * (1 - wrong) ** (m - most)
        return most


def likelihoods(
    asked: Integers,
    inside: Integers,
    sizes: Integers,
    said: Integers,
    answering: Answering,
) -> BigIntegers:
    """Return P(s | c) of classes c of the population, up to a common factor.

    Denominators of r, e and p(x) are left out, as all classes have them alike, so that
    these are whole numbers.

    Parameters
    ----------
    asked
        Records d(x) of the class of the sample, by what they say.
    inside
        Members N(x) of each class, shape (classes, as many).
    sizes
        Members M of each class.
    said
        How often both tables say x, and in all: p(x) is the former divided by the last.
    answering
        How members answer.

    Examples
    --------
    Of a class of two the one who answered may be either; another one has nobody who
    could; and of one of three two have not answered.

    >>> likelihoods(
    ...     np.array([1]), np.array([[2], [0], [2]]), np.array([2, 2, 3]),
    ...     np.array([3, 4]), Answering(Fraction(1, 2), Fraction(0)),
    ... ).tolist()
    [4, 0, 2]
    """
    m = int(asked.sum())
    most = min(m, answering.most_misreported(m))
    *each, of_all = said.tolist()
    answers = list(zip(asked.tolist(), inside.T, each, strict=True))
    half = (len(answers) + 1) // 2
    first, second = (
        _ways(some, len(sizes), most) for some in (answers[:half], answers[half:])
    )
    n_ways = min(len(first.ways) + len(second.ways) - 1, most + 1)
    distinct, of_size = np.unique(sizes - m, return_inverse=True)
    factors = _factors(m, distinct.tolist(), n_ways, of_all, answering)
    b, size, rest = _pairs(second, of_size, len(distinct))
    a, r, kind = _pairs(first, rest, len(b))
    found: BigIntegers = np.full(len(a), 0, dtype=object)
    for i, one in enumerate(first.ways):
        weights: BigIntegers = np.full(len(b), 0, dtype=object)
        for j, other in enumerate(second.ways[: n_ways - i]):
            weights += other[b] * (comb(i + j, i) * factors[i + j])[size]
        found += one[a] * weights[r]
    return found[kind]


def _factors(
    m: int, n_absent: Sequence[int], n_ways: int, of_all: int, answering: Answering
) -> list[BigIntegers]:
    """Return q(J) by J, of classes by how many of them are absent if J is 0."""
    wrong, not_wrong = _parts(answering.misreport)
    answered, silent = _parts(answering.response)
    most = max(n_absent)
    of_absent = [
        silent**n * (answered + silent) ** (most - n) if n >= 0 else 0 for n in n_absent
    ]
    found = []
    for n_wrong in range(n_ways):
        of_wrong = answered**m * wrong**n_wrong * not_wrong ** (m - n_wrong)
        of_wrong *= of_all ** (n_ways - 1 - n_wrong)
        factors = [
            of_wrong * both * comb(max(n, 0) + n_wrong, n_wrong)
            for n, both in zip(n_absent, of_absent, strict=True)
        ]
        found.append(np.array(factors, dtype=object))
    return found


def _parts(share: Fraction) -> tuple[int, int]:
    """Return a share and the rest of one, in parts of the denominator."""
    return share.numerator, share.denominator - share.numerator


@dataclass(frozen=True)
class _Ways:
    """V(J) of some answers: by J, of each kind of class, and the kind of each class."""

    ways: Sequence[BigIntegers]
    kind: Integers


def _ways(answers: Sequence[tuple[int, Integers, int]], n: int, most: int) -> _Ways:
    """Return the ways of n classes, by halves: a kind has as many of each answer."""
    if not answers:
        return _Ways([np.full(1, 1, dtype=object)], np.zeros(n, dtype=np.int64))
    if len(answers) == 1:
        ((d, column, times),) = answers
        distinct, kind = _numbered(column, int(column.max()) + 1)
        each = distinct.tolist()
        chosen = [
            [comb(n, d - wrong) * times**wrong for n in each]
            for wrong in range(min(d, most) + 1)
        ]
        return _Ways([np.array(way, dtype=object) for way in chosen], kind)
    half = len(answers) // 2
    first, second = (_ways(some, n, most) for some in (answers[:half], answers[half:]))
    a, b, kind = _pairs(first, second.kind, len(second.ways[0]))
    n_ways = min(len(first.ways) + len(second.ways) - 1, most + 1)
    found: list[BigIntegers] = [np.full(len(a), 0, dtype=object) for _ in range(n_ways)]
    for i, one in enumerate(first.ways):
        for j, other in enumerate(second.ways[: n_ways - i]):
            found[i + j] += one[a] * other[b] * comb(i + j, i)
    return _Ways(found, kind)


def _pairs(
    first: _Ways, second: Integers, n: int
) -> tuple[Integers, Integers, Integers]:
    """Return the pairs of kinds that classes have, and the number of each class's."""
    distinct, kind = _numbered(first.kind * n + second, len(first.ways[0]) * n)
    return *np.divmod(distinct, n), kind


def _numbered(values: Integers, n: int) -> tuple[Integers, Integers]:
    """Return the distinct values, of those below n, and which of them each one is."""
    if n > 4 * len(values):
        return np.unique(values, return_inverse=True)
    is_there = np.zeros(n, dtype=np.bool_)
    is_there[values] = True
    return np.flatnonzero(is_there), (np.cumsum(is_there) - 1)[values]
