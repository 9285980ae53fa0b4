"""Reconstruction as one would write it from the paper, with NumPy and HiGHS.

Each attack is given the same database, queries and answers as ours.
"""

import time
from collections.abc import Iterator
from typing import Any

import highspy
import numpy as np
from numpy.typing import NDArray

from microleak.attacks.reconstruction.attempts import Case, cases_of
from microleak.attacks.reconstruction.definitions.noise import (
    PublicAnswers,
    public_answers,
)
from microleak.attacks.reconstruction.definitions.subset_queries import (
    SubsetQueries,
    random_database,
)
from microleak.attacks.reconstruction.kernels.subset_sums import Bits, unpacked_entries
from microleak.attacks.reconstruction.section import Reconstruction
from microleak.base.arrays import Floats

CANDIDATES_AT_A_TIME = 1 << 10


def rebuild(
    attack: str, n: int, queries: str, error: str, seed: int
) -> dict[str, float | bool]:
    """Return the seconds of an attack on one database, and whether it is rebuilt."""
    asked = {"entries": [n], "queries": [queries], "errors": [error]}
    analysis = Reconstruction.model_validate(
        {"name": "peer", "attacks": [attack], **asked}
    )
    (case,) = cases_of(analysis, seed)
    began = time.perf_counter()
    database, public = _asked(case, attack)
    found = _ATTACKS[attack](public)
    is_exact = found is not None and bool(np.array_equal(found, database))
    return {"seconds": time.perf_counter() - began, "is_exact": is_exact}


def linear(public: PublicAnswers[SubsetQueries]) -> Bits | None:
    """Give HiGHS every row at once, twice; None unless both optima round alike."""
    rows = unpacked_entries(public.queries.words(), public.queries.n)
    solver = _program(
        rows, public.answers - public.bound, public.answers + public.bound
    )
    first, second = (
        _optimum(solver, sense)
        for sense in (highspy.ObjSense.kMaximize, highspy.ObjSense.kMinimize)
    )
    return first if np.array_equal(first, second) else None


def exponential(public: PublicAnswers[SubsetQueries]) -> Bits | None:
    """Answer every query for every candidate; None unless one of them is left."""
    rows = unpacked_entries(public.queries.words(), public.queries.n).astype(np.float32)
    left = [
        candidates[np.all(np.abs(counts - public.answers) <= public.bound, axis=1)]
        for candidates in _candidates(public.queries.n)
        for counts in [candidates.astype(np.float32) @ rows.T]
    ]
    consistent = np.concatenate(left)
    return consistent[0] if len(consistent) == 1 else None


_ATTACKS = {"linear": linear, "exponential": exponential}


def _asked(case: Case, attack: str) -> tuple[Bits, PublicAnswers[Any]]:
    database = random_database(case.setting.n_entries, case.seed)
    queries = case.queries(attack)
    return database, public_answers(queries, database, case.law, case.seed)


def _candidates(n: int) -> Iterator[Bits]:
    for start in range(0, 1 << n, CANDIDATES_AT_A_TIME):
        stop = min(start + CANDIDATES_AT_A_TIME, 1 << n)
        yield unpacked_entries(
            np.arange(start, stop, dtype=np.uint64)[:, np.newaxis], n
        )


def _program(rows: NDArray[np.uint8], low: Floats, high: Floats) -> highspy.Highs:
    n_rows, n = rows.shape
    at, entries = np.nonzero(rows)
    solver: highspy.Highs = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.setOptionValue("output_flag", False)
    solver.addVars(n, np.zeros(n), np.ones(n))
    starts = np.searchsorted(at, np.arange(n_rows)).astype(np.int32)
    members = entries.astype(np.int32)
    solver.addRows(n_rows, low, high, len(at), starts, members, np.ones(len(at)))
    solver.changeColsCost(n, np.arange(n, dtype=np.int32), np.ones(n))
    return solver


def _optimum(solver: highspy.Highs, sense: highspy.ObjSense) -> Bits:
    solver.changeObjectiveSense(sense)
    solver.run()
    return np.array(np.rint(solver.getSolution().col_value), dtype=np.uint8)
