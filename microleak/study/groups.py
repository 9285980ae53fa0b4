"""What an adversary infers of groups of values, as a table, from block profiles."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd

from microleak.attacks.group_inference import GroupInference, group_inference
from microleak.columns import GROUPS
from microleak.progress import Advance, progress
from microleak.study.model import Collective
from microleak.study.profile_file import read_profiles
from microleak.study.subsets import Subset, names_of

_MEASURED = GROUPS[GROUPS.index("group") + 1 :]

Found = dict[tuple[str, Subset], GroupInference]
"""What is inferred in one panel, by the name of the group and the subset."""


def group_table(profiles: Sequence[Path], analysis: Collective) -> pd.DataFrame:
    """Return what is inferred of each group with each QID subset.

    Parameters
    ----------
    profiles
        Files of profiles, one for each of `analysis.prefixes`.
    analysis
        The analysis with all its auxiliary releases.

    Returns
    -------
    pandas.DataFrame
        The columns `GROUPS`, sorted by panel (no auxiliary release, the first of
        them, and so on), group, number of QIDs and the QIDs' order in the study
        file. Counts are exact, shares are one division of integers each, missing
        where no record is a member, but for `prior_prob`, which is then 0.
    """
    n_subsets = len(analysis.subsets) * len(profiles)
    with progress("measuring groups", n_subsets) as advance:
        rows = [
            row
            for part, path in zip(analysis.prefixes, profiles, strict=True)
            for row in _rows(part, _found(path, part, advance))
        ]
    return pd.DataFrame(rows, columns=[*GROUPS])


def _found(path: Path, analysis: Collective, advance: Advance) -> Found:
    """Infer in one panel; the profiles are read once, subset by subset."""
    found = {}
    for subset, profiles in read_profiles(path):
        if subset:
            for i, group in enumerate(analysis.groups, len(analysis.sensitive)):
                found[group.name, subset] = group_inference(profiles[i])
            advance(1)
    return found


def _rows(analysis: Collective, found: Found) -> Iterator[dict[str, Any]]:
    for group, subset in product(analysis.groups, analysis.subsets):
        names = names_of(subset, analysis.qids)
        yield {
            "analysis": analysis.name,
            "table": analysis.table,
            "focal": analysis.focal,
            "auxiliary": "|".join(analysis.auxiliary),
            "qids": "|".join(names),
            "n_qids": len(names),
            "group": group.name,
            **_measures(found[group.name, subset]),
        }


def _measures(outcome: GroupInference) -> dict[str, int | float | None]:
    exact = {name: getattr(outcome, name) for name in _MEASURED}
    return {
        name: float(value) if isinstance(value, Fraction) else value
        for name, value in exact.items()
    }
