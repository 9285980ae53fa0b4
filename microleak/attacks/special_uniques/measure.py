"""Special uniques of a release, from one record a person to its tables."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from microleak.attacks.special_uniques.definitions import (
    SCORES,
    contribution,
    denominator,
    elliot_score,
    ihsn_score,
)
from microleak.attacks.special_uniques.kernels import count_minimal, minimal_uniques
from microleak.attacks.special_uniques.section import SpecialUniques
from microleak.base.arrays import Integers
from microleak.base.machine import Resources
from microleak.base.progress import progress
from microleak.kernels.records import Records
from microleak.kernels.walk import Work
from microleak.records.chunks import Given
from microleak.records.coding import Dictionary, coded_with, missing_first, texts_of
from microleak.records.memory import Memory, counted_values, full_disk_said
from microleak.records.subsets import which
from microleak.tables.rows import as_table
from microleak.tables.spec import tables_of

TABLES = tables_of("microleak.attacks.special_uniques")

MOST_VALUES = 100
"""Distinct values of a QID, a missing one among them, up to which each is measured."""

_CLASSES = 64  # Classes of scores: below 1, from 1 to 2, from 2 to 4, and so on


@dataclass(frozen=True)
class UniquesCounted:
    """Minimal sample uniques (MSU), counted over all records."""

    n_minimal: Integers  # MSUs by their number of QIDs, from 0
    # Records that have one of that size, and whose smallest has it
    n_special: Integers
    n_smallest: Integers
    # MSUs that contain a QID or a value, by their number of QIDs
    of_attribute: Integers
    # Records with such an MSU
    n_with_attribute: Integers
    of_value: Integers
    n_with_value: Integers
    n_scored: Integers


def count_uniques(
    records: Records, first_value: Sequence[int], work: Work
) -> UniquesCounted:
    n_qids = len(records.qids)
    n_sizes, n_values = n_qids + 1, first_value[-1]
    found = UniquesCounted(
        n_minimal=np.zeros(n_sizes, dtype=np.int64),
        n_special=np.zeros(n_sizes, dtype=np.int64),
        n_smallest=np.zeros(n_sizes, dtype=np.int64),
        of_attribute=np.zeros((n_qids, n_sizes), dtype=np.int64),
        n_with_attribute=np.zeros(n_qids, dtype=np.int64),
        of_value=np.zeros((n_values, n_sizes), dtype=np.int64),
        n_with_value=np.zeros(n_values, dtype=np.int64),
        n_scored=np.zeros((len(SCORES), _CLASSES), dtype=np.int64),
    )
    whole = denominator(n_qids)
    sizes = range(1, n_sizes)
    scores = np.array(
        [
            [0, *(elliot_score(size, n_qids) for size in sizes)],
            [0, *(int(ihsn_score(size, n_qids) * whole) for size in sizes)],
        ]
    )
    counted = [q for q in range(n_qids) if first_value[q] >= 0]
    firsts = np.array([first_value[q] for q in counted], dtype=np.int64)
    for chunk, starts, masks in minimal_uniques(records, work):
        codes = records.chunk(chunk, counted)
        values = np.empty((len(starts) - 1, len(counted)), dtype=np.int64)
        for place, of_qid in enumerate(codes):
            values[:, place] = of_qid + firsts[place]
        count_minimal(
            (starts, masks, np.bitwise_count(masks)),
            (values, np.array(counted, dtype=np.int64)),
            (scores, np.array([1, whole])),
            tuple(vars(found).values()),
        )
    return found


def special_unique_tables(
    people: Given, analysis: SpecialUniques, resources: Resources
) -> dict[str, pd.DataFrame]:
    memory = Memory(resources, f"analysis {analysis.name!r}")
    qids = analysis.qids
    with full_disk_said(memory.where, resources.scratch):
        chunks, memory = memory.chunks(people, len(qids))
        known = counted_values(chunks, qids, memory)
        records = coded_with(chunks, known, qids, ())
        firsts, n_values = [], 0
        for name in qids:
            is_counted = len(known[name].values) <= MOST_VALUES
            firsts.append(n_values if is_counted else -1)
            n_values += len(known[name].values) * is_counted
        n_subsets = (1 << len(qids)) - 1
        with progress("walking subsets", records.n_records * n_subsets) as advance:
            work = memory.work(records, advance)
            found = count_uniques(records, [*firsts, n_values], work)
    rows = {
        "special_uniques": _sizes(found, len(qids), records.n_records),
        "suda_scores": _scored(found, records.n_records),
        "suda_attributes": (
            {"qid": name, "n_special": int(found.n_with_attribute[q])}
            | _contributions(found, found.of_attribute[q])
            for q, name in enumerate(qids)
        ),
        "suda_values": _values(found, known, dict(zip(qids, firsts, strict=True))),
    }
    return {
        name: as_table(TABLES[name], (which(analysis, ()) | row for row in of_table))
        for name, of_table in rows.items()
    }


def _sizes(
    found: UniquesCounted, n_qids: int, n_records: int
) -> Iterator[dict[str, Any]]:
    for size in range(1, n_qids + 1):
        yield {
            "n_qids": n_qids,
            "n_records": n_records,
            "size": size,
            "n_minimal": int(found.n_minimal[size]),
            "n_special": int(found.n_special[size]),
            "n_smallest": int(found.n_smallest[size]),
            "score_elliot": elliot_score(size, n_qids),
            "score_ihsn": float(ihsn_score(size, n_qids)),
        }


def _scored(found: UniquesCounted, n_records: int) -> Iterator[dict[str, Any]]:
    for score, of_score in zip(SCORES, found.n_scored.tolist(), strict=True):
        for place, n in enumerate(of_score):
            if n:
                yield {
                    "n_records": n_records,
                    "score": score,
                    "lowest": 1 << place - 1 if place else 0,
                    "below": 1 << place,
                    "n_special": n,
                }


def _contributions(found: UniquesCounted, of_part: Integers) -> dict[str, Any]:
    whole = found.n_minimal.tolist()
    return {
        "n_minimal": int(of_part.sum()),
        **{
            f"contribution_{score}": float(contribution(of_part.tolist(), whole, score))
            for score in SCORES
        },
    }


def _values(
    found: UniquesCounted, known: dict[str, Dictionary], first_of: dict[str, int]
) -> Iterator[dict[str, Any]]:
    for name, first in first_of.items():
        if first < 0:
            continue
        texts = texts_of(known[name].values)
        in_order = sorted(enumerate(texts), key=lambda each: missing_first(each[1]))
        for code, text in in_order:
            yield {
                "qid": name,
                "value": text,
                "is_missing": str(text is None).lower(),
                "n_members": int(known[name].counts[code]),
                "n_special": int(found.n_with_value[first + code]),
                **_contributions(found, found.of_value[first + code]),
            }
