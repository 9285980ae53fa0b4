"""What of releases that are linked or compared may be published.

The rules are those of `microleak.study.disclosure`, which calls these functions.
"""

import pandas as pd

from microleak.study.rounding import count_of, cover, differences, shares, shown

LINKED = ("auxiliary", "n_focal", "n_linked", "share_linked")
"""How many persons of a focal release each auxiliary one has, for the page."""


def publish_gain(table: pd.DataFrame) -> pd.DataFrame:
    """Return gains by each further release, as differences of published shares."""
    n_records = shown(table["n_records"])
    is_first = table["auxiliary"].fillna("") == ""
    columns = {"n_records": n_records}
    hidden = {"n_records": n_records.isna()}
    for kind in ("det", "prob"):
        posterior, gain = f"posterior_{kind}", f"gain_{kind}"
        count = count_of(table[posterior], table["n_records"])
        columns[posterior] = shares(shown(count), n_records)
        gained = differences(
            columns[posterior], _with_one_less(columns[posterior], table)
        )
        columns[gain] = gained.mask(is_first)
        hidden[posterior] = columns[posterior].isna()
        hidden[gain] = ~is_first & gained.isna()
    return cover(table.assign(**columns), pd.DataFrame(hidden))


def _with_one_less(posteriors: pd.Series, table: pd.DataFrame) -> pd.Series:
    """Give the share of the same attack with one auxiliary release less."""
    attack = [table[name] for name in ("analysis", "sensitive", "qids")]
    return posteriors.groupby(attack, dropna=False, sort=False).shift(1)


def publish_comparison(table: pd.DataFrame) -> pd.DataFrame:
    """Return comparisons, with differences of published shares."""
    sides = ("earlier", "later")
    columns = {f"n_records_{side}": shown(table[f"n_records_{side}"]) for side in sides}
    for kind in ("det", "prob"):
        for side in sides:
            name, size = f"posterior_{kind}_{side}", f"n_records_{side}"
            count = count_of(table[name], table[size])
            columns[name] = shares(shown(count), columns[size])
        columns[f"difference_{kind}"] = differences(
            columns[f"posterior_{kind}_later"], columns[f"posterior_{kind}_earlier"]
        )
    hidden = {name: cells.isna() for name, cells in columns.items()}
    return cover(table.assign(**columns), pd.DataFrame(hidden))


def publish_linked(table: pd.DataFrame) -> pd.DataFrame:
    """Return how many persons of a focal release each auxiliary one has."""
    counts = {name: shown(table[name]) for name in ("n_focal", "n_linked")}
    share = shares(counts["n_linked"], counts["n_focal"])
    public = table.assign(**counts, share_linked=share)
    names = [*counts, "share_linked"]
    return cover(public, public[names].isna())
