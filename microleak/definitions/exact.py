"""Sums and extremes of many counts and ratios of counts, without rounding."""

from fractions import Fraction
from functools import reduce
from typing import TypeVar

import numpy as np

from microleak.base.arrays import Floats, Integers

Numbers = TypeVar("Numbers", Integers, Floats)


def run_starts(*values: Integers) -> Integers:
    """Return where each run begins that is equal in all arrays; nothing for no values.

    >>> run_starts(np.array([4, 4, 7, 9, 9]))
    array([0, 2, 3])
    """
    is_new = np.ones(len(values[0]), dtype=bool)
    is_new[1:] = reduce(np.logical_or, (each[1:] != each[:-1] for each in values))
    return np.flatnonzero(is_new)


def kind_sums(kind: Integers, counts: Integers, n_kinds: int) -> Integers:
    """Return the sum of the counts of each kind, 0 of one that does not occur.

    Kinds are numbered from 0; sums must be below 2**63.

    >>> kind_sums(np.array([2, 0, 2]), np.array([5, 1, 2]), 4)
    array([1, 0, 7, 0])
    """
    totals = np.zeros(n_kinds, dtype=np.int64)
    np.add.at(totals, kind, counts)
    return totals


def largest_by(kind: Integers, numbers: Numbers, n_kinds: int) -> Numbers:
    """Return the largest number of each kind, 0 of one that does not occur.

    >>> largest_by(np.array([2, 0, 2]), np.array([5, 1, 7]), 4)
    array([1, 0, 7, 0])
    """
    found = np.zeros(n_kinds, dtype=numbers.dtype)
    np.maximum.at(found, kind, numbers)
    return found


def values_at(keys: Integers, known: Integers, values: Numbers) -> Numbers:
    """Return the value of each key, 0 of one that is not among those known, ascending.

    >>> values_at(np.array([3, 8, 5]), np.array([3, 5]), np.array([30, 50]))
    array([30,  0, 50])
    """
    at = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    return np.where(known[at] == keys, values[at], 0)


def first_places(kind: Integers, n_kinds: int) -> Integers:
    """Return the first place of each kind; every kind occurs.

    >>> first_places(np.array([2, 0, 2, 1]), 3)
    array([1, 3, 0])
    """
    found = np.zeros(n_kinds, dtype=np.int64)
    found[kind[::-1]] = np.arange(len(kind))[::-1]
    return found


def repeated_places(n_each: Integers, starts: Integers) -> tuple[Integers, Integers]:
    """Return each place `n_each` times, and numbers from its start up beside it.

    >>> repeated_places(np.array([2, 0, 1]), np.array([5, 7, 9]))
    (array([0, 0, 2]), array([5, 6, 9]))
    """
    own = np.repeat(np.arange(len(n_each)), n_each)
    within = np.arange(len(own)) - np.repeat(np.cumsum(n_each) - n_each, n_each)
    return own, starts[own] + within


LOW_BITS = 20


def upper_and_lower(counts: Integers) -> tuple[Integers, Integers]:
    """Return what counts have above their lowest `LOW_BITS` bits, and these.

    Products with each of the two add up to less than 2**63 where those with the counts
    themselves might not, of tables of up to 2**40 records.

    >>> upper_and_lower(np.array([5, (3 << LOW_BITS) + 1]))
    (array([0, 3]), array([5, 1]))
    """
    return counts >> LOW_BITS, counts & ((1 << LOW_BITS) - 1)


Ratios = tuple[Integers, Integers]
"""Numerators and denominators, of the same shape; denominators from 1."""

SLACK = 1e-12
"""How far sums of floats that belong together may lie apart, of their terms."""


def sum_of_ratios(numerators: Integers, denominators: Integers) -> Fraction:
    """Return the exact sum of ratios, 0 of none.

    Ratios of one denominator are added first; their numerators must add up to
    less than 2**63. The others are added in pairs and reduced once at the end, so
    that numbers of thousands of digits are multiplied a few times only.

    >>> sum_of_ratios(np.array([1, 1, 2]), np.array([2, 3, 2]))
    Fraction(11, 6)
    """
    each, kind = np.unique(denominators, return_inverse=True)
    added = kind_sums(kind, numerators, len(each))
    there = added != 0
    ratios = [(0, 1), *zip(added[there].tolist(), each[there].tolist(), strict=True)]
    while len(ratios) > 1:
        pairs = zip(ratios[::2], ratios[1::2], strict=False)
        odd = ratios[-1:] if len(ratios) % 2 else []
        ratios = [(a * d + c * b, b * d) for (a, b), (c, d) in pairs] + odd
    return Fraction(*ratios[0])


def largest_sum(*ratios: Ratios) -> Fraction:
    """Return the largest sum, exactly, of one ratio of each of some arrays.

    All arrays have the same shape and are not empty. Floats choose the sums that
    may be the largest, fractions compare these.

    >>> largest_sum((np.array([1, 2, 5]), np.array([2, 3, 9])))
    Fraction(2, 3)
    """
    terms = np.stack([numerator / denominator for numerator, denominator in ratios])
    near = terms.sum(axis=0)
    is_close = near >= near.max() - SLACK * np.abs(terms).max()
    both = [array[is_close] for pair in ratios for array in pair]
    kinds = np.unique(np.stack(both), axis=1).T.tolist()
    return max(
        sum((Fraction(*kind[i : i + 2]) for i in range(0, len(kind), 2)), Fraction(0))
        for kind in kinds
    )


def smallest_sum(*ratios: Ratios) -> Fraction:
    """Return the smallest sum; see `largest_sum`."""
    return -largest_sum(
        *((-numerator, denominator) for numerator, denominator in ratios)
    )
