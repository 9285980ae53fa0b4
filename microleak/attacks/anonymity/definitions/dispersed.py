"""Log-linear models whose rates are spread around what the terms say.

The rate of a cell is gamma distributed with the shape a, around a mean that follows the
log-linear model's mu: a negative binomial model (Bethlehem, Keller and Pannekoek 1990,
with covariates as count regression has them). Of the cells with records, which alone
are seen,

    f | f > 0 is negative binomial of shape a and mean m = exp(c) mu^s, truncated at 0
    F - f | f is negative binomial of shape a + f and mean (a + f) (1/pi - 1) m/(a + m)

so that P(F = 1 | f = 1) = ((a + m) / (a + m/pi))^(a + 1). With c = 0, s = 1 and a
without bounds it is the log-linear model. a, c and s are those of the largest
likelihood; where that is better by less than one for each, nothing is spread (Akaike
1974).
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import exp

import numpy as np

from microleak.base.arrays import Floats, Integers

_N_PARAMETERS = 3
_LOG_SHAPE, _LOG_MEAN = (-9.0, 12.0), (-40.0, 20.0)
_POINT = 1e9
"""A shape whose gamma law is nearly a point."""


@dataclass(frozen=True)
class Spread:
    """How rates are spread around the means of a log-linear model."""

    shape: float
    """a, above 0."""
    log_factor: float = 0.0
    slope: float = 1.0
    """c and s."""

    def means(self, expected: Floats) -> Floats:
        """Return m for the mean records of cells in a sample, mu."""
        log_mean = self.log_factor + self.slope * np.log(expected)
        return np.exp(np.clip(log_mean, *_LOG_MEAN))


def spread_of(n: Integers, expected: Floats) -> Spread | None:
    """Return how the rates of cells are spread, by maximum likelihood.

    None if the log-linear model alone does as well.

    Parameters
    ----------
    n
        Records of each cell, f, from 1.
    expected
        What the log-linear model expects of each, mu, above 0.
    """

    def minus_likelihood(point: Floats) -> float:
        """Return what is lowest where the likelihood is largest."""
        return -likelihood(n, expected, _spread(point))

    spread = _spread(lowest(minus_likelihood, np.array([0.0, 0.0, 1.0])))
    plain = likelihood(n, expected, Spread(_POINT))
    is_better = likelihood(n, expected, spread) > plain + _N_PARAMETERS
    return spread if is_better else None


def _spread(point: Floats) -> Spread:
    log_shape, log_factor, slope = point.tolist()
    shape = exp(min(max(log_shape, _LOG_SHAPE[0]), _LOG_SHAPE[1]))
    return Spread(shape, log_factor, slope)


def likelihood(n: Integers, expected: Floats, spread: Spread) -> float:
    """Return the logarithm of the chance of counts, given that none is 0.

    Up to a term of the counts alone.

    >>> rate = Spread(shape=1.0)  # geometric: one half each time
    >>> one, two = (likelihood(np.array([f]), np.ones(1), rate) for f in (1, 2))
    >>> round(exp(one), 3), round(exp(two) / 2, 3)
    (0.5, 0.25)
    """
    a, means = spread.shape, spread.means(expected)
    log_none = a * np.log1p(means / a)
    rising = np.cumsum(np.log(a + np.arange(int(n.max()))))
    each = rising[n - 1] + n * np.log(means / (a + means)) - log_none
    return float((each - np.log(-np.expm1(-log_none))).sum())


_MOST_STEPS, _STILL = 400, 1e-6


def lowest(function: Callable[[Floats], float], start: Floats) -> Floats:
    """Return where a function is lowest, by Nelder and Mead's simplex (1965).

    >>> lowest(lambda x: float((x[0] - 1) ** 2 + (x[1] + 2) ** 2), np.zeros(2)).round(2)
    array([ 1., -2.])
    """
    points = [start, *(start + row for row in np.eye(len(start)) / 2)]
    corners = sorted((function(p), tuple(p.tolist())) for p in points)
    for _ in range(_MOST_STEPS):
        if corners[-1][0] - corners[0][0] < _STILL:
            break
        corners = sorted(_moved(function, corners))
    return np.array(corners[0][1])


Corner = tuple[float, tuple[float, ...]]


def _moved(function: Callable[[Floats], float], corners: list[Corner]) -> list[Corner]:
    """Return the simplex with its highest corner reflected, or made smaller."""
    places = np.array([place for _, place in corners])
    middle = places[:-1].mean(axis=0)

    def along(step: float) -> Corner:
        """Return the corner so far from the middle, away from the highest one."""
        place = middle + step * (middle - places[-1])
        return function(place), tuple(place.tolist())

    reflected = along(1.0)
    if reflected[0] < corners[0][0]:
        return [*corners[:-1], min(reflected, along(2.0))]
    if reflected[0] < corners[-2][0]:
        return [*corners[:-1], reflected]
    shorter = along(-0.5)
    if shorter[0] < corners[-1][0]:
        return [*corners[:-1], shorter]
    nearer = (places[1:] + places[0]) / 2
    return [corners[0], *((function(p), tuple(p.tolist())) for p in nearer)]
