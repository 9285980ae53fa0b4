"""What several noisy counts leak together, from one record a person to the table."""

from collections.abc import Iterator
from fractions import Fraction
from functools import reduce
from operator import or_
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from microleak.attacks.composition.definitions import (
    largest_posterior,
    posterior_of_counts,
)
from microleak.attacks.composition.section import Composition
from microleak.base.arrays import Integers
from microleak.base.errors import TableError
from microleak.base.machine import Resources
from microleak.base.progress import progress
from microleak.definitions.epsilon import Epsilon
from microleak.records.chunks import Given
from microleak.records.coding import codes_of
from microleak.records.memory import Memory, counted_values
from microleak.records.record_filter import distinct_text
from microleak.records.subsets import which
from microleak.tables.rows import as_table
from microleak.tables.spec import tables_of

TABLES = tables_of("microleak.attacks.composition")
MOST_EXACT = 12  # Counts of which what they leak together is exact

MOST_CELLS = 1 << 18
"""Sensitive values by answers to the counts that are exact, at most."""

MOST_VALUES = 1_000


def composition_table(
    people: Given, analysis: Composition, resources: Resources
) -> pd.DataFrame:
    """Return what the counts of an analysis leak together, as the table `composition`.

    Rows are in the order of the epsilons, and then of the number of counts.
    """
    cells, n_matching = _cells(people, analysis, resources)
    return as_table(TABLES["composition"], _rows(cells, n_matching, analysis))


def _cells(
    people: Given, analysis: Composition, resources: Resources
) -> tuple[Integers, list[int]]:
    """Return the records of each sensitive value by which of the first counts count it.

    And how many records each of all counts counts.
    """
    memory = Memory(resources, f"analysis {analysis.name!r}")
    ((*_, names),) = analysis.needs
    chunks, memory = memory.chunks(people, len(names))
    known = counted_values(chunks, [analysis.sensitive], memory)[analysis.sensitive]
    n_values = len(known.values)
    if n_values > MOST_VALUES:
        raise TableError(
            f"{memory.where}: {analysis.sensitive} has {n_values:,} values, more than "
            f"the {MOST_VALUES:,} that can be inferred from counts. Correct sensitive."
        )
    n_bits = (MOST_CELLS // n_values).bit_length() - 1
    n_exact = min(len(analysis.counts), MOST_EXACT, n_bits)
    cells = np.zeros(n_values << n_exact, dtype=np.int64)
    n_matching = [0] * len(analysis.counts)
    with progress("counting", chunks.n_rows) as advance:
        for i in range(chunks.n_chunks):
            table = chunks.read(i, names)
            bits = []
            for number, count in enumerate(analysis.counts):
                values = pa.array(count.values, pa.string())
                column = table[count.attribute].cast(pa.string())
                is_counted = pc.is_in(column, value_set=values).to_numpy()
                n_matching[number] += int(is_counted.sum())
                if number < n_exact:
                    bits.append(is_counted.astype(np.int64) << number)
            of_value = codes_of(table[analysis.sensitive], known).astype(np.int64)
            cell = reduce(or_, bits, of_value << n_exact)
            cells += np.bincount(cell, minlength=len(cells))
            advance(len(table))
    return cells.reshape(n_values, -1), n_matching


def _rows(
    cells: Integers, n_matching: list[int], analysis: Composition
) -> Iterator[dict[str, Any]]:
    n_records = int(cells.sum())
    prior = Fraction(int(cells.sum(axis=1).max()), n_records)
    n_exact = cells.shape[1].bit_length() - 1
    first_cells = [
        cells.reshape(len(cells), -1, 1 << number).sum(axis=1)
        for number in range(1, n_exact + 1)
    ]
    noise_free = [posterior_of_counts(first, Fraction(0)) for first in first_cells]
    for text in analysis.epsilons:
        budget = Epsilon.parse(text)
        largest = largest_posterior(prior, budget.alpha)
        for number, count in enumerate(analysis.counts, 1):
            alpha = budget.divided(number)
            of_counts = {}
            if number <= n_exact:
                posterior = posterior_of_counts(first_cells[number - 1], alpha)
                of_counts = {
                    "posterior": float(posterior),
                    "privacy_loss": float(posterior / prior),
                    "privacy_loss_limit": float(noise_free[number - 1] / prior),
                }
            yield {
                **which(analysis, ()),
                "sensitive": analysis.sensitive,
                "epsilon": text,
                "n_counts": number,
                "useful": count.attribute,
                "values": "|".join(map(distinct_text, count.values)),
                "n_records": n_records,
                "n_matching": n_matching[number - 1],
                "alpha": float(alpha),
                "prior": float(prior),
                **of_counts,
                "posterior_bound": float(largest),
            }
