"""What goes together with the leakage of states (Gonze, section 4.3)."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import pandas as pd

from microleak.attacks.correlation import Numbers, adjusted, correlation, r_squared
from microleak.columns import EXPLAINED

OF_GONZE = ("n_records", "sensitive_entropy")
"""Explanations that Gonze looks at."""

LEFT_OPEN = ("qids_entropy", "mean_block_size")
"""What Gonze suggests for future work: the joint distribution of the QIDs."""

EXPLANATIONS = (
    *((name,) for name in (*OF_GONZE, *LEFT_OPEN)),
    LEFT_OPEN,
    (*OF_GONZE, *LEFT_OPEN),
)
"""Columns of the states that may explain the leakage, alone or together."""

_EACH = ["table", "year", "sensitive", "n_qids"]


def explained(states: pd.DataFrame) -> pd.DataFrame:
    """Return how much of the states' additive leakage each explanation explains.

    Parameters
    ----------
    states
        The table of states (`microleak.study.states`).

    Returns
    -------
    pandas.DataFrame
        The columns `EXPLAINED`, a row for each of `EXPLANATIONS` with each number
        of QIDs, in the order of the states. What is undefined is missing. Leakage
        is the exact difference of counts over the records, an entropy or block
        size its number as written; each result is rounded once, a correlation
        once more by its root.
    """
    rows = [
        dict(zip(_EACH, which, strict=True)) | row
        for which, part in states.groupby(_EACH, sort=False)
        for row in _rows(part)
    ]
    return pd.DataFrame(rows, columns=[*EXPLAINED])


def _rows(states: pd.DataFrame) -> Iterator[dict[str, Any]]:
    names = (*OF_GONZE, *LEFT_OPEN)
    numbers = {name: [Fraction(x) for x in states[name].tolist()] for name in names}
    leakage = _leakage(states)
    for explanations in EXPLANATIONS:
        yield {
            "explained_by": "|".join(explanations),
            "n_states": len(states),
            **_fit([numbers[name] for name in explanations], leakage),
        }


def _fit(explanations: list[Numbers], leakage: Numbers) -> Mapping[str, float | None]:
    is_alone = len(explanations) == 1
    share = r_squared(explanations, leakage)
    if share is None:
        return {"correlation": None, "r_squared": None, "adjusted_r_squared": None}
    without_chance = adjusted(share, len(leakage), len(explanations))
    return {
        "correlation": correlation(explanations[0], leakage) if is_alone else None,
        "r_squared": float(share),
        "adjusted_r_squared": float(without_chance),
    }


def _leakage(states: pd.DataFrame) -> list[Fraction]:
    """Return the exact additive leakage, from the counts that the shares are of."""
    columns = (states[name].tolist() for name in ("prior_prob", "posterior_prob"))
    pairs = zip(*columns, states["n_records"].tolist(), strict=True)
    return [
        Fraction(round(after * n) - round(before * n), n) for before, after, n in pairs
    ]
