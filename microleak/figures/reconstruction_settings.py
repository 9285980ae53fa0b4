"""What the attempts to rebuild databases come to, setting by setting."""

from typing import Any

import numpy as np
import pandas as pd

LAW = ("attack", "noise", "epsilon", "outliers")
"""Columns that say which attack there is, and which noise but for its bound."""

CURVE = (*LAW, "n_entries", "n_queries")
"""Columns that settings share which differ by how much noise there is."""

SETTING = (*CURVE, "error_bound")
"""Columns that the repeats of one setting share; formulas may differ, but for bases
of rounding that reach the same bound (2 and 3)."""

_CLAIMS = {f"n_{claim}": f"is_{claim}" for claim in ("exact", "consistent", "proven")}
_STATUSES = {"n_unsolved": "not solved", "n_infeasible": "infeasible"}
_COUNTED = (
    *(*_CLAIMS, *_STATUSES, "n_partial", "n_misled"),
    *("n_refuted", "n_claimed", "n_right"),
)


def settings_of(results: pd.DataFrame) -> pd.DataFrame:
    """Return what the repeats of each setting come to, a row a setting.

    Beside `SETTING` it has the first formulas that give it; the bound that the attack
    believes in (`assumed_bound`); that of the noise as a share of the square root of n
    (`noise_share`); how many databases were tried (`n_tries`), how many of these were
    rebuilt exactly, consistently with all answers and provably (`n_exact` and so on),
    how many ended as not solved or infeasible, how many were solved in part
    (`n_partial`) and how many claims are consistent and wrong (`n_misled`) or proven
    and wrong (`n_refuted`); the mean shares of entries claimed and right, and the least
    right. Sorted by `LAW` in the order of the tables, then by entries, queries and
    noise from the least.

    Parameters
    ----------
    results
        `measures/reconstruction`, texts never missing, each database of an attack once
        and no result suppressed.
    """
    groups = _by_setting(_marked(results))
    found = groups[[*_COUNTED]].sum().reset_index()
    shared = ["queries", "error", "assumed_bound"]
    found[shared] = groups[shared].first().reset_index(drop=True)
    found["n_tries"] = groups.size().to_numpy()
    found["least_right"] = groups["share_right"].min().astype(float).to_numpy()
    return _in_order(found.assign(noise_share=_noise_shares(found), **_means(found)))


def asked_of(results: pd.DataFrame) -> pd.DataFrame:
    """Return the settings alone, as `settings_of` does, where results are suppressed.

    Beside `SETTING`, the formulas and `noise_share` it has how many databases were
    drawn for each attack (`n_databases`).
    """
    groups = _by_setting(results)
    firsts = groups[["queries", "error"]].first()
    found = firsts.assign(n_databases=groups["repeat"].nunique()).reset_index()
    return _in_order(found.assign(noise_share=_noise_shares(found)))


def _by_setting(rows: pd.DataFrame) -> Any:
    """Group the repeats of each setting."""
    base = rows["error"].where(rows["noise"] == "rounding", "")
    columns = [*SETTING, "base"]
    return rows.assign(base=base).groupby(columns, sort=False, dropna=False)


def _noise_shares(settings: pd.DataFrame) -> pd.Series:
    return settings["error_bound"] / np.sqrt(settings["n_entries"].astype(float))


def is_true(claims: pd.Series) -> pd.Series:
    """Say which claims are true, read from a file or not."""
    return claims.astype(str).str.lower() == "true"


def _marked(results: pd.DataFrame) -> pd.DataFrame:
    """Add to each row what is counted of it."""
    marks = {name: is_true(results[claim]) for name, claim in _CLAIMS.items()}
    marks |= {name: results["status"] == word for name, word in _STATUSES.items()}
    is_whole = results["n_claimed"] == results["n_entries"]
    return results.assign(
        **marks,
        n_partial=(results["status"] == "solved") & ~is_whole,
        n_misled=marks["n_consistent"] & ~marks["n_exact"],
        n_refuted=marks["n_proven"] & ~marks["n_exact"],
    )


def _means(found: pd.DataFrame) -> dict[str, pd.Series]:
    """Return the mean shares of entries, from their counts."""
    entries = (found["n_entries"] * found["n_tries"]).astype(float)
    return {
        f"share_{name}": found[f"n_{name}"].astype(float) / entries
        for name in ("claimed", "right")
    }


def _in_order(settings: pd.DataFrame) -> pd.DataFrame:
    """Sort settings that are in the order of the tables."""
    place = settings.groupby([*LAW], sort=False, dropna=False).ngroup()
    by = ["place", "n_entries", "n_queries", "error_bound"]
    keys = settings.assign(place=place)[by].sort_values(by, kind="stable")
    return settings.loc[keys.index].reset_index(drop=True)
