"""Attacks on one target as tidy tables, from the records of its releases.

The tables say which attributes are known of the target, never their values.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from microleak.attacks.targets.section import Target
from microleak.base.arrays import Integers
from microleak.base.errors import TableError
from microleak.base.progress import progress
from microleak.definitions.target import (
    TargetSuccess,
    ValueSpread,
    attribute_inference,
    narrowing,
    reidentification,
)
from microleak.records.chunks import Chunks, ParquetChunks
from microleak.records.record_filter import distinct_text
from microleak.records.rough import Rough, Weighing
from microleak.tables.rows import as_table
from microleak.tables.spec import tables_of

WHO = ("target", "table", "focal", "auxiliary", "known", "n_known", "roughly")
COUNTS = ("n_records", "block_size", "n_modal", "n_distinct")
DETERMINISTIC = ("prior_det", "posterior_det", "degradation_det")
PROBABILISTIC = ("prior_prob", "posterior_prob", "degradation_prob")
MEANS = ("expected_success", "certain", "expected_block_size")
TABLES = tables_of("microleak.attacks.targets")
_NUMBERS = ("n", "weights", "largest")

_COUNTED = pa.schema(
    [("value", pa.string()), ("weight", pa.int64()), ("n", pa.int64())]
)


def attack_target(releases: Sequence[Path], target: Target) -> dict[str, pd.DataFrame]:
    """Attack one target: IRS and IAS, or IRL and IAL in a panel."""
    return attack_chunks(ParquetChunks(releases), target)


def attack_chunks(chunks: Chunks, target: Target) -> dict[str, pd.DataFrame]:
    """Attack one target in a table that has these columns, as `attack_target` does."""
    if not chunks.n_rows:
        raise TableError("The table has no records, so no attack has a success.")
    counts = _counted(chunks, target)
    return {
        "target": as_table(TABLES["target"], _attacks(counts, target)),
        "further": as_table(TABLES["further"], _narrowings(counts, target)),
    }


class _Tally:
    """Records by value and weight of a column that comes in parts; null is a value."""

    def __init__(self) -> None:
        self._counted = _COUNTED.empty_table()

    def add(self, column: pa.ChunkedArray, weight: int = 1) -> None:
        """Count a part of the column, which may have no rows, all of one weight."""
        found = column.value_counts()
        values = found.field("values").cast(pa.string())
        weights = pa.array(np.full(len(values), weight, dtype=np.int64))
        columns = [values, weights, found.field("counts")]
        both = pa.concat_tables([self._counted, pa.table(columns, schema=_COUNTED)])
        self._counted = _summed(
            both, ["value", "weight"], [("n", "sum")], _COUNTED.names
        )

    @cached_property
    def by_value(self) -> pa.Table:
        """Values, each with its records, their weight, and the largest of one."""
        weighed = pc.multiply(self._counted["n"], self._counted["weight"])
        return _summed(
            self._counted.append_column("weights", weighed),
            ["value"],
            [("n", "sum"), ("weights", "sum"), ("weight", "max")],
            ["value", *_NUMBERS],
        )

    def numbers(self, name: str) -> Integers:
        found: Integers = self.by_value[name].to_numpy()
        return found

    @property
    def values(self) -> ValueSpread:
        counts, weights = self.numbers("n"), self.numbers("weights")
        heaviest = weights.max(initial=0)
        return ValueSpread(
            int(counts.sum()),
            int(counts[weights == heaviest].max(initial=0)),
            len(counts),
            Fraction(int(heaviest), int(weights.sum())) if len(counts) else None,
        )

    @property
    def most_likely(self) -> list[str]:
        """The values of most weight as they are shown, sorted; none of no records."""
        weights = self.by_value["weights"]
        is_modal = pc.equal(weights, pc.max(weights))
        return sorted(
            map(distinct_text, self.by_value["value"].filter(is_modal).to_pylist())
        )


def _summed(
    table: pa.Table,
    by: list[str],
    aggregates: list[tuple[str, str]],
    names: Sequence[str],
) -> pa.Table:
    """Group rows; one thread, as several would give them in an order of their own."""
    found = table.group_by(by, use_threads=False).aggregate(aggregates)
    return found.rename_columns(names)


@dataclass(frozen=True)
class _ValueCounts:
    """Records by the values of columns, in the table and in the target's block."""

    n_records: int
    by_weight: Mapping[int, int]
    whole: Mapping[str, _Tally]
    block: Mapping[str, _Tally]

    @property
    def block_size(self) -> int:
        """Records that the target may be."""
        return sum(self.by_weight.values())

    @property
    def largest_share(self) -> Fraction | None:
        """Largest share of one of them in all their weight."""
        if not self.by_weight:
            return None
        whole = sum(weight * n for weight, n in self.by_weight.items())
        return Fraction(max(self.by_weight), whole)


