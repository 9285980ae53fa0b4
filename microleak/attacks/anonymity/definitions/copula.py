"""Population uniqueness by a Gaussian copula.

Rocher, Hendrickx and de Montjoye 2019. Attributes are cut out of normal variables: a
value is the interval of its share among those before it, and the variables have a
correlation matrix R. So the chance p(x) of a cell is that of a box of the unit cube
under the copula's density

    c(u) = |R|^(-1/2) exp(-z' (R^-1 - I) z / 2), z_i the normal quantile of u_i

and a record of the cell is unique among N persons with the chance (1 - p(x))^(N - 1),
their likelihood of uniqueness (`individual_uniqueness` of their CorrectMatch.jl); of
those that are not sampled, with exp(-(N - n) p(x)). They fit R to the mutual
information of each pair; here it is the correlation of normal scores, which has one
solution and is always a correlation matrix. They put the intervals of a record at
random places and take the mean of p(x) over them; here values stand in the order of
their texts.

The mean of c over a box is taken at `N_POINTS` points of a Kronecker lattice, the same
in each box, so that nothing is drawn at random.
"""

from statistics import NormalDist

import numpy as np

from microleak.attacks.anonymity.definitions.cells import Cells
from microleak.base.arrays import Floats

N_POINTS = 128
"""Points in each box at which the density is taken."""

_CELLS_AT_ONCE = 1 << 12
_CORNER = 1e-12
_RIDGE = 1e-6


def expected_persons(cells: Cells) -> Floats:
    """Return how many persons of the population a cell has, N p(x).

    Examples
    --------
    Without a correlation it is the product of the shares:

    >>> codes = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> four = Cells(codes, np.ones(4, int), np.full(4, 10.0))
    >>> expected_persons(four)
    array([10., 10., 10., 10.])
    """
    shares = [_shares(cells, place) for place in range(cells.n_qids)]
    inverse, log_root = _inverse(_correlation(cells, shares))
    points = [_points(each, place) for place, each in enumerate(shares)]
    found = np.empty(len(cells.n))
    for first in range(0, len(found), _CELLS_AT_ONCE):
        codes = cells.codes[first : first + _CELLS_AT_ONCE]
        columns = zip(points, codes.T, strict=True)
        z = np.stack([of_value[column] for of_value, column in columns])
        squares = np.zeros(z.shape[1:])
        for i, row in enumerate(inverse - np.eye(len(inverse))):
            for j, entry in enumerate(row):
                squares += entry * z[i] * z[j]
        density = np.exp(-squares / 2 - log_root).mean(axis=1)
        independent = np.ones(len(codes))
        for each, column in zip(shares, codes.T, strict=True):
            independent *= each[column]
        found[first : first + len(codes)] = density * independent
    return found * cells.n_population


def _shares(cells: Cells, place: int) -> Floats:
    """Return the share of each value of a QID."""
    persons = np.bincount(cells.codes[:, place], cells.weight)
    return persons / cells.n_population


def _quantiles(chances: Floats) -> Floats:
    of_normal = NormalDist().inv_cdf
    inside = np.clip(chances, _CORNER, 1 - _CORNER)
    return np.array([of_normal(chance) for chance in inside.ravel().tolist()]).reshape(
        chances.shape
    )


def _correlation(cells: Cells, shares: list[Floats]) -> Floats:
    """Return the correlation of normal scores, those of the middle of each interval."""
    scores = []
    for place, each in enumerate(shares):
        middle = np.cumsum(each) - each / 2
        of_cell = _quantiles(middle)[cells.codes[:, place]]
        of_cell = of_cell - (of_cell * cells.weight).sum() / cells.n_population
        scores.append(of_cell)
    found = np.eye(len(shares))
    spread = [float((s * s * cells.weight).sum()) for s in scores]
    for i in range(len(scores)):
        for j in range(i):
            together = float((scores[i] * scores[j] * cells.weight).sum())
            whole = (spread[i] * spread[j]) ** 0.5
            found[i, j] = found[j, i] = together / whole if whole else 0.0
    return found


def _inverse(correlation: Floats) -> tuple[Floats, float]:
    """Return the inverse, and half the logarithm of the determinant.

    One attribute may follow from others: a little is added to the diagonal.
    """
    n = len(correlation)
    ridged = (correlation + _RIDGE * np.eye(n)) / (1 + _RIDGE)
    inverse: Floats = np.linalg.inv(ridged).astype(np.float64)
    return inverse, float(np.linalg.slogdet(ridged)[1]) / 2


def _points(shares: Floats, place: int) -> Floats:
    """Return the normal quantiles of the lattice in each value's interval."""
    at = np.mod(0.5 + np.arange(1, N_POINTS + 1) * np.sqrt(_PRIMES[place]), 1.0)
    low = np.cumsum(shares) - shares
    return _quantiles(low[:, None] + shares[:, None] * at)


def _primes(n: int) -> list[int]:
    found: list[int] = []
    number = 2
    while len(found) < n:
        if all(number % prime for prime in found):
            found.append(number)
        number += 1
    return found


_PRIMES = _primes(62)
"""Their square roots are independent: a Kronecker lattice for up to 62 QIDs."""
