"""Attempts to rebuild a database: a setting with its numbers, and the claims."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from hashlib import sha256
from importlib.metadata import version
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.reconstruction.definitions.exponential_reconstruction import (
    ExponentialReconstruction,
    PointGrid,
    Trials,
    bad_points,
    exponential_reconstruction,
    feasible_bound,
    n_bad_points,
)
from microleak.attacks.reconstruction.definitions.least_squares_reconstruction import (
    HadamardQueries,
    hadamard_reconstruction,
    least_squares_reconstruction,
)
from microleak.attacks.reconstruction.definitions.limits import (
    Formula,
    OutOfTimeError,
    check_memory,
    n_queries,
)
from microleak.attacks.reconstruction.definitions.linear_reconstruction import (
    determined_entries,
    l1_reconstruction,
    linear_reconstruction,
)
from microleak.attacks.reconstruction.definitions.noise import (
    GrossOutliers,
    NoiseLaw,
    PublicAnswers,
    distinct_bound,
    noise_law,
)
from microleak.attacks.reconstruction.definitions.subset_queries import (
    Queries,
    RandomSubsets,
    all_subsets,
)
from microleak.attacks.reconstruction.kernels.subset_sums import Bits, unpacked_entries
from microleak.attacks.reconstruction.section import (
    ALL,
    HADAMARD,
    Points,
    Reconstruction,
    Setting,
)
from microleak.base.highs import ALWAYS, SIMPLEX

SEED_BYTES = 6
"""Of a database's seed: spreadsheets show a number of this size in full."""


