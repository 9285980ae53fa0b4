"""How many sample uniques are unique in the population, from the sample alone.

A block of f records of the sample has F of the population, which is not at hand.
Models of F given f = 1 say how likely a sample unique is a population unique, and
the mean of 1/F, the chance to pick its record among those of its block. All assume
a simple random sample of n of N records, and no weights; a missing value is a
value. What else they assume stands with each. None is right for all populations, so
they stand side by side; the Poisson-gamma model is one more, and
docs/validation.md has the errors of all on populations that are known.

Bethlehem, Keller and Pannekoek 1990. See `population_uniqueness`
for what is estimated, and by which other models.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import exp, expm1, log, log1p

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.anonymity.definitions.k_anonymity import BlockSizes

LAST_OF_RECURRENCE = 64
"""From this block size on, the series has a few dozen terms at most."""


def individual_risk(size: int, sampling_fraction: float) -> float:
    """Mean of 1/F for a block with F records in the population, `size` in the sample.

    F is the number of trials up to the last of `size` successes, each with the
    chance n/N: a negative binomial. Prior to the sample, it weighs a block of F
    records by 1/F. The sum over the records of a sample is the expected number of
    re-identifications. sdcMicro's method `exact`, for equal weights.

    Parameters
    ----------
    size
        Records of the block in the sample, from 1.
    sampling_fraction
        n/N, in ]0, 1].

    Returns
    -------
    float
        In ]0, 1/size]; 1/size if the sample is the population.

    Notes
    -----
    r_1 = p/q log(1/p) and r_(f+1) = p/q (1/f - r_f), with q = 1 - p, lose accuracy
    for p above 1/2. The series p/f sum_j j! f! / (f + j)! q**j does not. It is short
    there, and for large f.

    Examples
    --------
    >>> round(individual_risk(2, 0.5), 6), individual_risk(3, 1.0) == 1 / 3
    (0.306853, True)
    """
    p, q = sampling_fraction, 1 - sampling_fraction
    if p > 0.5 or size >= LAST_OF_RECURRENCE:
        return p / size * _series(size, q)
    risk = p / q * -log(p)
    for f in range(1, size):
        risk = p / q * (1 / f - risk)
    return risk


def _series(size: int, q: float) -> float:
    total, term, j = 0.0, 1.0, 0
    while total + term > total:
        total += term
        j += 1
        term *= q * j / (size + j)
    return total


NEGLIGIBLE = 60
"""The chance that none of so many expected records is in the sample is exp(-60)."""


@dataclass(frozen=True)
class UniquenessEstimate:
    """What a model says of the records that are alone in the sample."""

    posterior_unique: float
    """Mean chance that one of them is alone in the population, P(F = 1 | f = 1). Times
    their number it estimates those that are; times N/n those of the whole population,
    as each is sampled with the chance n/N."""
    posterior_match: float
    """Mean chance to pick one of them among its block, E(1/F | f = 1); at least
    `posterior_unique`."""


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


HALVINGS = 200
"""As many halve any interval of floats down to neighbours."""


def poisson_gamma(sizes: BlockSizes, n_population: int) -> UniquenessEstimate | None:
    """Estimate with rates of blocks that are gamma distributed.

    Given their rates, blocks have Poisson counts. With the shape a - 1 and the scale
    b of the gamma distribution, a record is alone among n with the chance
    (1 + n b)**-a, and F - 1 given f = 1 is negative binomial: F = 1 has the chance
    p**a, where p = (1 + n b)/(1 + N b).

    The paper's moments need the number of blocks there could be. Ours do not: a and
    b are such that the expected blocks of one and of two records are those of the
    sample. The shape may come out below 0, as in Engen's extension (1974), but
    above -1. If the sample has more blocks of two than equal rates give, rates are
    taken as equal, log(n/S1) in the sample, so that only S1 is met.

    Parameters
    ----------
    sizes
        Blocks of the sample.
    n_population
        Records of the population, N, at least those of the sample.

    Returns
    -------
    UniquenessEstimate or None
        None without blocks of one and of two records, which nothing can be fitted to.

    Notes
    -----
    With y = log(1 + n b), expected are S1 = n exp(-a y) blocks of one record, and
    S2 = S1 a (1 - exp(-y))/2 of two. So y/(1 - exp(-y)) = log(n/S1) S1/(2 S2). The
    left side ascends from 1, the value of equal rates, and is above y.

    On made populations of some 100,000 records with gamma, equal and lognormal rates
    the error was below a tenth with half of the records sampled, and below a half
    with a tenth of them (tests/attacks/anonymity/test_population_uniqueness.py). With a
    hundredth, estimates were up to five times what they should be, or a fifth.
    """
    ones, twos = sizes.count(1), sizes.count(2)
    if not ones or not twos:
        return None
    rate = log(sizes.n_records / ones)
    ratio = rate * ones / (2 * twos)
    if ratio <= 1:
        return poisson_estimate(sizes, n_population, rate)
    y = _solution(ratio)
    a = rate / y
    fraction = Fraction(sizes.n_records, n_population)
    log_p = -log1p(float(1 / fraction - 1) * -expm1(-y))
    return UniquenessEstimate(exp(a * log_p), _mean_inverse(a, log_p))


MODELS: Mapping[str, Callable[[BlockSizes, int], UniquenessEstimate | None]] = {
    "negative_binomial": negative_binomial,
    "poisson": poisson,
    "zayatz": zayatz,
    "poisson_gamma": poisson_gamma,
}
"""Models of uniqueness in the population, as columns name them."""


def _solution(ratio: float) -> float:
    """Return the y for which y/(1 - exp(-y)) is a ratio above 1."""
    low, high = 0.0, ratio
    for _ in range(HALVINGS):
        y = (low + high) / 2
        low, high = (y, high) if y < ratio * -expm1(-y) else (low, y)
    return high


def _mean_inverse(a: float, log_p: float) -> float:
    """Return E(1/F), where F - 1 is negative binomial with the shape a.

    p (1 - p**(a - 1)) / ((1 - p)(a - 1)), and its limits.
    """
    if not log_p:
        return 1.0
    odds = exp(log_p) / -expm1(log_p)
    if a == 1:
        return odds * -log_p
    return odds * -expm1((a - 1) * log_p) / (a - 1)
