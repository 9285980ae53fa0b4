"""What can be said of a rebuilt database without the true one.

An attack can check its candidate against every answer. If E is right, the true
database passes, so a candidate that fails is wrong; one that passes is *consistent*,
which does not say that no other is. That no other is, is *proven* by trying all 2**n
(`exponential_reconstruction`) or entry by entry (`determined_entries`); then the
candidate is the true one, if E is right.
"""

from dataclasses import dataclass

import numpy as np

from microleak.attacks.public_answers import PublicAnswers
from microleak.attacks.subset_queries import Queries
from microleak.kernels.subset_sums import Bits


@dataclass(frozen=True)
class Consistency:
    """How many answers a candidate contradicts: is off by more than E.

    `worst` is the largest distance of a public answer from the candidate's own.
    """

    n_queries: int
    n_violated: int
    worst: float

    @property
    def is_consistent(self) -> bool:
        """Whether the candidate could have given every answer."""
        return self.n_violated == 0


def consistency(candidate: Bits, public: PublicAnswers[Queries]) -> Consistency:
    """Compare every public answer with the candidate's; exact, without tolerance."""
    n_violated, worst, start = 0, 0.0, 0
    for counts in public.queries.counts(candidate):
        off = np.abs(public.answers[start : start + len(counts)] - counts)
        n_violated += int(np.count_nonzero(off > public.bound))
        worst = max(worst, float(off.max()))
        start += len(counts)
    return Consistency(start, n_violated, worst)
