"""Privacy loss and utility over many random samples of the records.

Nunes measures one sample, chosen by hand, and leaves as future work to draw many at
random and analyse the results (section 7.1, third).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from statistics import mean, stdev

import numpy as np

from microleak.attacks.attack_context import (
    AttackContext,
    PrivacyAndUtility,
    check_records,
)
from microleak.attacks.profile import Counts
from microleak.errors import StudyError

LEVEL = Fraction(95, 100)
"""Share of the samples within an interval."""

Measure = Callable[[AttackContext], PrivacyAndUtility]


@dataclass(frozen=True)
class Spread:
    """How a measure varies over random samples.

    Attributes
    ----------
    mean
        Over the samples.
    standard_deviation
        Of one sample's measure: the standard error of measuring a single sample.
    standard_error
        Of the mean.
    lower, upper
        Least and greatest measure after as many samples are left out at each end
        as `LEVEL` allows, rounded down: a percentile interval that holds at least
        that share of the samples.
    """

    mean: float
    standard_deviation: float
    standard_error: float
    lower: float
    upper: float


@dataclass(frozen=True)
class SubSamples:
    """Privacy loss and utility over `n_samples` random samples of `size` records."""

    n_samples: int
    size: int
    privacy_loss: Spread
    utility: Spread


def sub_samples(
    context: AttackContext,
    size: int,
    n_samples: int,
    measure: Measure,
    rng: np.random.Generator,
) -> SubSamples:
    """Measure a mechanism on many random samples of the records.

    Parameters
    ----------
    context
        All records and the predicate. Of equal generators its rows and columns, in
        their order, give equal samples: sort the values first.
    size
        Records of each sample, drawn without replacement; from 1 to all.
    n_samples
        From 2.
    measure
        Of one sample, like `lambda sample: oblivious(sample, alpha)`.

    Raises
    ------
    StudyError
        If a sample is larger than the table, empty, or there are fewer than two.
    """
    if n_samples < 2:
        raise StudyError(
            f"{n_samples} random samples: expected 2 or more. "
            "Correct n_samples of the mechanism analysis in the study file."
        )
    samples = random_samples(context.counts, size, n_samples, rng)
    found = [measure(AttackContext(s, context.is_counted)) for s in samples]
    return SubSamples(
        n_samples=n_samples,
        size=size,
        privacy_loss=spread([float(each.privacy_loss) for each in found]),
        utility=spread([float(each.utility) for each in found]),
    )


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
            f"a random sample of {size} records: expected 1 to {n_records}, the "
            "records of the table. Correct the sample size of the mechanism analysis "
            "in the study file."
        )
    cells = counts.ravel()
    for _ in range(n_samples):
        drawn = rng.multivariate_hypergeometric(cells, size, method="marginals")
        yield drawn.reshape(counts.shape)


def spread(values: Sequence[float]) -> Spread:
    """Return how two or more values vary.

    >>> spread([1.0, 2.0, 3.0])  # doctest: +NORMALIZE_WHITESPACE, +ELLIPSIS
    Spread(mean=2.0, standard_deviation=1.0, standard_error=0.577...,
           lower=1.0, upper=3.0)
    """
    ordered = sorted(values)
    left_out = int(len(ordered) * (1 - LEVEL) / 2)
    deviation = stdev(ordered)
    return Spread(
        mean=mean(ordered),
        standard_deviation=deviation,
        standard_error=deviation / sqrt(len(ordered)),
        lower=ordered[left_out],
        upper=ordered[-1 - left_out],
    )
