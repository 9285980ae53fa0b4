"""Uniqueness in a population of which only its size, weights or margins are known.

The records of the full QID set become cells, whose weights are the persons that they
stand for: the study's weights, or all alike, raked to published margins if there are
any. Cells are sorted by their values, so that sums of floats have one order.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from microleak.attacks.anonymity.definitions.bounded import CellCounts, persons_of
from microleak.attacks.anonymity.definitions.cells import (
    Cells,
    QidSet,
    Raked,
    cells_of,
    raked,
)
from microleak.attacks.anonymity.definitions.k_anonymity import THRESHOLDS
from microleak.attacks.anonymity.definitions.log_linear import (
    chance_below,
    mean_match,
    mean_unsampled,
    spread_of,
)
from microleak.attacks.anonymity.known import (
    LeastAndMost,
    between,
    coded_margins,
    coded_records,
)
from microleak.attacks.anonymity.measure import TABLES, check_size
from microleak.attacks.anonymity.section import Anonymity
from microleak.base.arrays import Floats, Integers, Mask
from microleak.base.decimals import exact_number, with_points
from microleak.base.errors import TableError
from microleak.base.machine import Resources
from microleak.base.progress import progress
from microleak.records.chunks import Given
from microleak.records.coding import Dictionary, texts_of
from microleak.records.subsets import which
from microleak.tables.rows import as_table

UNIT = 10**8  # Parts of a person to which weights are exact
MOST_UNITS = 2**62  # Parts of persons that a sum can have


def uniqueness(
    people: Given, analysis: Anonymity, resources: Resources
) -> pd.DataFrame:
    """Return the table `uniqueness`, whose only row is of the full QID set."""
    n_qids = len(analysis.qids)
    names = [*analysis.qids, *filter(None, [analysis.weight])]
    columns, known = coded_records(people, names, analysis, resources)
    of_qids = columns[:n_qids]
    if analysis.weight is not None:
        of_value = _units(known[-1], analysis)
        cells = cells_of(of_qids, of_value[columns[-1]], UNIT)
    else:
        n_population = _n_population(analysis)
        n_records = len(columns[0])
        check_size(analysis, n_population, n_records)
        each = np.full(n_records, n_population, dtype=np.int64)
        cells = cells_of(of_qids, each, n_records)
    values = [texts_of(each.values) for each in known[:n_qids]]
    margins = coded_margins(cells, values, analysis)
    own = CellCounts(tuple(range(cells.n_qids)), cells.codes, cells.n)
    bounds = between(own, margins, analysis) if margins else None
    row = _row(_fitted(cells, margins), cells, bounds, analysis)
    return as_table(TABLES["uniqueness"], [row])


def _n_population(analysis: Anonymity) -> int:
    """Return the size of the population, which is not that of weights."""
    if analysis.published:
        return sum(analysis.published[0].counts)
    assert analysis.n_population is not None, "the job is of analyses that have one"
    return analysis.n_population


def _units(weights: Dictionary, analysis: Anonymity) -> Integers:
    where = f"analysis {analysis.name!r}: {analysis.weight} is a weight, and"
    texts = with_points([text or "" for text in texts_of(weights.values)], where)
    found = np.array([_units_of(text) for text in texts], dtype=np.int64)
    n_wrong = int(weights.counts[found == 0].sum())
    if n_wrong:
        raise TableError(
            f"{where} {n_wrong:,} records have no number above 0 and below "
            f"{MOST_UNITS // UNIT:,} in it, as 12 or 12.5. Remove these records, or "
            "correct weight in the study file."
        )
    pairs = zip(found.tolist(), weights.counts.tolist(), strict=True)
    if sum(units * n for units, n in pairs) >= MOST_UNITS:
        raise TableError(
            f"{where} the sum of its values is more than a population can be. Correct "
            "weight in the study file."
        )
    return found


def _units_of(text: str) -> int:
    """Return the units of a weight; 0 of what is none.

    >>> _units_of("12.5"), _units_of("0"), _units_of(""), _units_of("many")
    (1250000000, 0, 0, 0)
    """
    number = exact_number(text) or 0
    return round(number * UNIT) if 0 < number < MOST_UNITS // UNIT else 0


def _fitted(cells: Cells, tables: Sequence[CellCounts]) -> Raked:
    """Return the cells with weights that have the published margins."""
    published: dict[QidSet, Floats] = {}
    for table in (each for each in tables if each.is_exact):
        first = np.unique(cells.numbers(table.places), return_index=True)[1]
        persons = persons_of(table, cells.codes[first][:, table.places])
        published[frozenset(table.places)] = persons.astype(np.float64)
    return raked(cells, published) if published else Raked(cells, 0.0)


LEAST_EXPECTED = 25  # Fewer were not tried, and chance alone moves them as far
N_DIGITS = 12  # Digits of estimates, which are the same on all machines


def _row(
    fitted: Raked, drawn: Cells, bounds: LeastAndMost | None, analysis: Anonymity
) -> dict[str, Any]:
    cells, published = fitted.cells, analysis.published or ()
    is_of_weights = analysis.weight is not None and not published
    margins = [
        frozenset(map(analysis.qids.index, each.names))
        for each in published
        if each.is_exact
    ]
    with progress("estimating uniqueness", None):
        mean = mean_unsampled(cells, margins)
    n_population = _n_population(analysis) if not is_of_weights else 0
    # Single samples were drawn without weights.
    is_simple = analysis.weight is None
    share = Fraction(cells.n_records, n_population) if is_simple else Fraction(0)
    return which(analysis, analysis.qids) | {
        "weight": analysis.weight or "",
        "margins": ";".join("|".join(margin.names) for margin in published),
        "n_records": cells.n_records,
        "n_population": n_population or round(cells.n_population),
        "largest_difference": round(fitted.largest_difference, N_DIGITS),
        "n_sample_unique": int((cells.n == 1).sum()),
        **_measures(drawn, mean, bounds, spread_of(share)),
    }


def _interval(
    expected: float,
    spread: tuple[float, float] | None,
    is_sure: Mask,
    is_possible: Mask,
) -> dict[str, float | None]:
    """Return between what the number is that is expected, as far as that is known."""
    names = "n_unique_both_low", "n_unique_both_high"
    if spread is None or expected < LEAST_EXPECTED:
        return dict.fromkeys(names)
    ends = np.clip(expected * np.array(spread), is_sure.sum(), is_possible.sum())
    return dict(zip(names, ends, strict=True))


def _measures(
    cells: Cells,
    mean: Floats,
    bounds: LeastAndMost | None,
    spread: tuple[float, float] | None,
) -> dict[str, float | None]:
    """Return what follows from the mean of the persons that are not sampled.

    Where tables bound how many persons a cell has, nothing is said beyond.
    """
    is_unique, n = cells.n == 1, cells.n
    anybody = n, np.full(len(n), np.inf)
    least, most = (each.n for each in bounds) if bounds else anybody

    def below(k: int) -> Floats:
        chance = np.zeros(len(n))
        for f in range(1, k):
            chance[n == f] = chance_below(k - f, mean[n == f])
        return np.where(most < k, 1.0, np.where(least >= k, 0.0, chance))

    unique = below(2)[is_unique]
    match = np.clip(mean_match(mean), 1 / most, 1 / least)[is_unique]
    n_below = {f"n_below_k_map_{k}": (below(k) * n).sum() for k in THRESHOLDS}
    found = {
        "k_map_estimated": np.clip(n + mean, least, most).min(),
        **n_below,
        "n_unique_both": unique.sum(),
        **_interval(unique.sum(), spread, most[is_unique] < 2, least[is_unique] < 2),
        "posterior_unique": unique.mean() if len(unique) else None,
        "posterior_match": match.mean() if len(match) else None,
        "n_unique_population": (unique * cells.weight[is_unique]).sum(),
    }
    # Processors differ in the last digits of exponentials.
    return {
        name: None if value is None else float(f"{value:.{N_DIGITS}g}")
        for name, value in found.items()
    }
