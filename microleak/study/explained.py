"""What goes together with the leakage of states (Gonze, section 4.3)."""

from collections.abc import Iterator, Mapping, Sequence
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

_EACH = ["analysis", "table", "year", "sensitive", "n_qids"]
_FITS = ("correlation", "r_squared", "adjusted_r_squared")


def explained(states: pd.DataFrame) -> pd.DataFrame:
    """Return how much of the states' additive leakage each explanation explains.

    Parameters
    ----------
    states
        The table of states (`microleak.study.states`).

    Returns
    -------
    pandas.DataFrame
        As `explained_of`, of the exact leakage: the difference of counts over the
        records.
    """
    return explained_of(states, _leakage(states))


def explained_of(
    states: pd.DataFrame, leakage: Sequence[float | Fraction]
) -> pd.DataFrame:
    """Return how much of some leakage of the states each explanation explains.

    Parameters
    ----------
    states
        States with explanations, of which some may be missing.
    leakage
        That of each row, as an exact number; it may be missing.

    Returns
    -------
    pandas.DataFrame
        The columns `EXPLAINED`, a row for each of `EXPLANATIONS` with each number
        of QIDs, in the order of the states. Of several explanations those that do
        not vary over the states are left out, and `explained_by` names the others,
        if two or more are left; the same ones have one row. What is undefined, or
        needs a missing number, is missing. An entropy or block size is its number
        as written; each result is rounded once, a correlation once more by its
        root.
    """
    rows = [
        dict(zip(_EACH, which, strict=True)) | row
        for which, part in states.assign(leakage=leakage).groupby(_EACH, sort=False)
        for row in _rows(part)
    ]
    return pd.DataFrame(rows, columns=[*EXPLAINED])


def _rows(states: pd.DataFrame) -> Iterator[dict[str, Any]]:
    names = ("leakage", *OF_GONZE, *LEFT_OPEN)
    numbers = {name: _exact(states[name]) for name in names}
    for used in dict.fromkeys(_varying(wanted, numbers) for wanted in EXPLANATIONS):
        yield {
            "explained_by": "|".join(used),
            "n_states": len(states),
            **_fit([numbers[name] for name in used], numbers["leakage"]),
        }


def _exact(values: pd.Series) -> list[Fraction] | None:
    """Return numbers as the fractions they are; none if one is missing."""
    if values.isna().any():
        return None
    return [Fraction(value) for value in values.tolist()]


def _varying(
    wanted: tuple[str, ...], numbers: Mapping[str, Numbers | None]
) -> tuple[str, ...]:
    """Return the explanations that vary over the states, or all if too few do."""
    used = tuple(name for name in wanted if _varies(numbers[name]))
    return used if len(used) > 1 else wanted


def _varies(numbers: Numbers | None) -> bool:
    """Say whether numbers differ, or may, as one is missing."""
    return numbers is None or len(set(numbers)) > 1


def _fit(
    explanations: list[Numbers | None], leakage: Numbers | None
) -> Mapping[str, float | None]:
    known = [numbers for numbers in explanations if numbers is not None]
    if leakage is None or len(known) < len(explanations):
        return dict.fromkeys(_FITS)
    share = r_squared(known, leakage)
    if share is None:
        return dict.fromkeys(_FITS)
    is_alone = len(known) == 1
    without_chance = adjusted(share, len(leakage), len(known))
    return {
        "correlation": correlation(known[0], leakage) if is_alone else None,
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
