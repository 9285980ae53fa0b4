"""Measures of an analysis as tidy tables, from its block profiles alone."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from microleak.attacks.attribute_inference import attribute_inference
from microleak.attacks.profile import BlockProfile, Vulnerability, identity_profile
from microleak.attacks.reidentification import reidentification
from microleak.attacks.success import (
    SuccessDistribution,
    success_bin,
    success_distribution,
)
from microleak.columns import COUNTS, CRITERIA, SHARES, SUCCESSES, WHICH
from microleak.progress import progress
from microleak.study.model import Collective
from microleak.study.profile_file import Profiles, read_profiles
from microleak.study.subsets import Subset, names_of
from microleak.study.success_file import Waiting, write_success


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
    distribution: pd.DataFrame


def measure_analysis(
    profiles: Sequence[Path], analysis: Collective, is_synthetic: bool, success: Path
) -> Measures:
    """Return the measures of a collective analysis, and write the exact success.

    Rows are sorted by panel (no auxiliary release, the first of them, and so on),
    attack (CRS or CRL, then CAS or CAL by sensitive attribute), number of QIDs and
    the QIDs' order in the study file.

    Parameters
    ----------
    profiles
        Files of profiles, one for each of `analysis.prefixes`. They are read once,
        subset by subset; the first of each is the prior.
    analysis
        The analysis with all its auxiliary releases.
    is_synthetic
        Whether a twin made any of its data.
    success
        The file (`microleak.study.success_file`). What goes there, often a thousand
        times as much as the rest, waits for its turn in a temporary file beside it.
    """
    success.parent.mkdir(parents=True, exist_ok=True)
    _, prior = next(read_profiles(profiles[0]))
    waiting = Waiting(success.parent, prior[0].n_records)
    collective = _collective(_attacks(profiles, analysis), analysis, waiting)
    worst = worst_subsets(collective)
    shown = {row: waiting.take(row) for row in worst.index.unique()}
    parts = (
        shown[row] if row in shown else waiting.take(row) for row in collective.index
    )
    write_success(success, collective, parts, is_synthetic)
    return Measures(collective, worst, _distribution(collective, shown))


def _attacks(
    profiles: Sequence[Path], analysis: Collective
) -> Iterator[tuple[Collective, Attack]]:
    """Yield every attack, after the analysis with the auxiliary releases it uses."""
    n_subsets = len(analysis.subsets) * len(profiles)
    with progress("measuring subsets", n_subsets) as advance:
        for part, path in zip(analysis.prefixes, profiles, strict=True):
            subsets = read_profiles(path)
            _, prior = next(subsets)
            for subset, by_sensitive in subsets:
                both = {0: prior, subset: by_sensitive}
                for attack in attacks(both, analysis.sensitive):
                    yield part, attack
                advance(1)


def _collective(
    found: Iterable[tuple[Collective, Attack]], analysis: Collective, waiting: Waiting
) -> pd.DataFrame:
    """Return the collective table; distributions wait by the number of their row."""
    panels = [part.panel for part in analysis.prefixes]
    keys = product(panels, ("", *analysis.sensitive), analysis.subsets)
    place = {key: row for row, key in enumerate(keys)}
    rows = {}
    for part, attack in found:
        row = place[part.panel, attack.sensitive, attack.subset]
        rows[row] = _which(part, attack) | measured(attack, analysis.qids)
        waiting.put(row, success_distribution(attack.profile))
    return pd.DataFrame([rows[row] for row in range(len(place))])


def _which(analysis: Collective, attack: Attack) -> dict[str, Any]:
    target = "A" if attack.sensitive else "R"
    releases = "L" if analysis.auxiliary else "S"
    return {
        "attack": f"C{target}{releases}",
        "analysis": analysis.name,
        "table": analysis.table,
        "focal": analysis.focal,
        "auxiliary": "|".join(analysis.auxiliary),
    }


def worst_subsets(collective: pd.DataFrame) -> pd.DataFrame:
    """Return the subset of each size with the highest posterior, by criterion.

    Compared by exact counts; among equals the first in the study file's order.
    Rows keep their index, so that one that is the worst by both has it twice.
    """
    groups = ["attack", "auxiliary", "sensitive", "n_qids"]
    parts = []
    for criterion, name in CRITERIA.items():
        first = collective.groupby(groups, sort=False)[SUCCESSES[name]].idxmax()
        part = collective.loc[first]
        part.insert(0, "criterion", criterion)
        parts.append(part)
    return pd.concat(parts).sort_index(kind="stable")


def _distribution(
    collective: pd.DataFrame, shown: Mapping[int, SuccessDistribution]
) -> pd.DataFrame:
    """Return the records in each bin of success, for some rows of the measures."""
    parts = []
    for row, exact in shown.items():
        bins, place = np.unique(
            success_bin(exact.numerator, exact.denominator), return_inverse=True
        )
        n_records = np.zeros_like(bins)
        np.add.at(n_records, place, exact.n_records)
        which = collective.loc[np.repeat(row, len(bins)), [*WHICH]]
        parts.append(which.assign(bin=bins, n_records=n_records))
    return pd.concat(parts, ignore_index=True)
