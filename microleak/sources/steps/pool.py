"""The records of several releases as one, each with the name of its release."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from microleak.base.files import write_text
from microleak.base.progress import Advance, progress
from microleak.sources.steps.intermediate import (
    metadata_of,
    metadata_together,
    parquet,
    receipt_text,
    write_row_groups,
)


def pool_people(
    people: Mapping[str, Path],
    names: Sequence[str],
    attribute: str,
    pooled: Path,
    receipt: Path,
) -> None:
    """Write the records of several releases, one release after the other."""
    # A row group is held at a time. Records are marked as synthetic if some are. The
    # receipt has the number of records in all and of each release; no `person_id`, as
    # pooled records have none.
    counts = {name: metadata_of(path).num_rows for name, path in people.items()}
    metadata = metadata_together(people.values())
    schema = pa.schema([(name, pa.string()) for name in names], metadata)
    n_records = sum(counts.values())
    with progress("pooling releases", n_records) as advance:
        rows = _rows(people, names, attribute, advance)
        write_row_groups(pooled, rows, schema)
    told = {"person_id": None, "n_records": n_records, "releases": counts}
    write_text(receipt, receipt_text(told))


def _rows(
    people: Mapping[str, Path], names: Sequence[str], attribute: str, advance: Advance
) -> Iterator[pa.RecordBatch]:
    others = [name for name in names if name != attribute]
    for release, path in people.items():
        with parquet(path) as file:
            for number in range(file.num_row_groups):
                n_rows = file.metadata.row_group(number).num_rows
                rows = file.read_row_group(number, columns=others)
                columns = {name: rows[name].combine_chunks() for name in others}
                columns[attribute] = pa.repeat(pa.scalar(release), n_rows)
                arrays = [columns[name].cast(pa.string()) for name in names]
                yield pa.record_batch(arrays, names=[*names])
                advance(n_rows)
