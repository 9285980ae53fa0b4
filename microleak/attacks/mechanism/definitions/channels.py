"""Channels, Bayes vulnerability, and mechanisms of differential privacy, exactly.

The quantitative information flow (Nunes, section 2.3) that all of Nunes' definitions
stand on. An adversary who guesses a secret once is right with the prior vulnerability;
one who first sees what a channel makes of the secret, with the posterior vulnerability.

The truncated geometric
mechanism is Nunes' (Definition 32). Oblivious, it adds noise to a count: its values
are 0, ..., n. Local, it moves each record's useful value to another one: its values
are places in the order that a study gives the domain. Randomised response is local
too, for values without an order.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray

Distribution = Sequence[Fraction]
"""Chances of the values of a secret, in their order; they add up to 1."""

Joint = tuple[tuple[Fraction, ...], ...]
"""Chances of (secret, output), one row a secret."""


@dataclass(frozen=True)
class Channel:
    """How likely each secret gives each output (Definition 2)."""

    weights: tuple[tuple[int, ...], ...]
    """One row a secret, one column an output; integers from 0. They add up to `total`
    in each row, so that no chance is ever rounded."""
    total: int
    """Common denominator of all chances, from 1."""

    def __post_init__(self) -> None:
        assert all(sum(row) == self.total for row in self.weights), "a row is not 1"
        assert all(weight >= 0 for row in self.weights for weight in row)

    def chance(self, output: int, secret: int) -> Fraction:
        """Chance of an output given the secret, C[secret, output]."""
        return Fraction(self.weights[secret][output], self.total)

    def fractions(self) -> Joint:
        """All chances, exactly."""
        return tuple(
            tuple(Fraction(weight, self.total) for weight in row)
            for row in self.weights
        )

    def floats(self) -> NDArray[np.float64]:
        """All chances, each rounded once, shape (n_secrets, n_outputs)."""
        return np.array([[w / self.total for w in row] for row in self.weights])


def channel(rows: Sequence[Sequence[Fraction]]) -> Channel:
    """Return the channel of a matrix whose rows each add up to 1.

    >>> channel([[Fraction(1, 2), Fraction(1, 2)], [Fraction(1, 3), Fraction(2, 3)]])
    Channel(weights=((3, 3), (2, 4)), total=6)
    """
    total = lcm(*(chance.denominator for row in rows for chance in row))
    weights = (tuple(int(chance * total) for chance in row) for row in rows)
    return Channel(tuple(weights), total)


def joint(prior: Distribution, given: Channel) -> Joint:
    """Chance of each secret with each output (Definition 3)."""
    return tuple(
        tuple(chance * known for chance in row)
        for known, row in zip(prior, given.fractions(), strict=True)
    )


def outputs(both: Joint) -> tuple[Fraction, ...]:
    """Chance of each output, the joint's sum over the secrets (Definition 3)."""
    return tuple(sum(column, Fraction(0)) for column in zip(*both, strict=True))


def posteriors(both: Joint) -> tuple[tuple[Fraction, ...] | None, ...]:
    """Chances of the secrets given each output (Definition 3).

    One row an output; None for an output that never occurs.
    """
    columns = zip(*both, strict=True)
    return tuple(
        tuple(chance / likely for chance in column) if likely else None
        for column, likely in zip(columns, outputs(both), strict=True)
    )


def prior_vulnerability(prior: Distribution) -> Fraction:
    """Chance to guess the secret at once, unseen (Definitions 6 and 8)."""
    return max(prior)


def posterior_vulnerability(prior: Distribution, given: Channel) -> Fraction:
    """Chance to guess the secret at once, having seen the output (same).

    The sum over the outputs of the largest joint chance.
    """
    columns = zip(*joint(prior, given), strict=True)
    return sum((max(column) for column in columns), Fraction(0))


def multiplicative_leakage(prior: Distribution, given: Channel) -> Fraction:
    """Ratio of the vulnerabilities, from 1 (Definition 7).

    >>> even = [Fraction(1, 2)] * 2
    >>> multiplicative_leakage(even, Channel(((1, 0), (0, 1)), 1))
    Fraction(2, 1)
    """
    return posterior_vulnerability(prior, given) / prior_vulnerability(prior)


def additive_leakage(prior: Distribution, given: Channel) -> Fraction:
    """Difference of the vulnerabilities, in [0, 1[ (Definition 7)."""
    return posterior_vulnerability(prior, given) - prior_vulnerability(prior)


def truncated_geometric(alpha: Fraction, n: int) -> Channel:
    """Return the truncated geometric mechanism G on 0, ..., n (Eq. 6.14).

    Parameters
    ----------
    alpha
        exp(-epsilon), in [0, 1]; at 0 there is no noise, at 1 nothing else.
    n
        Largest value, from 0. With one value only, it is always reported.

    Notes
    -----
    All chances have the common denominator (b + a) b ** n for alpha = a/b: O(n)
    integers of O(n) digits, which O(n ** 2) places share. For tables and for the
    local mechanism's domains; a noisy count of n records has a closed form
    (`microleak.attacks.mechanism.definitions.oblivious_mechanism`).

    Examples
    --------
    >>> truncated_geometric(Fraction(1, 2), 2).fractions()[0]
    (Fraction(2, 3), Fraction(1, 6), Fraction(1, 6))
    """
    if n == 0:
        return Channel(((1,),), 1)
    a, b = alpha.numerator, alpha.denominator
    powers = [a**d * b ** (n - d) for d in range(n + 1)]
    inner = [(b - a) * power for power in powers]
    outer = [b * power for power in powers]
    rows = (
        (outer[i], *(inner[abs(i - j)] for j in range(1, n)), outer[n - i])
        for i in range(n + 1)
    )
    return Channel(tuple(rows), (a + b) * b**n)


def randomised_response(alpha: Fraction, n_values: int) -> Channel:
    """Return k-ary randomised response: the true value 1/alpha times as likely.

    Each other value of the domain is equally likely (Warner 1965 for two values;
    Kairouz, Bonawitz and Ramage 2016, Eq. 3). `n_values` is from 1.

    >>> randomised_response(Fraction(1, 3), 3).fractions()[1]
    (Fraction(1, 5), Fraction(3, 5), Fraction(1, 5))
    """
    a, b = alpha.numerator, alpha.denominator
    values = range(n_values)
    rows = (tuple(b if i == j else a for j in values) for i in values)
    return Channel(tuple(rows), b + (n_values - 1) * a)
