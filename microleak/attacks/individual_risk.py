"""Individual risk of mu-ARGUS and sdcMicro (Franconi and Polettini 2004)."""

from math import log

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
