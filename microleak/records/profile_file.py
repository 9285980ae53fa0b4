"""Block profiles of an analysis as a file: written and read subset by subset.

`profiles/ANALYSIS/PANEL.parquet` has one row a kind of block, sorted by all columns:
`subset` (bit i is the i-th QID of the analysis), `sensitive` (position in the
analysis, its groups numbered after its sensitive attributes; or 0 for a stand-in
with one value if it has neither), `block_size`, `modal_count` (for a group or value,
the number of members), `n_distinct`, `n_blocks` and `n_choices` (`BlockProfile`). A row
group never cuts a subset. The file's metadata have the values of sensitive attributes
that are numbered after the groups, and the attributes whose most frequent value is
numbered after those.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from microleak.definitions.profile import BlockProfile
from microleak.kernels.tally import Histogram
from microleak.records.coding import Value
from microleak.records.subsets import Subset
from microleak.sources.steps.intermediate import parquet, schema_of
from microleak.tables.parquet import grouped, write_parquet

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
    histograms: Iterable[tuple[Subset, Histogram]],
    is_synthetic: bool,
    values: Sequence[Value] = (),
    most_frequent: Sequence[str] = (),
) -> None:
    """Write the profiles of subsets, which come ascending by bit mask."""
    told = {
        "values": json.dumps([[value.attribute, value.text] for value in values]),
        "most_frequent": json.dumps(most_frequent),
    }
    schema = SCHEMA.with_metadata(told)
    groups = grouped(histograms, lambda found: len(found[1].n_blocks))
    tables = (pa.concat_tables(_table(*found) for found in group) for group in groups)
    write_parquet(path, schema, tables, is_synthetic)


def profiled_values(path: Path) -> list[Value]:
    """Return the values of which a file has profiles, in their order there."""
    return [Value(*value) for value in _told(path, "values")]


def profiled_most_frequent(path: Path) -> list[str]:
    """Return the attributes of whose most frequent value a file has profiles."""
    return _told(path, "most_frequent")


def _told(path: Path, key: str) -> list[Any]:
    told: list[Any] = json.loads(schema_of(path).metadata[key.encode()])
    return told


def _table(subset: Subset, histogram: Histogram) -> pa.Table:
    columns = [
        np.full(len(histogram.n_blocks), subset, dtype=np.int64),
        histogram.sensitive.astype(np.int16),
        *_measured(histogram),
    ]
    return pa.Table.from_arrays([pa.array(c) for c in columns], schema=SCHEMA)


def read_profiles(path: Path) -> Iterator[tuple[Subset, Profiles]]:
    """Yield each subset with its profiles, ascending by bit mask."""
    file = parquet(path)
    for group in range(file.num_row_groups):
        columns = [c.to_numpy() for c in file.read_row_group(group).columns]
        for lo, hi in _runs(columns[0]):
            part = [column[lo:hi] for column in columns]
            yield int(part[0][0]), _by_sensitive(part[1], part[2:])


def profiles_of(histogram: Histogram) -> Profiles:
    """Return a subset's profiles as they would be read from a file."""
    return _by_sensitive(histogram.sensitive, _measured(histogram))


def _measured(histogram: Histogram) -> list[np.ndarray]:
    """Return the columns of a `BlockProfile`, in their order."""
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
        for lo, hi in _runs(sensitive)
    }


def _runs(column: np.ndarray) -> Iterator[tuple[int, int]]:
    """Yield where each stretch of equal values begins and ends."""
    cuts = np.flatnonzero(np.diff(column)) + 1
    yield from zip([0, *cuts.tolist()], [*cuts.tolist(), len(column)], strict=True)
