"""What models of the population may say of a table in public.

The rules are those of `microleak.study.disclosure`.
"""

import numpy as np
import pandas as pd

from microleak.attacks.k_anonymity import BlockSizes
from microleak.study.anonymity_models import MODELS, Model
from microleak.study.rounding import digits_of, rounded_numbers

NEEDS_ALL_SIZES = "zayatz"
"""The model for which the published counts do not suffice."""

_SIZES = ["n_records", "n_sample_unique", "n_below_3"]


def published_estimates(counts: pd.DataFrame) -> dict[str, pd.Series]:
    """Return what models say of tables with the published counts.

    Parameters
    ----------
    counts
        `n_records`, `n_population`, and records in blocks of one and of at most two,
        `n_sample_unique` and `n_below_3`, as shown.

    Returns
    -------
    dict
        `posterior_unique_MODEL` and `posterior_match_MODEL` with the digits of a
        share of the sample uniques. Missing without any digit, where a model has no
        estimate, and of `NEEDS_ALL_SIZES`.
    """
    digits = digits_of(counts["n_sample_unique"])
    # Where uniques are shown, so is what has them: it is rounded likewise.
    is_known = (digits > 0) & counts["n_population"].notna()
    known = counts.loc[is_known, [*_SIZES, "n_population"]].astype("int64")
    found = {}
    for name, model in MODELS.items():
        of_model = _posteriors(
            model, known.iloc[:0] if name == NEEDS_ALL_SIZES else known
        )
        for column, numbers in of_model.items():
            exact = numbers.reindex(counts.index)
            found[f"{column}_{name}"] = rounded_numbers(exact, digits)
    return found


def _posteriors(model: Model, known: pd.DataFrame) -> pd.DataFrame:
    """Return a model's two posteriors of each row; missing where it has none."""
    found = pd.DataFrame(
        np.nan, known.index, ["posterior_unique", "posterior_match"], dtype="float64"
    )
    for place, row in known.iterrows():
        estimate = model(_sizes(*row[_SIZES]), int(row["n_population"]))
        if estimate:
            found.loc[place] = estimate.posterior_unique, estimate.posterior_match
    return found


def _sizes(n_records: int, ones: int, below_3: int) -> BlockSizes:
    """Return blocks with as many of one record and of two, and one of the rest."""
    size = np.array([1, 2, n_records - below_3])
    n_blocks = np.array([ones, (below_3 - ones) // 2, 1])
    occurs = size * n_blocks > 0
    return BlockSizes(size[occurs], n_blocks[occurs])
