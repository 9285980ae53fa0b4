"""What of histograms of a sample's persons may be published.

The rules are those of `microleak.study.disclosure`. Each histogram is of one QID
subset, of which the membership measures say how many persons are shown.
"""

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from microleak.attacks.value_histogram import LOWER_BOUNDS
from microleak.columns import CHANCES, COMPARED
from microleak.study.published_cumulative import (
    SLACK,
    in_classes,
    is_far,
    listed,
    steps,
)
from microleak.study.published_samples import OF_PERSONS
from microleak.study.rounding import cover, digits_of, shares, shown

SUPPRESSED_CLASSES = LOWER_BOUNDS[: LOWER_BOUNDS.index(100) + 1]
"""The classes of sample uniques that are listed where none is shown."""

_KEYS = [*COMPARED]

Histogram = Callable[[pd.DataFrame, pd.DataFrame], pd.DataFrame]
"""From the rows of one subset, maybe none, and the one of its published measures."""


def publish_persons(
    membership: pd.DataFrame, presence: pd.DataFrame, uniques: pd.DataFrame
) -> dict[str, pd.DataFrame]:
    """Return histograms of one membership analysis as the public may see them.

    Parameters
    ----------
    membership
        Its measures as published.
    presence, uniques
        Its exact histograms, of the same subsets. Each has persons in `presence`,
        but may have no sample uniques.

    Returns
    -------
    dict
        `presence` has the sample's persons by classes of their chance (`CHANCES`),
        `bin` being the least percent, and `share`, of all; those of the population
        are suppressed. `uniques` has classes of the persons that they fit,
        `n_fitting` being the least. All classes are listed, also of subsets without
        sample uniques. No class of presence is shown where the measures show no count
        of persons, and none of uniques where they suppress one.
    """
    worst = presence[_KEYS].drop_duplicates()
    measures = worst.merge(membership, on=_KEYS, how="left", validate="one_to_one")
    found = {}
    for name, table, histogram, columns in (
        ("presence", presence, _presence, ("n_records", "share")),
        ("uniques", uniques, _uniques, ("n_sample_unique",)),
    ):
        none = table.iloc[:0].assign(**dict.fromkeys(columns, 0))
        parts = _histograms(table, measures, histogram)
        public = pd.concat([none, *parts], ignore_index=True)
        found[name] = cover(public, public[[*columns]].isna())
    return found


def _histograms(
    table: pd.DataFrame, measures: pd.DataFrame, histogram: Histogram
) -> Iterator[pd.DataFrame]:
    """Yield the histogram of each subset, of those without rows too."""
    parts = dict(list(table.groupby("qids", dropna=False, sort=False)))
    for place, qids in enumerate(measures["qids"]):
        part = parts.get(qids, table.iloc[:0])
        yield histogram(part, measures.iloc[[place]])


def _presence(part: pd.DataFrame, measured: pd.DataFrame) -> pd.DataFrame:
    """Return the persons of both tables with one subset."""
    n = len(CHANCES)
    sizes = {
        name: pd.concat([measured[f"n_{name}"]] * n, ignore_index=True)
        for name in ("sample", "population")
    }
    sample = part[part["persons_of"] == "sample"]
    classes = in_classes(sample["bin"], sample["n_records"], CHANCES, n)
    counts = _by_chance(classes, sizes["sample"], sizes["population"])
    is_told = measured[[*OF_PERSONS]].notna().any(axis=None)
    counts = counts.where(np.full(n, is_told))
    columns = {
        "bin": CHANCES,
        "n_records": counts,
        "share": shares(counts, sizes["sample"]),
    }
    hidden = {"bin": CHANCES, "n_records": pd.NA, "share": float("nan")}
    of_both = {"sample": columns, "population": hidden}
    rows = [
        listed(measured[_KEYS], of | {"persons_of": name}, n)
        for name, of in of_both.items()
    ]
    return pd.concat(rows, ignore_index=True)


def _by_chance(
    classes: NDArray[np.int64], n_sample: pd.Series, n_population: pd.Series
) -> pd.Series:
    """Return differences of the persons with at least a chance, as these are shown.

    They are not where the population, which has to have 1/chance times as many
    persons as are below it, bounds them, nor if all but a few have the chance.
    """
    at_least = pd.Series(classes[::-1].cumsum())
    of_population = n_population * pd.Series(CHANCES[::-1])
    rounded = shown(at_least).where(is_far(of_population, n_sample, 100))
    is_nearly_all = (rounded > 0) & (rounded > n_sample - SLACK)
    rounded = rounded.mask(is_nearly_all.fillna(False))
    rounded.iloc[-1] = n_sample.iloc[0]
    found = steps(rounded)[::-1].reset_index(drop=True)
    return found.where(digits_of(n_sample) > 0)


def _uniques(part: pd.DataFrame, measured: pd.DataFrame) -> pd.DataFrame:
    """Return one subset's classes; none is shown if a cumulative count is small."""
    classes = in_classes(part["n_fitting"], part["n_sample_unique"])
    # Last those that fit nobody: before them stand the uniques that are found.
    rounded = shown(pd.Series(np.roll(classes, -1).cumsum()))
    is_clear = rounded.notna().all() and rounded.iloc[-2] > 0
    is_clear &= measured[[*OF_PERSONS]].notna().all(axis=None)
    if not is_clear:
        # How many classes there are would tell whom of the population somebody fits.
        hidden = {"n_fitting": SUPPRESSED_CLASSES, "n_sample_unique": pd.NA}
        return listed(measured[_KEYS], hidden, len(SUPPRESSED_CLASSES))
    columns = {
        "n_fitting": LOWER_BOUNDS[: len(classes)],
        "n_sample_unique": np.roll(steps(rounded), 1),
    }
    return listed(measured[_KEYS], columns, len(classes))
