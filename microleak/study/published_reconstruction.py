"""What of rebuilt databases may be published.

The rules are those of `microleak.study.disclosure`, which calls these functions.
Random databases describe nobody, and are shown as they are.
"""

import pandas as pd

from microleak.columns import SUPPRESSED
from microleak.figures.reconstruction_rows import drawn_from
from microleak.figures.reconstruction_settings import is_true
from microleak.study.rounding import cover, is_small, shares, shown

_ENTRIES = ("n_ones", "n_claimed", "n_right")
_NUMBERS = ("n_violated", "n_candidates", "diameter")


def publish_reconstruction(table: pd.DataFrame) -> pd.DataFrame:
    """Return rebuilt databases, those of persons with rounded counts and shares.

    Numbers of entries are rounded as counts are, and so are the others of the same
    persons; what is exact or proven is said. Other numbers depend on every bit and are
    shown only where the claims say them.
    """
    if all(drawn_from(database) is None for database in table["database"].unique()):
        return _as_it_is(table)
    n = table["n_entries"].astype("Int64")
    cells = {name: _of_entries(table[name], n) for name in _ENTRIES}
    ones = cells["n_ones"]
    frequent = ones.where((2 * ones >= n).fillna(False), n - ones)
    cells |= {"prior": shares(frequent, n), "share_right": shares(cells["n_right"], n)}
    is_said = {
        "n_violated": is_true(table["is_consistent"]),
        "n_candidates": is_true(table["is_proven"]),
        "diameter": is_true(table["is_proven"]),
    }
    cells |= {name: table[name].where(is_said[name]) for name in _NUMBERS}
    public = table.assign(**cells)
    names = [*cells]
    covered = cover(public, table[names].notna() & public[names].isna())
    return covered.astype({"diameter": "Int64"})


def publish_bad_points(table: pd.DataFrame) -> pd.DataFrame:
    """Return points counted before random databases, as they are."""
    return _as_it_is(table)


def _as_it_is(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(**{SUPPRESSED: ""})


def _of_entries(counts: pd.Series, n: pd.Series) -> pd.Series:
    """Round the entries that are not counted; a small number of either is missing.

    None and all are shown, so that with `n` known they do not look like others.
    """
    rest = (n - counts).astype("int64")
    return (n - shown(rest)).mask(is_small(counts)).where(counts > 0, 0)
