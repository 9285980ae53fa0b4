"""Channels, exactly: mechanisms of differential privacy.

A channel says what an adversary sees of a secret (quantitative information flow, Nunes,
section 2.3); all of Nunes' definitions stand on how much better it is guessed then.

The truncated geometric mechanism is Nunes' (Definition 32). Oblivious, it adds noise to
a count: its values are 0, ..., n. Local, it moves each record's useful value to another
one: its values are places in the order that a study gives the domain. Randomised
response is local too, for values without an order.
"""

from dataclasses import dataclass
from fractions import Fraction


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

    def fractions(self) -> tuple[tuple[Fraction, ...], ...]:
        """All chances, exactly."""
        return tuple(
            tuple(Fraction(weight, self.total) for weight in row)
            for row in self.weights
        )


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