def _counted(chunks: Chunks, target: Target) -> _ValueCounts:
    (known, roughly), further = _known(target), _further(target)
    weigh = Weighing(known, roughly, chunks.n_rows, f"target {target.name!r}")
    whole = {name: _Tally() for name in target.sensitive}
    block = {name: _Tally() for name in (*target.sensitive, *further)}
    by_weight: Counter[int] = Counter()
    with progress("counting matches", chunks.n_rows) as advance:
        for i in range(chunks.n_chunks):
            table = chunks.read(i, list(dict.fromkeys([*known, *whole])))
            _add(whole, table, 1)
            weights = weigh.records(table)
            possible = np.unique(weights[weights > 0]).tolist()
            learned = chunks.read(i, list(further)) if possible and further else None
            for weight in possible:
                mask = pa.array(weights == weight)
                by_weight[weight] += mask.true_count
                _add(block, table.filter(mask), weight)
                if learned is not None:
                    _add(block, learned.filter(mask), weight)
            advance(len(table))
    return _ValueCounts(chunks.n_rows, by_weight, whole, block)


def _add(tallies: Mapping[str, _Tally], table: pa.Table, weight: int) -> None:
    for name in table.column_names:
        if name in tallies:
            tallies[name].add(table[name], weight)


def _known(target: Target) -> tuple[dict[str, str | None], dict[str, Rough]]:
    """Return what is known by column, and how, of what is not known exactly."""
    known: dict[str, str | None] = {}
    roughly: dict[str, Rough] = {}
    for release, values in target.known.items():
        for attribute, value in values.items():
            column = _column(target, release, attribute)
            known[column] = value
            if attribute in target.roughly:
                roughly[column] = target.roughly[attribute]
    return known, roughly


def _further(target: Target) -> dict[str, str]:
    """Return what may be learned next: columns, and how they are shown."""
    return {
        _column(target, release, attribute): _shown(target, release, attribute)
        for release in target.releases
        for attribute in target.further
        if attribute not in target.known.get(release, {})
    }


def _column(target: Target, release: str, attribute: str) -> str:
    return attribute if release == target.focal else f"{attribute}|{release}"


def _shown(target: Target, release: str, attribute: str) -> str:
    return attribute if release == target.focal else f"{release}.{attribute}"


def _attacks(counts: _ValueCounts, target: Target) -> Iterator[dict[str, Any]]:
    """Yield the rows of re-identification and of each sensitive attribute."""
    who = _who(target)
    kind = "L" if target.auxiliary else "S"
    found = reidentification(counts.n_records, counts.block_size, counts.largest_share)
    row = {"attack": f"IR{kind}", "sensitive": "", "most_likely": ""}
    yield who | row | _measured(found)
    for name in target.sensitive:
        block = counts.block[name]
        found = attribute_inference(counts.whole[name].values, block.values)
        most_likely = "|".join(block.most_likely)
        row = {"attack": f"IA{kind}", "sensitive": name, "most_likely": most_likely}
        yield who | row | _measured(found)


def _who(target: Target) -> dict[str, Any]:
    known = {
        _shown(target, release, attribute): attribute in target.roughly
        for release, values in target.known.items()
        for attribute in values
    }
    place = (target.name, target.table, target.focal, "|".join(target.auxiliary))
    roughly = "|".join(shown for shown, is_rough in known.items() if is_rough)
    values = (*place, "|".join(known), len(known), roughly)
    return dict(zip(WHO, values, strict=True))


def _measured(found: TargetSuccess) -> dict[str, Any]:
    """Return counts, claims as text and shares as one division each; None if none."""
    claims = {name: getattr(found, name) for name in DETERMINISTIC}
    return {
        "outcome": found.outcome,
        **{name: getattr(found, name) for name in COUNTS},
        **{n: str(x).lower() if x is not None else "" for n, x in claims.items()},
        **{name: _share(getattr(found, name)) for name in PROBABILISTIC},
    }


def _share(exact: Fraction | None) -> float | None:
    return None if exact is None else float(exact)


def _narrowings(counts: _ValueCounts, target: Target) -> Iterator[dict[str, Any]]:
    """Yield what each attribute would do, the best first and then by name."""
    further = _further(target)
    found = {
        shown: narrowing(*map(counts.block[column].numbers, _NUMBERS))
        for column, shown in further.items()
    }
    for shown in sorted(
        found, key=lambda each: (-(found[each].expected_success or 0), each)
    ):
        yield {
            "target": target.name,
            "attribute": shown,
            "block_size": found[shown].block_size,
            "n_distinct": found[shown].n_distinct,
            **{name: _share(getattr(found[shown], name)) for name in MEANS},
        }
