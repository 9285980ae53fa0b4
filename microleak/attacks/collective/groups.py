"""What an adversary infers of groups of values, or of one, from block profiles."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd

from microleak.attacks.collective.analysis import Collective
from microleak.attacks.collective.definitions.group_inference import (
    GroupInference,
    group_inference,
)
from microleak.base.arrays import QidMask
from microleak.base.progress import Advance, progress
from microleak.records.profile_file import profiled_values, read_profiles
from microleak.records.subsets import names_of
from microleak.tables.spec import tables_of

TABLES = tables_of("microleak.attacks.collective")

_GROUPS = TABLES["groups"].names
_MEASURED = _GROUPS[_GROUPS.index("group") + 1 :]

GroupsInferred = dict[tuple[int, QidMask], GroupInference]
"""What is inferred in one panel, by the position among the profiles and the subset."""

GroupMembers = Mapping[int, Mapping[str, Any]]
"""Columns that name the members of each position among the profiles."""


def group_table(profiles: Sequence[Path], analysis: Collective) -> pd.DataFrame:
    """Return what is inferred of each group with each QID subset."""
    first = len(analysis.sensitive)
    named = {i: {"group": g.name} for i, g in enumerate(analysis.groups, first)}
    return TABLES["groups"].frame(_rows(profiles, analysis, named))


def value_table(profiles: Sequence[Path], analysis: Collective) -> pd.DataFrame:
    """Return what is inferred of each value but the most frequent, where they are few.

    As `group_table`, as the table `values`: the values are those of sensitive
    attributes that the profiles have, in their order.
    """
    first = len(analysis.sensitive) + len(analysis.groups)
    values = enumerate(profiled_values(profiles[0]), first)
    named = {
        i: {
            "sensitive": value.attribute,
            "value": value.text,
            "is_missing": str(value.text is None).lower(),
        }
        for i, value in values
    }
    return TABLES["values"].frame(_rows(profiles, analysis, named))


def _rows(
    profiles: Sequence[Path], analysis: Collective, named: GroupMembers
) -> Iterator[dict[str, Any]]:
    """Yield the rows of every panel; its profiles are read once, subset by subset."""
    n_subsets = len(analysis.subsets) * len(profiles) if named else 0
    with progress("measuring groups", n_subsets) as advance:
        for part, path in zip(analysis.prefixes, profiles, strict=True):
            found = _found(path, named, advance) if named else {}
            yield from _of_panel(part, found, named)


def _found(path: Path, named: GroupMembers, advance: Advance) -> GroupsInferred:
    found: dict[tuple[int, QidMask], GroupInference] = {}
    for subset, profiles in read_profiles(path):
        if subset:
            found |= {(i, subset): group_inference(profiles[i]) for i in named}
            advance(1)
    return found


def _of_panel(
    analysis: Collective, found: GroupsInferred, named: GroupMembers
) -> Iterator[dict[str, Any]]:
    for i, subset in product(named, analysis.subsets):
        names = names_of(subset, analysis.qids)
        yield {
            "analysis": analysis.name,
            "table": analysis.table,
            "focal": analysis.focal,
            "auxiliary": "|".join(analysis.auxiliary),
            "qids": "|".join(names),
            "n_qids": len(names),
            **named[i],
            **_measures(found[i, subset]),
        }


def _measures(outcome: GroupInference) -> dict[str, int | float | None]:
    exact = {name: getattr(outcome, name) for name in _MEASURED}
    return {
        name: float(value) if isinstance(value, Fraction) else value
        for name, value in exact.items()
    }
