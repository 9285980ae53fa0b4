"""Entries that are the same in every database the answers allow, by linear programs.

That the largest and the least sum round to one database, as the paper asks, proves
nothing of databases between them. Here every entry has a program of its own: if even
the fractional values that the answers allow do not reach the other bit, no
consistent database has it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.reconstruction.definitions.limits import (
    LIMIT_S,
    Deadline,
    OutOfTimeError,
    timed,
)
from microleak.attacks.reconstruction.definitions.linear_reconstruction import (
    Start,
    start_of,
)
from microleak.attacks.reconstruction.definitions.public_answers import (
    PublicAnswers,
    consistency,
)
from microleak.attacks.reconstruction.definitions.subset_queries import SubsetQueries
from microleak.base.progress import progress
from microleak.kernels.linear_program import TOLERANCE, CubeProgram, Status
from microleak.kernels.subset_sums import Bits, Reals

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

    Parameters
    ----------
    public
        The queries and answers.
    limit_s
        Seconds for the first guess and all programs together.

    Notes
    -----
    The programs alone cannot tell that no database is consistent where fractional
    values are. If they leave each entry one bit, one database is left to check: the
    candidate, or none.
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
    weights: Reals = np.zeros(len(candidate))
    weights[entry] = 1.0 - 2.0 * candidate[entry]
    try:
        optimum = program.maximum(weights)
    except OutOfTimeError:
        return "not solved", np.nan
    return optimum.status, optimum.value + candidate[entry]
