"""States side by side: their worst leakage, and what may explain it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from microleak.attacks.collective.definitions.entropy import (
    StateQuantities,
    adjusted,
    correlation,
    r_squared,
)
from microleak.sources.steps.intermediate import rows_where
from microleak.tables.spec import tables_of

TABLES = tables_of("microleak.attacks.collective")

StateAnalysis = tuple[str, str, str, str, str, str]
"""An analysis, as part of which one it is compared, and what it attacks: the table
and the release, and the state and the year that this is of."""


HIGH = (9, 10)
"""A success above this fraction counts as high (Gonze, section 4.3)."""


@dataclass(frozen=True)
class AnalysisOfStates:
    """What one analysis found."""

    # Its tables `measures/worst` and `measures/entropy`
    worst: pd.DataFrame
    success: Path
    entropy: pd.DataFrame


def states(
    found: Iterable[AnalysisOfStates], analyses: Sequence[StateAnalysis]
) -> pd.DataFrame:
    """Return the worst subset of each number of QIDs for each state and year."""
    parts = [_worst(one) for one in found]
    if not parts:
        return TABLES["states"].frame([])
    columns = ["part", "analysis", "table", "release", "state", "year"]
    places = pd.DataFrame(analyses, columns=columns)
    places["place"] = range(len(places))
    rows = pd.concat(parts).merge(places[~places.duplicated(["analysis", "release"])])
    return _sorted(rows)[TABLES["states"].names]


def _worst(found: AnalysisOfStates) -> pd.DataFrame:
    """Return what an analysis says of its focal release alone."""
    worst = found.worst
    is_wanted = (worst["criterion"] == "probabilistic") & (worst["auxiliary"] == "")
    rows = worst[is_wanted & (worst["sensitive"] != "")]
    qids, sensitive = (
        found.entropy[found.entropy["role"] == role].set_index("attributes")
        for role in ("qid", "sensitive")
    )
    n_above = _n_above(found.success, rows)
    return rows.rename(columns={"analysis": "part"}).assign(
        release=rows["focal"],
        n_above_90=n_above,
        share_above_90=n_above / rows["n_records"],
        sensitive_entropy=rows["sensitive"].map(sensitive["entropy"]),
        qids_entropy=rows["qids"].map(qids["entropy"]),
        mean_block_size=rows["qids"].map(qids["mean_block_size"]),
        expected_block_size=rows["qids"].map(qids["expected_block_size"]),
    )


def _n_above(success: Path, rows: pd.DataFrame) -> pd.Series:
    """Return the number of records of high success for each row.

    Of the file, which has all subsets, only these rows' are held.
    """
    above, of = HIGH
    is_wanted = (
        (pc.field("auxiliary") == "")
        & pc.field("sensitive").isin(pa.array(rows["sensitive"], pa.string()))
        & pc.field("qids").isin(pa.array(rows["qids"], pa.string()))
        & (pc.field("numerator") * of > pc.field("denominator") * above)
    )
    names = ["sensitive", "qids", "n_records"]
    kinds = rows_where(success, is_wanted, names).to_pandas()
    counts = kinds.groupby(names[:2], observed=True)["n_records"].sum().to_dict()
    keys = zip(rows["sensitive"], rows["qids"], strict=True)
    return pd.Series([counts.get(key, 0) for key in keys], rows.index, dtype="int64")


def _sorted(rows: pd.DataFrame) -> pd.DataFrame:
    """Sort by what the states are compared by, and then by the place of a release."""
    ranked = rows.assign(
        comparison=pd.factorize(rows["analysis"])[0],
        subject=pd.factorize(rows["sensitive"])[0],
    )
    by = ["comparison", "year", "subject", "n_qids", "place"]
    return ranked.sort_values(by, ignore_index=True)


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
    """Return how much of the states' additive leakage each explanation explains."""
    return explained_of(states, _leakage(states))


def explained_of(
    states: pd.DataFrame, leakage: Sequence[float | Fraction]
) -> pd.DataFrame:
    """Return how much of some leakage of the states each explanation explains."""
    rows = [
        dict(zip(_EACH, which, strict=True)) | row
        for which, part in states.assign(leakage=leakage).groupby(_EACH, sort=False)
        for row in _rows(part)
    ]
    return TABLES["explained"].frame(rows)


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
    wanted: tuple[str, ...], numbers: Mapping[str, StateQuantities | None]
) -> tuple[str, ...]:
    """Return the explanations that vary over the states, or all if too few do."""
    used = tuple(name for name in wanted if _varies(numbers[name]))
    return used if len(used) > 1 else wanted


def _varies(numbers: StateQuantities | None) -> bool:
    """Whether numbers differ, or may, as one is missing."""
    return numbers is None or len(set(numbers)) > 1


def _fit(
    explanations: list[StateQuantities | None], leakage: StateQuantities | None
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
