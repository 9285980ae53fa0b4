"""The polynomial adversary: linear programs, and entries that they determine.

L1 decoding: a share of the answers may be wrong by any amount. Dwork, McSherry and
Talwar 2007: least absolute differences withstand a constant share of gross outliers
(up to about 0.239 of them with Gaussian queries), which squares do not.

Entries that are the same in every database the answers allow, by linear programs.
That the largest and the least sum round to one database, as the paper asks, proves
nothing of databases between them. Here every entry has a program of its own: if even
the fractional values that the answers allow do not reach the other bit, no
consistent database has it.
"""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.reconstruction.definitions.least_squares_reconstruction import (
    WholeReconstruction,
    least_squares,
    residuals,
    rounded,
)
from microleak.attacks.reconstruction.definitions.limits import (
    LIMIT_S,
    Deadline,
    OutOfTimeError,
    timed,
)
from microleak.attacks.reconstruction.definitions.noise import (
    Consistency,
    PublicAnswers,
    consistency,
)
from microleak.attacks.reconstruction.definitions.subset_queries import SubsetQueries
from microleak.attacks.reconstruction.kernels.linear_program import (
    CubeProgram,
    Optimum,
    Status,
    SubsetRows,
)
from microleak.attacks.reconstruction.kernels.subset_sums import Bits
from microleak.base.arrays import Floats
from microleak.base.highs import TOLERANCE
from microleak.base.progress import progress

LATE: Final = Optimum("not solved", np.nan, np.empty(0), 0)
"""What a program comes to whose time ran out before its solver was asked."""


@dataclass(frozen=True)
class LinearReconstruction:
    """Optima of the largest and of the least sum, and the check of what they say.

    `certificate` is that of the candidate, None if there is none. Being consistent
    does not prove it: databases with sums in between may be consistent, too.
    """

    maximum: Optimum
    minimum: Optimum
    certificate: Consistency | None

    @property
    def status(self) -> Status:
        """Whether both programs are optimal; "infeasible" says that E is too small.

        "not solved" says that time, or the solver's precision, ran out.
        """
        found = {self.maximum.status, self.minimum.status}
        if "infeasible" in found:
            return "infeasible"
        return "optimal" if found == {"optimal"} else "not solved"

    @property
    def candidates(self) -> tuple[Bits, Bits] | None:
        """Both optima rounded, that of the largest sum first; None unless solved."""
        if self.status != "optimal":
            return None
        return rounded(self.maximum.entries), rounded(self.minimum.entries)

    @property
    def candidate(self) -> Bits | None:
        """What both optima round to, or None if they disagree or are not solved.

        The paper's attack succeeds if this is the database.
        """
        if self.candidates is None:
            return None
        first, second = self.candidates
        return first if np.array_equal(first, second) else None


def linear_reconstruction(
    public: PublicAnswers[SubsetQueries], limit_s: float = LIMIT_S
) -> LinearReconstruction:
    """Return the largest and the least sum of c under |sum over Q of c - answer| <= E.

    The bounds are 0 <= c <= 1. The programs are given few rows at first, and more until
    their optimum obeys all: it is the optimum of the full program. `limit_s` is for all
    of it: the first guess, both programs and the check.
    """
    deadline = Deadline.after(limit_s)
    try:
        return _certified(timed(public, deadline), deadline)
    except OutOfTimeError:
        return LinearReconstruction(LATE, LATE, None)


def _certified(
    public: PublicAnswers[SubsetQueries], deadline: Deadline
) -> LinearReconstruction:
    start, ones = start_of(public, deadline), np.ones(public.queries.n)
    with progress("largest and least sum", None) as advance:
        maximum = minimum = start.program().maximum(ones, advance)
        if maximum.status == "optimal":
            minimum = start.program().minimum(ones, advance)
    found = LinearReconstruction(maximum, minimum, None)
    if found.candidate is None:
        return found
    return replace(found, certificate=consistency(found.candidate, public))


@dataclass(frozen=True)
class TimedRows(SubsetRows):
    """Rows that an optimum is held against until a deadline."""

    deadline: Deadline

    def violations(self, values: Floats) -> Floats:
        """Return by how much the values' sums are outside, below 0 if inside."""
        self.deadline.check()
        return super().violations(values)


