"""States side by side: their worst leakage, and what may explain it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from microleak.columns import STATES
from microleak.sources.made import rows_where
from microleak.study.series import StateAnalysis

HIGH = (9, 10)
"""A success above this fraction counts as high (Gonze, section 4.3)."""


@dataclass(frozen=True)
class Found:
    """What one analysis found.

    Attributes
    ----------
    worst, entropy
        Its tables `measures/worst` and `measures/entropy`.
    success
        The file of its exact success (`microleak.study.success_file`).
    """

    worst: pd.DataFrame
    success: Path
    entropy: pd.DataFrame


def states(found: Iterable[Found], analyses: Sequence[StateAnalysis]) -> pd.DataFrame:
    """Return the worst subset of each number of QIDs for each state and year.

    Parameters
    ----------
    found
        Of each analysis whose focal release is of a state, in the order of the
        study file. Only what is inferred from the focal release alone counts.
    analyses
        What these are compared as and attack (`microleak.study.series`). Of
        several that are compared as one and attack one release, the first counts.

    Returns
    -------
    pandas.DataFrame
        The columns `STATES`, `analysis` being what they are compared as; no rows
        if nothing is inferred. The worst subset has the highest probabilistic
        posterior. Sorted by analysis, year (as text), sensitive attribute, number
        of QIDs and release, all but the year and the number as the study file has
        them. Shares are one division of integers each.
    """
    parts = [_worst(one) for one in found]
    if not parts:
        return pd.DataFrame(columns=[*STATES])
    columns = ["part", "analysis", "table", "release", "state", "year"]
    places = pd.DataFrame(analyses, columns=columns)
    places["place"] = range(len(places))
    rows = pd.concat(parts).merge(places[~places.duplicated(["analysis", "release"])])
    return _sorted(rows)[[*STATES]]


def _worst(found: Found) -> pd.DataFrame:
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
