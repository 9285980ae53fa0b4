"""The exponential adversary, and points that are bad for it (Nepomuceno 2.5.1).

Points of a grid that are far from the database, and yet feasible (2.5.1, 3.3). A
point x of the grid {0, 1/k, ..., 1}**n is bad if more than epsilon n of its entries
are farther than 1/3 from the database (Eq. 2.9 to 2.11). The proof of the linear
attack rests on no bad point being feasible.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from math import ceil, comb, floor
from typing import Final

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.reconstruction.definitions.limits import LIMIT_S, Deadline, timed
from microleak.attacks.reconstruction.definitions.noise import (
    GRID,
    NoiseLaw,
    PublicAnswers,
    Uniform,
    UniformInteger,
    public_answers,
)
from microleak.attacks.reconstruction.definitions.subset_queries import (
    RandomSubsets,
    Stream,
    SubsetQueries,
    random_database,
    stream,
)
from microleak.attacks.reconstruction.kernels.subset_sums import (
    LARGEST_N,
    Bits,
    GridPoints,
    answer_bounds,
    consistent_databases,
    count_points,
    largest_difference,
    packed_entries,
    unpacked_entries,
)
from microleak.base.arrays import Integers
from microleak.base.errors import StudyError


@dataclass(frozen=True)
class ExponentialReconstruction:
    """All databases consistent with the answers, none left out.

    `codes` has the integer whose bits are the entries of each, ascending;
    `diameter` is the most entries in which two of them differ, at most 4 E if all 2**n
    queries were asked; None if there is no database.
    """

    n: int
    codes: NDArray[np.uint32]
    diameter: int | None

    @property
    def n_candidates(self) -> int:
        """Consistent databases; none if E is too small."""
        return len(self.codes)

    @property
    def is_unique(self) -> bool:
        """Whether the answers leave one database, the true one if E is right."""
        return len(self.codes) == 1

    @property
    def candidate(self) -> Bits | None:
        """The only consistent database, or None if there are more, or none."""
        if not self.is_unique:
            return None
        return unpacked_entries(self.codes.astype(np.uint64), self.n)

    def has(self, database: Bits) -> bool:
        """Whether a database is among the consistent ones."""
        return bool(np.isin(packed_entries(database)[0], self.codes))


def exponential_reconstruction(
    public: PublicAnswers[SubsetQueries], limit_s: float = LIMIT_S
) -> ExponentialReconstruction:
    """Return every database c with |count of c - answer| <= E in all queries (2.4).

    The paper says that the magnitude of the noise does not matter here. It does: with E
    = n all 2**n databases may be left. If all subsets are asked, any two that are left
    differ in at most 4 E entries (Dinur and Nissim 2003). The clock is looked at before
    each block of queries and before the diameter, but not within a pass over all
    databases.
    """
    n = public.queries.n
    if n > LARGEST_N:
        raise StudyError(
            f"The exponential attack tries all databases, which for n = {n} is too "
            f"many: n can be at most {LARGEST_N}. Lower n, or choose another attack, "
            "in the analysis of the study file."
        )
    deadline = Deadline.after(limit_s)
    members = timed(public, deadline).queries.words()[:, 0].astype(np.int64)
    codes = consistent_databases(*answer_bounds(members, public.low, public.high, n))
    deadline.check()
    return ExponentialReconstruction(
        n, codes, largest_difference(codes, n) if len(codes) else None
    )


LARGEST_K: Final = 255
LARGEST_GRID: Final = 64
POINTS_A_BLOCK: Final = 1 << 20


@dataclass(frozen=True)
class PointGrid:
    """The grid {0, 1/k, ..., 1}**n, and which of its points are bad."""

    n: int
    k: int
    epsilon: Fraction

    def __post_init__(self) -> None:
        is_known = 2 <= self.n <= LARGEST_GRID and 1 <= self.k <= LARGEST_K
        if not is_known or not 0 <= self.epsilon < 1:
            raise StudyError(
                f"Bad points cannot be counted for n = {self.n}, k = {self.k} and "
                f"epsilon = {self.epsilon}: n must be from 2 to {LARGEST_GRID}, k from "
                f"1 to {LARGEST_K}, epsilon from 0 to below 1. Change the bad points "
                "in the analysis of the study file."
            )

    @property
    def n_points(self) -> int:
        """Points of the grid."""
        return int((self.k + 1) ** self.n)

    @property
    def most_far(self) -> int:
        """Entries of a point that may be far without its being bad."""
        return floor(self.epsilon * self.n)


@dataclass(frozen=True)
class Trials:
    """How much is drawn: databases, queries and points of each, from a seed."""

    n_databases: int
    n_queries: int
    n_points: int
    seed: int


@dataclass(frozen=True)
class BadPoints:
    """Points drawn, counted by kind; letters are the columns of Table 3."""

    n_points: int
    n_bad: int
    n_feasible: int
    n_bad_and_feasible: int


def n_bad_points(grid: PointGrid) -> int:
    """Return how many points of a grid are bad (Eq. 2.11), whatever the database.

    >>> n_bad_points(PointGrid(3, 4, Fraction(1, 10)))
    117
    """
    near = grid.k // 3 + 1
    far = grid.k + 1 - near
    return sum(
        comb(grid.n, j) * far**j * near ** (grid.n - j)
        for j in range(grid.most_far + 1, grid.n + 1)
    )


def feasible_bound(grid: PointGrid, law: NoiseLaw, n_queries: int) -> float | None:
    """Bound the chance that some bad point of the grid is feasible (Eq. 2.12), or 1.

    It is (k+1)**n (1 - delta)**t for t random subsets. Delta bounds from below the
    chance that one excludes a bad point, and is that chance for a point with one far
    entry. None for noise that is not uniform.

    >>> feasible_bound(PointGrid(3, 4, Fraction(1, 10)), Uniform(0.0), 9)
    0.244140625
    """
    # A subset with a far entry, or without it, has a sum off by half of `gap` in the
    # mean, as the two differ by it; and a sum that is off by twice as much is excluded
    # at most twice as often.
    gap = Fraction(grid.k // 3 + 1, grid.k)
    if isinstance(law, Uniform):
        n_excluding, most = ceil(gap * GRID), int(law.bound * GRID)
    elif isinstance(law, UniformInteger):
        n_excluding, most = ceil(gap), int(law.bound)
    else:
        return None
    delta = Fraction(min(n_excluding, 2 * most + 1), 2 * most + 1) / 2
    left = 1 - delta
    with localcontext(prec=40):  # exactly, many queries would take minutes
        each = Decimal(left.numerator) / Decimal(left.denominator)
        return min(float(grid.n_points * each**n_queries), 1.0)


def bad_points(grid: PointGrid, law: NoiseLaw, trials: Trials) -> BadPoints:
    """Draw points of the grid, all alike, and count them by kind (Table 3).

    For each random database, random queries are asked, with noise of the law, and
    `n_points` drawn; feasible is what obeys every answer, as in the linear program.
    """
    counts = sum(
        (_counted(grid, law, trials, number) for number in range(trials.n_databases)),
        start=np.zeros((2, 2), dtype=np.int64),
    )
    return BadPoints(
        n_points=int(counts.sum()),
        n_bad=int(counts[1].sum()),
        n_feasible=int(counts[:, 1].sum()),
        n_bad_and_feasible=int(counts[1, 1]),
    )


def counts_by_kind(
    grid: PointGrid,
    database: Bits,
    public: PublicAnswers[RandomSubsets],
    points: GridPoints,
) -> Integers:
    """Count points by [is bad, is feasible], exactly; shape (2, 2)."""
    steps = np.arange(grid.k + 1)
    distance = np.abs(steps - grid.k * database[:, np.newaxis].astype(np.int64))
    low, high = _limits(grid, public)
    return np.asarray(
        count_points(
            points,
            (3 * distance > grid.k).astype(np.uint8),
            grid.most_far,
            public.queries.words()[:, 0],
            low,
            high,
        )
    )


def _limits(
    grid: PointGrid, public: PublicAnswers[RandomSubsets]
) -> tuple[Integers, Integers]:
    """Return the least and largest sums, in steps of 1/k, that answers allow."""
    bound = Fraction(public.bound)
    exact = [Fraction(answer) for answer in public.answers.tolist()]
    low = [ceil(grid.k * (answer - bound)) for answer in exact]
    high = [floor(grid.k * (answer + bound)) for answer in exact]
    return np.array(low, dtype=np.int64), np.array(high, dtype=np.int64)


def _counted(grid: PointGrid, law: NoiseLaw, trials: Trials, number: int) -> Integers:
    keys = stream(trials.seed, Stream.POINTS, number)
    seed = int(keys.integers(2**63))
    database = random_database(grid.n, seed)
    queries = RandomSubsets(grid.n, trials.n_queries, seed)
    public = public_answers(queries, database, law, seed)
    counts = np.zeros((2, 2), dtype=np.int64)
    for points in _drawn(grid, trials.n_points, keys):
        counts += counts_by_kind(grid, database, public, points)
    return counts


def _drawn(
    grid: PointGrid, n_points: int, keys: np.random.Generator
) -> Iterator[GridPoints]:
    for start in range(0, n_points, POINTS_A_BLOCK):
        shape = min(POINTS_A_BLOCK, n_points - start), grid.n
        yield keys.integers(0, grid.k + 1, shape, dtype=np.uint8)
