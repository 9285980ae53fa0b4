"""Releases side by side: of states, successive ones, and protected ones."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from microleak.attacks.collective.definitions.entropy import (
    adjusted,
    correlation,
    r_squared,
)
from microleak.sources.steps.intermediate import rows_where
from microleak.tables.rows import as_table
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
        return as_table(TABLES["states"], [])
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
    """Return the number of records of high success for each row."""
    above, of = HIGH
    is_wanted = (
        (pc.field("auxiliary") == "")
        & pc.field("sensitive").isin(pa.array(rows["sensitive"], pa.string()))
        & pc.field("qids").isin(pa.array(rows["qids"], pa.string()))
        & (pc.field("numerator") * of > pc.field("denominator") * above)
    )
    names = ["sensitive", "qids", "n_records"]
    # Of the file, which has all subsets, only these rows' are held.
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
    rows = [
        dict(zip(_EACH, which, strict=True)) | row
        for which, part in states.groupby(_EACH, sort=False)
        for row in _rows(part)
    ]
    return as_table(TABLES["explained"], rows)


def _rows(states: pd.DataFrame) -> Iterator[dict[str, Any]]:
    names = (*OF_GONZE, *LEFT_OPEN)
    numbers = {name: [Fraction(x) for x in states[name].tolist()] for name in names}
    leakage = _leakage(states)
    varying = [name for name in names if len({*numbers[name]}) > 1]
    used = (tuple(n for n in wanted if n in varying) for wanted in EXPLANATIONS)
    # All of them if too few vary.
    pairs = zip(used, EXPLANATIONS, strict=True)
    for explained_by in dict.fromkeys(u if len(u) > 1 else every for u, every in pairs):
        known = [numbers[name] for name in explained_by]
        yield {
            "explained_by": "|".join(explained_by),
            "n_states": len(states),
            **_fit(known, leakage),
        }


def _fit(
    known: list[list[Fraction]], leakage: list[Fraction]
) -> Mapping[str, float | None]:
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


_SAME = ["table", "series", "attributes", "sensitive", "attack"]
"""What two attacks on different releases must have in common."""

_OF_RELEASE = ["focal", "qids", "n_records", "n_certain", "n_modal"]
_SHARES = ["posterior_det", "posterior_prob"]

Series = Mapping[str, Sequence[Sequence[str]]]
"""Lists of releases of each table; the releases of one list follow one another."""

Protections = Sequence[tuple[str, str, str]]
"""Table, the release that a protection is made of, and the protection."""


def compare(
    collective: Sequence[pd.DataFrame], series: Series, protections: Protections = ()
) -> pd.DataFrame:
    """Return what changed from one release of a table to the next, or by protections.

    Each attack on a focal release alone is compared with the same one, whatever the
    order of its QIDs, on the next release that has it: of the same state, where there
    are states. A protection is compared with the release that it is made of alone.
    """
    if not collective:
        return as_table(TABLES["comparison"], [])
    attacks = pd.concat([_single(measures) for measures in collective])
    pairs = _pairs(_placed(attacks, _lists(series, protections)))
    compared = pairs.assign(
        earlier=pairs["focal_earlier"],
        later=pairs["focal_later"],
        qids=pairs["qids_earlier"],
        difference_det=_difference(pairs, "n_certain"),
        difference_prob=_difference(pairs, "n_modal"),
    )
    return compared[TABLES["comparison"].names].reset_index(drop=True)


def _single(measures: pd.DataFrame) -> pd.DataFrame:
    """Return the attacks of an analysis on its focal release alone."""
    single = measures[measures["auxiliary"] == ""]
    unordered = single["qids"].map(lambda qids: "|".join(sorted(qids.split("|"))))
    return single.assign(attributes=unordered)


def _lists(series: Series, protections: Protections) -> Iterator[dict[str, object]]:
    """Yield what stands side by side, as the columns of `_placed`; lists in order."""
    every = [
        *(
            ("successive", table, each)
            for table, lists in series.items()
            for each in lists
        ),
        *(("protected", table, pair) for table, *pair in protections),
    ]
    for number, (kind, table, releases) in enumerate(every):
        for release in releases:
            yield {"table": table, "focal": release, "series": number, "kind": kind}


def _placed(attacks: pd.DataFrame, lists: Iterator[dict[str, object]]) -> pd.DataFrame:
    """Return each attack on a release of a list once, sorted; `place` is its place."""
    places = pd.DataFrame(lists, columns=["table", "focal", "series", "kind"])
    places["place"] = range(len(places))
    sensitive = {"": 0} | {
        name: number
        for number, name in enumerate(attacks["sensitive"].unique(), 1)
        if name
    }
    return (
        attacks.assign(subject=attacks["sensitive"].map(sensitive))
        .merge(places, on=["table", "focal"])
        .drop_duplicates([*_SAME, "place"])
        .sort_values(["place", "subject", "n_qids"], kind="stable")
    )


def _pairs(attacks: pd.DataFrame) -> pd.DataFrame:
    """Return each attack beside the same one on the next release that has it."""
    turn = attacks.groupby(_SAME, sort=False).cumcount()
    columns = [*_SAME, *_OF_RELEASE, *_SHARES, "place", "turn"]
    later = attacks.assign(turn=turn - 1)[columns]
    earlier = attacks.assign(turn=turn)[[*columns, "n_qids", "subject", "kind"]]
    pairs = earlier.merge(later, on=[*_SAME, "turn"], suffixes=("_earlier", "_later"))
    order = ["place_earlier", "place_later", "subject", "n_qids"]
    return pairs.sort_values(order, kind="stable")


def _difference(pairs: pd.DataFrame, count: str) -> list[float]:
    """Later minus earlier share of a count, of integers of any size divided once."""
    numbers = (
        pairs[f"{name}_{release}"].astype(object)
        for release in ("later", "earlier")
        for name in (count, "n_records")
    )
    return [
        (later * of_earlier - earlier * of_later) / (of_later * of_earlier)
        for later, of_later, earlier, of_earlier in zip(*numbers, strict=True)
    ]
