"""What an office gives away, and what that says of a rebuilt database.

An attack can check its candidate against every answer. If E is right, the true
database passes, so a candidate that fails is wrong; one that passes is *consistent*,
which does not say that no other is. That no other is, is *proven* by trying all 2**n
(`exponential_reconstruction`) or entry by entry (`determined_entries`); then the
candidate is the true one, if E is right.
"""

from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from microleak.attacks.reconstruction.definitions.noise import NoiseLaw
from microleak.attacks.reconstruction.definitions.subset_queries import Queries
from microleak.kernels.subset_sums import Bits, Counts, Reals

Q = TypeVar("Q", bound=Queries)
Q_co = TypeVar("Q_co", bound=Queries, covariant=True)


@dataclass(frozen=True)
class PublicAnswers(Generic[Q_co]):
    """Queries, their public answers, and E: all that an attack is given.

    `answers` has shape (n_queries,); each is at most `bound` from the exact one,
    if the bound is right.
    """

    queries: Q_co
    answers: Reals
    bound: float

    @property
    def low(self) -> Counts:
        """Least exact answer that each public one allows."""
        return np.ceil(self.answers - self.bound).astype(np.int64)

    @property
    def high(self) -> Counts:
        """Largest exact answer that each public one allows, inclusive."""
        return np.floor(self.answers + self.bound).astype(np.int64)


def public_answers(
    queries: Q, database: Bits, law: NoiseLaw, seed: int
) -> PublicAnswers[Q]:
    """Return exact answer plus noise for each query (Eq. 2.6).

    Examples
    --------
    >>> from microleak.attacks.reconstruction.definitions.noise import noise_law
    >>> from microleak.attacks.reconstruction.definitions.subset_queries import (
    ...     all_subsets,
    ... )
    >>> law = noise_law("rounding", 1.5)
    >>> database = np.array([0, 1, 1], dtype=np.uint8)
    >>> public_answers(all_subsets(3), database, law, seed=1).answers
    array([0., 0., 0., 0., 0., 0., 3., 3.])
    """
    return PublicAnswers(queries, law.answers(queries, database, seed), law.bound)


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
