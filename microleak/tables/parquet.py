"""Tables that are too large to be held, as Parquet files written part by part."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from microleak.base.files import whole_file

ROWS_A_GROUP = 1 << 19
"""Row groups are closed at the end of the part that reaches this size."""

PartType = TypeVar("PartType")


def write_parquet(
    path: Path, schema: pa.Schema, groups: Iterable[pa.Table], is_synthetic: bool
) -> None:
    data = {"data": "SYNTHETIC" if is_synthetic else "released"}
    schema = schema.with_metadata({**(schema.metadata or {}), **data})
    with (
        whole_file(path) as aside,
        pq.ParquetWriter(aside, schema, compression="zstd") as writer,
    ):
        write_behind(writer, groups)


def write_behind(writer: pq.ParquetWriter, groups: Iterable[pa.Table]) -> None:
    """Write each row group while the next one is made."""
    with ThreadPoolExecutor(1) as pool:
        written = pool.submit(lambda: None)
        for group in groups:
            written.result()
            written = pool.submit(writer.write_table, group, max(1, len(group)))
        written.result()


def row_groups_of(
    parts: Iterable[PartType],
    n_rows: Callable[[PartType], int],
    n_least: int | None = None,
) -> Iterator[list[PartType]]:
    group: list[PartType] = []
    n = 0
    for part in parts:
        group.append(part)
        n += n_rows(part)
        if n >= (n_least or ROWS_A_GROUP):
            yield group
            group, n = [], 0
    if group:
        yield group
