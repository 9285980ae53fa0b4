"""The polynomial adversary: linear programming, as printed (Nepomuceno 2.5, 3.2)."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.reconstruction.definitions.least_squares import (
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
from microleak.attacks.reconstruction.definitions.public_answers import (
    Consistency,
    PublicAnswers,
    consistency,
)
from microleak.attacks.reconstruction.definitions.subset_queries import SubsetQueries
from microleak.base.progress import progress
from microleak.kernels.linear_program import CubeProgram, Optimum, Rows, Status
from microleak.kernels.subset_sums import Bits, Reals

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

    The bounds are 0 <= c <= 1. The programs are given few rows at first, and more
    until their optimum obeys all: it is the optimum of the full program.

    Parameters
    ----------
    public
        The queries and answers.
    limit_s
        Seconds for all of it: the first guess, both programs and the check.
    """
    deadline = Deadline.after(limit_s)
    try:
        return _certified(timed(public, deadline), deadline)
    except OutOfTimeError:
        return LinearReconstruction(LATE, LATE, None)


def _certified(
    public: PublicAnswers[SubsetQueries], deadline: Deadline
) -> LinearReconstruction:
    """Return both optima, and the check of their candidate if they have one."""
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
class TimedRows(Rows):
    """Rows that an optimum is held against until a deadline."""

    deadline: Deadline

    def violations(self, values: Reals) -> Reals:
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
    """Return the start of programs, guessing by least squares.

    Raises
    ------
    OutOfTimeError
        If the queries are given until a deadline that is reached.
    """
    n, t = public.queries.n, public.queries.n_queries
    answers, bound = public.answers, public.bound
    words = public.queries.words()
    rows = TimedRows(words, answers - bound, answers + bound, deadline)
    guess = rounded(least_squares(public, np.ones(t), np.full(n, 0.5)))
    off = np.abs(residuals(public, guess.astype(np.float64)))
    return Start(rows, guess, np.argsort(-off, kind="stable")[:n])
