"""How many cells each record must lose, whatever becomes of the others."""

from dataclasses import dataclass
from itertools import accumulate
from math import comb

import numpy as np

from microleak.base.arrays import Integers
from microleak.kernels.crowds import largest_sets, mark_of
from microleak.protection.rows import AttributeSets, Groups, Rows, grouped_rows
from microleak.protection.target import BlockTarget, has_values

MOST_SETS = 1 << 16
"""Sets of attributes that the tree may have: all of sixteen attributes."""

ANY = np.uint64(2**64 - 1)
"""Marks of all sets."""


@dataclass(frozen=True)
class Alone:
    """What records lose at least, as if each of them were alone to be settled."""

    n_lost: Integers  # How many cells a record of each row loses at least
    marks: AttributeSets


def lost_alone(rows: Rows, k: int) -> Alone:
    """Return what a record of each row loses at least; there are k records or more.

    It loses no fewer cells than the nearest pattern that has k guests asks for. Of many
    attributes only patterns are tried that lack few of them. A row that has none of
    these loses more cells than it would by any of them, and can keep any set then.
    """
    n = rows.n_attributes
    # A set of the tree that ends with attribute i lacks some of those before it.
    n_sets = accumulate(comb(n, n_dropped + 1) for n_dropped in range(n))
    most = sum(number <= MOST_SETS for number in n_sets) - 1
    # Who may lack all but one attribute may lack all: of that set nothing is asked.
    most += most == n - 1
    sizes, marks = largest_sets(rows.columns(), rows.by_values, rows.counts, k, most)
    n_lost = rows.n_known - sizes
    if most < n:
        n_beyond = np.maximum(0, most + 1 - (n - rows.n_known))
        marks[n_lost >= n_beyond] = ANY
        n_lost = np.minimum(n_lost, n_beyond)
    return Alone(n_lost, marks)


def alone_with_values(rows: Rows, n: int) -> Alone:
    """Return what a record of each row loses at least for n values in its block.

    It loses no fewer cells than the nearest pattern whose guests have n values in each
    column of values, of which a block of this pattern has no others. Subsets are tried
    one by one, so this takes their number times the rows near those that are looked at.
    A record that has none by the subsets of a size that are tried, where these are not
    all, is taken to lose no more than by that size, and can keep any set then.
    """
    everyone = np.arange(len(rows.counts))
    is_left = ~BlockTarget(l=n).is_met_by(rows)
    n_lost = np.where(is_left, rows.n_known, 0)
    marks = np.full(len(everyone), ANY)
    for size in range(rows.n_attributes, -1, -1):
        left = np.flatnonzero(is_left & (rows.n_known >= size))
        if not len(left):
            continue
        marks[left] = 0
        if not rows.tries_all(size):
            found = left
            marks[left] = ANY
        else:
            for kept in rows.subsets(size):
                own = _with_values(rows, rows.having(left, kept), kept, n)
                marks[own] |= mark_of(kept)
            found = left[marks[left] > 0]
        n_lost[found] = rows.n_known[found] - size
        is_left[found] = False
    return Alone(n_lost, marks)


def _with_values(rows: Rows, own: Integers, kept: int, n: int) -> Integers:
    """Return those rows for whose pattern of a subset there are guests of n values."""
    if not len(own):
        return own
    near = rows.near(rows.having(np.arange(len(rows.counts)), kept), own, kept)
    groups = grouped_rows(rows.kept(np.concatenate([own, near]), kept))
    of_near = Groups(groups.each[len(own) :], groups.n)
    is_met = has_values(of_near, rows.values_of(near), n)
    return own[is_met[groups.each[: len(own)]]]