@dataclass(frozen=True)
class Case:
    """A setting whose formulas have values, and the seed of all that is drawn."""

    setting: Setting
    n_asked: int
    law: NoiseLaw
    seed: int

    def queries(self, attack: str) -> Queries:
        """Return the queries that an attack asks; structured ones in whole rounds."""
        n = self.setting.n_entries
        if attack == HADAMARD:
            n_rows = HadamardQueries(n, 1, self.seed).n_rows
            return HadamardQueries(n, -(-self.n_asked // n_rows), self.seed)
        if self.setting.queries == ALL:
            return all_subsets(n)
        return RandomSubsets(n, self.n_asked, self.seed)


def cases_of(analysis: Reconstruction, seed: int) -> Iterator[Case]:
    """Yield every setting of an analysis, in the order of the study file."""
    for setting in analysis.settings:
        bound = Formula(setting.error, "errors").value(setting.n_entries)
        n_asked, law = _n_asked(setting), _law(setting, bound)
        yield Case(setting, n_asked, law, _seed(seed, setting, n_asked, bound))


def _n_asked(setting: Setting) -> int:
    if setting.queries == ALL:
        return all_subsets(setting.n_entries).n_queries
    return n_queries(Formula(setting.queries, "queries"), setting.n_entries)


def _law(setting: Setting, bound: float) -> NoiseLaw:
    noise, share = setting.noise, Fraction(setting.outliers)
    law = noise_law(noise.law, bound, noise.alpha)
    return GrossOutliers(law, float(share)) if share else law


def _seed(seed: int, setting: Setting, n_asked: int, bound: float) -> int:
    noise = setting.noise
    distinct = distinct_bound(noise.law, bound, noise.alpha)
    key = (
        *(seed, setting.n_entries, n_asked, distinct),
        *(noise.law, noise.epsilon),
        *(str(Fraction(setting.outliers)), setting.repeat),
    )
    return int.from_bytes(sha256(json.dumps(key).encode()).digest()[:SEED_BYTES])


Public = PublicAnswers[Any]

SOLVED, INFEASIBLE, NOT_SOLVED = "solved", "infeasible", "not solved"

_STATUSES: Final = {
    "optimal": SOLVED,
    "infeasible": INFEASIBLE,
    "not solved": NOT_SOLVED,
}
"""Words of result tables for those of the solver."""


@dataclass(frozen=True)
class DatabaseClaim:
    """What an attack says the database is."""

    status: str  # `solved`
    # Entries, and for which of them it says so
    candidate: Bits
    is_claimed: NDArray[np.bool_]
    is_proven: bool = False
    n_violated: int | None = None  # Answers that the candidate contradicts
    # Databases that could have given the answers, and the most entries in which two of
    # them differ
    n_candidates: int | None = None
    diameter: int | None = None

    @property
    def is_consistent(self) -> bool | None:
        """Whether the candidate could have given every answer; None if it is none."""
        return None if self.n_violated is None else self.n_violated == 0


def claim(attack: str, public: Public, limit_s: float) -> DatabaseClaim:
    """Return what an attack of `ATTACKS` claims."""
    try:
        return ATTACKS[attack](public, limit_s)
    except OutOfTimeError:
        return DatabaseClaim(NOT_SOLVED, *_nothing(public.queries.n))


def _exponential(public: Public, limit_s: float) -> DatabaseClaim:
    found = exponential_reconstruction(public, limit_s)
    candidate, is_claimed = _common(found)
    return DatabaseClaim(
        status=SOLVED if found.n_candidates else INFEASIBLE,
        candidate=candidate,
        is_claimed=is_claimed,
        is_proven=found.is_unique,
        n_violated=0 if found.is_unique else None,
        n_candidates=found.n_candidates,
        diameter=found.diameter,
    )


def _common(found: ExponentialReconstruction) -> tuple[Bits, NDArray[np.bool_]]:
    if not found.n_candidates:
        return _nothing(found.n)
    every = np.bitwise_and.reduce(found.codes), np.bitwise_or.reduce(found.codes)
    ones, some = unpacked_entries(
        np.array(every, dtype=np.uint64)[:, np.newaxis], found.n
    )
    return ones, ones == some


def _nothing(n: int) -> tuple[Bits, NDArray[np.bool_]]:
    return np.zeros(n, dtype=np.uint8), np.zeros(n, dtype=np.bool_)


def _linear(public: Public, limit_s: float) -> DatabaseClaim:
    found = linear_reconstruction(public, limit_s)
    both = found.candidates
    candidate, is_claimed = _nothing(public.queries.n)
    if both is not None:
        candidate, is_claimed = both[0], both[0] == both[1]
    return DatabaseClaim(
        status=_STATUSES[found.status],
        candidate=candidate,
        is_claimed=is_claimed,
        n_violated=found.certificate.n_violated if found.certificate else None,
    )


def _determined(public: Public, limit_s: float) -> DatabaseClaim:
    found = determined_entries(public, limit_s)
    return DatabaseClaim(
        status=_STATUSES[found.status],
        candidate=found.candidate,
        is_claimed=found.is_determined,
        is_proven=found.is_proven,
        n_violated=0 if found.is_proven else None,
    )


def _whole(
    attack: Callable[[Public, float], Any], public: Public, limit_s: float
) -> DatabaseClaim:
    found = attack(public, limit_s)
    is_claimed = np.ones(len(found.candidate), dtype=np.bool_)
    n_violated = found.certificate.n_violated
    return DatabaseClaim(SOLVED, found.candidate, is_claimed, n_violated=n_violated)


ATTACKS: Final[Mapping[str, Callable[[Public, float], DatabaseClaim]]] = {
    "exponential": _exponential,
    "linear": _linear,
    "least_squares": partial(_whole, least_squares_reconstruction),
    "l1": partial(_whole, l1_reconstruction),
    "determined": _determined,
    "hadamard": partial(_whole, hadamard_reconstruction),
}
"""Attacks by the names of a study file."""


def counted_points(case: Case, points: Points) -> dict[str, Any]:
    """Return the points drawn before one database, by kind (Nepomuceno, Table 3)."""
    n = case.setting.n_entries
    grid = PointGrid(n, points.steps, Fraction(points.distance))
    trials = Trials(1, case.n_asked, points.number, case.seed)
    found = bad_points(grid, case.law, trials)
    bound = feasible_bound(grid, case.law, case.n_asked)
    return {
        "n_steps": points.steps,
        "distance": float(grid.epsilon),
        "n_points": found.n_points,
        "n_bad": found.n_bad,
        "n_feasible": found.n_feasible,
        "n_bad_feasible": found.n_bad_and_feasible,
        "share_bad": found.n_bad / found.n_points,
        "share_bad_grid": float(Fraction(n_bad_points(grid), grid.n_points)),
        "share_bad_feasible": found.n_bad_and_feasible / found.n_points,
        "bad_feasible_bound": bound,
    }


def check_memory_of(analysis: Reconstruction, memory_mb: int) -> None:
    """Refuse an analysis with a setting that takes more memory than there is."""
    for attack, n, n_asked in sorted(set(_sizes(analysis))):
        check_memory(attack, n, n_asked, memory_mb)


def _sizes(analysis: Reconstruction) -> Iterator[tuple[str, int, int]]:
    once = analysis.model_copy(update={"repeats": 1})
    for case in cases_of(once, seed=0):
        for attack in analysis.attacks or ("points",):
            yield attack, case.setting.n_entries, case.queries(attack).n_queries


def solver() -> dict[str, bool | int | float | str]:
    """Return name and version of the solver of linear programs, and its settings.

    >>> solver()["name"], solver()["threads"]
    ('HiGHS', 1)
    """
    return {"name": "HiGHS", "version": version("highspy"), **ALWAYS, **SIMPLEX}
