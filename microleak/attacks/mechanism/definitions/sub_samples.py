"""Many random samples of the records, and how a measure varies over them.

Nunes measures one sample, chosen by hand, and leaves as future work to draw many at
random and analyse the results (section 7.1, third).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import nan, sqrt
from statistics import mean, stdev

import numpy as np

from microleak.attacks.mechanism.definitions.attack_context import check_records
from microleak.base.errors import StudyError
from microleak.definitions.profile import Counts

LEVEL = Fraction(95, 100)
"""Share of the samples within their range, and chance of an interval to hold a mean."""

DEVIATIONS = 1.96
"""Standard errors that a mean is from its estimate at most, with the chance LEVEL."""


@dataclass(frozen=True)
class Spread:
    """How a measure varies over random samples.

    Attributes
    ----------
    mean
        Over the samples.
    standard_error
        Of the mean.
    lower, upper
        Least and greatest measure after as many samples are left out at each end
        as `LEVEL` allows, rounded down: a range of at least that share of the
        samples, which more samples make no narrower.
    """

    mean: float
    standard_error: float
    lower: float
    upper: float

    @property
    def of_mean(self) -> tuple[float, float]:
        """Confidence interval of the mean over all samples that could be drawn.

        By the normal distribution, which the mean of many samples nears; of few, or
        of a measure that few samples change, it holds the mean less often than
        `LEVEL` says. NaN and NaN if all samples are equal: they do not say how far
        others may be.
        """
        if self.standard_error == 0:
            return nan, nan
        reach = DEVIATIONS * self.standard_error
        return self.mean - reach, self.mean + reach


def random_samples(
    counts: Counts, size: int, n_samples: int, rng: np.random.Generator
) -> Iterator[Counts]:
    """Yield the counts of random samples of the records, without replacement.

    Multivariate hypergeometric: time O(cells of the table) for each sample, whatever
    the number of records.

    Raises
    ------
    StudyError
        If the size is not from 1 to the number of records, or there is none.
    """
    check_records(counts)
    n_records = int(counts.sum())
    if not 1 <= size <= n_records:
        raise StudyError(
            f"a random sample of {size:,} records: expected 1 to {n_records:,}, the "
            "records that count. Correct samples.size in the study file."
        )
    cells = counts.ravel()
    for _ in range(n_samples):
        drawn = rng.multivariate_hypergeometric(cells, size, method="marginals")
        yield drawn.reshape(counts.shape)


def spread(values: Sequence[float]) -> Spread:
    """Return how two or more values vary.

    >>> spread([1.0, 2.0, 3.0])  # doctest: +ELLIPSIS
    Spread(mean=2.0, standard_error=0.577..., lower=1.0, upper=3.0)
    """
    ordered = sorted(values)
    left_out = int(len(ordered) * (1 - LEVEL) / 2)
    return Spread(
        mean=mean(ordered),
        standard_error=stdev(ordered) / sqrt(len(ordered)),
        lower=ordered[left_out],
        upper=ordered[-1 - left_out],
    )
