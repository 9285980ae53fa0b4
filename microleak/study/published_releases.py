"""What of releases that are linked or compared may be published.

The rules are those of `microleak.study.disclosure`, which calls these functions.
"""

import pandas as pd

from microleak.study.rounding import (
    count_of,
    cover,
    differences,
    is_small,
    rounded_counts,
    rounded_shares,
)

LINKED = ("auxiliary", "n_focal", "n_linked", "share_linked")
"""How many persons of a focal release each auxiliary one has, for the page."""


def publish_gain(table: pd.DataFrame) -> pd.DataFrame:
    """Return gains by each further release, as differences of published shares."""
    n_records = table["n_records"]
    is_first = table["auxiliary"].fillna("") == ""
    columns: dict[str, pd.Series] = {}
    hidden = {"n_records": is_small(n_records)}
    for kind in ("det", "prob"):
        posterior, gain = f"posterior_{kind}", f"gain_{kind}"
        count = count_of(table[posterior], n_records)
        shares = rounded_shares(count, n_records)
        hidden[posterior] = is_small(count) | shares.isna()
        shown = shares.mask(hidden[posterior])
        gained = differences(shown, _with_one_less(shown, table))
        columns |= {posterior: shares, gain: gained.mask(is_first)}
        hidden[gain] = ~is_first & gained.isna()
    rounded = rounded_counts(table, ["n_records"])
    return cover(table.assign(**rounded, **columns), pd.DataFrame(hidden))


def _with_one_less(shares: pd.Series, table: pd.DataFrame) -> pd.Series:
    """Give the share of the same attack with one auxiliary release less."""
    attack = [table[name] for name in ("analysis", "sensitive", "qids")]
    return shares.groupby(attack, dropna=False, sort=False).shift(1)


def publish_comparison(table: pd.DataFrame) -> pd.DataFrame:
    """Return comparisons, with differences of published shares."""
    sizes = ["n_records_earlier", "n_records_later"]
    columns = rounded_counts(table, sizes)
    hidden = {size: is_small(table[size]) for size in sizes}
    for kind in ("det", "prob"):
        shown = {}
        for release in ("earlier", "later"):
            name = f"posterior_{kind}_{release}"
            n_records = table[f"n_records_{release}"]
            count = count_of(table[name], n_records)
            columns[name] = rounded_shares(count, n_records)
            hidden[name] = is_small(count) | columns[name].isna()
            shown[release] = columns[name].mask(hidden[name])
        name = f"difference_{kind}"
        columns[name] = differences(shown["later"], shown["earlier"])
        hidden[name] = columns[name].isna()
    return cover(table.assign(**columns), pd.DataFrame(hidden))


def publish_linked(table: pd.DataFrame) -> pd.DataFrame:
    """Return how many persons of a focal release each auxiliary one has."""
    counts = ["n_focal", "n_linked"]
    hidden = {name: is_small(table[name]) for name in counts}
    shares = rounded_shares(table["n_linked"], table["n_focal"])
    public = table.assign(**rounded_counts(table, counts), share_linked=shares)
    hidden["share_linked"] = hidden["n_linked"] | shares.isna()
    return cover(public, pd.DataFrame(hidden))
