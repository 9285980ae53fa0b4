"""What a table of counts loses when it is made of a protected release.

A protected release has labels for values, and each stands for one value or several. A
reader who knows for which spreads the records of a label evenly over them, as counts of
generalised data are estimated (Xiao and Tao, VLDB 2006; LeFevre and others, ICDE 2006),
and scales a sample up to all records.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from microleak.base.arrays import Integers
from microleak.definitions.exact import largest_sum, sum_of_ratios


@dataclass(frozen=True)
class TabulatedCells:
    """Cells of a table of a release, with what the protected one has in their place."""

    # Records of the release in each cell, shape (n_cells,). Cells that are not empty
    # are all there. Of empty ones, which have 0, there is one in the place of all that
    # have the same labels, if protected records have them, too.
    n_true: Integers
    # Protected records with the labels of each cell.
    n_labelled: Integers
    # Cells that these labels stand for, from 1, the empty ones among them; times
    # `n_protected` it is below 2**63.
    n_alike: Integers
    # Records of the release, from 1, up to 2**31.
    n_records: int
    # Records of the protected one, likewise.
    n_protected: int

    @property
    def whole_estimates(self) -> Integers:
        """The estimated count of each cell without its fraction."""
        scaled = self.n_labelled * self.n_records
        found: Integers = scaled // (self.n_protected * self.n_alike)
        return found


def total_variation(cells: TabulatedCells) -> Fraction:
    """Return half of the sum of the differences of shares of records, in [0, 1].

    That of `distance.total_variation` between the true and the estimated table (Nunes,
    2.2.4), as 1 minus the sum of the smaller share of each cell, to which cells that
    are empty in one of the tables add nothing.

    Of three cells with 2, 1 and 0 of three records, for which one label stands:

    >>> three = np.array([3, 3, 3])
    >>> total_variation(TabulatedCells(np.array([2, 1, 0]), three, three, 3, 3))
    Fraction(1, 3)
    """
    # A whole number is below another one exactly if it is below its whole part.
    is_below = cells.n_true <= cells.whole_estimates
    smaller = sum_of_ratios(
        np.where(is_below, cells.n_true, cells.n_labelled),
        np.where(is_below, cells.n_records, cells.n_protected * cells.n_alike),
    )
    return 1 - smaller


def largest_error(cells: TabulatedCells) -> Fraction:
    """Return the largest difference of an estimated count and the true one.

    >>> three = np.array([3, 3, 3])
    >>> largest_error(TabulatedCells(np.array([2, 1, 0]), three, three, 3, 3))
    Fraction(1, 1)
    """
    scaled = cells.n_labelled * cells.n_records
    times = cells.n_protected * cells.n_alike
    true, one = cells.n_true, np.ones_like(cells.n_true)
    return max(
        largest_sum((true, one), (-scaled, times)),
        largest_sum((-true, one), (scaled, times)),
    )


def mean_error(cells: TabulatedCells) -> Fraction:
    """Return the mean difference of the counts of cells that are not empty.

    >>> three = np.array([3, 3, 3])
    >>> mean_error(TabulatedCells(np.array([2, 1, 0]), three, three, 3, 3))
    Fraction(1, 2)
    """
    is_filled = cells.n_true > 0
    # What is above its estimate counts as it is, what is not the other way round.
    sign = np.where(cells.n_true > cells.whole_estimates, 1, -1)[is_filled]
    true = int(sign @ cells.n_true[is_filled])
    labelled = sum_of_ratios(
        sign * cells.n_labelled[is_filled], cells.n_alike[is_filled]
    )
    scale = Fraction(cells.n_records, cells.n_protected)
    return (true - scale * labelled) / int(is_filled.sum())
