"""Least squares over subset queries and over the rows of a Hadamard matrix, rounded.

Structured queries: the rows of a Hadamard matrix, decoded by a fast transform. With
rows (-1)**(bits of i & j), as 1 where they are 1 and else 0, every query asks for
half of the places and two queries share a quarter. Dwork and Yekhanin 2008.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.reconstruction.definitions.limits import LIMIT_S, Deadline, timed
from microleak.attacks.reconstruction.definitions.noise import (
    Consistency,
    PublicAnswers,
    consistency,
)
from microleak.attacks.reconstruction.definitions.subset_queries import (
    Stream,
    SubsetQueries,
    check_sizes,
    stream,
)
from microleak.attacks.reconstruction.kernels.subset_sums import (
    Bits,
    conjugate_gradients,
    member_sums,
    subset_sums,
    walsh_hadamard,
)
from microleak.base.arrays import BitWords, Floats, Integers
from microleak.base.progress import progress

ACCURACY = 1e-6
"""Error left over the first one; noise leaves far more."""

MOST_STEPS = 200


def least_squares(
    public: PublicAnswers[SubsetQueries], weights: Floats, start: Floats
) -> Floats:
    """Return the reals whose subset sums are nearest to the answers.

    Conjugate gradients on the normal equations, each step one pass over the queries,
    weighing each squared difference. Every pair of entries is together in a quarter of
    random subsets, and an entry is in half of them: that matrix, whose inverse is
    known, leaves a problem so near to the identity that few steps are needed where
    n_queries >> n.
    """
    n, quarter = public.queries.n, float(weights.sum()) / 4
    with progress("least squares", None) as advance:

        def gram(x: Floats) -> Floats:
            """Multiply by the normal equations' matrix, in one pass over queries."""
            advance(1)
            parts = _with_parts(public.queries, weights)
            return _added(n, ((words, w * subset_sums(words, x)) for words, w in parts))

        def nearly_inverse(x: Floats) -> Floats:
            """Multiply by the inverse of what that matrix is on average."""
            return np.asarray((x - x.sum() / (n + 1)) / quarter)

        target = member_totals(public.queries, weights * residuals(public, start))
        return start + conjugate_gradients(
            gram, target, nearly_inverse, ACCURACY, MOST_STEPS
        )


def residuals(public: PublicAnswers[SubsetQueries], values: Floats) -> Floats:
    """Return answer minus subset sum of the values, for each query."""
    sums = [subset_sums(words, values) for words in public.queries.blocks()]
    return np.asarray(public.answers - np.concatenate(sums))


def rounded(values: Floats) -> Bits:
    """Return 1 where a value is above 1/2, else 0 (2.5, step 5)."""
    return (values > 0.5).astype(np.uint8)


def member_totals(queries: SubsetQueries, values: Floats) -> Floats:
    """Return for each entry the sum of the values of the queries it is in."""
    return _added(queries.n, _with_parts(queries, values))


def _with_parts(
    queries: SubsetQueries, values: Floats
) -> Iterator[tuple[BitWords, Floats]]:
    start = 0
    for words in queries.blocks():
        yield words, values[start : start + len(words)]
        start += len(words)


def _added(n: int, parts: Iterator[tuple[BitWords, Floats]]) -> Floats:
    total = np.zeros(n)
    for words, values in parts:
        total += member_sums(words, values, n)
    return total


MOST_FLIPS: Final = 32
"""Entries flipped at most, each at the cost of three passes over the queries."""


@dataclass(frozen=True)
class WholeReconstruction:
    """A candidate with a bit for each entry, and how many answers it contradicts.

    What is not consistent is wrong, or E is too small; `certificate` says what being
    consistent means. `n_steps` are entries flipped after rounding, or rounds.
    """

    candidate: Bits
    certificate: Consistency
    n_steps: int = 0


def least_squares_reconstruction(
    public: PublicAnswers[SubsetQueries], limit_s: float = LIMIT_S
) -> WholeReconstruction:
    """Return the rounded least squares solution, or a consistent one next to it.

    If it contradicts answers, the entry whose flip lessens the contradictions most is
    flipped, as long as they do lessen.
    """
    public = timed(public, Deadline.after(limit_s))
    queries = public.queries
    values = least_squares(public, np.ones(queries.n_queries), np.full(queries.n, 0.5))
    candidate, n_flipped = polished(public, rounded(values))
    return WholeReconstruction(candidate, consistency(candidate, public), n_flipped)


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


def _beyond(public: PublicAnswers[SubsetQueries], candidate: Bits) -> Floats:
    """Return what of answer minus count is outside [-E, E], 0 of the others."""
    off = residuals(public, candidate.astype(np.float64))
    return off - np.clip(off, -public.bound, public.bound)


def _best_flip(
    public: PublicAnswers[SubsetQueries], candidate: Bits, beyond: Floats
) -> int:
    """Return the entry that most contradicted answers want to have flipped."""
    wish = member_totals(public.queries, np.sign(beyond))
    return int(np.argmax(np.where(candidate == 0, wish, -wish)))


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

    def counts(self, database: Bits) -> Iterator[Integers]:
        """Return the exact answers of each round (Eq. 2.4): (sum + H d) / 2."""
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


def hadamard_reconstruction(
    public: PublicAnswers[HadamardQueries], limit_s: float = LIMIT_S
) -> WholeReconstruction:
    """Return the rounded mean, over rounds, of the transformed answers.

    Beyond place 0, 2 H answer / n_rows is the entry plus 2 H noise / n_rows, whose
    standard deviation is that of the noise times 2 / sqrt(n_queries).
    """
    asked, deadline = public.queries, Deadline.after(limit_s)
    queries = TimedHadamardQueries(asked.n, asked.n_rounds, asked.seed, deadline)
    total: Floats = np.zeros(queries.n)
    rounds = public.answers.reshape(queries.n_rounds, queries.n_rows)
    for number, answers in enumerate(rounds):
        total += walsh_hadamard(answers)[queries.places(number)]
    candidate = rounded(2 * total / queries.n_queries)
    within = replace(public, queries=queries)
    return WholeReconstruction(candidate, consistency(candidate, within))
