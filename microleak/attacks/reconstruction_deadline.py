"""How long an attack on one database may take, from its first look at the answers.

Attacks pass over the queries again and again, block by block, so it is enough to look
at the clock before each block: what is late ends soon after, and claims nothing.
"""

from dataclasses import dataclass, replace
from time import monotonic
from typing import Final

from microleak.attacks.public_answers import PublicAnswers
from microleak.attacks.subset_queries import SubsetQueries
from microleak.errors import MicroleakError
from microleak.kernels.subset_sums import Words

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
