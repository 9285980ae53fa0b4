"""What of removed records may be published.

The rules are those of `microleak.study.disclosure`, which calls this function.
"""

import pandas as pd

from microleak.study.rounding import cover, shares, shown


def publish_removed(table: pd.DataFrame) -> pd.DataFrame:
    """Return removed records with rounded counts, and shares of rounded counts."""
    counts = shown(table["n_rows"])
    of_read = shares(counts, shown(_n_read(table))).mask(table["n_rows"] == 0, 0.0)
    public = table.assign(n_rows=counts, share_of_read=of_read)
    return cover(public, public[["n_rows", "share_of_read"]].isna())


def _n_read(table: pd.DataFrame) -> pd.Series:
    """Return how many rows of its release each row is a share of; 0 if unknown.

    It follows from any row of the release that is not zero.
    """
    is_some = table["n_rows"] > 0
    found = (table["n_rows"] / table["share_of_read"].where(is_some, 1)).where(
        is_some, 0
    )
    release = [table["table"], table["release"]]
    return found.groupby(release).transform("max").round().astype("int64")
