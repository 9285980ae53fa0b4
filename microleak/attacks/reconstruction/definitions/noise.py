"""Answers hidden by noise of |r| <= E (Nepomuceno Eq. 2.5, 2.6), and what they prove.

Noise, and the bound E, are multiples of 2**-20, so that answers, and how far they are
from exact ones, are floats without a rounding error: whether |r| <= E is never a
matter of digits.

An attack can check its candidate against every answer. If E is right, the true
database passes, so a candidate that fails is wrong; one that passes is *consistent*,
which does not say that no other is. That no other is, is *proven* by trying all 2**n
(`exponential_reconstruction`) or entry by entry (`determined_entries`); then the
candidate is the true one, if E is right.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from typing import Final, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.reconstruction.definitions.subset_queries import (
    Queries,
    Stream,
    stream,
)
from microleak.attacks.reconstruction.kernels.subset_sums import Bits
from microleak.base.arrays import Floats, Integers
from microleak.base.errors import StudyError, check_known

GRID: Final = 1 << 20
"""Answers are multiples of 1 / GRID."""

LARGEST_BOUND: Final = 1 << 31

LARGEST_GEOMETRIC: Final = 1000
"""Largest E of geometric noise, whose exact chances take E integers of E digits."""


def reached_bound(law: str, bound: float, alpha: Fraction | None = None) -> float:
    """Return E lowered to what the noise of a law can reach.

    That is a multiple of 2**-20; of integer noise a whole number, and of adversarial
    noise half of one. Rounding to a base, of which E is half, moves an answer by half
    of it, rounded down, at most: that to the base 1 leaves every answer exact. Alpha is
    of truncated_geometric only, in (0, 1). What a law cannot have is refused.

    >>> reached_bound("uniform_integer", 2.9), reached_bound("adversarial", 2.9)
    (2.0, 2.5)
    >>> [reached_bound("rounding", base / 2) for base in (1, 2, 3, 10)]
    [0.0, 1.0, 1.0, 5.0]
    """
    if not 0 <= bound <= LARGEST_BOUND:
        raise refusal(law, f"E = {bound}", f"from 0 to {LARGEST_BOUND}", "errors")
    if law == "truncated_geometric":
        if alpha is None or not 0 < alpha < 1:
            raise refusal(law, f"alpha = {alpha}", "between 0 and 1", "noises")
        if bound > LARGEST_GEOMETRIC:
            most = f"from 0 to {LARGEST_GEOMETRIC}"
            raise refusal(law, f"E = {bound}", most, "errors")
    return _REACHED[law](bound)


def distinct_bound(law: str, bound: float, alpha: Fraction | None = None) -> float:
    """Return what of a bound makes a difference to the noise that a law draws.

    It is the bound that is reached; but of rounding half of the base, as the bases 2
    and 3 both reach 1. Takes and raises what `reached_bound` does.

    >>> [distinct_bound(law, 1.5) for law in ("rounding", "uniform_integer")]
    [1.5, 1.0]
    """
    reached = reached_bound(law, bound, alpha)
    return bound if law == "rounding" and reached else reached


def on_grid(bound: float) -> float:
    """Return the largest multiple of 2**-20 that is not above a bound.

    >>> on_grid(0.1)
    0.09999942779541016
    """
    return math.floor(bound * GRID) / GRID


def refusal(law: str, found: str, expected: str, setting: str) -> StudyError:
    """Return the error that noise of a law cannot have what a setting asks for."""
    return StudyError(
        f"Noise of the law {law} cannot have {found}: it must be {expected}. Correct "
        f"{setting} of the reconstruction analysis in the study file."
    )


def _of_rounding(bound: float) -> float:
    base = 2 * bound
    if base == 0 or base != int(base):
        found = f"a base of {base:.10g}"
        raise refusal("rounding", found, "a whole number from 1 up", "errors")
    return float(base // 2)


def _whole(bound: float) -> float:
    return float(math.floor(bound))


_REACHED: Final[dict[str, Callable[[float], float]]] = {
    "uniform": on_grid,
    "uniform_integer": _whole,
    "adversarial": lambda bound: math.floor(2 * bound) / 2,
    "rounding": _of_rounding,
    "truncated_geometric": _whole,
}

LAWS: Final = tuple(_REACHED)
"""Names of the laws in a study."""


class NoiseLaw(Protocol):
    """A way to hide exact answers."""

    @property
    def bound(self) -> float:
        """E: how far a public answer may be from the exact one."""

    def answers(self, queries: Queries, database: Bits, seed: int) -> Floats:
        """Return the public answers that a database gives, in order of queries."""


@dataclass(frozen=True)
class _NoiseOfEach(ABC):
    bound: float

    def answers(self, queries: Queries, database: Bits, seed: int) -> Floats:
        """Return the public answers that a database gives, in order of queries."""
        hidden = (
            self._hidden(counts, stream(seed, Stream.NOISE, number))
            for number, counts in enumerate(queries.counts(database))
        )
        return _joined(hidden, queries.n_queries)

    @abstractmethod
    def _hidden(self, counts: Integers, generator: np.random.Generator) -> Floats:
        """Return the public answers of a block of queries, given the exact ones."""


@dataclass(frozen=True)
class Uniform(_NoiseOfEach):
    """Real noise: every multiple of 2**-20 in [-E, E] alike."""

    def _hidden(self, counts: Integers, generator: np.random.Generator) -> Floats:
        most = int(self.bound * GRID)
        return counts + generator.integers(-most, most + 1, len(counts)) / GRID


@dataclass(frozen=True)
class UniformInteger(_NoiseOfEach):
    """Every integer in [-E, E] alike."""

    def _hidden(self, counts: Integers, generator: np.random.Generator) -> Floats:
        most = int(self.bound)
        noise = generator.integers(-most, most + 1, len(counts))
        return (counts + noise).astype(np.float64)


@dataclass(frozen=True)
class Rounding(_NoiseOfEach):
    """The nearest multiple of the base, the upper one of two as near.

    E is half of the base, rounded down.
    """

    base: int

    def _hidden(self, counts: Integers, generator: np.random.Generator) -> Floats:
        nearest = (2 * counts + self.base) // (2 * self.base)
        return (nearest * self.base).astype(np.float64)


@dataclass(frozen=True)
class TruncatedGeometric(_NoiseOfEach):
    """Integers r with chances proportional to alpha**|r|, given |r| <= E.

    Two-sided geometric noise conditioned on the bound, with alpha = exp(-epsilon).
    Nunes' mechanism of that name (`channels.truncated_geometric`) cuts the answer to
    [0, n] instead, and so has no E. Chances are right to 2**-63.
    """

    alpha: Fraction

    def _hidden(self, counts: Integers, generator: np.random.Generator) -> Floats:
        most = int(self.bound)
        drawn = generator.integers(0, 2**63, len(counts), dtype=np.uint64)
        noise = np.searchsorted(_limits(self.alpha, most), drawn, side="right") - most
        return (counts + noise).astype(np.float64)


@dataclass(frozen=True)
class Adversarial:
    """Answers that two databases as far apart as possible, 4 E, could have given.

    They are midway between the exact answers of the database and of its `decoy`,
    and so within E of both: no attack can tell which of them is the true one.
    """

    bound: float

    def answers(self, queries: Queries, database: Bits, seed: int) -> Floats:
        """Return the public answers that a database gives, in order of queries."""
        other = decoy(database, self.bound)
        both = zip(queries.counts(database), queries.counts(other), strict=True)
        return _joined(((one + two) / 2 for one, two in both), queries.n_queries)


@dataclass(frozen=True)
class GrossOutliers:
    """Another law, but a share of the answers is wrong by any amount.

    Each answer is, with chance `share`, an integer from 0 to n, all alike; these
    may be farther from the exact answer than `bound`.
    """

    law: NoiseLaw
    share: float

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            found = f"a share of {self.share}"
            raise refusal("outliers", found, "from 0 to 1", "outliers")

    @property
    def bound(self) -> float:
        """E of the other answers."""
        return self.law.bound

    def answers(self, queries: Queries, database: Bits, seed: int) -> Floats:
        """Return the public answers that a database gives, in order of queries."""
        right = self.law.answers(queries, database, seed)
        generator = stream(seed, Stream.OUTLIERS)
        is_wrong = generator.random(len(right)) < self.share
        wrong = generator.integers(0, queries.n + 1, len(right)).astype(np.float64)
        return np.where(is_wrong, wrong, right)


def noise_law(name: str, bound: float, alpha: Fraction | None = None) -> NoiseLaw:
    """Return the law of that name, with E lowered as `reached_bound` says."""
    check_known(name, LAWS, "No noise has the law", f" There are: {', '.join(LAWS)}.")
    reached = reached_bound(name, bound, alpha)
    if name == "rounding":
        return Rounding(reached, int(2 * bound))
    if alpha is not None and name == "truncated_geometric":
        return TruncatedGeometric(reached, alpha)
    return _OF_BOUND[name](reached)


_OF_BOUND: Final[dict[str, Callable[[float], NoiseLaw]]] = {
    "uniform": Uniform,
    "uniform_integer": UniformInteger,
    "adversarial": Adversarial,
}


def geometric_weights(alpha: Fraction, most: int) -> list[int]:
    """Return integers in proportion to alpha**|r|, for r = -most, ..., most.

    >>> geometric_weights(Fraction(1, 3), 1)
    [1, 3, 1]
    """
    a, b = alpha.numerator, alpha.denominator
    sizes = [abs(r) for r in range(-most, most + 1)]
    return [a**size * b ** (most - size) for size in sizes]


@lru_cache(maxsize=8)
def _limits(alpha: Fraction, most: int) -> NDArray[np.uint64]:
    """Return the chances of noise up to each r, rounded down to 2**-63, times 2**63."""
    ends = list(accumulate(geometric_weights(alpha, most)))
    return np.array([(end << 63) // ends[-1] for end in ends], dtype=np.uint64)


def _joined(blocks: Iterator[Floats], n_queries: int) -> Floats:
    """Return the answers of all blocks, of which never more than one is held twice."""
    answers, start = np.empty(n_queries), 0
    for block in blocks:
        answers[start : start + len(block)] = block
        start += len(block)
    return answers


def decoy(database: Bits, bound: float) -> Bits:
    """Return a database that noise up to E cannot be told apart from this one.

    Its first 2 E ones are 0 and its first 2 E zeros 1, or as many as there are: no
    exact answer differs by more than 2 E. It differs in 4 E entries.
    """
    changed = database.copy()
    for bit in (1, 0):
        changed[np.flatnonzero(database == bit)[: int(2 * bound)]] ^= 1
    return changed


Q = TypeVar("Q", bound=Queries)
Q_co = TypeVar("Q_co", bound=Queries, covariant=True)


@dataclass(frozen=True)
class PublicAnswers(Generic[Q_co]):
    """Queries, their public answers, and E: all that an attack is given.

    `answers` has shape (n_queries,); each is at most `bound` from the exact one,
    if the bound is right.
    """

    queries: Q_co
    answers: Floats
    bound: float

    @property
    def low(self) -> Integers:
        """Least exact answer that each public one allows."""
        return np.ceil(self.answers - self.bound).astype(np.int64)

    @property
    def high(self) -> Integers:
        """Largest exact answer that each public one allows, inclusive."""
        return np.floor(self.answers + self.bound).astype(np.int64)


def public_answers(
    queries: Q, database: Bits, law: NoiseLaw, seed: int
) -> PublicAnswers[Q]:
    """Return exact answer plus noise for each query (Eq. 2.6).

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
