"""Parquet files whose bytes follow from their rows alone.

DuckDB's own COPY, and a writer that takes batches as they come, cut row groups
by threads and by how the rows were read.
"""

from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from microleak.files import whole
from microleak.sources.regroup import regrouped

ROWS_IN_A_GROUP = 2**18
"""Rows of each row group but the last."""


def write_row_groups(
    path: Path, batches: Iterable[pa.RecordBatch], schema: pa.Schema
) -> None:
    """Write batches of any length as Parquet, whole or not at all.

    Values are dictionary-encoded where that is shorter, and compressed. Memory
    is that of about two row groups.
    """
    with (
        whole(path) as aside,
        pq.ParquetWriter(aside, schema, compression="zstd") as writer,
    ):
        for group in regrouped(batches, ROWS_IN_A_GROUP):
            table = pa.Table.from_arrays(group.columns, schema=schema)
            writer.write_table(table, row_group_size=ROWS_IN_A_GROUP)
