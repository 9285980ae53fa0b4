"""Privacy loss and utility of a count over noisy records (Nunes, 6.1.2.2).

Each record's useful value is reported through a channel of its own, and the reported
values that satisfy the predicate are counted. The count over D is then a sum of one
binomial a useful value, F (the recursion of Eq. 6.11, all at once). With x* it is one
more if x* is reported as counted, so that a reported count c has chance
(1 - p) F(c) + p F(c - 1), where p is the chance of x*'s useful value.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.mechanism.definitions.attack_context import (
    AttackContext,
    PrivacyAndUtility,
)
from microleak.attacks.mechanism.definitions.channels import Channel
from microleak.attacks.mechanism.kernels import (
    ROUNDING,
    ChanceGroup,
    CountDistribution,
    count_distribution,
    exact_count_distribution,
)
from microleak.base.arrays import Integers

MOST_BITS = 1 << 20
"""Size of the integers up to which the distribution of the count is exact."""

FINE_BITS = 300
"""Binary digits of a chance whose distribution is rounded to floats anyway."""

GuessWeights = tuple[int, int]
"""Weights of one guess with x* reported as not counted, and as counted."""


@dataclass(frozen=True)
class Reports:
    """How likely each useful value is reported as counted, whatever the records."""

    counted: tuple[int, ...]
    """The chance, times `total`."""
    total: int
    """Common denominator; with a decimal epsilon it has 133 bits a useful value."""
    fine: tuple[int, ...]
    """The chance times 2 ** `FINE_BITS`, rounded to an integer: what that changes of a
    distribution is below 1e-70 for 10**18 records, nothing beside the error of its
    floats."""


def reports(mechanism: Channel, is_counted: NDArray[np.bool_]) -> Reports:
    """Return how likely each useful value is reported as counted.

    The sum of Eq. 6.11 over the reported values that satisfy the predicate. Time
    O(k ** 2) additions for k useful values, of integers of O(k) digits: far more
    than a table of records then takes, so that samples of it share the result.

    >>> from microleak.attacks.mechanism.definitions.channels import (
    ...     randomised_response,
    ... )
    >>> reports(randomised_response(Fraction(1, 3), 2), np.array([True, False])).counted
    (3, 1)
    """
    columns = np.flatnonzero(is_counted).tolist()
    counted = tuple(sum(row[column] for column in columns) for row in mechanism.weights)
    total = mechanism.total
    fine = ((2 * (yes << FINE_BITS) + total) // (2 * total) for yes in counted)
    return Reports(counted, total, tuple(fine))


def of_reports(context: AttackContext, told: Reports) -> PrivacyAndUtility:
    """Privacy loss and utility of a local mechanism (Eqs. 6.12, 6.13).

    Exact for small tables (some hundred records), otherwise with a bound of the
    error, far below 1e-6 even for 50 million records.

    Examples
    --------
    Nunes' Example 33, scenario A, with the order low, medium, high.

    >>> from microleak.attacks.mechanism.definitions.channels import (
    ...     truncated_geometric,
    ... )
    >>> context = AttackContext(np.diag([2, 4, 2]), np.array([False, True, False]))
    >>> noise = truncated_geometric(Fraction(1, 3), 2)
    >>> found = of_reports(context, reports(noise, context.is_counted))
    >>> found.privacy_loss, found.utility
    (Fraction(1, 1), Fraction(949, 1728))
    """
    n_bits = (context.n_records + 1) ** 2 * told.total.bit_length()
    measured = exact_local if n_bits <= MOST_BITS else bounded_local
    return measured(context, told)


def exact_local(context: AttackContext, told: Reports) -> PrivacyAndUtility:
    """Privacy loss and utility of the local mechanism, exactly.

    Time and memory grow with the squared number of records times the digits of
    the mechanism's chances.
    """
    chances = exact_count_distribution(groups(context, told.counted), told.total)
    n = context.n_records
    total = n * told.total ** (n + 1)
    adversary, analyst = _guesses(context, told)
    return PrivacyAndUtility(
        prior=context.prior,
        posterior=Fraction(_exact_success(adversary, chances), total),
        utility=Fraction(_exact_success(analyst, chances), total),
        error=Fraction(0),
    )


def bounded_local(context: AttackContext, told: Reports) -> PrivacyAndUtility:
    """Privacy loss and utility of the local mechanism, with a bound of the error.

    Only what the reported count adds to the best guess without it is rounded:
    a count that helps nobody gives exactly the prior.
    """
    found = count_distribution(groups(context, told.fine), 1 << FINE_BITS)
    total = context.n_records * told.total
    both = _guesses(context, told)
    (posterior, one), (utility, other) = (_success(g, total, found) for g in both)
    return PrivacyAndUtility(context.prior, posterior, utility, max(one, other))


def groups(context: AttackContext, counted: Sequence[int]) -> list[ChanceGroup]:
    """Return how many records have each useful value, and its chance as given."""
    sizes: list[int] = context.counts.sum(axis=0).tolist()
    return list(zip(sizes, counted, strict=True))


def _guesses(
    context: AttackContext, told: Reports
) -> tuple[list[GuessWeights], list[GuessWeights]]:
    """Return the weights of the adversary's guesses and of the analyst's two."""
    return _pairs(context.counts, told), analyst_pairs(context, told)


def analyst_pairs(context: AttackContext, told: Reports) -> list[GuessWeights]:
    """Return the weights where x* is not counted, and where it is."""
    of_useful = context.counts.sum(axis=0)
    answers = [of_useful * ~context.is_counted, of_useful * context.is_counted]
    return _pairs(np.stack(answers), told)


def _pairs(counts: Integers, told: Reports) -> list[GuessWeights]:
    """Return the weights of each row, times the number of records and `total`."""
    weights = counts.astype(object) @ np.array(told.counted, dtype=object)
    sizes: list[int] = counts.sum(axis=1).tolist()
    return [(n * told.total - yes, yes) for n, yes in zip(sizes, weights, strict=True)]


def _exact_success(guesses: list[GuessWeights], chances: list[int]) -> int:
    """Return the sum over reported counts of the best guess's weight."""
    neighbours = zip([*chances, 0], [0, *chances], strict=True)
    return sum(
        max(no * chance + yes * before for no, yes in guesses)
        for chance, before in neighbours
    )


def _success(
    guesses: list[GuessWeights], total: int, found: CountDistribution
) -> tuple[Fraction, Fraction]:
    """Return the chance to guess from the reported count, and its largest error."""
    best = max(guesses, key=sum)
    gains = [((no - best[0]) / total, (yes - best[1]) / total) for no, yes in guesses]
    chance, before = np.append(found.chances, 0.0), np.append(0.0, found.chances)
    gained = np.zeros(len(chance))
    for no, yes in gains:
        if no > 0 or yes > 0:
            np.maximum(gained, no * chance + yes * before, out=gained)
    reach = sum(max(abs(gain[side]) for gain in gains) for side in (0, 1))
    error = reach * (found.error + 40 * ROUNDING)
    return Fraction(sum(best), total) + Fraction(float(gained.sum())), Fraction(error)
