"""Between which values privacy loss and utility lie, as printed and as reachable.

Nunes' Table 6.5 has rows of theoretical minima and maxima. Two of them no count
reaches: the least utility is not the share of the most frequent useful value, but of
the predicate's more frequent answer, and the greatest loss is that of the count
without noise. Both stand here (ERRATA).
"""

from dataclasses import dataclass
from fractions import Fraction

from microleak.attacks.attack_context import AttackContext
from microleak.attacks.oblivious_mechanism import oblivious


@dataclass(frozen=True)
class MechanismBounds:
    """Bounds of privacy loss and utility, over all epsilons.

    Attributes
    ----------
    loss_floor
        1: the count helps the adversary with nothing.
    loss_ceiling_printed
        1/prior: the adversary is certain.
    loss_ceiling
        Loss without noise; reached as epsilon grows, by every mechanism.
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
    >>> bounds(income).loss_ceiling_printed, bounds(income).loss_ceiling
    (Fraction(2, 1), Fraction(3, 2))
    """
    n_useful_modal = int(context.counts.sum(axis=0).max())
    silent, noise_free = (oblivious(context, Fraction(alpha)) for alpha in (1, 0))
    return MechanismBounds(
        loss_floor=silent.privacy_loss,
        loss_ceiling_printed=1 / context.prior,
        loss_ceiling=noise_free.privacy_loss,
        utility_floor_printed=Fraction(n_useful_modal, context.n_records),
        utility_floor=silent.utility,
        utility_ceiling=noise_free.utility,
    )
