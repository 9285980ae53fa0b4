"""How many cells each record must lose, whatever becomes of the others."""

from dataclasses import dataclass
from itertools import accumulate
from math import comb

import numpy as np

from microleak.kernels.crowds import largest
from microleak.protection.methods import Numbers
from microleak.protection.rows import Rows, Sets

MOST_SETS = 1 << 16
"""Sets of attributes that the tree may have: all of sixteen attributes."""

ANY = np.uint64(2**64 - 1)
"""Marks of all sets."""


@dataclass(frozen=True)
class Alone:
    """What records lose at least, as if each of them were alone to be settled.

    Attributes
    ----------
    n_lost
        How many cells a record of each row loses at least. The sum over the records
        bounds every solution.
    marks
        Of each row with fewer records than k, `mark_of` each set of attributes that it
        can keep at that cost, together.
    """

    n_lost: Numbers
    marks: Sets


def alone(rows: Rows, k: int) -> Alone:
    """Return what a record of each row loses at least; there are k records or more.

    It loses no fewer cells than the nearest pattern that has k guests asks for. Of many
    attributes only patterns are tried that lack few of them. A row that has none of
    these loses more cells than it would by any of them, and can keep any set then.

    Parameters
    ----------
    rows
        The table.
    k
        Records that a block has at least.
    """
    n = rows.n_attributes
    # A set of the tree that ends with attribute i lacks some of those before it.
    n_sets = accumulate(comb(n, n_dropped + 1) for n_dropped in range(n))
    most = sum(number <= MOST_SETS for number in n_sets) - 1
    # Whoever may lack all but one attribute may lack all: of that set nothing is asked.
    most += most == n - 1
    sizes, marks = largest(rows.columns(), rows.by_values, rows.counts, k, most)
    n_lost = rows.n_known - sizes
    if most < n:
        n_beyond = np.maximum(0, most + 1 - (n - rows.n_known))
        marks[n_lost >= n_beyond] = ANY
        n_lost = np.minimum(n_lost, n_beyond)
    return Alone(n_lost, marks)
