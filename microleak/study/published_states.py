"""What of states side by side, and of what explains them, may be published.

The rules are those of `microleak.study.disclosure`.
"""

import pandas as pd

from microleak.study.explained import explained_of
from microleak.study.published_blocks import may_tell_certain
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
    significant_numbers,
)

_ENTROPIES = ("sensitive_entropy", "qids_entropy")
_FITS = ("correlation", "r_squared", "adjusted_r_squared")
_OF_STATES = ["analysis", "table", "year", "sensitive", "n_qids"]
"""What the states of one fit have in common."""


def publish_states(table: pd.DataFrame) -> pd.DataFrame:
    """Return states with rounded counts, shares, entropies and block sizes."""
    counts = shown_counts(table, ("n_records", "n_above_90"))
    n_records = counts["n_records"]
    guesses, right = (
        shown(count_of(table[name], table["n_records"]))
        for name in ("prior_prob", "posterior_prob")
    )
    blocks = _blocks(table)
    is_told = may_tell_certain(blocks, right, n_records)
    prior = shares(guesses, n_records)
    posterior = shares(right.mask(is_told), n_records)
    cells = counts | {
        "prior_prob": prior,
        "posterior_prob": posterior,
        "additive_leakage": differences(posterior, prior),
        "share_above_90": shares(counts["n_above_90"], n_records),
        **_entropies(table, n_records),
        **_sizes(table, blocks, n_records),
    }
    public = table.assign(**cells)
    return cover(public, public[[name for name in table if name in cells]].isna())


def published_explained(states: pd.DataFrame) -> pd.DataFrame:
    """Return what goes together with the leakage of states, from what is published.

    Parameters
    ----------
    states
        States as published. They are not changed.

    Returns
    -------
    pandas.DataFrame
        As `microleak.study.explained.explained` gives it, of the published leakage
        and explanations, to two decimals, and `suppressed`. A fit is missing where a
        value of a state that it needs is suppressed.
    """
    found = explained_of(states, states["additive_leakage"].tolist())
    two = pd.Series(2, index=found.index)
    fits = {name: rounded_numbers(found[name], two) for name in _FITS}
    return cover(found.assign(**fits), _lost(found, states))


def _lost(found: pd.DataFrame, states: pd.DataFrame) -> pd.DataFrame:
    """Say which fits need what is suppressed, and would be defined without that."""
    of = dict(list(states.groupby(_OF_STATES, sort=False)))
    flags = []
    for _, row in found.iterrows():
        explanations = row["explained_by"].split("|")
        needed = of[tuple(row[_OF_STATES])][["additive_leakage", *explanations]]
        is_lost = bool(needed.isna().any(axis=None))
        is_lost &= row["n_states"] >= len(explanations) + 2
        flags.append((is_lost and len(explanations) == 1, is_lost, is_lost))
    return pd.DataFrame(flags, index=found.index, columns=[*_FITS], dtype="bool")


def _entropies(table: pd.DataFrame, n_records: pd.Series) -> dict[str, pd.Series]:
    """Whole bits from 1,000 records, one decimal from 10,000."""
    digits = digits_of(n_records)
    decimals = (digits - 2).where(digits >= 2)
    return {name: rounded_numbers(table[name], decimals) for name in _ENTROPIES}


def _blocks(table: pd.DataFrame) -> pd.Series:
    """Return the number of blocks, as it is shown."""
    exact = table["n_records"] / table["mean_block_size"]
    return shown(exact.round().astype("int64"))


def _sizes(
    table: pd.DataFrame, n_blocks: pd.Series, n_records: pd.Series
) -> dict[str, pd.Series]:
    """Significant digits that leave the number of blocks as uncertain as a count."""
    digits = digits_of(n_blocks).clip(upper=2)
    expected = significant_numbers(table["expected_block_size"], digits)
    return {
        "mean_block_size": ratios(n_records, n_blocks, digits),
        "expected_block_size": expected,
    }
