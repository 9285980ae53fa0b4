"""Privacy loss and utility of a count with noise added to it (Nunes, 6.1.2.1).

The truncated geometric mechanism maps the real count, c or c + 1 as x* is counted
or not, to a reported one. Up to c all reported counts are 1/alpha times as likely
from c, above c from c + 1, and each side has 1/(1 + alpha) of the chances. So the
sums over reported counts have two different terms only, whatever c and n are, and
both measures are exact for any number of records.

Between which values privacy loss and utility lie, as printed and as reachable.
Nunes' Table 6.5 has rows of theoretical minima and maxima. Two of them no count need
reach: the least utility is not the share of the most frequent useful value, but of
the predicate's more frequent answer, and as epsilon grows the loss nears that of the
count without noise (ERRATA).

The oblivious mechanism and randomised response never exceed the loss without noise,
as all that they report of x* follows from whether x* is counted. The local mechanism
with geometric noise may: a value near the counted ones is reported as counted more
often than one far from them, which the count without noise does not tell apart. What
it reports of x* follows from x*'s useful value, so that its loss never exceeds that
of the useful value itself.
"""

from dataclasses import dataclass
from fractions import Fraction

from microleak.attacks.mechanism.definitions.attack_context import (
    AttackContext,
    PrivacyAndUtility,
)
from microleak.attacks.mechanism.definitions.dependence import dependence


def posterior_vulnerability(context: AttackContext, alpha: Fraction) -> Fraction:
    """Chance to guess x*'s sensitive value from the reported count (Eq. 6.8)."""
    pairs = zip(context.others, context.counted, strict=True)
    return _two_sides(list(pairs), context.n_records, alpha)


def utility(context: AttackContext, alpha: Fraction) -> Fraction:
    """Chance to guess the real count from the reported count (Eq. 6.9)."""
    n_counted = context.n_counted
    pairs = [(context.n_records - n_counted, 0), (0, n_counted)]
    return _two_sides(pairs, context.n_records, alpha)


def oblivious(context: AttackContext, alpha: Fraction) -> PrivacyAndUtility:
    """Privacy loss and utility of the oblivious mechanism, exactly.

    Parameters
    ----------
    context
        What the adversary and the analyst know.
    alpha
        exp(-epsilon), in [0, 1].

    Examples
    --------
    Nunes' Example 33, scenario A: two, four and two people of low, medium and high
    income, and the number of those of medium income.

    >>> import numpy as np
    >>> income = np.diag([2, 4, 2])
    >>> context = AttackContext(income, np.array([False, True, False]))
    >>> found = oblivious(context, Fraction(1, 3))
    >>> found.privacy_loss, found.utility
    (Fraction(9, 8), Fraction(3, 4))
    """
    return PrivacyAndUtility(
        prior=context.prior,
        posterior=posterior_vulnerability(context, alpha),
        utility=utility(context, alpha),
        error=Fraction(0),
    )


def _two_sides(pairs: list[tuple[int, int]], n: int, alpha: Fraction) -> Fraction:
    """Return the chance to guess which of some pairs (not counted, counted) it is."""
    a, b = alpha.numerator, alpha.denominator
    up_to_c = max(b * other + a * counted for other, counted in pairs)
    above_c = max(a * other + b * counted for other, counted in pairs)
    return Fraction(up_to_c + above_c, (a + b) * n)


@dataclass(frozen=True)
class MechanismBounds:
    """Bounds of privacy loss and utility, over all epsilons."""

    loss_floor: Fraction
    """1: the count helps the adversary with nothing."""
    loss_ceiling_printed: Fraction
    """1/prior: the adversary is certain."""
    loss_noise_free: Fraction
    """Loss without noise, which every mechanism nears as epsilon grows; no other
    epsilon gives more, but for the local mechanism with geometric noise."""
    loss_ceiling: Fraction
    """Loss if x*'s useful value is published itself; no mechanism exceeds it."""
    utility_floor_printed: Fraction
    """Share of the most frequent useful value, in ]0, 1]."""
    utility_floor: Fraction
    """Share of the predicate's more frequent answer, in [1/2, 1]; reached as epsilon
    falls to 0."""
    utility_ceiling: Fraction
    """1: the real count is known."""


def bounds(context: AttackContext) -> MechanismBounds:
    """Return the bounds of both measures.

    Examples
    --------
    Nunes' Example 33, scenario A.

    >>> import numpy as np
    >>> income = AttackContext(np.diag([2, 4, 2]), np.array([False, True, False]))
    >>> found = bounds(income)
    >>> found.loss_ceiling_printed, found.loss_noise_free, found.loss_ceiling
    (Fraction(2, 1), Fraction(3, 2), Fraction(2, 1))
    """
    n_useful_modal = int(context.counts.sum(axis=0).max())
    silent, noise_free = (oblivious(context, Fraction(alpha)) for alpha in (1, 0))
    return MechanismBounds(
        loss_floor=silent.privacy_loss,
        loss_ceiling_printed=1 / context.prior,
        loss_noise_free=noise_free.privacy_loss,
        loss_ceiling=dependence(context.counts).sensitive.posterior / context.prior,
        utility_floor_printed=Fraction(n_useful_modal, context.n_records),
        utility_floor=silent.utility,
        utility_ceiling=noise_free.utility,
    )
