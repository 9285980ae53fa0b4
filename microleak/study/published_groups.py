"""What of groups of values may be published.

The rules are those of `microleak.study.disclosure`, which calls this function.
"""

import pandas as pd

from microleak.study.published_blocks import tells_alone
from microleak.study.rounding import (
    cover,
    differences,
    digits_of,
    ratios,
    rounded_numbers,
    shares,
    shown_counts,
    thousandths,
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

_OF_MEMBERS = (*_SHARES, "posterior_prob")
"""What a group without members does not have."""

_LEAKAGES = ("additive_leakage", "multiplicative_leakage")


def publish_groups(table: pd.DataFrame) -> pd.DataFrame:
    """Return groups with rounded counts, shares and beliefs.

    `share_likely` and `share_above_90` are added: the shares of the members that
    the published counts say, to their digits.
    """
    counts = shown_counts(table, _COUNTS)
    n_members, n_records = counts["n_members"], counts["n_records"]
    blocks = counts["n_blocks"]
    counts["n_blocks"] = blocks.mask(tells_alone(blocks, n_records))
    digits = digits_of(n_members)
    belief = rounded_numbers(table["posterior_prob"], digits.where(digits > 0))
    prior = shares(n_members, n_records)
    # The prior, a share of all records, may have more digits than the belief.
    leakage = rounded_numbers(differences(belief, prior), digits)
    times = ratios(thousandths(belief) * n_records, 1_000 * n_members, digits)
    public = table.assign(
        **counts,
        **{name: shares(counts[count], n_members) for name, count in _SHARES.items()},
        prior_prob=prior,
        posterior_prob=belief,
        additive_leakage=leakage,
        multiplicative_leakage=times,
    )
    return cover(public, _hidden(public))


def _hidden(public: pd.DataFrame) -> pd.DataFrame:
    """Say which cells are suppressed; of a group without members none is."""
    names = {*_COUNTS, "prior_prob", *_OF_MEMBERS, *_LEAKAGES}
    hidden = public[[name for name in public if name in names]].isna()
    nobody = (public["n_members"] == 0).fillna(False)
    for name in (*_OF_MEMBERS, *_LEAKAGES):
        hidden[name] &= ~nobody
    return hidden
