"""k-map and delta-presence: a table's blocks in a population.

Google's page on risk; Sweeney 2001 for k-map; Nergiz, Atzori and Clifton 2007 for
delta-presence. A block that the population does not have makes k-map 0, and says
nothing of anybody's presence.
"""

from fractions import Fraction

from microleak.base.arrays import Integers
from microleak.definitions.exact import largest_sum, smallest_sum, sum_of_ratios
from microleak.definitions.overlap import Overlap


def k_map(both: Overlap) -> int:
    """Return the least number of records of a block of the sample in the population.

    From 0: the largest k so that each combination of values of the sample occurs at
    least k times in the population. At least the sample's k if it is part of it.

    >>> import numpy as np
    >>> k_map(Overlap(*np.array([[1, 1000, 5], [0, 1, 1], [1, 1, 1]])))
    5
    """
    return int(both.of_sample.n.min())


def n_below_k_map(both: Overlap, k: int) -> int:
    """Count records of the sample of whose block the population has fewer than k."""
    return both.where(both.n < k).n_sample


def journalist_risk(both: Overlap) -> Fraction | None:
    """Largest chance to pick a record's person among those of its block, 1/n.

    In ]0, 1]: ARX's journalist risk, 1 by k-map. None if a block of the sample is not
    of the population.
    """
    k = k_map(both)
    return Fraction(1, k) if k else None


def marketer_risk(both: Overlap) -> Fraction | None:
    """Share of the sample's records that are matched right on average: mean of 1/n.

    In ]0, 1]: ARX's marketer risk, (1/|S|) times the sum of d/n over the blocks of the
    sample. None if one of them is not of the population.

    >>> import numpy as np
    >>> marketer_risk(Overlap(*np.array([[4, 1], [2, 1], [1, 1]])))
    Fraction(1, 2)
    """
    blocks = both.of_sample
    if not (blocks.n > 0).all():
        return None
    return sum_of_ratios(blocks.d * blocks.n_blocks, blocks.n) / both.n_sample


def delta_presence(both: Overlap) -> Fraction | None:
    """Largest chance d/n that a person of the population is in the sample.

    The least delta so that each combination of values occurs at most delta * n
    times in the sample (Google); Nergiz' upper bound. In [0, 1]: where d > n it is
    taken as 1. None if no block is of the population.

    >>> import numpy as np
    >>> delta_presence(Overlap(*np.array([[80, 5], [2, 1], [1, 1]])))
    Fraction(1, 5)
    """
    blocks = both.of_population
    return largest_sum(_presence(blocks)) if len(blocks.n) else None


def delta_presence_lower(both: Overlap) -> Fraction | None:
    """Smallest chance d/n of a person of the population: Nergiz' lower bound.

    0 as soon as one block of the population is not in the sample, whose persons are
    then known to be absent. None if no block is of the population.
    """
    blocks = both.of_population
    return smallest_sum(_presence(blocks)) if len(blocks.n) else None


def _presence(blocks: Overlap) -> tuple[Integers, Integers]:
    return blocks.found, blocks.n
