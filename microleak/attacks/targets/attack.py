"""Attacks on one target as tidy tables, from the records of its releases.

The tables say which attributes are known of the target, never their values.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from microleak.attacks.targets.analysis import Target
from microleak.base.errors import TableError
from microleak.base.progress import progress
from microleak.definitions.target import (
    TargetSuccess,
    Values,
    attribute_inference,
    narrowing,
    reidentification,
)
from microleak.records.chunks import Chunks, ParquetChunks
from microleak.records.record_filter import distinct
from microleak.tables.spec import tables_of

WHO = ("target", "table", "focal", "auxiliary", "known", "n_known")
COUNTS = ("n_records", "block_size", "n_modal", "n_distinct")
DETERMINISTIC = ("prior_det", "posterior_det", "degradation_det")
PROBABILISTIC = ("prior_prob", "posterior_prob", "degradation_prob")
MEANS = ("expected_success", "certain", "expected_block_size")
TABLES = tables_of("microleak.attacks.targets")

_COUNTED = pa.schema([("value", pa.string()), ("n", pa.int64())])


@dataclass(frozen=True)
class TargetTables:
    """The tables of one target (docs/results.md describes their columns)."""

    target: pd.DataFrame
    further: pd.DataFrame


def attack_target(releases: Sequence[Path], target: Target) -> TargetTables:
    """Attack one target: IRS and IAS, or IRL and IAL in a panel.

    Parameters
    ----------
    releases
        Parquet files of text columns: records of the focal release, one a person;
        then, for each auxiliary one, what it says of these persons, its attributes
        named `ATTRIBUTE|RELEASE`. They are read once, chunk by chunk, and only
        the columns that are needed; memory is that of a chunk and of the distinct
        values.
    target
        What is known is compared as text; a missing value is equal to itself.

    Returns
    -------
    TargetTables
        Success of re-identification and then of the inference of each sensitive
        attribute; and each further attribute by how much it would narrow the
        block, the best first and equal ones by name.

    Raises
    ------
    TableError
        If the files do not have the same rows, or have none.
    """
    return attack_chunks(ParquetChunks(releases), target)


def attack_chunks(chunks: Chunks, target: Target) -> TargetTables:
    """Attack one target in a table that has these columns, as `attack_target` does.

    Raises
    ------
    TableError
        If it has no records.
    """
    if not chunks.n_rows:
        raise TableError("The table has no records, so no attack has a success.")
    counts = _counted(chunks, target)
    further = sorted(_narrowings(counts, target), key=_best_first)
    return TargetTables(
        TABLES["target"].frame(_attacks(counts, target)),
        TABLES["further"].frame(further),
    )


class _Tally:
    """Records by value of a column that comes in parts; null is a value."""

    def __init__(self) -> None:
        self._counted = _COUNTED.empty_table()

    def add(self, column: pa.ChunkedArray) -> None:
        """Count a part of the column, which may have no rows."""
        found = column.value_counts()
        values = found.field("values").cast(pa.string())
        part = pa.table([values, found.field("counts")], schema=_COUNTED)
        both = pa.concat_tables([self._counted, part])
        # One thread: several would give the values in an order of their own.
        sums = both.group_by("value", use_threads=False).aggregate([("n", "sum")])
        self._counted = sums.rename_columns(_COUNTED.names)

    @property
    def counts(self) -> NDArray[np.int64]:
        """Records of each value."""
        counts: NDArray[np.int64] = self._counted["n"].to_numpy()
        return counts

    @property
    def values(self) -> Values:
        """How the values are spread over the records."""
        n_modal = int(self.counts.max(initial=0))
        return Values(int(self.counts.sum()), n_modal, len(self.counts))

    @property
    def most_frequent(self) -> list[str]:
        """The most frequent values as they are shown, sorted; none of no records."""
        is_modal = pc.equal(self._counted["n"], self.values.n_modal)
        modal = self._counted["value"].filter(is_modal)
        return sorted(map(distinct, modal.to_pylist()))


@dataclass(frozen=True)
class _Counts:
    """Records by the values of columns, in the table and in the target's block."""

    n_records: int
    block_size: int
    whole: Mapping[str, _Tally]
    block: Mapping[str, _Tally]


