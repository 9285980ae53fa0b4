"""What the attempts to rebuild databases come to, setting by setting."""

import numpy as np
import pandas as pd

LAW = ("attack", "noise", "epsilon", "outliers")
"""Columns that say which attack there is, and which noise but for its bound."""

CURVE = (*LAW, "n_entries", "n_queries")
"""Columns that settings share which differ by how much noise there is."""

SETTING = (*CURVE, "error_bound")
"""Columns that the repeats of one setting share; formulas may differ."""

_CLAIMS = {f"n_{claim}": f"is_{claim}" for claim in ("exact", "consistent", "proven")}
_STATUSES = {"n_unsolved": "not solved", "n_infeasible": "infeasible"}
_COUNTED = (
    *(*_CLAIMS, *_STATUSES, "n_partial", "n_misled"),
    *("n_claimed", "n_right", "hides_claimed", "hides_right"),
)


def settings_of(results: pd.DataFrame, is_rounded: bool) -> pd.DataFrame:
    """Return what the repeats of each setting come to, a row a setting.

    Beside `SETTING` it has the first formulas that give it; the bound of the noise as
    a share of the square root of n (`noise_share`); how many databases were tried
    (`n_tries`), how many of these were rebuilt exactly, consistently with all answers
    and provably (`n_exact` and so on), how many ended as not solved or infeasible, how
    many were solved in part (`n_partial`) and how many claims are consistent and wrong
    (`n_misled`); the mean shares of entries claimed and right, and the least right. A
    share is missing where one of its databases' is suppressed. Sorted by `LAW` in the
    order of the tables, then by entries, queries and noise from the least.

    Parameters
    ----------
    results
        `measures/reconstruction`, texts never missing.
    is_rounded
        Whether its counts of entries are rounded.
    """
    groups = _marked(results).groupby([*SETTING], sort=False, dropna=False)
    found = groups[[*_COUNTED]].sum().reset_index()
    found[["queries", "error"]] = groups[["queries", "error"]].first().to_numpy()
    found["n_tries"] = groups.size().to_numpy()
    found["least_right"] = groups["share_right"].min().astype(float).to_numpy()
    found["noise_share"] = found["error_bound"] / np.sqrt(
        found["n_entries"].astype(float)
    )
    return _in_order(found.assign(**_means(found, is_rounded)))


def is_true(claims: pd.Series) -> pd.Series:
    """Say which claims are true, read from a file or not."""
    return claims.astype(str).str.lower() == "true"


def _marked(results: pd.DataFrame) -> pd.DataFrame:
    """Add to each row what is counted of it, and which shares are suppressed."""
    marks = {name: is_true(results[claim]) for name, claim in _CLAIMS.items()}
    marks |= {name: results["status"] == word for name, word in _STATUSES.items()}
    is_whole = (results["n_claimed"] == results["n_entries"]).fillna(False)
    return results.assign(
        **marks,
        n_partial=(results["status"] == "solved") & ~is_whole,
        n_misled=marks["n_consistent"] & ~marks["n_exact"],
        hides_claimed=results["n_claimed"].isna(),
        hides_right=results["share_right"].isna(),
    )


def _means(found: pd.DataFrame, is_rounded: bool) -> dict[str, pd.Series]:
    """Return shares of entries, missing where one of their databases' is."""
    entries = (found["n_entries"] * found["n_tries"]).astype(float)
    means = {
        f"share_{name}": (found[f"n_{name}"].astype(float) / entries).mask(
            found[f"hides_{name}"] > 0
        )
        for name in ("claimed", "right")
    }
    if is_rounded:
        # A mean has no more digits than the shares that are published.
        means = {
            name: _rounded(each, found["n_entries"]) for name, each in means.items()
        }
    least = found["least_right"].mask(found["hides_right"] > 0)
    return means | {"least_right": least}


def _rounded(shares: pd.Series, n_entries: pd.Series) -> pd.Series:
    """Round shares to one digit from 100 entries on, two from 1,000, at most three."""
    digits = (n_entries.astype(str).str.len() - 2).clip(upper=3)
    pairs = zip(shares, digits, strict=True)
    return pd.Series([round(s, n) if n > 0 else np.nan for s, n in pairs], shares.index)


def _in_order(settings: pd.DataFrame) -> pd.DataFrame:
    """Sort settings that are in the order of the tables."""
    place = settings.groupby([*LAW], sort=False, dropna=False).ngroup()
    by = ["place", "n_entries", "n_queries", "error_bound"]
    keys = settings.assign(place=place)[by].sort_values(by, kind="stable")
    return settings.loc[keys.index].reset_index(drop=True)
