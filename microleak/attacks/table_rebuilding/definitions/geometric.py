"""Two-sided geometric noise, and how far a sum of it goes with what chance."""

from bisect import bisect_left
from math import log, sqrt

import numpy as np


def most_of_sum(alpha: float, times: int, chance: float) -> int:
    """Return the least m that a sum of noise goes beyond with at most some chance.

    Noise of k has the chance (1 - alpha) / (1 + alpha) times alpha to the |k| (Ghosh,
    Roughgarden and Sundararajan 2012); it is the difference of two geometric numbers,
    and a sum of it that of two negative binomial ones. Of one, the chance to be beyond
    m is 2 alpha to the (m + 1), divided by 1 + alpha.

    Parameters
    ----------
    alpha
        exp(-epsilon), in ]0, 1[.
    times
        Of how much noise the sum is.
    chance
        In ]0, 1[.

    Examples
    --------
    Beyond 2 is noise with alpha = 1/2 with a chance of 1/6:

    >>> most_of_sum(0.5, 1, 0.17), most_of_sum(0.5, 1, 0.16)
    (2, 3)
    """
    spread = 1 / (1 - alpha)
    n = int((times + 60 * (1 + sqrt(times))) * spread) + 1
    numbers = np.arange(1, n)
    ratios = np.log(alpha * (times + numbers - 1) / numbers)
    chances = np.exp(times * log(1 - alpha) + np.append(0, np.cumsum(ratios)))
    beyond = np.append(np.cumsum(chances[:0:-1])[::-1], 0)

    def is_rare(most: int) -> bool:
        """Whether the sum is beyond a number with no more than the chance."""
        return bool(2 * (chances[: n - most] @ beyond[most:]) <= chance)

    return bisect_left(range(n), True, key=is_rare)