def _counted(chunks: Chunks, target: Target) -> _Counts:
    known, further = _known(target), _further(target)
    whole = {name: _Tally() for name in target.sensitive}
    block = {name: _Tally() for name in (*target.sensitive, *further)}
    block_size = 0
    with progress("counting matches", chunks.n_rows) as advance:
        for i in range(chunks.n_chunks):
            table = chunks.read(i, list(dict.fromkeys([*known, *whole])))
            _add(whole, table)
            is_match = _matches(table, known)
            if n_matches := pc.sum(is_match).as_py():
                _add(block, table.filter(is_match))
                if further:
                    _add(block, chunks.read(i, list(further)).filter(is_match))
            block_size += n_matches
            advance(len(table))
    return _Counts(chunks.n_rows, block_size, whole, block)


def _add(tallies: Mapping[str, _Tally], table: pa.Table) -> None:
    for name in table.column_names:
        if name in tallies:
            tallies[name].add(table[name])


def _matches(table: pa.Table, known: Mapping[str, str | None]) -> pa.ChunkedArray:
    """Say of each record whether it has all known values; null is equal to null."""
    each = (
        pc.is_in(table[name], value_set=pa.array([value], pa.string()))
        for name, value in known.items()
    )
    return reduce(pc.and_, each)


def _known(target: Target) -> dict[str, str | None]:
    """Return what is known by column, focal attributes as the target has them."""
    return {
        _column(target, release, attribute): value
        for release, values in target.known.items()
        for attribute, value in values.items()
    }


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


def _attacks(counts: _Counts, target: Target) -> Iterator[dict[str, Any]]:
    """Yield the rows of re-identification and of each sensitive attribute."""
    who = _who(target)
    kind = "L" if target.auxiliary else "S"
    found = reidentification(counts.n_records, counts.block_size)
    row = {"attack": f"IR{kind}", "sensitive": "", "most_likely": ""}
    yield who | row | _measured(found)
    for name in target.sensitive:
        block = counts.block[name]
        found = attribute_inference(counts.whole[name].values, block.values)
        most_likely = "|".join(block.most_frequent)
        row = {"attack": f"IA{kind}", "sensitive": name, "most_likely": most_likely}
        yield who | row | _measured(found)


def _who(target: Target) -> dict[str, Any]:
    known = [
        _shown(target, release, attribute)
        for release, values in target.known.items()
        for attribute in values
    ]
    place = (target.name, target.table, target.focal, "|".join(target.auxiliary))
    return dict(zip(WHO, (*place, "|".join(known), len(known)), strict=True))


def _measured(found: TargetSuccess) -> dict[str, Any]:
    """Return counts, claims as text and shares as one division each; None if none."""
    return {
        "outcome": found.outcome,
        **{name: getattr(found, name) for name in COUNTS},
        **{name: _claim(getattr(found, name)) for name in DETERMINISTIC},
        **{name: _share(getattr(found, name)) for name in PROBABILISTIC},
    }


def _claim(holds: bool | None) -> str:
    return "" if holds is None else str(holds).lower()


def _share(exact: Fraction | None) -> float | None:
    return None if exact is None else float(exact)


def _narrowings(counts: _Counts, target: Target) -> Iterator[dict[str, Any]]:
    for column, shown in _further(target).items():
        found = narrowing(counts.block[column].counts)
        yield {
            "target": target.name,
            "attribute": shown,
            "block_size": found.block_size,
            "n_distinct": found.n_distinct,
            **{name: _share(getattr(found, name)) for name in MEANS},
        }


def _best_first(row: Mapping[str, Any]) -> tuple[int, str]:
    """Order by expected success, exactly: all rows have the block's size below it."""
    return -row["n_distinct"], row["attribute"]
