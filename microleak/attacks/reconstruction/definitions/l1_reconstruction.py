"""L1 decoding: a share of the answers may be wrong by any amount.

Dwork, McSherry and Talwar 2007: least absolute differences withstand a constant share
of gross outliers (up to about 0.239 of them with Gaussian queries), which squares do
not.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from microleak.attacks.reconstruction.definitions.least_squares import (
    least_squares,
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
from microleak.kernels.subset_sums import Bits

MOST_ROUNDS: Final = 50

SETTLED: Final = 1e-3
"""Change of every value below which the rounds end."""


@dataclass(frozen=True)
class L1Reconstruction:
    """A candidate, and how many answers it contradicts: the outliers, if it is right.

    `n_rounds` are those of reweighting.
    """

    candidate: Bits
    certificate: Consistency
    n_rounds: int


def l1_reconstruction(
    public: PublicAnswers[SubsetQueries], limit_s: float = LIMIT_S
) -> L1Reconstruction:
    """Return the rounded reals whose sums differ least from the answers, absolutely.

    By iteratively reweighted least squares: each round weighs an answer by the
    inverse of its difference, or of E / 100 (at least 1/100) if that is larger.

    Raises
    ------
    OutOfTimeError
        If it is not done in `limit_s` seconds.
    """
    public = timed(public, Deadline.after(limit_s))
    floor = max(public.bound, 1.0) / 100
    values = np.full(public.queries.n, 0.5)
    weights = np.ones(public.queries.n_queries)
    n_rounds, change = 0, 1.0
    while change > SETTLED and n_rounds < MOST_ROUNDS:
        before = values
        values = least_squares(public, weights, before)
        weights = 1 / np.maximum(np.abs(residuals(public, values)), floor)
        change = float(np.abs(values - before).max())
        n_rounds += 1
    candidate = rounded(values)
    return L1Reconstruction(candidate, consistency(candidate, public), n_rounds)
