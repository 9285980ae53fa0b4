"""What of states side by side may be published.

The rules are those of `microleak.study.disclosure`, which calls these functions.
"""

import pandas as pd

from microleak.study.rounding import (
    count_of,
    cover,
    differences,
    digits_of,
    is_small,
    rounded_counts,
    rounded_numbers,
    rounded_shares,
    significant_numbers,
)

_ENTROPIES = ("sensitive_entropy", "qids_entropy")
_SIZES = ("mean_block_size", "expected_block_size")
_FITS = ("correlation", "r_squared", "adjusted_r_squared")


def publish_states(table: pd.DataFrame) -> pd.DataFrame:
    """Return states with rounded counts, shares, entropies and block sizes."""
    n_records = table["n_records"]
    counts = {
        "prior_prob": count_of(table["prior_prob"], n_records),
        "posterior_prob": count_of(table["posterior_prob"], n_records),
        "share_above_90": table["n_above_90"],
    }
    shown = {
        name: rounded_shares(count, n_records).mask(is_small(count))
        for name, count in counts.items()
    }
    leakage = differences(shown["posterior_prob"], shown["prior_prob"])
    numbers = shown | _entropies(table) | _sizes(table) | {"additive_leakage": leakage}
    names = ["n_records", "n_above_90"]
    hidden = {name: is_small(table[name]) for name in names}
    hidden |= {name: cells.isna() for name, cells in numbers.items()}
    public = table.assign(**rounded_counts(table, names), **numbers)
    return cover(public, _ordered(hidden, table))


def publish_explained(table: pd.DataFrame) -> pd.DataFrame:
    """Return correlations and shares of variance explained, to two decimals."""
    digits = pd.Series(2, index=table.index)
    fits = {name: rounded_numbers(table[name], digits) for name in _FITS}
    nothing = pd.DataFrame(False, index=table.index, columns=[*_FITS])
    return cover(table.assign(**fits), nothing)


def without_suppressed_states(
    explained: pd.DataFrame, states: pd.DataFrame
) -> pd.DataFrame:
    """Suppress the fits to a value of a state that is itself suppressed.

    Parameters
    ----------
    explained, states
        The published tables. Neither is changed.

    Returns
    -------
    pandas.DataFrame
        The rows of `explained`, in their order.
    """
    keys = ["table", "year", "sensitive", "n_qids"]
    of = dict(list(states.groupby(keys, sort=False)))
    lost = [
        bool(of[tuple(row[keys])][_needed(row)].isna().any(axis=None))
        for _, row in explained.iterrows()
    ]
    is_lost = pd.Series(lost, index=explained.index, dtype="bool")
    hidden = {name: is_lost & explained[name].notna() for name in _FITS}
    return cover(explained.copy(), pd.DataFrame(hidden))


def _needed(row: pd.Series) -> list[str]:
    """Return the columns of the states that one fit is made from."""
    return ["additive_leakage", *row["explained_by"].split("|")]


def _entropies(table: pd.DataFrame) -> dict[str, pd.Series]:
    """One decimal, for tables large enough to have shares."""
    digits = digits_of(table["n_records"]).clip(upper=1)
    return {name: rounded_numbers(table[name], digits) for name in _ENTROPIES}


def _sizes(table: pd.DataFrame) -> dict[str, pd.Series]:
    """Significant digits that leave the number of blocks as uncertain as a count."""
    n_blocks = (table["n_records"] / table["mean_block_size"]).round()
    digits = digits_of(n_blocks).clip(upper=2)
    return {name: significant_numbers(table[name], digits) for name in _SIZES}


def _ordered(hidden: dict[str, pd.Series], table: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame({name: hidden[name] for name in table if name in hidden})
