"""Histograms as the public may see them: differences of rounded cumulative counts.

Of two cumulative counts one is never less than the other. Rounded by one rule they
then tell nothing of each other: whatever rounds to the one is possible beside
whatever rounds to the other. That holds in a row, and for subsets of QIDs of which
one has all of the other. A class of a histogram that is the difference of two
published counts tells no more than these.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from microleak.attacks.value_histogram import LOWER_BOUNDS
from microleak.columns import ANONYMITY_THRESHOLDS
from microleak.study.rounding import SMALLEST_COUNT, digits_of, half_even

TEN_BLOCKS = SMALLEST_COUNT * max(
    bound for bound in LOWER_BOUNDS if bound < max(ANONYMITY_THRESHOLDS)
)
"""Records of ten blocks of 5, the least size of the blocks that only k = 10 adds."""

LISTED = LOWER_BOUNDS.index(max(ANONYMITY_THRESHOLDS))
"""So many classes, those below 10, are always listed, and tell nothing by that."""

SLACK = 20
"""Records by which two rounded counts and their difference may err together."""


def shown_below(counts: pd.Series, n_records: pd.Series) -> pd.Series:
    """Return how many records are in blocks below a size, as it is shown.

    Blocks of a size have a multiple of it of records, which a count that is rounded
    to 10 tells where no block is smaller. So these counts are all rounded to 50,
    half to even, whose steps are also steps of 10.

    Parameters
    ----------
    counts
        Exact counts; missing where there is none.
    n_records
        All records of the same rows, as shown.

    Returns
    -------
    pandas.Series
        Nullable integers, at most `n_records`. Missing without a count, from 1 to
        49, and in tables that are shown as fewer than 100 records.
    """
    exact = counts.fillna(0).astype("int64")
    rounded = (TEN_BLOCKS * half_even(exact, TEN_BLOCKS)).astype("Int64")
    rounded = rounded.where((rounded <= n_records).fillna(False), n_records)
    is_small = (exact > 0) & (exact < TEN_BLOCKS)
    return rounded.mask(counts.isna() | is_small | (digits_of(n_records) == 0))


def is_far(n_population: pd.Series, n_sample: pd.Series, times: int) -> pd.Series:
    """Say where a population surely has so many times the records of a sample.

    In a smaller one not everybody can be in a block of so many times its records of
    the sample: its size then bounds how many are not.

    Parameters
    ----------
    n_population, n_sample
        As shown. A sample shown as fewer than 100 records, or not, is not far.
    times
        From 1; for a share of percent with 100 times the population.
    """
    is_larger = (n_population >= times * (n_sample + SLACK)).fillna(False)
    return is_larger & (digits_of(n_sample) > 0)


def in_classes(
    numbers: pd.Series,
    counts: pd.Series,
    bounds: Sequence[int] = LOWER_BOUNDS,
    at_least: int = LISTED,
) -> NDArray[np.int64]:
    """Sum counts by classes of numbers, which begin at ascending bounds.

    The last class is that of the largest number; `at_least` so many are listed.
    """
    place = np.searchsorted(bounds, numbers.to_numpy("int64"), side="right") - 1
    summed = np.zeros(max(place.max(initial=0) + 1, at_least), dtype=np.int64)
    np.add.at(summed, place, counts.to_numpy("int64"))
    return summed


def steps(cumulative: pd.Series) -> pd.Series:
    """Return by how much each cumulative count exceeds the one before, the first 0.

    Missing where one of them is.
    """
    return cumulative - cumulative.shift(1, fill_value=0)


def listed(part: pd.DataFrame, columns: Mapping[str, Any], n: int) -> pd.DataFrame:
    """Return `n` rows like the first of a part, with some columns of their own."""
    return part.iloc[[0] * n].reset_index(drop=True).assign(**columns)
