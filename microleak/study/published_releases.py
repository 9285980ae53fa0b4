"""What of releases that are linked or compared may be published.

The rules are those of `microleak.study.disclosure`, which calls these functions.
"""

import pandas as pd

from microleak.study.published_blocks import blocks_of, tells_certain
from microleak.study.rounding import count_of, cover, differences, shares, shown

LINKED = ("auxiliary", "n_focal", "n_linked", "share_linked")
"""How many persons of a focal release each auxiliary one has, for the page."""


def publish_gain(table: pd.DataFrame) -> pd.DataFrame:
    """Return gains by each further release, as differences of published shares."""
    subset = ["analysis", "table", "focal", "auxiliary", "qids"]
    columns = _posteriors(table, "", subset)
    is_first = table["auxiliary"].fillna("") == ""
    hidden = {"n_records": columns["n_records"].isna()}
    for kind in ("det", "prob"):
        posterior, gain = f"posterior_{kind}", f"gain_{kind}"
        gained = differences(
            columns[posterior], _with_one_less(columns[posterior], table)
        )
        columns[gain] = gained.mask(is_first)
        hidden[posterior] = columns[posterior].isna()
        hidden[gain] = ~is_first & gained.isna()
    return cover(table.assign(**columns), pd.DataFrame(hidden))


def _posteriors(
    table: pd.DataFrame, side: str, subset: list[str]
) -> dict[str, pd.Series]:
    """Return the records and both posteriors of a release, as they are shown.

    Parameters
    ----------
    table
        Gains or comparisons.
    side
        How the release's columns end.
    subset
        Columns that rows of one release and QID subset have in common.
    """
    n_records = table[f"n_records{side}"]
    names = {"n_certain": f"posterior_det{side}", "n_modal": f"posterior_prob{side}"}
    counts = {"n_records": shown(n_records)}
    counts |= {c: shown(count_of(table[p], n_records)) for c, p in names.items()}
    is_inference = table["sensitive"].fillna("") != ""
    by = [table[name] for name in subset]
    blocks = blocks_of(counts["n_modal"], is_inference, by)
    is_told = tells_certain(counts, blocks)
    counts["n_modal"] = counts["n_modal"].mask(is_told)
    posteriors = {p: shares(counts[c], counts["n_records"]) for c, p in names.items()}
    return {f"n_records{side}": counts["n_records"]} | posteriors


def _with_one_less(posteriors: pd.Series, table: pd.DataFrame) -> pd.Series:
    """Give the share of the same attack with one auxiliary release less."""
    attack = [table[name] for name in ("analysis", "sensitive", "qids")]
    return posteriors.groupby(attack, dropna=False, sort=False).shift(1)


def publish_comparison(table: pd.DataFrame) -> pd.DataFrame:
    """Return comparisons, with differences of published shares."""
    subset = ["table", "earlier", "later", "qids"]
    columns = _posteriors(table, "_earlier", subset)
    columns |= _posteriors(table, "_later", subset)
    for kind in ("det", "prob"):
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
