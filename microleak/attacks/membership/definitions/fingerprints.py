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

from microleak.definitions.profile import Counts

IDENTIFIED = Fraction(99, 100)
"""Chance from which a class is identified."""

UNTHOUGHT = Fraction(1, 10**9)
"""Chance below which more misreports are not thought of."""

Integers = NDArray[Any]
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
    asked: Counts, inside: Counts, sizes: Counts, said: Counts, answering: Answering
) -> Integers:
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
    ways: list[Integers] = [np.full(len(sizes), 1, dtype=object)]
    for d, column, times in zip(asked.tolist(), inside.T, each, strict=True):
        ways = _one_more(ways, d, column, times, most)
    wrong, not_wrong = _parts(answering.misreport)
    answered, silent = _parts(answering.response)
    distinct, kind = np.unique(sizes - m, return_inverse=True)
    n_absent = [n for n in distinct.tolist() if n >= 0]
    most_absent = max(n_absent, default=0)
    of_absent = [0] * (len(distinct) - len(n_absent)) + [
        silent**n * (answered + silent) ** (most_absent - n) for n in n_absent
    ]
    found: Integers = np.full(len(sizes), 0, dtype=object)
    for n_wrong, way in enumerate(ways):
        of_wrong = answered**m * wrong**n_wrong * not_wrong ** (m - n_wrong)
        of_wrong *= of_all ** (len(ways) - 1 - n_wrong)
        factors = [
            of_wrong * both * comb(max(n, 0) + n_wrong, n_wrong)
            for n, both in zip(distinct.tolist(), of_absent, strict=True)
        ]
        found += way * np.array(factors, dtype=object)[kind]
    return found


def _parts(share: Fraction) -> tuple[int, int]:
    """Return a share and the rest of one, in parts of the denominator."""
    return share.numerator, share.denominator - share.numerator


def _one_more(
    ways: Sequence[Integers], d: int, column: Counts, times: int, most: int
) -> list[Integers]:
    """Return the ways with one more x, by how many of all are misreports."""
    found: list[Integers] = [
        np.full(len(column), 0, dtype=object)
        for _ in range(min(len(ways) + d, most + 1))
    ]
    distinct, kind = np.unique(column, return_inverse=True)
    for wrong in range(min(d, most) + 1):
        chosen = [comb(n, d - wrong) * times**wrong for n in distinct.tolist()]
        of_class = np.array(chosen, dtype=object)[kind]
        for before, way in enumerate(ways[: len(found) - wrong]):
            found[before + wrong] += way * of_class * comb(before + wrong, wrong)
    return found
