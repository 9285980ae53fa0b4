"""What of membership measures may be published.

The rules are those of `microleak.study.disclosure`, which calls these functions.
"""

import pandas as pd

from microleak.columns import MEMBERSHIP_COUNTS, MEMBERSHIP_SHARES
from microleak.study.published_blocks import tells_alone
from microleak.study.published_cumulative import is_far
from microleak.study.rounding import (
    SMALLEST_COUNT,
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

OF_PERSONS = ("n_sample_unique", "n_found", "n_unique_both", "n_not_found")
"""Counts of persons of the sample."""

_FEW_AND_FEW = 2 * SMALLEST_COUNT
"""Shown uniques that may be the sum of two suppressed counts, but not any two."""

_TOTALS = {"n_blocks_population": "n_population", "n_blocks_sample": "n_sample"}
"""The records that each number of blocks is of."""

_OF_BLOCKS = (*_TOTALS, "n_blocks_in_excess")


def publish_membership(table: pd.DataFrame) -> pd.DataFrame:
    """Return membership measures with rounded counts, shares and ratios."""
    counts = _counts(table)
    cells = counts | _chances(table, counts) | _bayes(table, counts)
    public = table.assign(**cells)
    return cover(public, public[[*MEMBERSHIP_COUNTS, *MEMBERSHIP_SHARES]].isna())


def _counts(table: pd.DataFrame) -> dict[str, pd.Series]:
    """Return the counts; beside a hidden one of persons no number of blocks."""
    counts = shown_counts(table, MEMBERSHIP_COUNTS)
    uniques = counts["n_sample_unique"]
    # Of 15 to 25 uniques 6 or more are found or not if fewer than 10 are either.
    is_sum_of_few = (uniques == _FEW_AND_FEW).fillna(False)
    for name in ("n_found", "n_not_found"):
        few = (counts[name] <= SMALLEST_COUNT) & (counts[name] > 0)
        counts[name] = counts[name].mask(is_sum_of_few & few.fillna(False))
    # Without uniques persons who are not found come in twos at least.
    has_none = (uniques == 0).fillna(False) & counts["n_not_found"].isna()
    counts["n_sample_unique"] = uniques.mask(has_none)
    is_sample = is_far(counts["n_population"], counts["n_sample"], 2)
    counts |= {name: counts[name].where(is_sample) for name in OF_PERSONS}
    is_clear = _is_clear(counts)
    counts |= {name: counts[name].where(is_clear) for name in _OF_BLOCKS}
    return counts | {
        blocks: counts[blocks].mask(tells_alone(counts[blocks], counts[total]))
        for blocks, total in _TOTALS.items()
    }


def _is_clear(counts: dict[str, pd.Series]) -> pd.Series:
    """Say which rows hide no count of persons, or of blocks that may have only one."""
    few = (*OF_PERSONS, "n_blocks_in_excess")
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
