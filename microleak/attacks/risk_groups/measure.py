"""Who is at risk, from one record a person to the table of groups."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from operator import add
from typing import Any

import numpy as np
import pandas as pd

from microleak.attacks.risk_groups.definitions import GroupRisk, risk_ratio
from microleak.attacks.risk_groups.section import Grouping, RiskGroups
from microleak.base.arrays import QidMask
from microleak.base.errors import TableError
from microleak.base.errors import count_of as in_number
from microleak.base.machine import Resources
from microleak.base.progress import progress
from microleak.definitions.exact import kind_sums, sum_of_ratios
from microleak.kernels.tally import HITS, ONE_VALUE, SIZE
from microleak.kernels.walk import Members, walk_crossed
from microleak.records.chunks import Given
from microleak.records.coding import (
    MOST_NAMED,
    Classes,
    Dictionary,
    Wanted,
    coded_with,
    missing_first,
    texts_of,
)
from microleak.records.memory import Memory, counted_values, full_disk_said
from microleak.records.subsets import names_of, which
from microleak.tables.rows import as_table
from microleak.tables.spec import tables_of

MOST_GROUPS = 100


@dataclass(frozen=True)
class EntryGroups:
    """Groups that one entry of `by` gives."""

    by: str  # The entry's name
    attribute: str  # Whose values are grouped
    kind: str
    names: Sequence[str | None]  # Of the groups, by their numbers
    # The group of each value, a missing one under None
    number_of: Mapping[str | None, int]


def groups_of(given: str | Grouping, known: Dictionary, where: str) -> EntryGroups:
    """Return the groups of an entry of `by` that have members, in their order."""
    # That of a missing value is the first; values and classes are sorted as texts,
    # sizes ascend.
    if isinstance(given, str):
        _check_few(len(known.values), f"{given} has", "values", where)
        names = sorted(texts_of(known.values), key=missing_first)
        number_of = {name: number for number, name in enumerate(names)}
        return EntryGroups(given, given, "value", names, number_of)
    if given.sizes is not None:
        return _by_size(given, given.sizes, known, where)
    return _by_class(given, given.class_of or {}, known, where)


def _by_size(
    given: Grouping, sizes: Sequence[int], known: Dictionary, where: str
) -> EntryGroups:
    ends = [0, *sizes]
    names = [
        None,
        *(f"{low}-{high - 1}" for low, high in pairwise(ends)),
        f"{ends[-1]}-",
    ]
    places = 1 + np.searchsorted(sizes, known.counts, side="right")
    places[known.values.is_null().to_numpy(zero_copy_only=False)] = 0
    used, numbers = np.unique(places, return_inverse=True)
    _check_few(len(used), f"{given.called} gives", "groups", where)
    number_of = dict(zip(texts_of(known.values), numbers.tolist(), strict=True))
    return EntryGroups(
        given.called, given.of, "size", [names[i] for i in used], number_of
    )


def _by_class(
    given: Grouping, class_of: Mapping[str, str], known: Dictionary, where: str
) -> EntryGroups:
    texts = texts_of(known.values)
    n_lacking = sum((text or "") not in class_of for text in texts)
    if n_lacking:
        is_missing = None in texts and "" not in class_of
        missing = ", a missing one among them," if is_missing else ""
        # Those that lack a class are the data's own; what the file has is the study's.
        unused = sorted({*class_of} - {"", *texts})
        named = ", ".join(map(repr, unused[:MOST_NAMED]))
        more = f" and {len(unused) - MOST_NAMED:,} more" * (len(unused) > MOST_NAMED)
        found = f" It has {named}{more}, which no record has." if unused else ""
        raise TableError(
            f"{where}: {in_number(n_lacking, 'value')} of {given.of}{missing} "
            f"{'has' if n_lacking == 1 else 'have'} no class in "
            f"{given.classes or 'classes'}, which needs a class of each value as it "
            f"is released, of a missing one under an empty text.{found} Correct it, or "
            "add what it lacks."
        )
    names = sorted({class_of[text or ""] for text in texts})
    _check_few(len(names), f"{given.called} gives", "groups", where)
    numbers = {name: number for number, name in enumerate(names)}
    number_of = {text: numbers[class_of[text or ""]] for text in texts}
    return EntryGroups(given.called, given.of, "class", names, number_of)


def _check_few(n: int, said: str, what: str, where: str) -> None:
    if n > MOST_GROUPS:
        raise TableError(
            f"{where}: {said} {n:,} {what}, more than the {MOST_GROUPS} groups that "
            "are compared. Remove it from by, or have a coarser attribute or grouping "
            "in its place."
        )


TABLES = tables_of("microleak.attacks.risk_groups")
GroupRisks = list[dict[str, Any]]  # What is measured of each group, by its number
MOST_ROWS = 5_000_000
_SHARES = ("posterior_det", "prior_prob", "posterior_prob", "additive_leakage")


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
                found = walk_crossed(records, subsets, memory.work(records, advance))
                by_subset = dict(_risks(found, counts, len(analysis.sensitive)))
                rows += _rows(each, by_subset, analysis)
    return as_table(TABLES["risk_groups"], rows)


def _risks(
    found: Iterator[tuple[QidMask, Members]], counts: Sequence[int], n_inferred: int
) -> Iterator[tuple[QidMask, list[GroupRisks]]]:
    """Yield what is measured of each attack and group with each subset."""
    # The first subset found is the empty one, which is the prior.
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
                yield {
                    **which(analysis, names_of(subset, analysis.qids)),
                    "by": groups.by,
                    "attribute": groups.attribute,
                    "kind": groups.kind,
                    "value": name,
                    "is_missing": str(name is None).lower(),
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
        **{name: float(getattr(own, name)) for name in _SHARES},
        "posterior_prob_of_all": float(whole.posterior_prob),
        **{
            f"risk_ratio_{kind}": None if ratio is None else float(ratio)
            for kind, ratio in ratios.items()
        },
    }
