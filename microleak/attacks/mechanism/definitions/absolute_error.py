"""Expected absolute error of a noisy count: the arithmetic loss (Nunes, 6.1.4).

The loss of reporting j where i is the real count is |i - j| (Example 33, whose Table
6.4 prints the Bayes utility alone). Its expectation is over the record x*, drawn as in
`attack_context`, and over the noise. An analyst who takes the reported count as it is
must reckon with so many records; Bayes utility is the success of an analyst who knows
all other records.
"""

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np

from microleak.attacks.mechanism.definitions.attack_context import AttackContext
from microleak.attacks.mechanism.definitions.local_mechanism import (
    FINE_BITS,
    MOST_BITS,
    Reports,
    analyst_pairs,
    groups,
)
from microleak.attacks.mechanism.kernels import (
    MISSED,
    ROUNDING,
    count_distribution,
    exact_count_distribution,
)

POWER_BITS, DIGITS = 1 << 16, 80
"""Bits of a power of alpha up to which it is exact, and decimal digits of others."""

Bounded = tuple[Fraction, Fraction]
"""A measure, and at least how far it is from the exact one."""


def oblivious_error(context: AttackContext, alpha: Fraction) -> Bounded:
    """Return the expected absolute error of the truncated geometric mechanism.

    From a real count i of at most N = n + 1 records it is

        (2 alpha - alpha^(i + 1) - alpha^(N - i + 1)) / (1 - alpha^2),

    the sum of Definition 32's chances times their distances.

    Parameters
    ----------
    context
        What the adversary and the analyst know.
    alpha
        exp(-epsilon), in [0, 1[.

    Returns
    -------
    tuple of Fraction
        In records; and its error, 0 where the powers of alpha are exact.

    Examples
    --------
    One of two records is counted, so that with x* it is one or two of three.

    >>> context = AttackContext(np.diag([1, 1]), np.array([False, True]))
    >>> oblivious_error(context, Fraction(1, 2))
    (Fraction(5, 6), Fraction(0, 1))
    """
    n, c = context.n_records, context.n_counted
    below, above = _power(alpha, c + 1), _power(alpha, n - c + 2)
    one_more, one_less = _power(alpha, c + 2), _power(alpha, n - c + 1)
    cut = (n - c) * (below + above) + c * (one_more + one_less)
    error = (2 * alpha - cut / n) / (1 - alpha**2)
    if (n + 2) * alpha.denominator.bit_length() <= POWER_BITS:
        return error, Fraction(0)
    # Each of four powers is off by the rounding of alpha, n times, and by its own.
    return error, Fraction(8 * (n + 4), 10 ** (DIGITS - 1)) / (1 - alpha**2)


def _power(alpha: Fraction, exponent: int) -> Fraction:
    """Return a power, where it has more than `POWER_BITS` bits to `DIGITS` digits.

    One below 10^-DIGITS is then 0, which the bound of the error allows for.
    """
    if exponent * alpha.denominator.bit_length() <= POWER_BITS:
        return alpha**exponent
    with localcontext(prec=DIGITS):
        power = (Decimal(alpha.numerator) / Decimal(alpha.denominator)) ** exponent
    # A fraction of as many digits as its exponent says would take seconds.
    return Fraction(0) if power.adjusted() < -DIGITS else Fraction(power)


def local_error(context: AttackContext, told: Reports) -> Bounded:
    """Return the expected absolute error of a local mechanism's count.

    The real count is that of the records' useful values, the reported one that of
    the reported values; both count x*.

    Parameters
    ----------
    context
        What the adversary and the analyst know.
    told
        How likely each useful value is reported as counted.

    Returns
    -------
    tuple of Fraction
        In records; and its error, 0 for small tables, as in `local_mechanism`.

    Examples
    --------
    One of two records is counted; each tells the truth with chance 3/4.

    >>> context = AttackContext(np.diag([1, 1]), np.array([False, True]))
    >>> local_error(context, Reports((1, 3), 4, ()))
    (Fraction(17, 32), Fraction(0, 1))
    """
    n, real = context.n_records, context.n_counted
    answers = analyst_pairs(context, told)
    if (n + 1) ** 2 * told.total.bit_length() <= MOST_BITS:
        chances = exact_count_distribution(groups(context, told.counted), told.total)
        distances = sum(
            chance * (no * abs(count - real - x) + yes * abs(count + 1 - real - x))
            for count, chance in enumerate(chances)
            for x, (no, yes) in enumerate(answers)
        )
        return Fraction(distances, n * told.total ** (n + 1)), Fraction(0)
    found = count_distribution(groups(context, told.fine), 1 << FINE_BITS)
    away = found.first - real + np.arange(len(found.chances), dtype=np.float64)
    expected = 0.0
    for x, pair in enumerate(answers):
        for reported, weight in enumerate(pair):
            distance = float(found.chances @ np.abs(away + reported - x))
            expected += weight / (n * told.total) * distance
    # Counts outside the window are farther away, but next to never occur.
    outside = 2 * len(told.fine) * MISSED * n
    rounding = expected * (len(away) + 40) * ROUNDING
    error = found.error * float(np.abs(away).max() + 1) + outside + rounding
    return Fraction(expected), Fraction(error)
