"""How long an attack on one database may take, and how much memory it needs.

Attacks pass over the queries again and again, block by block, so it is enough to look
at the clock before each block: what is late ends soon after, and claims nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import monotonic
from typing import Final

from microleak.attacks.reconstruction.definitions.public_answers import PublicAnswers
from microleak.attacks.reconstruction.definitions.subset_queries import (
    BLOCK_WORDS,
    SubsetQueries,
)
from microleak.base.errors import MicroleakError, StudyError, check_known
from microleak.kernels.subset_sums import Words, n_words

LIMIT_S: Final = 600.0
"""Seconds that an attack may take unless told."""


class OutOfTimeError(MicroleakError):
    """An attack reached its limit of seconds, and claims nothing."""


@dataclass(frozen=True)
class Deadline:
    """When an attack must have ended, on a clock that nobody sets.

    `limit_s` are the seconds that it had from the beginning.
    """

    limit_s: float
    ends: float

    @classmethod
    def after(cls, limit_s: float) -> "Deadline":
        """Return the deadline that is so many seconds from now."""
        return cls(limit_s, monotonic() + limit_s)

    @property
    def left_s(self) -> float:
        """Seconds left, 0 once there are none."""
        return max(0.0, self.ends - monotonic())

    def check(self) -> None:
        """Refuse to go on once no time is left.

        Raises
        ------
        OutOfTimeError
            If it is not.
        """
        if not self.left_s:
            raise OutOfTimeError(
                f"The attack was not finished in {self.limit_s:g} seconds. Raise "
                "limit_s in the analysis of the study file, or lower its entries."
            )


@dataclass(frozen=True)
class TimedSubsets(SubsetQueries):
    """Queries like those of `asked`, that are given until a deadline."""

    asked: SubsetQueries
    deadline: Deadline

    def _block(self, number: int, n_rows: int) -> Words:
        self.deadline.check()
        return self.asked._block(number, n_rows)


def timed(
    public: PublicAnswers[SubsetQueries], deadline: Deadline
) -> PublicAnswers[SubsetQueries]:
    """Return the same answers, whose queries are given until a deadline."""
    asked = public.queries
    return replace(
        public, queries=TimedSubsets(asked.n, asked.n_queries, asked, deadline)
    )


MB: Final = 10**6

LIBRARIES: Final = 200 * MB
"""Bytes of the interpreter, libraries and compiled code; measured: 100 to 170 MB."""

BLOCKS: Final = 8 * 8 * BLOCK_WORDS
"""Bytes of a block of subsets, what it is drawn from, and sums over it."""


def _exponential(n: int, n_queries: int) -> int:
    """Answers, limits and codes of the queries; tables and codes of databases."""
    return 56 * n_queries + (16 << n)


def _linear(n: int, n_queries: int) -> int:
    """All subsets, twice while they are put together; dense rows in the solver."""
    return (16 * n_words(n) + 64) * n_queries + 640 * n**2


def _least_squares(n: int, n_queries: int) -> int:
    """Answers, residuals and weights; sums of eight entries."""
    return 64 * n_queries + 1024 * n


def _hadamard(n: int, n_queries: int) -> int:
    """Answers, three times where some are outliers; a round's transform and places."""
    return 26 * n_queries + 64 * (1 << n.bit_length())


def _points(n: int, n_queries: int) -> int:
    """Points and what is drawn; a fraction and limits of every answer."""
    return (n << 21) + 512 * n_queries


ESTIMATES: Final[dict[str, Callable[[int, int], int]]] = {
    "exponential": _exponential,
    "linear": _linear,
    "least_squares": _least_squares,
    "l1": _least_squares,
    "determined": _linear,
    "hadamard": _hadamard,
    "points": _points,
}
"""Names of the attacks in a study, and what each keeps."""


def n_bytes(attack: str, n: int, n_queries: int) -> int:
    """Return about how many bytes an attack and its setting take at most.

    Raises
    ------
    StudyError
        If there is no such attack.
    """
    check_known(attack, ESTIMATES, "No reconstruction has the attack")
    return LIBRARIES + BLOCKS + ESTIMATES[attack](n, n_queries)


def check_memory(attack: str, n: int, n_queries: int, limit_mb: int) -> None:
    """Refuse an attack that takes more than a limit, in MB of 10**6 bytes.

    Raises
    ------
    StudyError
        If it would, or if there is no such attack.
    """
    needed_mb = -(-n_bytes(attack, n, n_queries) // MB)
    if needed_mb > limit_mb:
        raise StudyError(
            f"The {attack} attack on n = {n} with {n_queries} queries takes about "
            f"{needed_mb} MB, and {limit_mb} MB may be used. Lower n or the formula of "
            "queries in the analysis of the study file, or allow more memory."
        )
