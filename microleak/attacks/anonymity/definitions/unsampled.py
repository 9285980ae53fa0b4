"""How many persons of a cell are not in the sample, by a model.

F - f, what the population has of a cell beside the f records of the sample, is negative
binomial of a shape r and a mean M given f; without a bound to r it is Poisson.

| model | shape r | mean M |
|---|---|---|
| mu-ARGUS (Franconi and Polettini 2004) | f | f (1 - pi) / pi |
| log-linear, copula | none | (1 - pi) lambda |
| dispersed | a + f | (a + f) (1/pi - 1) m / (a + m) |
"""

from dataclasses import dataclass

import numpy as np

from microleak.attacks.anonymity.definitions.cells import Cells
from microleak.attacks.anonymity.definitions.dispersed import Spread
from microleak.base.arrays import Floats


@dataclass(frozen=True, eq=False)
class Unsampled:
    """The law of F - f of some cells; arrays of shape (n_cells,)."""

    shape: Floats
    """r, above 0; infinite for a Poisson law."""
    mean: Floats
    """M, from 0."""

    @classmethod
    def poisson(cls, mean: Floats) -> "Unsampled":
        """Return Poisson laws of these means."""
        return cls(np.full(len(mean), np.inf), mean)

    @classmethod
    def by_weights(cls, cells: Cells) -> "Unsampled":
        """Return the laws of mu-ARGUS, of which f / pi is the mean of F."""
        pi = cells.fraction
        mean: Floats = cells.n * (1 - pi) / pi
        return cls(cells.n.astype(np.float64), mean)

    @classmethod
    def dispersed(cls, cells: Cells, expected: Floats, spread: Spread) -> "Unsampled":
        """Return the laws of rates that are spread around those of a model, mu."""
        means, a, pi = spread.means(expected), spread.shape, cells.fraction
        shape = a + cells.n.astype(np.float64)
        return cls(shape, shape * (1 / pi - 1) * means / (a + means))

    def below(self, n: int) -> Floats:
        """Return the chance that fewer than n persons are not in the sample.

        >>> Unsampled(np.array([1.0, np.inf]), np.array([1.0, 0.0])).below(2)
        array([0.75, 1.  ])
        """
        # A chance is M (1 + (j-1)/r) / ((1 + M/r) j) times the one before.
        chance = np.exp(-self._log_none)
        total = np.zeros(len(chance))
        for j in range(1, n + 1):
            total += chance
            more = (1 + (j - 1) / self.shape) / (1 + self.mean / self.shape)
            chance = chance * self.mean * more / j
        return np.minimum(total, 1.0)

    @property
    def mean_match(self) -> Floats:
        """Mean of 1/F for cells of one record, E(1/F | f = 1).

        (1 - p^(r-1)) r / (M (r - 1)) with p = r / (r + M), and its limits.

        >>> laws = Unsampled(np.array([2.0, 1.0, np.inf]), np.array([2.0, 0.0, 1e-9]))
        >>> laws.mean_match
        array([0.5, 1. , 1. ])
        """
        some = np.where(self.mean > 0, self.mean, 1.0)
        log_none = np.where(self.mean > 0, self._log_none, 1.0)
        r = np.where(np.isinf(self.shape), 2.0, self.shape)
        is_one = np.abs(r - 1) < _NEARLY_ONE
        less = np.where(is_one, 1.0, r - 1)
        bounded = r / (some * less) * -np.expm1(-less * log_none / r)
        found = np.where(is_one, log_none / some, bounded)
        found = np.where(np.isinf(self.shape), -np.expm1(-some) / some, found)
        return np.where(self.mean > 0, found, 1.0)

    @property
    def _log_none(self) -> Floats:
        """Return minus the logarithm of the chance that there is nobody else."""
        r = np.where(np.isinf(self.shape), 1.0, self.shape)
        bounded = r * np.log1p(self.mean / r)
        return np.where(np.isinf(self.shape), self.mean, bounded)


_NEARLY_ONE = 1e-9
