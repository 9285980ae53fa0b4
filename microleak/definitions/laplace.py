"""Noise that makes counts differentially private, drawn without rounding.

Discrete Laplace noise, also called two-sided geometric: r has a chance in proportion to
exp(-epsilon |r|) (Ghosh, Roughgarden and Sundararajan 2012). With it a count that one
person changes by at most 1 has a privacy loss of epsilon, and no more. Samplers that
transform a float leave gaps in the low bits, which give the count away (Mironov 2012);
here random bits are compared with whole numbers alone (Canonne, Kamath and Steinke
2020, Algorithms 1 and 2).
"""

import hmac
import math
from collections.abc import Callable, Iterator
from decimal import ROUND_CEILING, Decimal, localcontext
from fractions import Fraction
from itertools import count

Below = Callable[[int], int]
"""Draws a whole number from 0 to below another, each alike."""

BEYOND = Fraction(1, 20)
"""Chance that noise is beyond its range."""

STEP = Fraction(1, 10**6)
"""What epsilons are multiples of that follow from a range."""

DECIMALS = 12
"""Most decimals of an epsilon; one that needs more is written as a fraction."""


def written(epsilon: Fraction) -> str:
    """Write an epsilon exactly, as a decimal or else as a fraction.

    >>> [written(Fraction(each)) for each in ("739519/1000000", "1/24", "20")]
    ['0.739519', '1/24', '20']
    """
    scaled = epsilon * 10**DECIMALS
    if scaled.denominator > 1:
        return str(epsilon)
    return f"{Decimal(scaled.numerator).scaleb(-DECIMALS).normalize():f}"


def keyed_draws(key: bytes, message: bytes) -> Below:
    """Return draws that follow from a key and a message, by HMAC-SHA-256.

    Without the key nobody tells them from random ones, nor those of two messages from
    independent ones.

    >>> below = keyed_draws(b"a key of 32 bytes that is secret", b"a message")
    >>> 0 <= below(6) < 6
    True
    """
    blocks = (
        hmac.digest(key, place.to_bytes(8, "big") + message, "sha256")
        for place in count()
    )
    stream = (byte for block in blocks for byte in block)
    return lambda n: _draw_below(stream, n)


def _draw_below(stream: Iterator[int], n: int) -> int:
    n_bits = (n - 1).bit_length()
    n_bytes = -(-n_bits // 8)
    while True:
        drawn = int.from_bytes(bytes(next(stream) for _ in range(n_bytes)), "big")
        drawn >>= 8 * n_bytes - n_bits
        if drawn < n:
            return drawn


def laplace_noise(epsilon: Fraction, below: Below) -> int:
    """Return discrete Laplace noise (Canonne, Kamath and Steinke, Algorithm 2).

    Parameters
    ----------
    epsilon
        Above 0; the scale of the noise is 1 / epsilon.
    below
        Where randomness comes from.
    """
    s, t = epsilon.numerator, epsilon.denominator
    while True:
        u = below(t)
        if not _is_exp(Fraction(u, t), below):
            continue
        v = 0
        while _is_exp(Fraction(1), below):
            v += 1
        size = (u + t * v) // s
        is_negative = below(2)
        if size or not is_negative:
            return -size if is_negative else size


def _is_exp(gamma: Fraction, below: Below) -> bool:
    """Return true with chance exp(-gamma), of gamma in [0, 1] (Algorithm 1)."""
    k = 1
    while below(gamma.denominator * k) < gamma.numerator:
        k += 1
    return k % 2 == 1


def range_of(epsilon: Fraction) -> int:
    """Return the least m that noise goes beyond with a chance of 5% at most.

    That chance is 2 alpha to the (m + 1), divided by 1 + alpha, with alpha =
    exp(-epsilon).

    >>> [range_of(Fraction(each)) for each in ("1", "1/2", "1/24")]
    [3, 6, 72]
    """
    with localcontext(prec=50):
        exact = Decimal(epsilon.numerator) / epsilon.denominator
        odds = 2 / (Decimal(BEYOND.numerator) / BEYOND.denominator)
        least = (odds / (1 + (-exact).exp())).ln() / exact
        return max(int(least.to_integral_value(ROUND_CEILING)) - 1, 0)


def least_epsilon(within: int, part: Fraction) -> Fraction:
    """Return the least multiple of `STEP` whose part has no larger range.

    Parameters
    ----------
    within
        The range, from 1 up.
    part
        Of the epsilon, above 0 and up to 1.

    Examples
    --------
    >>> least_epsilon(3, Fraction(1)), range_of(Fraction(83189, 100000))
    (Fraction(83189, 100000), 3)
    """
    low, high = 0, 1
    while range_of(high * STEP * part) > within:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if range_of(middle * STEP * part) > within:
            low = middle
        else:
            high = middle
    return high * STEP


def even_chance(epsilon: Fraction) -> int:
    """Return the highest chance, in 100, that an even chance can become.

    Given twice the epsilon of a page: someone who is known to be counted, and has
    either of two values, is one person fewer and one more. It is exp(epsilon) /
    (1 + exp(epsilon)), rounded up; 100 if it is above 99.

    >>> [even_chance(Fraction(each)) for each in ("1/1000", "1/2", "3", "999")]
    [51, 63, 96, 100]
    """
    return math.ceil(100 / (1 + math.exp(-float(epsilon))))