@dataclass(frozen=True)
class Start:
    """The rows of all answers until a deadline, and a first guess of the database.

    A program begins with the rows numbered `first`, which hold the guess most
    tightly; that changes how long it takes, not its optimum.
    """

    rows: TimedRows
    guess: Bits
    first: NDArray[np.intp]

    def program(self) -> CubeProgram:
        """Return a new program that its solver may spend the time left on."""
        left_s = self.rows.deadline.left_s
        return CubeProgram(len(self.guess), self.rows, self.first, left_s)


def start_of(public: PublicAnswers[SubsetQueries], deadline: Deadline) -> Start:
    """Return the start of programs, guessing by least squares."""
    n, t = public.queries.n, public.queries.n_queries
    answers, bound = public.answers, public.bound
    words = public.queries.words()
    rows = TimedRows(words, answers - bound, answers + bound, deadline)
    guess = rounded(least_squares(public, np.ones(t), np.full(n, 0.5)))
    off = np.abs(residuals(public, guess.astype(np.float64)))
    return Start(rows, guess, np.argsort(-off, kind="stable")[:n])


MOST_ROUNDS: Final = 50

SETTLED: Final = 1e-3
"""Change of every value below which the rounds end."""


def l1_reconstruction(
    public: PublicAnswers[SubsetQueries], limit_s: float = LIMIT_S
) -> WholeReconstruction:
    """Return the rounded reals whose sums differ least from the answers, absolutely.

    By iteratively reweighted least squares: each round weighs an answer by the inverse
    of its difference, or of E / 100 (at least 1/100) if that is larger. The answers
    that the candidate contradicts are the outliers, if it is right.
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
    return WholeReconstruction(candidate, consistency(candidate, public), n_rounds)


SAFETY = 1000 * TOLERANCE
"""How far from the other bit an entry must stay, well above the solver's tolerance."""


@dataclass(frozen=True)
class DeterminedEntries:
    """Which entries of a candidate are proven, if E is right.

    `is_determined` is true of entries that every consistent database has as the
    candidate has, and of none if there is seen to be no such database, E being too
    small ("infeasible"); after "not solved" some entries may not have been tried.
    """

    status: Status
    candidate: Bits
    is_determined: NDArray[np.bool_]

    @property
    def n_determined(self) -> int:
        """Entries proven."""
        return int(np.count_nonzero(self.is_determined))

    @property
    def is_proven(self) -> bool:
        """Whether the candidate is the only database there can be, if E is right."""
        return self.n_determined == len(self.candidate)


def determined_entries(
    public: PublicAnswers[SubsetQueries], limit_s: float = LIMIT_S
) -> DeterminedEntries:
    """Prove entries of the rounded least squares estimate, by one program each.

    `limit_s` is for the first guess and all programs together. The programs alone
    cannot tell that no database is consistent where fractional values are. If they
    leave each entry one bit, one database is left to check: the candidate, or none.
    """
    deadline = Deadline.after(limit_s)
    try:
        found = _by_programs(start_of(timed(public, deadline), deadline))
    except OutOfTimeError:
        return _nothing("not solved", np.zeros(public.queries.n, dtype=np.uint8))
    if found.is_proven and not consistency(found.candidate, public).is_consistent:
        return _nothing("infeasible", found.candidate)
    return found


def _nothing(status: Status, candidate: Bits) -> DeterminedEntries:
    return DeterminedEntries(
        status, candidate, np.zeros(len(candidate), dtype=np.bool_)
    )


def _by_programs(start: Start) -> DeterminedEntries:
    """Return the entries of the guess that even fractional values cannot change."""
    program, candidate = start.program(), start.guess
    is_determined = np.zeros(len(candidate), dtype=np.bool_)
    status: Status = "optimal"
    with progress("proving entries", len(candidate)) as advance:
        for entry in range(len(candidate)):
            status, distance = _farthest(program, candidate, entry)
            if status != "optimal":
                break
            is_determined[entry] = distance < 1 - SAFETY
            advance(1)
    if status == "infeasible":
        return _nothing(status, candidate)
    return DeterminedEntries(status, candidate, is_determined)


def _farthest(
    program: CubeProgram, candidate: Bits, entry: int
) -> tuple[Status, float]:
    """Return how far from the candidate's bit the answers let an entry be."""
    weights: Floats = np.zeros(len(candidate))
    weights[entry] = 1.0 - 2.0 * candidate[entry]
    try:
        optimum = program.maximum(weights)
    except OutOfTimeError:
        return "not solved", np.nan
    return optimum.status, optimum.value + candidate[entry]
