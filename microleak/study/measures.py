"""Measures of an analysis as tidy tables, from its block profiles alone."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from microleak.attacks.attribute_inference import attribute_inference
from microleak.attacks.profile import BlockProfile, Vulnerability, identity_profile
from microleak.attacks.reidentification import reidentification
from microleak.attacks.success import (
    SuccessDistribution,
    success_bin,
    success_distribution,
)
from microleak.columns import COUNTS, PANEL, SHARES, WHICH
from microleak.study.model import Collective
from microleak.study.profile_file import Profiles, read_profiles
from microleak.study.subsets import Subset, names_of

CRITERIA = {"deterministic": "n_certain", "probabilistic": "n_modal"}
"""What makes a subset the worst of its size, and the exact count that tells."""


@dataclass(frozen=True)
class Attack:
    """One attack with one subset: re-identification if `sensitive` is empty."""

    subset: Subset
    sensitive: str
    profile: BlockProfile
    vulnerability: Vulnerability


def attacks(
    profiles: Mapping[Subset, Profiles], sensitive: Sequence[str]
) -> Iterator[Attack]:
    """Yield re-identification and then each attribute's inference, for each subset.

    `profiles` must have the empty subset, which is the prior.
    """
    for subset, by_sensitive in profiles.items():
        if not subset:
            continue
        first = by_sensitive[0]
        yield Attack(subset, "", identity_profile(first), reidentification(first))
        for i, name in enumerate(sensitive):
            outcome = attribute_inference(profiles[0][i], by_sensitive[i])
            yield Attack(subset, name, by_sensitive[i], outcome)


def measured(attack: Attack, qids: Sequence[str]) -> dict[str, Any]:
    """Return one row of the collective table, from `qids` on.

    Counts are exact; shares are one division of integers each.
    """
    names = names_of(attack.subset, qids)
    outcome = attack.vulnerability
    return {
        "qids": "|".join(names),
        "n_qids": len(names),
        "sensitive": attack.sensitive,
        **{count: getattr(outcome, count) for count in COUNTS},
        **{share: float(getattr(outcome, share)) for share in SHARES},
    }


@dataclass(frozen=True)
class Measures:
    """The tables of one analysis (docs/results.md describes their columns)."""

    collective: pd.DataFrame
    worst: pd.DataFrame
    success: pa.Table
    distribution: pd.DataFrame


def measure_analysis(profiles: Path, analysis: Collective) -> Measures:
    """Return all measures of a collective analysis.

    Rows are sorted by attack (CRS, then CAS by sensitive attribute), number of
    QIDs and the QIDs' order in the study file.
    """
    place = {subset: i for i, subset in enumerate(analysis.subsets)}
    order = {"": 0} | {name: i + 1 for i, name in enumerate(analysis.sensitive)}
    found = [
        (
            (order[attack.sensitive], place[attack.subset]),
            _panel(analysis, attack) | measured(attack, analysis.qids),
            success_distribution(attack.profile),
        )
        for attack in _attacks_of_file(profiles, analysis)
    ]
    found.sort(key=itemgetter(0))
    collective = pd.DataFrame([row for _, row, _ in found])
    worst = worst_subsets(collective)
    success = _success([exact for _, _, exact in found], collective)
    return Measures(collective, worst, success, _distribution(success, worst))


def _attacks_of_file(path: Path, analysis: Collective) -> Iterator[Attack]:
    prior: Profiles = {}
    for subset, by_sensitive in read_profiles(path):
        prior = prior or by_sensitive
        yield from attacks({0: prior, subset: by_sensitive}, analysis.sensitive)


def _panel(analysis: Collective, attack: Attack) -> dict[str, Any]:
    kind = "CAS" if attack.sensitive else "CRS"
    return dict(
        zip(
            PANEL,
            (kind, analysis.name, analysis.table, analysis.focal, ""),
            strict=True,
        )
    )


def _success(
    exact: Sequence[SuccessDistribution], collective: pd.DataFrame
) -> pa.Table:
    """Return the records at each exact success, for every row of the measures."""
    row = np.repeat(np.arange(len(exact)), [len(part.n_records) for part in exact])
    columns = {}
    for name in WHICH:
        codes, values = pd.factorize(collective[name])
        columns[name] = pa.DictionaryArray.from_arrays(
            pa.array(codes[row].astype(np.int32)), pa.array(values)
        )
    columns["numerator"] = np.concatenate([part.numerator for part in exact])
    columns["denominator"] = np.concatenate([part.denominator for part in exact])
    columns["bin"] = success_bin(columns["numerator"], columns["denominator"])
    columns["n_records"] = np.concatenate([part.n_records for part in exact])
    return pa.table(columns)


def _distribution(success: pa.Table, worst: pd.DataFrame) -> pd.DataFrame:
    """Return the records in each bin of success, for the worst subsets."""
    shown = pc.is_in(success["qids"].cast("str"), pa.array(worst["qids"].unique()))
    rows = success.filter(shown).to_pandas()
    rows = rows.merge(worst[[*WHICH]].drop_duplicates(), on=[*WHICH])
    binned = rows.groupby([*WHICH, "bin"], sort=False, observed=True)["n_records"]
    return binned.sum().reset_index()


def worst_subsets(collective: pd.DataFrame) -> pd.DataFrame:
    """Return the subset of each size with the highest posterior, by criterion.

    Compared by exact counts; among equals the first in the study file's order.
    """
    groups = ["attack", "auxiliary", "sensitive", "n_qids"]
    parts = []
    for criterion, count in CRITERIA.items():
        first = collective.groupby(groups, sort=False)[count].idxmax()
        part = collective.loc[first]
        part.insert(0, "criterion", criterion)
        parts.append(part)
    both = pd.concat(parts)
    return both.sort_index(kind="stable").reset_index(drop=True)
