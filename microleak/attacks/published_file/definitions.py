"""Shares of people that a published file gives away, and how sure a difference is."""

from fractions import Fraction
from math import sqrt
from typing import NamedTuple

from microleak.base.arrays import Integers
from microleak.definitions.exact import sum_of_ratios

Z = 1.959963984540054
"""Quantile of the normal law for intervals of 95 %."""


class Difference(NamedTuple):
    """A difference of two shares, and the ends of its 95 % interval."""

    value: float
    low: float
    high: float


def linked_rightly(n_candidates: Integers, n_records: Integers, n_all: int) -> Fraction:
    """Return the chance to choose a person's own published record among its candidates.

    Of records by their number of candidates, from 0: without any there is no chance.

    >>> import numpy as np
    >>> linked_rightly(np.array([0, 1, 2]), np.array([1, 1, 2]), 4)
    Fraction(1, 2)
    """
    there = n_candidates > 0
    return sum_of_ratios(n_records[there], n_candidates[there]) / n_all


def alone_in_draw(
    covered: Integers, n_records: Integers, size: tuple[int, int]
) -> float:
    """Return the share that is singled out, on average, of a part of the originals.

    Of originals that exactly one published record covers, by how many originals that
    one covers; `size` are all originals and how many of them are drawn. One is singled
    out if none of the others that are covered is drawn: with N originals and n drawn

        C(N - c, n - 1) / C(N - 1, n - 1)

    >>> import numpy as np
    >>> alone_in_draw(np.array([1, 2]), np.array([1, 2]), (4, 2))
    0.5833333333333333
    >>> alone_in_draw(np.array([1, 2]), np.array([1, 2]), (4, 4))
    0.25
    """
    n_all, n_drawn = size
    chances = []
    for n_covered in covered.tolist():
        chance = 1.0
        for i in range(n_covered - 1):
            chance *= max(n_all - n_drawn - i, 0) / (n_all - 1 - i)
            if chance < 1e-18:
                break
        chances.append(chance)
    terms = [chance * n for chance, n in zip(chances, n_records.tolist(), strict=True)]
    return float(sum(terms) / n_all)


def wilson(n_right: float, n: int) -> tuple[float, float]:
    """Return Wilson's interval of 95 % for a share.

    >>> [round(end, 4) for end in wilson(0, 500)]
    [0.0, 0.0076]
    """
    share = n_right / n
    middle = share + Z**2 / (2 * n)
    half = Z * sqrt(share * (1 - share) / n + Z**2 / (4 * n**2))
    whole = 1 + Z**2 / n
    return max((middle - half) / whole, 0.0), min((middle + half) / whole, 1.0)


def difference(share: float, n: int, of_control: float, n_control: int) -> Difference:
    """Return the difference of the shares of two groups of people (Newcombe 1998, 10).

    Shares may be those of expected numbers.

    >>> difference(0.5, 100, 0.25, 100).value
    0.25
    """
    low, high = wilson(share * n, n)
    low_control, high_control = wilson(of_control * n_control, n_control)
    value = share - of_control
    below = sqrt((share - low) ** 2 + (high_control - of_control) ** 2)
    above = sqrt((high - share) ** 2 + (of_control - low_control) ** 2)
    return Difference(value, value - below, value + above)
