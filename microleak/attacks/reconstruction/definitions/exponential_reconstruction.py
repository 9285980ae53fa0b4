"""The exponential adversary: every database that could have given the answers."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.reconstruction.definitions.limits import LIMIT_S, Deadline, timed
from microleak.attacks.reconstruction.definitions.public_answers import PublicAnswers
from microleak.attacks.reconstruction.definitions.subset_queries import SubsetQueries
from microleak.base.errors import StudyError
from microleak.kernels.cube import LARGEST_N, bounds, consistent_databases, diameter
from microleak.kernels.subset_sums import Bits, packed, unpacked


@dataclass(frozen=True)
class ExponentialReconstruction:
    """All databases consistent with the answers, none left out.

    `codes` has the integer whose bits are the entries of each, ascending;
    `diameter` is the most entries in which two of them differ, at most 4 E if all
    2**n queries were asked; None if there is no database.
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
        return unpacked(self.codes.astype(np.uint64), self.n)

    def has(self, database: Bits) -> bool:
        """Whether a database is among the consistent ones."""
        return bool(np.isin(packed(database)[0], self.codes))


def exponential_reconstruction(
    public: PublicAnswers[SubsetQueries], limit_s: float = LIMIT_S
) -> ExponentialReconstruction:
    """Return every database c with |count of c - answer| <= E in all queries (2.4).

    The paper says that the magnitude of the noise does not matter here. It does:
    with E = n all 2**n databases may be left. If all subsets are asked, any two
    that are left differ in at most 4 E entries (Dinur and Nissim 2003).

    Parameters
    ----------
    public
        The queries and answers.
    limit_s
        Seconds that it may take. The clock is looked at before each block of queries
        and before the diameter, but not within a pass over all databases.

    Raises
    ------
    StudyError
        If n is above `LARGEST_N`.
    OutOfTimeError
        If time runs out.
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
    codes = consistent_databases(*bounds(members, public.low, public.high, n))
    deadline.check()
    return ExponentialReconstruction(
        n, codes, diameter(codes, n) if len(codes) else None
    )
