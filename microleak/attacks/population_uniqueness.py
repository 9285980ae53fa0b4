"""How many sample uniques are unique in the population, from the sample alone.

A block of f records of the sample has F of the population, which is not at hand.
Models of F given f = 1 say how likely a sample unique is a population unique, and
the mean of 1/F, the chance to pick its record among those of its block. All assume
a simple random sample of n of N records, and no weights; a missing value is a
value. What else they assume stands with each. None is right for all populations, so
they stand side by side; `microleak.attacks.poisson_gamma` is one more, and
docs/validation.md has the errors of all on populations that are known.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import exp, expm1

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.individual_risk import individual_risk
from microleak.attacks.k_anonymity import BlockSizes

NEGLIGIBLE = 60
"""The chance that none of so many expected records is in the sample is exp(-60)."""


@dataclass(frozen=True)
class UniquenessEstimate:
    """What a model says of the records that are alone in the sample.

    Attributes
    ----------
    posterior_unique
        Mean chance that one of them is alone in the population, P(F = 1 | f = 1).
        Times their number it estimates those that are; times N/n those of the whole
        population, as each is sampled with the chance n/N.
    posterior_match
        Mean chance to pick one of them among its block, E(1/F | f = 1); at least
        `posterior_unique`.
    """

    posterior_unique: float
    posterior_match: float


def negative_binomial(sizes: BlockSizes, n_population: int) -> UniquenessEstimate:
    """Estimate as mu-ARGUS and sdcMicro do (Franconi and Polettini 2004).

    It assumes that, before the sample is seen, a block has F records with a weight
    of 1/F, in any table. So P(F = 1 | f = 1) is n/N, and the population is said to
    have as many uniques as the sample: too few where most of its blocks are not
    sampled, too many where most have many records.

    Parameters
    ----------
    sizes
        Blocks of the sample.
    n_population
        Records of the population, N, at least those of the sample.

    Examples
    --------
    >>> negative_binomial(BlockSizes(np.array([1]), np.array([3])), 6).posterior_unique
    0.5
    """
    p = float(Fraction(sizes.n_records, n_population))
    return UniquenessEstimate(p, individual_risk(1, p))


def poisson(sizes: BlockSizes, n_population: int) -> UniquenessEstimate:
    """Estimate by a Poisson model without smoothing (Skinner and Holmes 1998).

    F - f is Poisson with the mean f (N/n - 1), the block's own rate: the saturated
    log-linear model. Those that sdcMicro's `modRisk` fits take rates from similar
    blocks, of which a profile knows nothing. A sample unique's own rate is too high
    where most blocks are not sampled, so that of a small sample hardly any unique is
    expected. Parameters are those of `negative_binomial`.
    """
    return poisson_estimate(sizes, n_population, 1.0)


def poisson_estimate(
    sizes: BlockSizes, n_population: int, rate: float
) -> UniquenessEstimate:
    """Estimate if blocks with one record in the sample have Poisson counts.

    `rate` is the mean number of records in a sample, from 0. Then F - 1 is Poisson
    with N/n - 1 times that mean. Other parameters are those of `negative_binomial`.
    """
    mean = rate * float(Fraction(n_population, sizes.n_records) - 1)
    match = -expm1(-mean) / mean if mean else 1.0
    return UniquenessEstimate(exp(-mean), match)


def zayatz(sizes: BlockSizes, n_population: int) -> UniquenessEstimate:
    """Estimate as ARX's model of that name (Zayatz 1991).

    Bayes' rule: of a block of F records one is in the sample with a hypergeometric
    chance; block sizes are assumed to be distributed in the population as they are
    in the sample. As those of the sample are smaller, uniques are overestimated.
    Parameters are those of `negative_binomial`; of a sample without uniques both
    posteriors are 0.
    """
    if not sizes.count(1):
        return UniquenessEstimate(0.0, 0.0)
    alone = sizes.n_blocks * _chance_of_one(sizes, n_population)
    total = float(alone.sum())
    unique = float(alone[sizes.size == 1].sum()) / total
    match = float((alone / sizes.size).sum()) / total
    return UniquenessEstimate(unique, match)


def _chance_of_one(sizes: BlockSizes, n_population: int) -> NDArray[np.float64]:
    """Chance that exactly one record of a block is in the sample, for each size.

    i n/N times the product of (N - n - j)/(N - 1 - j) for j up to i - 2, for a block
    of i of the N records. The product is at most (1 - n/N)**(i - 1).
    """
    n_sample = sizes.n_records
    longest = min(sizes.size.max(), NEGLIGIBLE * n_population // n_sample + 1)
    j = np.arange(longest - 1)
    none_else = np.maximum(n_population - n_sample - j, 0) / (n_population - 1 - j)
    product = np.append(1, np.cumprod(none_else))
    is_likely = sizes.size <= longest
    chance = np.zeros(len(sizes.size))
    chance[is_likely] = product[sizes.size[is_likely] - 1]
    return chance * sizes.size * (n_sample / n_population)
