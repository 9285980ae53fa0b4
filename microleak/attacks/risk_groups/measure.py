"""Who is at risk, from one record a person to the table of groups."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pandas as pd

from microleak.attacks.risk_groups.analysis import RiskGroups
from microleak.attacks.risk_groups.definitions.group_risk import (
    GroupRisk,
    risk_ratio,
)
from microleak.attacks.risk_groups.groups import EntryGroups, groups_of
from microleak.attacks.risk_groups.kernels import Members, crossed
from microleak.base.arrays import QidMask
from microleak.base.errors import TableError
from microleak.base.machine import Resources
from microleak.base.progress import progress
from microleak.definitions.exact import kind_sums, sum_of_ratios
from microleak.kernels.tally import HITS, ONE_VALUE, SIZE
from microleak.records.chunks import Given
from microleak.records.coding import Classes, Wanted, coded_with
from microleak.records.memory import Memory, counted_values, full_disk_said
from microleak.records.subsets import names_of
from microleak.tables.spec import tables_of

TABLES = tables_of("microleak.attacks.risk_groups")

GroupRisks = list[dict[str, Any]]
"""What is measured of each group, by its number."""

MOST_ROWS = 5_000_000


def risk_table(
    people: Given, analysis: RiskGroups, resources: Resources
) -> pd.DataFrame:
    """Return the risk of each group with each QID subset, as the table `risk_groups`.

    Rows are in the order of `by`, of its groups (that of a missing value first, then as
    texts or by size), of the attacks (re-identification first) and of the subsets.
    """
    memory = Memory(resources, f"analysis {analysis.name!r}")
    (need,) = analysis.needs
    *_, names = need
    rows: list[dict[str, Any]] = []
    with full_disk_said(memory.where, resources.scratch):
        chunks, memory = memory.chunks(people, len(names))
        known = counted_values(chunks, names, memory)
        of_names = zip(analysis.by, analysis.grouped, strict=True)
        groups = [groups_of(each, known[a], memory.where) for each, a in of_names]
        subsets = np.array([0, *sorted(analysis.subsets)], dtype=np.int64)
        n_groups = sum(len(each.names) for each in groups)
        n_rows = n_groups * len(analysis.subsets) * (1 + len(analysis.sensitive))
        if n_rows > MOST_ROWS:
            raise TableError(
                f"{memory.where}: {n_groups} groups with {len(analysis.subsets):,} "
                f"subsets are {n_rows:,} rows, more than {MOST_ROWS:,}. Use fewer "
                "subsets, or fewer or coarser attributes in by."
            )
        n_steps = len(subsets) * len(groups)
        with progress("walking subsets", chunks.n_rows * n_steps) as advance:
            for each in groups:
                marked = Classes(each.attribute, each.number_of, 0, len(each.names))
                wanted: list[Wanted] = [*analysis.sensitive, marked]
                records = coded_with(chunks, known, analysis.qids, wanted)
                counts = records.sensitive[-1].counts.tolist()
                found = crossed(records, subsets, memory.work(records, advance))
                by_subset = dict(_risks(found, counts, len(analysis.sensitive)))
                rows += _rows(each, by_subset, analysis)
    return TABLES["risk_groups"].frame(rows)


def _risks(
    found: Iterator[tuple[QidMask, Members]], counts: Sequence[int], n_inferred: int
) -> Iterator[tuple[QidMask, list[GroupRisks]]]:
    """Yield what is measured of each attack and group with each subset.

    The first subset found is the empty one, which is the prior.
    """
    _, before = next(found)
    prior = [_right(before, attack, len(counts)) for attack in range(n_inferred + 1)]
    for subset, members in found:
        risks = []
        for attack in range(n_inferred + 1):
            certain = _certain(members, attack, len(counts))
            right = _right(members, attack, len(counts))
            each = zip(counts, certain, prior[attack], right, strict=True)
            groups = [GroupRisk(*of_group) for of_group in each]
            whole = reduce(add, groups)
            risks.append([_measures(group, whole) for group in groups])
        yield subset, risks


def _certain(members: Members, attack: int, n_groups: int) -> list[int]:
    """Return how many members the adversary is certain of; attack 0 finds them."""
    what, sensitive, group, number, n_members = members
    if attack:
        is_certain = (what == ONE_VALUE) & (sensitive == attack - 1)
    else:
        is_certain = (what == SIZE) & (number == 1)
    found: list[int] = kind_sums(
        group[is_certain], n_members[is_certain], n_groups
    ).tolist()
    return found


def _right(members: Members, attack: int, n_groups: int) -> list[Fraction]:
    """Return how many members the best guess is expected to be right about."""
    what, sensitive, group, number, n_members = members
    is_hit = (what == HITS) & (sensitive == attack - 1)
    is_told = is_hit if attack else what == SIZE
    return [
        sum_of_ratios(n_members[is_of], number[is_of])
        for is_of in (is_told & (group == each) for each in range(n_groups))
    ]


def _rows(
    groups: EntryGroups,
    risks: Mapping[QidMask, Sequence[GroupRisks]],
    analysis: RiskGroups,
) -> Iterator[dict[str, Any]]:
    attacks = ["", *analysis.sensitive]
    for number, name in enumerate(groups.names):
        for attack, sensitive in enumerate(attacks):
            for subset in analysis.subsets:
                names = names_of(subset, analysis.qids)
                yield {
                    "analysis": analysis.name,
                    "table": analysis.table,
                    "focal": analysis.focal,
                    "by": groups.by,
                    "attribute": groups.attribute,
                    "kind": groups.kind,
                    "value": name,
                    "is_missing": str(name is None).lower(),
                    "qids": "|".join(names),
                    "n_qids": len(names),
                    "sensitive": sensitive,
                    **risks[subset][attack][number],
                }


def _measures(own: GroupRisk, whole: GroupRisk) -> dict[str, Any]:
    others = whole - own if own.n_members < whole.n_members else None
    ratios: dict[str, Fraction | None] = {"det": None, "prob": None}
    if others:
        ratios["det"] = risk_ratio(own.posterior_det, others.posterior_det)
        ratios["prob"] = risk_ratio(own.posterior_prob, others.posterior_prob)
    return {
        "n_records": whole.n_members,
        "n_members": own.n_members,
        "n_certain": own.n_certain,
        "n_certain_of_all": whole.n_certain,
        "posterior_det": float(own.posterior_det),
        "prior_prob": float(own.prior_prob),
        "posterior_prob": float(own.posterior_prob),
        "additive_leakage": float(own.additive_leakage),
        "posterior_prob_of_all": float(whole.posterior_prob),
        **{
            f"risk_ratio_{kind}": None if ratio is None else float(ratio)
            for kind, ratio in ratios.items()
        },
    }
