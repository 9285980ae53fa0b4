"""What of groups of values may be published.

The rules are those of `microleak.study.disclosure`, which calls this function.
"""

from fractions import Fraction

import pandas as pd

from microleak.study.rounding import (
    cover,
    differences,
    digits_of,
    is_small,
    rounded_counts,
    rounded_numbers,
    rounded_shares,
    significant,
)

_COUNTS = (
    "n_records",
    "n_blocks",
    "n_members",
    "n_certain",
    "n_likely",
    "n_above_90",
)
_SHARES = {
    "posterior_det": "n_certain",
    "share_likely": "n_likely",
    "share_above_90": "n_above_90",
}
"""The count of members that each share of the members is made from."""


def publish_groups(table: pd.DataFrame) -> pd.DataFrame:
    """Return groups with rounded counts, shares and beliefs.

    `share_likely` and `share_above_90` are added: the shares of the members that
    the counts say, which could not be made from rounded counts.
    """
    n_members = table["n_members"]
    digits = digits_of(n_members)
    shares = {
        name: rounded_shares(table[count], n_members) for name, count in _SHARES.items()
    }
    shares |= {
        "prior_prob": rounded_shares(n_members, table["n_records"]),
        "posterior_prob": rounded_numbers(table["posterior_prob"], digits),
    }
    gained = differences(shares["posterior_prob"], shares["prior_prob"])
    leakages = {
        # The prior, a share of all records, may have more digits than the belief.
        "additive_leakage": rounded_numbers(gained, digits),
        "multiplicative_leakage": _ratios(table),
    }
    public = table.assign(**rounded_counts(table, _COUNTS), **shares, **leakages)
    return cover(public, _hidden(table, public))


def _hidden(table: pd.DataFrame, public: pd.DataFrame) -> pd.DataFrame:
    """Say which cells are suppressed; of a group without members none is."""
    hidden = {name: is_small(table[name]) for name in _COUNTS}
    is_few, is_some = hidden["n_members"], table["n_members"] > 0
    for name in ("prior_prob", "posterior_prob"):
        hidden[name] = is_few | (public[name].isna() & is_some)
    for name, count in _SHARES.items():
        hidden[name] = hidden[count] | is_few | (public[name].isna() & is_some)
    for name in ("additive_leakage", "multiplicative_leakage"):
        hidden[name] = hidden["prior_prob"] | hidden["posterior_prob"]
    return pd.DataFrame({name: hidden[name] for name in public if name in hidden})


def _ratios(table: pd.DataFrame) -> pd.Series:
    """Belief over prior, to as many significant digits as a share of the members has.

    The exact prior is the quotient of the counts.
    """
    found = [
        significant(Fraction(belief) * n_records / n_members, int(digits))
        if n_members
        else float("nan")
        for belief, n_records, n_members, digits in zip(
            table["posterior_prob"],
            table["n_records"],
            table["n_members"],
            digits_of(table["n_members"]),
            strict=True,
        )
    ]
    return pd.Series(found, index=table.index, dtype="float64")
