"""What noise buys and costs, as tables, from the table of counts."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd

from microleak.attacks.attack_context import AttackContext
from microleak.attacks.epsilon import Epsilon
from microleak.columns import MECHANISM, PAIRS, SAMPLES, SIMULATED
from microleak.progress import progress
from microleak.study.contingency_file import (
    Contingency,
    read_contingency,
    released_values,
)
from microleak.study.count_context import context_of
from microleak.study.count_measures import measured
from microleak.study.mechanism_model import Count, Mechanism
from microleak.study.noise import noises_of
from microleak.study.pair_measures import check_sizes, measured_pair
from microleak.study.sample_measures import sampled
from microleak.study.simulated_measures import simulated
from microleak.study.useful_values import check_present
from microleak.study.where import refused_in

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class MechanismTables:
    """The tables of one analysis (docs/results.md describes their columns)."""

    mechanism: pd.DataFrame
    samples: pd.DataFrame
    simulated: pd.DataFrame
    pairs: pd.DataFrame


def mechanism_tables(path: Path, analysis: Mechanism, seed: int) -> MechanismTables:
    """Return privacy loss and utility of the noisy counts of an analysis.

    Parameters
    ----------
    path
        Its table of counts (`microleak.study.contingency`).
    analysis
        The analysis.
    seed
        Of the study; random samples and draws follow from it.

    Returns
    -------
    MechanismTables
        The columns `MECHANISM`, `SAMPLES` and `SIMULATED`, sorted by model and epsilon
        in the study file's order, and `PAIRS`, by sensitive and useful attribute and
        epsilon, in the same; those that the analysis does not ask for are empty.

    Raises
    ------
    TableError
        If the predicate is true of no record, or names a value that none has, values
        that need an order have none, or values are too many.
    StudyError
        If a sample has more records than there are.
    """
    whole, samples, draws = _of_count(path, analysis, seed)
    return MechanismTables(
        pd.DataFrame(whole, columns=[*MECHANISM]),
        pd.DataFrame(samples, columns=[*SAMPLES]),
        pd.DataFrame(draws, columns=[*SIMULATED]),
        pd.DataFrame(list(_pairs(path, analysis)), columns=[*PAIRS]),
    )


def _of_count(path: Path, analysis: Mechanism, seed: int) -> tuple[Rows, Rows, Rows]:
    """Return the rows of one count: on all records, on samples of them, of draws."""
    count = analysis.count
    if count is None:
        return [], [], []
    context = _context(path, analysis, count)
    noises = noises_of(analysis, context.is_counted)
    which = _which(analysis) | _who(count)
    with refused_in(_where(analysis)):
        of_samples = count.samples and sampled(context, noises, count.samples, seed)
        samples = [which | row for row in of_samples or ()]
    return (
        [which | row for row in measured(context, noises)],
        samples,
        [which | row for row in simulated(context, noises, analysis, seed)],
    )


def _context(path: Path, analysis: Mechanism, count: Count) -> AttackContext:
    """Return the records of one count, whose predicate names values that there are."""
    useful = int(count.useful != count.sensitive)
    release = f"{analysis.table} {analysis.focal}"
    released = released_values(path, useful).to_pylist()
    check_present(released, count, release, _where(analysis))
    return context_of(_pair(path, 0, useful), count, _where(analysis))


def _where(analysis: Mechanism) -> str:
    return f"analysis {analysis.name!r}"


def _which(analysis: Mechanism) -> dict[str, Any]:
    return {
        "analysis": analysis.name,
        "table": analysis.table,
        "focal": analysis.focal,
    }


def _who(count: Count) -> dict[str, Any]:
    return {
        "sensitive": count.sensitive,
        "useful": count.useful,
        "predicate": str(count.predicate),
    }


def _pairs(path: Path, analysis: Mechanism) -> Iterator[dict[str, Any]]:
    """Yield the rows of every pair of attributes."""
    names, epsilons = analysis.attributes, [*map(Epsilon.parse, analysis.epsilons)]
    with progress("measuring pairs", len(names) ** 2) as advance:
        for i, j in product(range(len(names)), repeat=2):
            pair = _pair(path, i, j)
            check_sizes(pair, (names[i], names[j]), _where(analysis))
            for row in measured_pair(pair, epsilons):
                yield {
                    **_which(analysis),
                    "sensitive": names[i],
                    "useful": names[j],
                    **row,
                }
            advance(1)


def _pair(path: Path, i: int, j: int) -> Contingency:
    """Return the records by the values of two attributes, the i-th first."""
    if i <= j:
        return read_contingency(path, (i, j))
    return read_contingency(path, (j, i)).transposed
