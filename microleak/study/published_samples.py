"""What of membership measures may be published.

The rules are those of `microleak.study.disclosure`, which calls these functions.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from microleak.attacks.value_histogram import LOWER_BOUNDS
from microleak.columns import COMPARED, MEMBERSHIP_COUNTS, MEMBERSHIP_SHARES
from microleak.figures.membership_rows import CHANCES
from microleak.study.published_cumulative import (
    SLACK,
    in_classes,
    is_far,
    listed,
    steps,
)
from microleak.study.rounding import (
    count_of,
    cover,
    differences,
    digits_of,
    ratios,
    rounded_numbers,
    shares,
    shown,
    shown_counts,
)

_OF_PERSONS = ("n_sample_unique", "n_found", "n_unique_both", "n_not_found")
_OF_BLOCKS = ("n_blocks_population", "n_blocks_sample", "n_blocks_in_excess")


def publish_membership(table: pd.DataFrame) -> pd.DataFrame:
    """Return membership measures with rounded counts, shares and ratios."""
    counts = _counts(table)
    cells = counts | _chances(table, counts) | _bayes(table, counts)
    public = table.assign(**cells)
    return cover(public, public[[*MEMBERSHIP_COUNTS, *MEMBERSHIP_SHARES]].isna())


def _counts(table: pd.DataFrame) -> dict[str, pd.Series]:
    """Return the counts; beside a hidden one of persons no number of blocks."""
    counts = shown_counts(table, MEMBERSHIP_COUNTS)
    few_found = counts["n_found"].fillna(0) == 0
    # Uniques that are not found are blocks in excess: few of these bound the others.
    few_fail = counts["n_not_found"].isna() | counts["n_blocks_in_excess"].isna()
    counts["n_sample_unique"] = counts["n_sample_unique"].mask(few_found & few_fail)
    is_sample = is_far(counts["n_population"], counts["n_sample"], 2)
    counts |= {name: counts[name].where(is_sample) for name in _OF_PERSONS}
    is_clear = _is_clear(counts)
    return counts | {name: counts[name].where(is_clear) for name in _OF_BLOCKS}


def _is_clear(counts: dict[str, pd.Series]) -> pd.Series:
    """Say which rows hide no count of persons, or of blocks that may have only one."""
    few = (*_OF_PERSONS, "n_blocks_in_excess")
    return pd.concat([counts[name].notna() for name in few], axis=1).all(axis=1)


def _chances(table: pd.DataFrame, counts: dict[str, pd.Series]) -> dict[str, pd.Series]:
    """Return what is made of sums of chances, which are rounded as counts are.

    Sums depend on every block, and so are missing beside a hidden count of persons.
    """
    n_population, n_sample = counts["n_population"], counts["n_sample"]
    is_clear = _is_clear(counts)
    persons = _summed(table["posterior_person"] * table["n_sample"]).where(is_clear)
    prior, posterior = shares(n_sample, n_population), shares(persons, n_sample)
    digits = digits_of(n_sample)
    # The prior, a share of the population, may have more digits.
    leakage = rounded_numbers(differences(posterior, prior), digits)
    found = {
        "prior": prior,
        "posterior_person": posterior,
        "additive_leakage_person": leakage,
        "degradation_person": _to_prior(persons, counts, digits),
    }
    per_block = digits_of(counts["n_blocks_sample"]).clip(upper=2)
    expected = table["n_sample"] ** 2 / table["n_population"]
    for name in ("degradation_printed", "degradation_partition"):
        chances = _summed(table[name] * expected).where(is_clear)
        found[name] = _to_prior(chances, counts, per_block)
    return found


def _summed(sums: pd.Series) -> pd.Series:
    return shown(sums.round().astype("int64"))


def _to_prior(
    sums: pd.Series, counts: dict[str, pd.Series], digits: pd.Series
) -> pd.Series:
    """Divide sums of chances by |S| and by the prior |S|/|D|, as these are shown."""
    return ratios(sums * counts["n_population"], counts["n_sample"] ** 2, digits)


def _bayes(table: pd.DataFrame, counts: dict[str, pd.Series]) -> dict[str, pd.Series]:
    """Return chances to be right, as shares of the population's persons."""
    n_population, n_sample = counts["n_population"], counts["n_sample"]
    absent = n_population - n_sample
    before = absent.where((absent >= n_sample).fillna(False), n_sample)
    right = shown(count_of(table["bayes_posterior"], table["n_population"]))
    # Rounded, it may be below the prior's, which two rounded counts make.
    after = right.where((right >= before).fillna(False), before)
    after = after.where(_is_clear(counts))
    prior, posterior = shares(before, n_population), shares(after, n_population)
    return {
        "bayes_prior": prior,
        "bayes_posterior": posterior,
        "bayes_degradation": ratios(after, before, digits_of(n_population)),
        "bayes_additive_leakage": differences(posterior, prior),
    }


def publish_presence(table: pd.DataFrame) -> pd.DataFrame:
    """Return the sample's persons by classes of their chance (`CHANCES`).

    All classes are listed, `bin` being the least percent of each; `share` is added,
    of the sample's persons. Those of the population are suppressed.
    """
    groups = table.groupby([*COMPARED], dropna=False, sort=False)
    none = table.iloc[:0].assign(share=0.0)
    parts = [_presence(part) for _, part in groups]
    public = pd.concat([none, *parts], ignore_index=True)
    return cover(public, public[["n_records", "share"]].isna())


def _presence(part: pd.DataFrame) -> pd.DataFrame:
    """Return the persons of both tables with one subset."""
    n = len(CHANCES)
    totals = part.groupby("persons_of")["n_records"].sum().astype("int64")
    both = {
        name: pd.Series([totals.get(name, 0)] * n) for name in ("sample", "population")
    }
    sample = part[part["persons_of"] == "sample"]
    classes = in_classes(sample["bin"], sample["n_records"], CHANCES, n)
    counts = _by_chance(classes, shown(both["sample"]), shown(both["population"]))
    columns = {
        "bin": CHANCES,
        "n_records": counts,
        "share": shares(counts, shown(both["sample"])),
    }
    hidden = {"bin": CHANCES, "n_records": pd.NA, "share": float("nan")}
    of_both = {"sample": columns, "population": hidden}
    rows = [listed(part, of | {"persons_of": name}, n) for name, of in of_both.items()]
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


def publish_uniques(table: pd.DataFrame) -> pd.DataFrame:
    """Return sample uniques by classes of the persons that they fit.

    `n_fitting` is the least of a class, as of `microleak.attacks.value_histogram`.
    """
    groups = table.groupby([*COMPARED], dropna=False, sort=False)
    parts = [_uniques(part) for _, part in groups]
    public = pd.concat([table.iloc[:0], *parts], ignore_index=True)
    return cover(public, public[["n_sample_unique"]].isna())


def _uniques(part: pd.DataFrame) -> pd.DataFrame:
    """Return one subset's classes; none is shown if a cumulative count is small."""
    classes = in_classes(part["n_fitting"], part["n_sample_unique"])
    # Last those that fit nobody: before them stand the uniques that are found.
    rounded = shown(pd.Series(np.roll(classes, -1).cumsum()))
    is_clear = rounded.notna().all() and rounded.iloc[-2] > 0
    counts = steps(rounded).where(np.full(len(classes), is_clear))
    columns = {
        "n_fitting": LOWER_BOUNDS[: len(classes)],
        "n_sample_unique": np.roll(counts, 1),
    }
    return listed(part, columns, len(classes))
