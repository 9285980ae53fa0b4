"""Between which values privacy loss and utility lie, as printed and as reachable.

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

from microleak.attacks.mechanism.definitions.attack_context import AttackContext
from microleak.attacks.mechanism.definitions.dependence import dependence
from microleak.attacks.mechanism.definitions.oblivious_mechanism import oblivious


@dataclass(frozen=True)
class MechanismBounds:
    """Bounds of privacy loss and utility, over all epsilons.

    Attributes
    ----------
    loss_floor
        1: the count helps the adversary with nothing.
    loss_ceiling_printed
        1/prior: the adversary is certain.
    loss_noise_free
        Loss without noise, which every mechanism nears as epsilon grows; no other
        epsilon gives more, but for the local mechanism with geometric noise.
    loss_ceiling
        Loss if x*'s useful value is published itself; no mechanism exceeds it.
    utility_floor_printed
        Share of the most frequent useful value, in ]0, 1].
    utility_floor
        Share of the predicate's more frequent answer, in [1/2, 1]; reached as
        epsilon falls to 0.
    utility_ceiling
        1: the real count is known.
    """

    loss_floor: Fraction
    loss_ceiling_printed: Fraction
    loss_noise_free: Fraction
    loss_ceiling: Fraction
    utility_floor_printed: Fraction
    utility_floor: Fraction
    utility_ceiling: Fraction


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
