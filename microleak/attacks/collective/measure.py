"""Measures of an analysis as tidy tables, from its block profiles alone."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from microleak.attacks.collective.analysis import Collective
from microleak.attacks.collective.definitions.attribute_inference import (
    attribute_inference,
    prior_prob,
)
from microleak.attacks.collective.definitions.group_inference import (
    GroupInference,
    group_inference,
    n_certain,
    n_members,
)
from microleak.attacks.collective.definitions.leave_one_out import (
    SuccessBySubset,
    coarser,
    posterior_loo,
    success_of_others,
)
from microleak.attacks.collective.definitions.reidentification import reidentification
from microleak.base.arrays import QidMask
from microleak.base.progress import progress
from microleak.definitions.exact import kind_sums
from microleak.definitions.profile import (
    CRITERIA,
    SUCCESSES,
    BlockProfile,
    SuccessDistribution,
    Vulnerability,
    identity_profile,
    success_bin,
    success_distribution,
)
from microleak.kernels.spilled_rows import joined_rows
from microleak.records.profile_file import (
    Profiles,
    profiled_most_frequent,
    profiled_values,
    read_profiles,
)
from microleak.records.subsets import names_of
from microleak.sources.steps.scratch import Scratch
from microleak.tables.files import check_parquet
from microleak.tables.parquet import row_groups_of, write_parquet
from microleak.tables.rows import as_table
from microleak.tables.spec import ARROW, tables_of

TABLES = tables_of("microleak.attacks.collective")
_WHICH = TABLES["collective"].saying("none")
"""Columns that say which attack with which QIDs a row measures."""

_RARER = ("n_rarer", "n_certain_rarer")
_COUNTS = [c for c in TABLES["collective"].saying("count") if c not in _RARER]
_LEFT_OUT = ("posterior_loo", "own_record")
_SHARES = [s for s in TABLES["collective"].saying("share") if s not in _LEFT_OUT]
_TEXT = pa.dictionary(pa.int32(), pa.string())

SCHEMA = pa.schema(
    [
        (c.name, ARROW[c.type] if c.is_number else _TEXT)
        for c in TABLES["success"].columns
    ]
)

BYTES_HELD = 1 << 26
"""Parts that wait use so much memory, and then a temporary file."""


class Waiting:
    """Distributions of success that wait for their turn, by a number of their own."""

    # Profiles come by bit mask, measures are sorted by attack: so neither the number of
    # subsets nor that of records needs memory.

    def __init__(self, folder: Path, n_records: int) -> None:
        types = [np.min_scalar_type(n_records)] * 3
        self._shelf = Scratch(folder, BYTES_HELD).shelf(types)

    def put(self, number: int, part: SuccessDistribution) -> None:
        """Add a distribution, whose number nothing that waits has."""
        columns = (part.numerator, part.denominator, part.n_records)
        kinds = self._shelf.types
        rows = [c.astype(kind) for c, kind in zip(columns, kinds, strict=True)]
        self._shelf.put(number, rows)

    def take(self, number: int) -> SuccessDistribution:
        """Return a distribution, which waits no more."""
        rows = joined_rows(self._shelf.pieces(number), self._shelf.types)
        return SuccessDistribution(*(column.astype(np.int64) for column in rows))


def _tables(
    collective: pd.DataFrame, parts: Iterable[SuccessDistribution]
) -> Iterator[pa.Table]:
    first = 0
    with progress("writing success", len(collective)) as advance:
        for group in row_groups_of(parts, lambda part: len(part.n_records)):
            yield _table(collective.iloc[first : first + len(group)], group)
            first += len(group)
            advance(len(group))


def _table(which: pd.DataFrame, parts: Sequence[SuccessDistribution]) -> pa.Table:
    """Return the rows of some parts; `which` has a row for each of them."""
    lengths = [len(part.n_records) for part in parts]
    numerator = np.concatenate([part.numerator for part in parts])
    denominator = np.concatenate([part.denominator for part in parts])
    columns = {name: _repeated(which[name], lengths) for name in _WHICH}
    columns["numerator"] = pa.array(numerator)
    columns["denominator"] = pa.array(denominator)
    columns["bin"] = pa.array(success_bin(numerator, denominator))
    columns["n_records"] = pa.array(np.concatenate([p.n_records for p in parts]))
    return pa.table(columns, schema=SCHEMA)


def _repeated(column: pd.Series, lengths: Sequence[int]) -> pa.Array:
    """Repeat each value of a column so many times, a text without copies."""
    kind = SCHEMA.field(column.name).type
    if not pa.types.is_dictionary(kind):
        return pa.array(np.repeat(column.to_numpy(), lengths), kind)
    codes, values = pd.factorize(column)
    indices = pa.array(np.repeat(codes, lengths), kind.index_type)
    return pa.DictionaryArray.from_arrays(indices, pa.array(values, kind.value_type))


@dataclass(frozen=True)
class Attack:
    """One attack with one subset: re-identification if `sensitive` is empty."""

    subset: QidMask
    sensitive: str
    profile: BlockProfile
    vulnerability: Vulnerability


def attacks(
    profiles: Mapping[QidMask, Profiles], sensitive: Sequence[str]
) -> Iterator[Attack]:
    """Yield the attacks with each subset; `profiles` have the empty one, the prior."""
    for subset, by_sensitive in profiles.items():
        if not subset:
            continue
        first = by_sensitive[0]
        yield Attack(subset, "", identity_profile(first), reidentification(first))
        for i, name in enumerate(sensitive):
            outcome = attribute_inference(profiles[0][i], by_sensitive[i])
            yield Attack(subset, name, by_sensitive[i], outcome)


def measured(attack: Attack, qids: Sequence[str]) -> dict[str, Any]:
    """Return a row of the collective table, from `qids` to what leaves one out."""
    # Counts are exact; shares are one division of integers each.
    names = names_of(attack.subset, qids)
    outcome = attack.vulnerability
    return {
        "qids": "|".join(names),
        "n_qids": len(names),
        "sensitive": attack.sensitive,
        **{count: getattr(outcome, count) for count in _COUNTS},
        **{share: float(getattr(outcome, share)) for share in _SHARES},
    }


@dataclass(frozen=True)
class CollectiveTables:
    """The tables of one analysis (docs/results.md describes their columns)."""

    collective: pd.DataFrame
    worst: pd.DataFrame
    distribution: pd.DataFrame


def measure_analysis(
    profiles: Sequence[Path], analysis: Collective, is_synthetic: bool, success: Path
) -> CollectiveTables:
    """Return the measures of a collective analysis, and write the exact success.

    Rows are sorted by panel (no auxiliary release, the first of them, and so on),
    attack (CRS or CRL, then CAS or CAL by sensitive attribute), number of QIDs and
    the QIDs' order in the study file.
    """
    success.parent.mkdir(parents=True, exist_ok=True)
    _, prior = next(read_profiles(profiles[0]))
    waiting = Waiting(success.parent, prior[0].n_records)
    others = Others(analysis, profiles[0])
    found = _attacks(profiles, analysis, others)
    collective = _collective(found, analysis, waiting)
    collective = collective.assign(**others.columns(collective))
    worst = worst_subsets(collective)
    shown = {row: waiting.take(row) for row in worst.index.unique()}
    parts = (
        shown[row] if row in shown else waiting.take(row) for row in collective.index
    )
    write_parquet(success, SCHEMA, _tables(collective, parts), is_synthetic)
    check_parquet(success, TABLES["success"], is_new=True)
    return CollectiveTables(collective, worst, _distribution(collective, shown))


@dataclass
class MarkedValues:
    """Where profiles of single values of an attribute stand."""

    others: list[int]  # Of values that are not the most frequent one, nor missing
    missing: list[int]  # Of a missing one, if that is not the most frequent
    modal: list[int]  # Of the most frequent one; none where `others` has all others

    def of_modal(
        self, whole: int, profiles: Profiles, count: Callable[[BlockProfile], int]
    ) -> int:
        if self.modal:
            return sum(count(profiles[at]) for at in self.modal)
        return whole - sum(count(profiles[at]) for at in (*self.others, *self.missing))

    def of_rarer(
        self, whole: int, profiles: Profiles, count: Callable[[BlockProfile], int]
    ) -> int:
        """Count what has a known value that is not the most frequent one."""
        n_missing = sum(count(profiles[at]) for at in self.missing)
        return whole - self.of_modal(whole, profiles, count) - n_missing


def marked_values(analysis: Collective, profiles: Path) -> dict[str, MarkedValues]:
    """Return where the profiles of single values stand, by sensitive attribute."""
    found = {name: MarkedValues([], [], []) for name in analysis.sensitive}
    values, modal = profiled_values(profiles), profiled_most_frequent(profiles)
    first = len(analysis.sensitive) + len(analysis.groups)
    for at, value in enumerate(values, first):
        marked = found[value.attribute]
        (marked.missing if value.text is None else marked.others).append(at)
    for at, name in enumerate(modal, first + len(values)):
        found[name].modal.append(at)
    return found


def rarer(
    attack: Attack, profiles: Profiles, marked: MarkedValues | None
) -> dict[str, int]:
    """Return how many have a rarer value, and of how many of them it is certain."""
    if marked is None:
        return {}
    n_records, certain = attack.profile.n_records, attack.vulnerability.n_certain
    return {
        "n_rarer": marked.of_rarer(n_records, profiles, n_members),
        "n_certain_rarer": marked.of_rarer(certain, profiles, n_certain),
    }


def _n_alone(profile: BlockProfile) -> int:
    """Members that are alone in their block."""
    is_alone = (profile.block_size == 1) & (profile.modal_count == 1)
    return int(profile.n_blocks[is_alone].sum())


class Others:
    """What is inferred of a target from the other records (`leave_one_out`)."""

    def __init__(self, analysis: Collective, profiles: Path) -> None:
        self._analysis = analysis
        self.marked = marked_values(analysis, profiles)
        self._found: list[dict[str, dict[QidMask, Fraction]]] = []

    def add_panel(self, prior: Profiles) -> None:
        """Begin with the next panel, which has an auxiliary release more."""
        names = enumerate(self._analysis.sensitive)
        self._found.append({name: {0: prior_prob(prior[i])} for i, name in names})

    def add(self, subset: QidMask, prior: Profiles, profiles: Profiles) -> None:
        """Add the profiles of a subset in the last panel."""
        for i, (name, marked) in enumerate(self.marked.items()):
            n_modal = marked.of_modal(profiles[i].n_alone, profiles, _n_alone)
            success = success_of_others(prior[i], profiles[i], n_modal)
            self._found[-1][name][subset] = success

    def columns(self, collective: pd.DataFrame) -> dict[str, list[float]]:
        """Return the columns of all rows of the collective table, in their order."""
        names = ("", *self._analysis.sensitive)
        posterior = map(Fraction, collective["n_modal"], collective["n_records"])
        loo = [
            best[subset] if name else Fraction(0)
            for panel in self._best()
            for name, best in zip(names, ({}, *panel), strict=True)
            for subset in self._analysis.subsets
        ]
        own = [float(p - less) for p, less in zip(posterior, loo, strict=True)]
        return dict(zip(_LEFT_OUT, ([float(share) for share in loo], own), strict=True))

    def _best(self) -> Iterator[list[SuccessBySubset]]:
        """Yield what is best for each sensitive attribute, panel by panel."""
        fewer = coarser([0, *self._analysis.subsets])
        best: list[SuccessBySubset] = [{} for _ in self._analysis.sensitive]
        for panel in self._found:
            pairs = zip(panel.values(), best, strict=True)
            best = [posterior_loo(found, fewer, earlier) for found, earlier in pairs]
            yield best


def _attacks(
    profiles: Sequence[Path], analysis: Collective, others: Others
) -> Iterator[tuple[Collective, Attack, dict[str, int]]]:
    """Yield every attack, with its panel; add what others' records tell to `others`.

    With each is of how many people with a rarer value the adversary is certain.
    """
    n_subsets = len(analysis.subsets) * len(profiles)
    with progress("measuring subsets", n_subsets) as advance:
        for part, path in zip(analysis.prefixes, profiles, strict=True):
            subsets = read_profiles(path)
            _, prior = next(subsets)
            others.add_panel(prior)
            for subset, by_sensitive in subsets:
                others.add(subset, prior, by_sensitive)
                both = {0: prior, subset: by_sensitive}
                for attack in attacks(both, analysis.sensitive):
                    marked = others.marked.get(attack.sensitive)
                    yield part, attack, rarer(attack, by_sensitive, marked)
                advance(1)


def _collective(
    attacked: Iterable[tuple[Collective, Attack, dict[str, int]]],
    analysis: Collective,
    waiting: Waiting,
) -> pd.DataFrame:
    """Return the collective table; distributions wait by the number of their row."""
    panels = [part.panel for part in analysis.prefixes]
    keys = product(panels, ("", *analysis.sensitive), analysis.subsets)
    place = {key: row for row, key in enumerate(keys)}
    rows = {}
    for part, attack, of_rarer in attacked:
        row = place[part.panel, attack.sensitive, attack.subset]
        told = measured(attack, analysis.qids) | of_rarer
        rows[row] = _which(part, attack) | told
        waiting.put(row, success_distribution(attack.profile))
    names = TABLES["collective"].names
    found = pd.DataFrame([rows[row] for row in range(len(place))], columns=names)
    return found.astype(dict.fromkeys(_RARER, "Int64"))


def _which(analysis: Collective, attack: Attack) -> dict[str, Any]:
    target = "A" if attack.sensitive else "R"
    releases = "L" if analysis.auxiliary else "S"
    return {"attack": f"C{target}{releases}", **_panel(analysis)}


def _panel(analysis: Collective) -> dict[str, str]:
    return {
        "analysis": analysis.name,
        "table": analysis.table,
        "focal": analysis.focal,
        "auxiliary": "|".join(analysis.auxiliary),
    }


def worst_subsets(collective: pd.DataFrame) -> pd.DataFrame:
    """Return the subset of each size with the highest posterior, by criterion."""
    # By exact counts; among equals the first in the study file's order. Rows keep their
    # index, so that one that is the worst by both has it twice.
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
        n_records = kind_sums(place, exact.n_records, len(bins))
        which = collective.loc[np.repeat(row, len(bins)), _WHICH]
        parts.append(which.assign(bin=bins, n_records=n_records))
    return pd.concat(parts, ignore_index=True)


_GROUPS = TABLES["groups"].names
_MEASURED = _GROUPS[_GROUPS.index("group") + 1 :]

GroupMembers = Mapping[int, Mapping[str, Any]]
"""Columns that name the members of each position among the profiles."""


def group_table(profiles: Sequence[Path], analysis: Collective) -> pd.DataFrame:
    first = len(analysis.sensitive)
    named = {i: {"group": g.name} for i, g in enumerate(analysis.groups, first)}
    return as_table(TABLES["groups"], _rows(profiles, analysis, named))


def value_table(profiles: Sequence[Path], analysis: Collective) -> pd.DataFrame:
    """Return what is inferred of each value but the most frequent, of few ones."""
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
    return as_table(TABLES["values"], _rows(profiles, analysis, named))


def _rows(
    profiles: Sequence[Path], analysis: Collective, named: GroupMembers
) -> Iterator[dict[str, Any]]:
    """Yield the rows of every panel; its profiles are read once, subset by subset."""
    n_subsets = len(analysis.subsets) * len(profiles) if named else 0
    with progress("measuring groups", n_subsets) as advance:
        for part, path in zip(analysis.prefixes, profiles, strict=True):
            found: dict[tuple[int, QidMask], GroupInference] = {}
            for subset, by_sensitive in read_profiles(path) if named else ():
                if subset:
                    of = {(i, subset): group_inference(by_sensitive[i]) for i in named}
                    found |= of
                    advance(1)
            for i, subset in product(named, analysis.subsets):
                names = names_of(subset, analysis.qids)
                yield {
                    **_panel(part),
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
