"""Rebuilding databases from their answers: entries by chance, or persons of a release.

Of a release it is enough to know how many persons have the value: persons drawn without
replacement, in a random order, are ones and zeros drawn from that many of each.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from microleak.attacks.reconstruction.attempts import (
    Case,
    DatabaseClaim,
    cases_of,
    check_memory_of,
    claim,
    counted_points,
)
from microleak.attacks.reconstruction.definitions.noise import public_answers
from microleak.attacks.reconstruction.definitions.subset_queries import Stream, stream
from microleak.attacks.reconstruction.kernels.subset_sums import Bits
from microleak.attacks.reconstruction.section import (
    Random,
    Reconstruction,
    assumed_bound,
)
from microleak.base.errors import TableError, refused_in
from microleak.base.machine import MB
from microleak.base.progress import progress, watched_by
from microleak.records.chunks import Given, chunks_of
from microleak.records.memory import MIB
from microleak.records.record_filter import KeptChunks
from microleak.tables.rows import as_table
from microleak.tables.spec import tables_of

Database = Callable[[int, int], Bits]
"""Takes a number of entries and a seed to a database."""


@dataclass(frozen=True)
class Persons:
    """How many persons there are, and how many of them have the value."""

    n_records: int
    n_ones: int

    def database(self, n: int, seed: int) -> Bits:
        """Return whether each of n persons has it, drawn without replacement."""
        drawn = stream(seed, Stream.DATABASE).choice(self.n_records, n, replace=False)
        return (drawn < self.n_ones).astype(np.uint8)


def database_of(analysis: Reconstruction, people: Given | None) -> Database:
    source = analysis.database
    if isinstance(source, Random):
        return partial(_by_chance, float(source.density))
    assert people is not None
    chunks = chunks_of([people])
    with progress("counting persons", chunks.n_rows) as advance:
        having = KeptChunks(chunks, {source.attribute: (source.equals,)}, advance)
    persons = Persons(chunks.n_rows, having.n_rows)
    where = f"analysis {analysis.name!r}: {source.table} {source.release}"
    if not persons.n_ones:
        raise TableError(
            f"{where} has no record with the value of equals in {source.attribute}, so "
            "that every entry would be 0. Correct equals in the study file."
        )
    most = max(analysis.settings.entries)
    if most > persons.n_records:
        raise TableError(
            f"{where} has {persons.n_records:,} persons, and entries has {most:,}. "
            "Give fewer entries in the study file."
        )
    return persons.database


def _by_chance(density: float, n: int, seed: int) -> Bits:
    return (stream(seed, Stream.DATABASE).random(n) < density).astype(np.uint8)


TABLES = tables_of("microleak.attacks.reconstruction")

RebuiltRow = dict[str, Any]


def reconstruction_tables(
    analysis: Reconstruction, people: Given | None, seed: int, memory_mib: int
) -> dict[str, pd.DataFrame]:
    """Return how far each database of an analysis is rebuilt, or points before it."""
    with refused_in(f"analysis {analysis.name!r}"):
        check_memory_of(analysis, memory_mib * MIB // MB)
        cases = list(cases_of(analysis, seed))
    rows = list(_rows(analysis, cases, database_of(analysis, people)))
    rebuilt, counted = ([], rows) if analysis.points else (rows, [])
    of_table = {"reconstruction": rebuilt, "bad_points": counted}
    return {name: as_table(TABLES[name], each) for name, each in of_table.items()}


def _rows(
    analysis: Reconstruction, cases: Sequence[Case], database: Database
) -> Iterator[RebuiltRow]:
    n_units = len(cases) * max(1, len(analysis.attacks or ()))
    step = "counting points" if analysis.points else "rebuilding databases"
    with (
        progress(step, n_units) as advance,
        # How far all databases are is shown when a step of one of them advances.
        watched_by(lambda step, total: nullcontext(lambda n: advance(0))),
    ):
        for case in cases:
            for row in _of_case(analysis, case, database):
                yield {"analysis": analysis.name, **row}
                advance(1)


def _of_case(
    analysis: Reconstruction, case: Case, database: Database
) -> Iterator[RebuiltRow]:
    if analysis.points:
        yield _asked(case, case.n_asked) | counted_points(case, analysis.points)
        return
    entries = database(case.setting.n_entries, case.seed)
    for attack in analysis.attacks or ():
        queries = case.queries(attack)
        public = public_answers(queries, entries, case.law, case.seed)
        bound = case.law.bound
        if analysis.assumed_error is not None:
            bound = assumed_bound(analysis.assumed_error, case.setting.n_entries)
        believed = replace(public, bound=bound)
        found = claim(attack, believed, analysis.limit_s)
        yield {
            "attack": attack,
            **analysis.database.told,
            **_asked(case, queries.n_queries),
            "outliers": float(case.setting.outliers),
            "assumed_bound": believed.bound,
            "limit_s": analysis.limit_s,
            **_compared(found, entries),
        }


def _asked(case: Case, n_queries: int) -> RebuiltRow:
    setting = case.setting
    return {
        "n_entries": setting.n_entries,
        "queries": setting.queries,
        "n_queries": n_queries,
        "error": setting.error,
        "error_bound": case.law.bound,
        "noise": setting.noise.law,
        "epsilon": setting.noise.epsilon or "",
        "repeat": setting.repeat,
        "seed": case.seed,
    }


def _compared(found: DatabaseClaim, entries: Bits) -> RebuiltRow:
    n, n_ones = len(entries), int(np.count_nonzero(entries))
    n_right = int(np.count_nonzero(found.is_claimed & (found.candidate == entries)))
    return {
        "n_ones": n_ones,
        "prior": max(n_ones, n - n_ones) / n,
        "status": found.status,
        "n_claimed": int(np.count_nonzero(found.is_claimed)),
        "n_right": n_right,
        "share_right": n_right / n,
        "is_exact": _said(n_right == n),
        "is_consistent": _said(found.is_consistent),
        "n_violated": found.n_violated,
        "is_proven": _said(found.is_proven),
        "n_candidates": found.n_candidates,
        "diameter": found.diameter,
    }


def _said(is_true: bool | None) -> str:
    return "" if is_true is None else str(is_true).lower()
