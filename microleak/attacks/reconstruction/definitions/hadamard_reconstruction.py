"""Structured queries: the rows of a Hadamard matrix, decoded by a fast transform.

With rows (-1)**(bits of i & j), as 1 where they are 1 and else 0, every query asks for
half of the places and two queries share a quarter. Dwork and Yekhanin 2008.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.reconstruction.definitions.least_squares import rounded
from microleak.attacks.reconstruction.definitions.limits import LIMIT_S, Deadline
from microleak.attacks.reconstruction.definitions.public_answers import (
    Consistency,
    PublicAnswers,
    consistency,
)
from microleak.attacks.reconstruction.definitions.subset_queries import (
    Stream,
    check_sizes,
    stream,
)
from microleak.kernels.hadamard import walsh_hadamard
from microleak.kernels.subset_sums import Bits, Counts, Reals


@dataclass(frozen=True)
class HadamardQueries:
    """All rows of a Hadamard matrix, in some rounds with other places of entries.

    In each round, `seed` puts the entries into places 1, 2, ... of `n_rows`, the
    next power of two above n. Place 0, which all rows have, stays empty: rows would
    tell nothing of an entry there but its sum with all others.
    """

    n: int
    n_rounds: int
    seed: int

    def __post_init__(self) -> None:
        check_sizes(self.n, self.n_rounds)

    @property
    def n_rows(self) -> int:
        """Queries of a round."""
        return 1 << self.n.bit_length()

    @property
    def n_queries(self) -> int:
        """Queries asked, t."""
        return self.n_rounds * self.n_rows

    def places(self, number: int) -> NDArray[np.int64]:
        """Return the place of each entry in a round."""
        generator = stream(self.seed, Stream.PLACES, number)
        return generator.permutation(self.n_rows - 1)[: self.n] + 1

    def counts(self, database: Bits) -> Iterator[Counts]:
        """Give the exact answers of each round (Eq. 2.4): (sum + H d) / 2."""
        for number in range(self.n_rounds):
            placed = np.zeros(self.n_rows)
            placed[self.places(number)] = database
            transformed = walsh_hadamard(placed)
            yield ((transformed[0] + transformed) / 2).astype(np.int64)


@dataclass(frozen=True)
class TimedHadamardQueries(HadamardQueries):
    """The same queries, whose rounds are given until a deadline."""

    deadline: Deadline

    def places(self, number: int) -> NDArray[np.int64]:
        """Return the place of each entry in a round."""
        self.deadline.check()
        return super().places(number)


@dataclass(frozen=True)
class HadamardReconstruction:
    """A candidate, and how many answers it contradicts."""

    candidate: Bits
    certificate: Consistency

    @property
    def is_consistent(self) -> bool:
        """Whether the candidate is consistent with every answer."""
        return self.certificate.is_consistent


def hadamard_reconstruction(
    public: PublicAnswers[HadamardQueries], limit_s: float = LIMIT_S
) -> HadamardReconstruction:
    """Return the rounded mean, over rounds, of the transformed answers.

    Beyond place 0, 2 H answer / n_rows is the entry plus 2 H noise / n_rows, whose
    standard deviation is that of the noise times 2 / sqrt(n_queries).

    Raises
    ------
    OutOfTimeError
        If it is not done in `limit_s` seconds.
    """
    asked, deadline = public.queries, Deadline.after(limit_s)
    queries = TimedHadamardQueries(asked.n, asked.n_rounds, asked.seed, deadline)
    total: Reals = np.zeros(queries.n)
    rounds = public.answers.reshape(queries.n_rounds, queries.n_rows)
    for number, answers in enumerate(rounds):
        total += walsh_hadamard(answers)[queries.places(number)]
    candidate = rounded(2 * total / queries.n_queries)
    within = replace(public, queries=queries)
    return HadamardReconstruction(candidate, consistency(candidate, within))
