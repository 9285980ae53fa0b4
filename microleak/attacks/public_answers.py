"""What an office gives away: subset queries and their noisy answers."""

from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from microleak.attacks.noise_laws import NoiseLaw
from microleak.attacks.subset_queries import Queries
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
    >>> from microleak.attacks.noise_laws import noise_law
    >>> from microleak.attacks.subset_queries import all_subsets
    >>> law = noise_law("rounding", 1.5)
    >>> database = np.array([0, 1, 1], dtype=np.uint8)
    >>> public_answers(all_subsets(3), database, law, seed=1).answers
    array([0., 0., 0., 0., 0., 0., 3., 3.])
    """
    return PublicAnswers(queries, law.answers(queries, database, seed), law.bound)
