"""Whether one person is in a sample, as a table that does not say what is known."""

from collections.abc import Mapping
from fractions import Fraction
from functools import reduce
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from microleak.attacks.membership.definitions.membership import (
    TargetMembership,
    membership,
)
from microleak.attacks.membership.measure import TABLES, who
from microleak.base.progress import Advance, progress
from microleak.records.compared import Compared, Part, both_of

RATIOS = (
    "prior",
    "posterior_printed",
    "degradation_printed",
    "posterior",
    "degradation",
    "bayes_prior",
    "bayes_posterior",
    "bayes_degradation",
)
COUNTS = ("n_population", "n_sample", "n", "d")


def attack_member(
    population: Path,
    sample: Path,
    compared: Compared,
    target: str,
    known: Mapping[str, str | None],
) -> pd.DataFrame:
    """Attack one target, of whom the adversary asks whether the sample has them.

    Parameters
    ----------
    population, sample
        Parquet files of text columns, one record a person. They are read once, chunk
        by chunk, and only the columns that are needed; memory is that of a chunk.
    compared
        The analysis. What it keeps counts here too.
    target
        Name of the target.
    known
        Values by QID. They are compared as text; a missing one is equal to itself.

    Returns
    -------
    pandas.DataFrame
        One row of the table `member`. Ratios are one division of integers each,
        missing where the population has no such record.

    Raises
    ------
    TableError
        If either has no record that counts, or the sample has more of them than the
        population, or a value without a code of the population.
    """
    both = both_of(population, sample, compared)
    with progress("counting matches", both.n_rows) as advance:
        n = _n_matches(both.population, known, advance)
        d = _n_matches(both.sample, known, advance)
    found = membership(n, d, both.population.n_rows, both.sample.n_rows)
    row = {
        "target": target,
        **who(compared),
        "known": "|".join(known),
        "n_known": len(known),
        "outcome": found.outcome,
        **dict(
            zip(COUNTS, (both.population.n_rows, both.sample.n_rows, n, d), strict=True)
        ),
        **{name: _ratio(found, name) for name in RATIOS},
    }
    return TABLES["member"].frame([row])


def _n_matches(part: Part, known: Mapping[str, str | None], advance: Advance) -> int:
    """Count the records that have all known values; null is equal to null."""
    n = 0
    for place in range(len(part.kept)):
        columns = part.read(place, list(known))
        each = [
            pc.is_in(columns[name], value_set=pa.array([value], pa.string()))
            for name, value in known.items()
        ]
        n += pc.sum(reduce(pc.and_, each)).as_py()
        advance(len(each[0]))
    return n


def _ratio(found: TargetMembership, name: str) -> float | None:
    exact: Fraction | None = getattr(found, name)
    return None if exact is None else float(exact)
