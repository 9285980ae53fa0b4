"""Privacy loss and utility of a count with noise added to it (Nunes, 6.1.2.1).

The truncated geometric mechanism maps the real count, c or c + 1 as x* is counted
or not, to a reported one. Up to c all reported counts are 1/alpha times as likely
from c, above c from c + 1, and each side has 1/(1 + alpha) of the chances. So the
sums over reported counts have two different terms only, whatever c and n are, and
both measures are exact for any number of records.
"""

from fractions import Fraction

from microleak.attacks.mechanism.definitions.attack_context import (
    AttackContext,
    PrivacyAndUtility,
)


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
