"""Least squares, rounded, and checked against every answer."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from microleak.attacks.reconstruction.definitions.least_squares import (
    least_squares,
    member_totals,
    residuals,
    rounded,
)
from microleak.attacks.reconstruction.definitions.limits import LIMIT_S, Deadline, timed
from microleak.attacks.reconstruction.definitions.public_answers import (
    Consistency,
    PublicAnswers,
    consistency,
)
from microleak.attacks.reconstruction.definitions.subset_queries import SubsetQueries
from microleak.kernels.subset_sums import Bits, Reals

MOST_FLIPS: Final = 32
"""Entries flipped at most, each at the cost of three passes over the queries."""


@dataclass(frozen=True)
class LeastSquaresReconstruction:
    """A candidate, and how many answers it contradicts.

    `n_flipped` entries were changed after rounding. What is not consistent is
    wrong, or E is too small; `certificate` says what being consistent means.
    """

    candidate: Bits
    certificate: Consistency
    n_flipped: int

    @property
    def is_consistent(self) -> bool:
        """Whether the candidate is consistent with every answer."""
        return self.certificate.is_consistent


def least_squares_reconstruction(
    public: PublicAnswers[SubsetQueries], limit_s: float = LIMIT_S
) -> LeastSquaresReconstruction:
    """Return the rounded least squares solution, or a consistent one next to it.

    If it contradicts answers, the entry whose flip lessens the contradictions most
    is flipped, as long as they do lessen.

    Raises
    ------
    OutOfTimeError
        If it is not done in `limit_s` seconds.
    """
    public = timed(public, Deadline.after(limit_s))
    queries = public.queries
    values = least_squares(public, np.ones(queries.n_queries), np.full(queries.n, 0.5))
    candidate, n_flipped = polished(public, rounded(values))
    return LeastSquaresReconstruction(
        candidate, consistency(candidate, public), n_flipped
    )


def polished(public: PublicAnswers[SubsetQueries], candidate: Bits) -> tuple[Bits, int]:
    """Return a candidate that contradicts answers by less, and how many were flipped.

    What is lessened is the sum, over answers, of how far they are beyond E.
    """
    beyond = _beyond(public, candidate)
    for n_flipped in range(MOST_FLIPS):
        if not beyond.any():
            return candidate, n_flipped
        flipped = candidate.copy()
        flipped[_best_flip(public, candidate, beyond)] ^= 1
        beyond_flipped = _beyond(public, flipped)
        if np.abs(beyond_flipped).sum() >= np.abs(beyond).sum():
            return candidate, n_flipped
        candidate, beyond = flipped, beyond_flipped
    return candidate, MOST_FLIPS


def _beyond(public: PublicAnswers[SubsetQueries], candidate: Bits) -> Reals:
    """Return what of answer minus count is outside [-E, E], 0 of the others."""
    off = residuals(public, candidate.astype(np.float64))
    return off - np.clip(off, -public.bound, public.bound)


def _best_flip(
    public: PublicAnswers[SubsetQueries], candidate: Bits, beyond: Reals
) -> int:
    """Return the entry that most contradicted answers want to have flipped."""
    wish = member_totals(public.queries, np.sign(beyond))
    return int(np.argmax(np.where(candidate == 0, wish, -wish)))
