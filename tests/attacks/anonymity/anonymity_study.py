"""A sample of 1,000 persons of 10,000, from the sizes of its blocks."""

import numpy as np
import pandas as pd

from microleak.attacks.anonymity.definitions.k_anonymity import BlockSizes
from microleak.attacks.anonymity.definitions.sensitive_values import (
    k_anonymity_histogram,
    k_map_histogram,
    l_diversity_histogram,
)
from microleak.attacks.anonymity.figures import (
    K_ANONYMITY,
    K_ENTITIES,
    K_MAP,
    L_DIVERSITY,
    AnonymityRows,
)
from microleak.attacks.anonymity.measure import (
    entity_measures,
    estimates,
    k_measures,
    population_measures,
)
from microleak.definitions.overlap import Overlap
from microleak.definitions.profile import BlockProfile
from microleak.study.tables import result_tables as specs
from microleak.tables.spec import PANDAS

SIZES = {
    "AGE": {500: 2},
    "TOWN": {1: 60, 4: 10, 900: 1},
    "AGE|TOWN": {1: 160, 2: 70, 700: 1},
}
"""How many blocks each subset has of each size."""

WORST = ("TOWN", "AGE|TOWN")
"""The worst subset of each size, by every model."""

IN_POPULATION = {
    "AGE": [(5_000, 500, 2)],
    "TOWN": [(2, 1, 60), (40, 4, 10), (9_480, 900, 1)],
    "AGE|TOWN": [(1, 1, 100), (8, 1, 60), (20, 2, 70), (8_020, 700, 1)],
}
"""Records of the population and of the sample in a block, and how many there are."""

VALUES = {
    "AGE": {"l_distinct": 3, "l_entropy": 2.5, "recursive_c_2": 1.5, "t_equal": 0.125},
    "TOWN": {"l_distinct": 1, "l_entropy": 1.0, "t_equal": 0.75},
    "AGE|TOWN": {"l_distinct": 1, "l_entropy": 1.0, "t_equal": 0.875},
}
ONE_VALUE = {"TOWN": 100, "AGE|TOWN": 300}
"""Records of blocks with one value of ILL; the others have three."""


def sizes_of(subset, sizes=SIZES):
    ascending = sorted(sizes[subset].items())
    return BlockSizes(*np.array(ascending).T)


def overlap_of(subset):
    return Overlap(*np.array(IN_POPULATION[subset]).T)


def study(population="", has_values=False, has_entities=False, sizes=SIZES):
    """What was measured; `population` is `counted`, `known` by its size, or none."""
    rows = [
        _row(subset, "", _of_blocks(sizes_of(subset, sizes), subset, population))
        for subset in sizes
    ]
    classes = _histograms(K_ANONYMITY, "", lambda s: _bins_of(s, sizes))
    if has_entities:
        for row in rows:
            row.update(entity_measures(sizes_of(row["qids"], sizes)))
        classes += _histograms(K_ENTITIES, "", lambda s: _bins_of(s, sizes))
    if has_values:
        rows += [_row(s, "ILL", {"n_records": 1_000} | VALUES[s]) for s in VALUES]
        classes += _histograms(L_DIVERSITY, "ILL", _of_values)
    if population == "counted":
        classes += _histograms(K_MAP, "", lambda s: k_map_histogram(overlap_of(s)))
    return AnonymityRows(_frame(rows, "anonymity"), _frame(classes, "classes"))


def _row(subset, sensitive, measures):
    which = {"analysis": "survey", "table": "clinic", "focal": "2020"}
    n_qids = subset.count("|") + 1
    return which | {"qids": subset, "n_qids": n_qids, "sensitive": sensitive} | measures


def _of_blocks(sizes, subset, population):
    found = k_measures(sizes)
    if population:
        found |= estimates(sizes, 10_000)
    if population == "counted":
        found |= population_measures(overlap_of(subset))
    return found


def _bins_of(subset, sizes):
    return k_anonymity_histogram(sizes_of(subset, sizes))


def _of_values(subset):
    one = ONE_VALUE[subset]
    return l_diversity_histogram(
        BlockProfile(*np.array([[one, 1_000 - one], [1, 1], [1, 3], [1, 1], [1, 0]]))
    )


def _histograms(model, sensitive, histogram_of):
    rows = []
    for subset in WORST:
        histogram = histogram_of(subset)
        names = ("lower", "upper", "n_blocks", "n_records")
        names += ("share_of_blocks", "share_of_records")
        values = [getattr(histogram, name) for name in names]
        for cells in zip(*values, strict=True):
            of_bucket = dict(zip(names, cells, strict=True))
            rows.append(_row(subset, sensitive, {"model": model} | of_bucket))
    return rows


def _frame(rows, table):
    """A table as `read_table` gives it."""
    return pd.DataFrame(
        {
            column.name: pd.Series(
                [_plain(row.get(column.name)) for row in rows],
                dtype=PANDAS[column.type],
            )
            for column in specs()[table].columns
        }
    )


def _plain(value):
    """Exact fractions as the numbers that a file has."""
    is_fraction = hasattr(value, "numerator") and not isinstance(value, int)
    return float(value) if is_fraction else value


def by_values(n_alone, chance, low=None, high=None):
    """The table `uniqueness` of the full QID set, of a survey with weights."""
    estimate = {
        **{"weight": "WEIGHT", "n_records": 1_000, "n_population": 10_000},
        **{"n_sample_unique": n_alone, "posterior_unique": chance},
        **{"n_unique_both_low": low, "n_unique_both_high": high},
    }
    return _frame([_row("AGE|TOWN", "", estimate)], "uniqueness")


def tables_of(found):
    tables = {"anonymity": found.rows, "classes": found.classes}
    if found.uniqueness is not None:
        tables["uniqueness"] = found.uniqueness
    return {kind: {"survey": rows} for kind, rows in tables.items()}


_CLINIC = study("counted", has_values=True, has_entities=True)
EXAMPLES = {"survey": {name: of["survey"] for name, of in tables_of(_CLINIC).items()}}
"""Tables by analysis, as contract tests and the page of every kind take them."""
