"""How many of many records are counted, each with a chance of its own.

That number is Poisson-binomial: a sum of one binomial a group of records of equal
chance. Chances are given as integers over a common total, so that none is rounded
before it must be.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log, sqrt

import numpy as np

from microleak.base.arrays import Floats

ChanceGroup = tuple[int, int]
"""Number of records, and the chance of each as a numerator from 0 to the total."""

MISSED = 1e-20  # Most mass outside the window of a sum, by Bernstein's inequality
ROUNDING = 2.0**-53  # Largest relative error of one operation on floats


@dataclass(frozen=True)
class CountDistribution:
    """Chances of the consecutive counts from `first` on; of all others next to 0.

    `error` is at least the sum, over all counts, of how far the chances are from
    the exact ones.
    """

    first: int
    chances: Floats
    error: float


@dataclass(frozen=True)
class _BinomialPart:
    mean: float
    variance: float
    found: CountDistribution


def count_distribution(groups: Iterable[ChanceGroup], total: int) -> CountDistribution:
    """Return the distribution of the count, with a bound of its error.

    Parameters
    ----------
    groups
        In any order; groups of equal chance are one.
    total
        Common denominator of the chances, from 1.

    Notes
    -----
    Each binomial is a product of ratios of neighbours, outward from its mode: no
    factorial, and all terms positive. They are convolved in pairs by fast Fourier
    transform, each sum kept within the window that holds all but 1e-20 of it.
    A window has about 20 standard deviations, so that 48 million records of 500
    chances take a window of 70,000 counts. Time O(w log w) for each pair, w being
    the length of its window.

    Examples
    --------
    >>> count_distribution([(1, 1), (1, 1)], 2).chances.round(12)
    array([0.25, 0.5 , 0.25])
    """
    sizes: Counter[int] = Counter()
    for n_records, counted in groups:
        sizes[counted] += n_records
    parts = [_binomial(n, yes, total) for yes, n in sizes.items() if n]
    if not parts:
        return CountDistribution(0, np.ones(1), 0.0)
    parts.sort(key=lambda part: (part.variance, part.mean))
    while len(parts) > 1:
        odd = parts[-1:] if len(parts) % 2 else []
        pairs = zip(parts[::2], parts[1::2], strict=False)
        parts = [_sum(one, other) for one, other in pairs] + odd
    return parts[0].found


def exact_count_distribution(groups: Sequence[ChanceGroup], total: int) -> list[int]:
    """Return the chances of the counts 0, 1, ..., n, times total ** n.

    The generating polynomial is the product of (total - yes + yes x) ** n over the
    groups. It is evaluated at a power of two larger than all its coefficients, which
    stand side by side in the result. Numbers have n * n * log2(total) bits.

    >>> exact_count_distribution([(1, 1), (1, 2)], 3)
    [2, 5, 2]
    """
    n_records = sum(n for n, _ in groups)
    n_bytes = n_records * total.bit_length() // 8 + 1
    product = 1
    for n, yes in groups:
        product *= (total - yes + (yes << 8 * n_bytes)) ** n
    side_by_side = product.to_bytes((n_records + 1) * n_bytes, "little")
    return [
        int.from_bytes(side_by_side[i * n_bytes : (i + 1) * n_bytes], "little")
        for i in range(n_records + 1)
    ]


def _binomial(n: int, yes: int, total: int) -> _BinomialPart:
    """Return the distribution of one group's count."""
    no = total - yes
    if n * min(yes, no) * 10**25 < total:
        return _certain(n if no < yes else 0, 2 * n * min(yes, no) / total)
    mean, variance = n * yes / total, n * yes * no / total**2
    lower, upper = _window(mean, variance, n)
    mode = min((n + 1) * yes // total, n)
    above = np.arange(mode, upper, dtype=np.float64)
    below = np.arange(mode, lower, -1, dtype=np.float64)
    rise = np.cumprod((n - above) / (above + 1) * (yes / no))
    fall = np.cumprod(below / (n - below + 1) * (no / yes))
    chances = np.concatenate([fall[::-1], np.ones(1), rise])
    chances /= chances.sum()
    away = np.abs(np.arange(lower, upper + 1) - mode)
    # Four operations a step away from the mode, which dividing by the sum doubles.
    error = 8 * ROUNDING * (float(away @ chances) + 40) + 2 * MISSED
    return _BinomialPart(mean, variance, CountDistribution(lower, chances, error))


def _certain(count: int, error: float) -> _BinomialPart:
    return _BinomialPart(float(count), 0.0, CountDistribution(count, np.ones(1), error))


def _sum(one: _BinomialPart, other: _BinomialPart) -> _BinomialPart:
    """Return the distribution of the sum of two independent counts."""
    a, b = one.found, other.found
    mean, variance = one.mean + other.mean, one.variance + other.variance
    chances, rounding = _convolved(a.chances, b.chances)
    first = a.first + b.first
    last = first + len(chances) - 1
    lower, upper = _window(mean, variance, last)
    lower, upper = max(lower, first), max(upper, first)
    inside = chances[lower - first : upper + 1 - first]
    error = a.error + b.error + a.error * b.error + rounding + MISSED
    return _BinomialPart(mean, variance, CountDistribution(lower, inside, error))


def _convolved(a: Floats, b: Floats) -> tuple[Floats, float]:
    """Return the convolution of two distributions and the error this adds."""
    # Each entry is off by less than 13 (log2 w + 1) roundings times both norms, for a
    # transform of length w (Brent, Percival and Zimmermann 2007, Theorem 5.1, which is
    # for radix 2); we allow for 32.
    length = len(a) + len(b) - 1
    width = 1 << length.bit_length()
    product = np.fft.irfft(np.fft.rfft(a, width) * np.fft.rfft(b, width), width)
    norms = sqrt(float((a**2).sum()) * float((b**2).sum()))
    rounding = 32 * width.bit_length() * ROUNDING * norms * length
    return np.maximum(product[:length], 0.0), rounding


def _window(mean: float, variance: float, most: int) -> tuple[int, int]:
    """Return the bounds of counts in [0, most] outside which is less than MISSED."""
    exponent = log(2 / MISSED)
    reach = exponent / 3 + sqrt((exponent / 3) ** 2 + 2 * variance * exponent)
    return max(0, floor(mean - reach)), min(most, ceil(mean + reach))
