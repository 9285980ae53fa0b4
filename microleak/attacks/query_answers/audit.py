"""Audits of random queries on small tables that are drawn from a release."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from microleak.attacks.query_answers.analysis import QueryAnswers
from microleak.attacks.query_answers.definitions.auditing import (
    AUDITORS,
    Query,
    session,
)
from microleak.attacks.query_answers.made import units_of
from microleak.base.arrays import Integers
from microleak.base.errors import TableError
from microleak.base.progress import progress
from microleak.protection.methods import generator_of
from microleak.protection.protect import coded_columns
from microleak.records.chunks import ROWS_A_CHUNK, Given, chunks_of


def audited(people: Given, analysis: QueryAnswers, where: str) -> list[dict[str, Any]]:
    """Return a row for each auditor, of all small tables together."""
    audit = analysis.audit
    assert audit
    chunks = chunks_of([people], ROWS_A_CHUNK)
    column = coded_columns(chunks, [analysis.attribute])[analysis.attribute]
    values = units_of(column, analysis, where) - analysis.least * analysis.scale
    n_of_value: Integers = np.zeros(analysis.n_values, dtype=np.int64)
    np.add.at(n_of_value, values[values >= 0], column.counts[values >= 0])
    if n_of_value.sum() < audit.records:
        raise TableError(
            f"{where}: {int(n_of_value.sum()):,} records have {analysis.attribute}, "
            f"fewer than the {audit.records} of records. Lower it."
        )
    rng = generator_of(audit.seed, "query_answers", analysis.name)
    totals = {auditor: np.zeros(3, dtype=np.int64) for auditor in AUDITORS}
    with progress("auditing queries", audit.samples) as advance:
        for _ in range(audit.samples):
            drawn = rng.multivariate_hypergeometric(n_of_value, audit.records)
            truth = np.repeat(np.arange(len(drawn)), drawn).tolist()
            queries = [*_queries(analysis, rng)]
            for auditor in AUDITORS:
                told = session(
                    truth, queries, analysis.n_values, auditor, audit.tolerated_pct
                )
                known = len(told.by_answers), len(told.by_all)
                totals[auditor] += np.array([told.n_refused, *known])
            advance(1)
    n_records = audit.samples * audit.records
    n_queries = audit.samples * audit.queries
    return [
        {
            "analysis": analysis.name,
            "table": audit.table,
            "focal": audit.focal,
            "attribute": analysis.attribute,
            "auditor": auditor,
            "tolerated_pct": audit.tolerated_pct if auditor == "simulatable" else None,
            "n_samples": audit.samples,
            "n_sample_records": n_records,
            "n_queries": n_queries,
            "n_refused": int(n_refused),
            "n_known_by_answers": int(n_answers),
            "n_known": int(n_all),
        }
        for auditor, (n_refused, n_answers, n_all) in totals.items()
    ]


def _queries(analysis: QueryAnswers, rng: np.random.Generator) -> Iterator[Query]:
    """Yield random queries, each of a random subset that is not empty."""
    assert analysis.audit
    kinds, n = analysis.audit.kinds, analysis.audit.records
    for _ in range(analysis.audit.queries):
        kind = kinds[int(rng.integers(len(kinds)))]
        subset = int(rng.integers(1, 1 << n))
        yield Query(kind, tuple(i for i in range(n) if subset >> i & 1))
