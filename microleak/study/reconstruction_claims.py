"""What each attack claims of a database, from the answers alone."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.determined_entries import determined_entries
from microleak.attacks.exponential_reconstruction import (
    ExponentialReconstruction,
    exponential_reconstruction,
)
from microleak.attacks.hadamard_reconstruction import hadamard_reconstruction
from microleak.attacks.l1_reconstruction import l1_reconstruction
from microleak.attacks.least_squares_reconstruction import least_squares_reconstruction
from microleak.attacks.linear_reconstruction import linear_reconstruction
from microleak.attacks.public_answers import PublicAnswers
from microleak.attacks.reconstruction_deadline import OutOfTimeError
from microleak.kernels.subset_sums import Bits, unpacked

Public = PublicAnswers[Any]

SOLVED, INFEASIBLE, NOT_SOLVED = "solved", "infeasible", "not solved"

_STATUSES: Final = {
    "optimal": SOLVED,
    "infeasible": INFEASIBLE,
    "not solved": NOT_SOLVED,
}
"""Words of result tables for those of the solver."""


@dataclass(frozen=True)
class Claim:
    """What an attack says the database is.

    Attributes
    ----------
    status
        `solved`; `infeasible` if no database could have given the answers; `not
        solved` if time ran out.
    candidate, is_claimed
        Entries, and for which of them it says so; of others nothing is said.
    is_proven
        No other database could have given the answers, if the error's bound is
        right.
    n_violated
        Answers that the candidate contradicts; None if not all entries are claimed.
    n_candidates, diameter
        Databases that could have given the answers, and the most entries in which
        two of them differ; None if they were not all tried, or there is none.
    """

    status: str
    candidate: Bits
    is_claimed: NDArray[np.bool_]
    is_proven: bool = False
    n_violated: int | None = None
    n_candidates: int | None = None
    diameter: int | None = None

    @property
    def is_consistent(self) -> bool | None:
        """Whether the candidate could have given every answer; None if it is none."""
        return None if self.n_violated is None else self.n_violated == 0


def claim(attack: str, public: Public, limit_s: float) -> Claim:
    """Return what an attack of `ATTACKS` claims.

    Parameters
    ----------
    attack
        Name.
    public
        Its queries and answers.
    limit_s
        Seconds that it may take; then nothing is claimed, or of `determined` what it
        had proven.
    """
    try:
        return ATTACKS[attack](public, limit_s)
    except OutOfTimeError:
        return Claim(NOT_SOLVED, *_nothing(public.queries.n))


def _exponential(public: Public, limit_s: float) -> Claim:
    """Claim the entries that are the same in every consistent database."""
    found = exponential_reconstruction(public, limit_s)
    candidate, is_claimed = _common(found)
    return Claim(
        status=SOLVED if found.n_candidates else INFEASIBLE,
        candidate=candidate,
        is_claimed=is_claimed,
        is_proven=found.is_unique,
        n_violated=0 if found.is_unique else None,
        n_candidates=found.n_candidates,
        diameter=found.diameter,
    )


def _common(found: ExponentialReconstruction) -> tuple[Bits, NDArray[np.bool_]]:
    """Return what all databases have in common, nothing if there is none."""
    if not found.n_candidates:
        return _nothing(found.n)
    every = np.bitwise_and.reduce(found.codes), np.bitwise_or.reduce(found.codes)
    ones, some = unpacked(np.array(every, dtype=np.uint64)[:, np.newaxis], found.n)
    return ones, ones == some


def _nothing(n: int) -> tuple[Bits, NDArray[np.bool_]]:
    return np.zeros(n, dtype=np.uint8), np.zeros(n, dtype=np.bool_)


def _linear(public: Public, limit_s: float) -> Claim:
    """Claim the entries to which both optima round."""
    found = linear_reconstruction(public, limit_s)
    both = found.candidates
    candidate, is_claimed = _nothing(public.queries.n)
    if both is not None:
        candidate, is_claimed = both[0], both[0] == both[1]
    return Claim(
        status=_STATUSES[found.status],
        candidate=candidate,
        is_claimed=is_claimed,
        n_violated=found.certificate.n_violated if found.certificate else None,
    )


def _determined(public: Public, limit_s: float) -> Claim:
    """Claim the entries that are proven one by one."""
    found = determined_entries(public, limit_s)
    return Claim(
        status=_STATUSES[found.status],
        candidate=found.candidate,
        is_claimed=found.is_determined,
        is_proven=found.is_proven,
        n_violated=0 if found.is_proven else None,
    )


def _least_squares(public: Public, limit_s: float) -> Claim:
    found = least_squares_reconstruction(public, limit_s)
    return _whole(found.candidate, found.certificate.n_violated)


def _l1(public: Public, limit_s: float) -> Claim:
    found = l1_reconstruction(public, limit_s)
    return _whole(found.candidate, found.certificate.n_violated)


def _hadamard(public: Public, limit_s: float) -> Claim:
    found = hadamard_reconstruction(public, limit_s)
    return _whole(found.candidate, found.certificate.n_violated)


def _whole(candidate: Bits, n_violated: int) -> Claim:
    """Claim all entries."""
    is_claimed = np.ones(len(candidate), dtype=np.bool_)
    return Claim(SOLVED, candidate, is_claimed, n_violated=n_violated)


ATTACKS: Final[Mapping[str, Callable[[Public, float], Claim]]] = {
    "exponential": _exponential,
    "linear": _linear,
    "least_squares": _least_squares,
    "l1": _l1,
    "determined": _determined,
    "hadamard": _hadamard,
}
"""Attacks by the names of a study file."""
