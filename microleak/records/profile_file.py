"""Block profiles of an analysis as a file: written and read subset by subset.

`profiles/ANALYSIS/PANEL.parquet` has one row a kind of block, sorted by all columns:
`subset` (bit i is the i-th QID of the analysis), `sensitive` (position in the
analysis, its groups numbered after its sensitive attributes; or 0 for a stand-in
with one value if it has neither), `block_size`, `modal_count` (for a group or value,
the number of members), `n_distinct`, `n_blocks` and `n_choices` (`BlockProfile`). A row
group never cuts a subset. The file's metadata have the values of sensitive attributes
that are numbered after the groups, and the attributes whose most frequent value is
numbered after those. `profiles/ANALYSIS/PANEL/PART.parquet` is such a file with a part
of the blocks, without the subsets that it has no block of.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from heapq import merge
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from microleak.base.arrays import QidMask
from microleak.base.errors import TableError
from microleak.definitions.profile import BlockProfile
from microleak.kernels.tally import Histogram
from microleak.records.coding import SingleValue
from microleak.sources.steps.intermediate import parquet, schema_of
from microleak.tables.parquet import row_groups_of, write_parquet

SCHEMA = pa.schema(
    [
        ("subset", pa.int64()),
        ("sensitive", pa.int16()),
        ("block_size", pa.int64()),
        ("modal_count", pa.int64()),
        ("n_distinct", pa.int64()),
        ("n_blocks", pa.int64()),
        ("n_choices", pa.int64()),
    ]
)

Profiles = Mapping[int, BlockProfile]
"""The profile of one subset for each sensitive attribute, group or value, by position.
"""


def write_profiles(
    path: Path,
    histograms: Iterable[tuple[QidMask, Histogram]],
    is_synthetic: bool,
    values: Sequence[SingleValue] = (),
    most_frequent: Sequence[str] = (),
) -> None:
    told = {
        "values": json.dumps([[value.attribute, value.text] for value in values]),
        "most_frequent": json.dumps(most_frequent),
    }
    schema = SCHEMA.with_metadata(told)
    groups = row_groups_of(histograms, lambda found: len(found[1].n_blocks))
    tables = (
        pa.concat_tables(_table_of(*found) for found in group) for group in groups
    )
    write_parquet(path, schema, tables, is_synthetic)


def profiled_values(path: Path) -> list[SingleValue]:
    return [SingleValue(*value) for value in _told_in_metadata(path, "values")]


def profiled_most_frequent(path: Path) -> list[str]:
    """Return the attributes of whose most frequent value a file has profiles."""
    return _told_in_metadata(path, "most_frequent")


def _told_in_metadata(path: Path, key: str) -> list[Any]:
    told: list[Any] = json.loads(schema_of(path).metadata[key.encode()])
    return told


def _table_of(subset: QidMask, histogram: Histogram) -> pa.Table:
    columns = [
        np.full(len(histogram.n_blocks), subset, dtype=np.int64),
        histogram.sensitive.astype(np.int16),
        *_measured_columns(histogram),
    ]
    return pa.Table.from_arrays([pa.array(c) for c in columns], schema=SCHEMA)


def read_profiles(path: Path) -> Iterator[tuple[QidMask, Profiles]]:
    for subset, (sensitive, *columns) in _rows_by_subset(path):
        yield subset, _by_sensitive(sensitive, columns)


def _rows_by_subset(path: Path) -> Iterator[tuple[QidMask, list[np.ndarray]]]:
    with parquet(path) as file:
        for group in range(file.num_row_groups):
            subsets, *columns = (
                column.to_numpy() for column in file.read_row_group(group).columns
            )
            for lo, hi in _equal_runs(subsets):
                yield int(subsets[lo]), [column[lo:hi] for column in columns]


def add_profiles(
    parts: Sequence[Path],
    subsets: Collection[QidMask],
    n_attributes: int,
    is_synthetic: bool,
    out: Path,
) -> None:
    """Write the profiles of an analysis whose blocks were counted in several parts."""
    for part in parts:
        _check_told(part, parts[0])
    values, most_frequent = profiled_values(parts[0]), profiled_most_frequent(parts[0])
    n_sensitive = max(1, n_attributes + len(values) + len(most_frequent))
    wanted = set(subsets)
    checked = (_checked_rows(part, wanted, n_sensitive) for part in parts)
    rows = merge(*checked, key=itemgetter(0))
    found = (
        (subset, _added_histograms([columns for _, columns in same]))
        for subset, same in groupby(rows, key=itemgetter(0))
    )
    complete = _of_same_records(found, len(wanted), parts[0].parent)
    write_profiles(out, complete, is_synthetic, values, most_frequent)


_TOLD = {
    "values": "{} has profiles of other values of sensitive attributes than {}",
    "most_frequent": "{} has the most frequent value of other attributes than {}",
    "data": "{} says otherwise than {} whether its data are synthetic",
}
"""What is said of two parts whose metadata differ."""


def _check_told(part: Path, first: Path) -> None:
    told, expected = (schema_of(path).metadata or {} for path in (part, first))
    for key, said in _TOLD.items():
        if told.get(key.encode()) != expected.get(key.encode()):
            raise _refused_profile(said.format(part, first), "both")


def _refused_profile(said: str, deleted: str) -> TableError:
    return TableError(
        f"{said}: the files are not parts of one profile. Delete {deleted} and run "
        "microleak resume with the study file, which runs rule profile_part again."
    )


def _checked_rows(
    part: Path, subsets: Collection[QidMask], n_sensitive: int
) -> Iterator[tuple[QidMask, list[np.ndarray]]]:
    """Yield the rows of a part, of whose blocks each has all sensitive numbers."""
    for subset, columns in _rows_by_subset(part):
        sensitive, block_size, _, _, n_blocks, _ = columns
        numbers, first = np.unique(sensitive, return_index=True)
        n_records = np.add.reduceat(block_size * n_blocks, first)
        if subset not in subsets:
            said = "a subset of the QIDs that the analysis does not have"
        elif not np.array_equal(numbers, np.arange(n_sensitive)):
            said = "other sensitive attributes, groups or values than the analysis"
        elif (n_records != n_records[0]).any():
            said = "more records for one sensitive attribute or value than for another"
        else:
            yield subset, columns
            continue
        raise _refused_profile(f"{part} has {said}", "it")


def _added_histograms(parts: Sequence[Sequence[np.ndarray]]) -> Histogram:
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    sensitive, *kinds, n_blocks, choices = columns
    return Histogram.of_columns(sensitive.astype(np.int64), *kinds, choices, n_blocks)


def _of_same_records(
    found: Iterable[tuple[QidMask, Histogram]], n_subsets: int, folder: Path
) -> Iterator[tuple[QidMask, Histogram]]:
    """Yield what is given, if all has as many records as the first and none lacks."""
    n_records = None
    n_found = 0
    for subset, histogram in found:
        is_first = histogram.sensitive == 0
        n = int(histogram.block_size[is_first] @ histogram.n_blocks[is_first])
        n_records = n if n_records is None else n_records
        if n != n_records:
            raise _refused_profile(
                f"The parts in {folder} have {n_records:,} records for one subset of "
                f"the QIDs and {n:,} for another",
                f"the folder {folder}",
            )
        n_found += 1
        yield subset, histogram
    if n_found != n_subsets:
        raise _refused_profile(
            f"The parts in {folder} have {n_found:,} of the {n_subsets:,} subsets of "
            "the QIDs",
            f"the folder {folder}",
        )


def profiles_of(histogram: Histogram) -> Profiles:
    """Return a subset's profiles as they would be read from a file."""
    return _by_sensitive(histogram.sensitive, _measured_columns(histogram))


def _measured_columns(histogram: Histogram) -> list[np.ndarray]:
    return [
        histogram.block_size,
        histogram.modal_count,
        histogram.n_distinct,
        histogram.n_blocks,
        histogram.choices,
    ]


def _by_sensitive(
    sensitive: np.ndarray, columns: Sequence[np.ndarray]
) -> dict[int, BlockProfile]:
    return {
        int(sensitive[lo]): BlockProfile(*(column[lo:hi] for column in columns))
        for lo, hi in _equal_runs(sensitive)
    }


def _equal_runs(column: np.ndarray) -> Iterator[tuple[int, int]]:
    cuts = np.flatnonzero(np.diff(column)) + 1
    yield from zip([0, *cuts.tolist()], [*cuts.tolist(), len(column)], strict=True)
