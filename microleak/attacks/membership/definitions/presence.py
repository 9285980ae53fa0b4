"""How the chance to be in the sample, d/n, is distributed over persons.

`microleak.definitions.success.success_bin` puts the chances into 101 bins.
"""

import numpy as np

from microleak.definitions.overlap import Overlap
from microleak.definitions.success import SuccessDistribution, distribution


def presence_in_sample(both: Overlap) -> SuccessDistribution:
    """Return the exact number of the sample's persons at each chance d/n.

    A person whose values the population does not have is not found: chance 0.
    Where d > n, n of the persons have the chance 1 and the others 0, as at most n
    are of the population. The mean is that of `posterior_person`.

    Examples
    --------
    The population has 1, 2 and 4 alike, the sample 1, 1 and 2 of them.

    >>> both = Overlap(*np.array([[1, 2, 4], [1, 1, 2], [1, 1, 1]]))
    >>> presence_in_sample(both)  # doctest: +NORMALIZE_WHITESPACE
    SuccessDistribution(numerator=array([1, 1]), denominator=array([2, 1]),
                        n_records=array([3, 1]))
    """
    blocks = both.of_sample
    found, surplus = blocks.found, blocks.d - blocks.found
    persons = np.append(found, surplus) * np.tile(blocks.n_blocks, 2)
    is_some = persons > 0
    numerator = np.append(found, np.zeros_like(surplus))
    denominator = np.append(blocks.n, np.ones_like(surplus))
    return distribution(numerator[is_some], denominator[is_some], persons[is_some])


def presence_in_population(both: Overlap) -> SuccessDistribution:
    """Return the exact number of the population's persons at each chance d/n.

    Where d > n the chance is 1. The mean is the prior if the sample is part of the
    population.
    """
    blocks = both.of_population
    return distribution(blocks.found, blocks.n, blocks.n * blocks.n_blocks)
