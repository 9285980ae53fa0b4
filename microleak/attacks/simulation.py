"""Guesses against a count with noise, played out on random draws.

`microleak.attacks.oblivious_mechanism` has the chance that a guess is right in closed
form. Here x* is drawn, its noisy count too, and who guesses is right or wrong: the
share of right guesses checks the closed form, the sampler and each other. Nothing is
rounded before the share, so that it differs from the chance by luck alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.attack_context import AttackContext
from microleak.attacks.noise_sampling import reported_counts
from microleak.attacks.profile import Counts

RISK = 1e-9
"""Chance that a share of right guesses is further from its chance than the bound."""


@dataclass(frozen=True)
class RightGuesses:
    """How often a guess was right.

    Attributes
    ----------
    n_draws
        Draws of x* and of its noisy count, from 1.
    n_adversary
        Those where the adversary guessed x*'s sensitive value.
    n_analyst
        Those where the analyst guessed the real count.
    """

    n_draws: int
    n_adversary: int
    n_analyst: int

    @property
    def posterior(self) -> Fraction:
        """Share of the adversary's guesses that were right, in [0, 1]."""
        return Fraction(self.n_adversary, self.n_draws)

    @property
    def utility(self) -> Fraction:
        """Share of the analyst's guesses that were right, in [0, 1]."""
        return Fraction(self.n_analyst, self.n_draws)


def right_guesses(
    context: AttackContext, alpha: Fraction, n_draws: int, rng: np.random.Generator
) -> RightGuesses:
    """Return how often guesses from the oblivious mechanism's report are right.

    Parameters
    ----------
    context
        What the adversary and the analyst know. Each draw of x* is one of its
        records, all as likely; a missing value is guessed as any other.
    alpha
        exp(-epsilon), in [0, 1[.
    n_draws
        Independent draws, from 1.

    Notes
    -----
    Of guesses that are as good as each other the first is made. Time
    O(n_draws / (1 - alpha) + n_draws log(cells) + cells).

    Examples
    --------
    Without noise the count says who is of medium income, and of two low and two high
    incomes one of the values is guessed.

    >>> context = AttackContext(np.diag([2, 4, 2]), np.array([False, True, False]))
    >>> rng = np.random.default_rng(1)
    >>> found = right_guesses(context, Fraction(0), 1000, rng)
    >>> float(found.posterior), float(found.utility)
    (0.727, 1.0)
    """
    sensitive, is_counted = _targets(context, n_draws, rng)
    n, n_counted = context.n_records, context.n_counted
    reported = reported_counts(n_counted + is_counted, n + 1, alpha, n_draws, rng)
    is_above = reported > n_counted
    adversary = _best(context.others, context.counted, alpha)
    analyst = _best([n - n_counted, 0], [0, n_counted], alpha)
    return RightGuesses(
        n_draws,
        n_adversary=_n_right(adversary, is_above, sensitive),
        n_analyst=_n_right(analyst, is_above, is_counted),
    )


def half_width(n_draws: int) -> float:
    """Return how far a share of draws may be from its chance, but for `RISK`.

    sqrt(ln(2 / RISK) / (2 n_draws)), whatever the chance is (Hoeffding 1963,
    Theorem 2, both sides).

    >>> round(half_width(1_000_000), 6)
    0.003272
    """
    return sqrt(log(2 / RISK) / (2 * n_draws))


def _targets(
    context: AttackContext, n_draws: int, rng: np.random.Generator
) -> tuple[Counts, NDArray[np.int64]]:
    """Draw records: the place of their sensitive value, and 1 if they are counted."""
    ends = np.cumsum([*context.others, *context.counted])
    drawn = rng.integers(0, context.n_records, n_draws)
    cells = np.searchsorted(ends, drawn, side="right")
    is_counted, sensitive = np.divmod(cells, len(context.counts))
    return sensitive, is_counted


def _best(
    others: Sequence[int], counted: Sequence[int], alpha: Fraction
) -> tuple[int, int]:
    """Return the best guess from reports up to the real count of D, and above it.

    Up to it a report is 1/alpha times as likely if x* is not counted, above it if x*
    is (Eq. 6.14).
    """
    a, b = alpha.numerator, alpha.denominator
    pairs = list(zip(others, counted, strict=True))
    up_to = [b * other + a * is_in for other, is_in in pairs]
    above = [a * other + b * is_in for other, is_in in pairs]
    return up_to.index(max(up_to)), above.index(max(above))


def _n_right(
    guesses: tuple[int, int], is_above: NDArray[np.bool_], secrets: NDArray[np.int64]
) -> int:
    up_to, above = guesses
    return int(np.count_nonzero(np.where(is_above, above, up_to) == secrets))
