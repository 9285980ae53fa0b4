"""Files between two jobs: the same bytes every time, opened or refused.

DuckDB's own COPY, and a writer that takes batches as they come, cut row groups
by threads and by how the rows were read.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from microleak.base.errors import TableError
from microleak.base.files import whole_file


def parquet(path: Path, as_dictionary: Sequence[str] = ()) -> pq.ParquetFile:
    with _readable(path, "Parquet"):
        return pq.ParquetFile(path, read_dictionary=[*as_dictionary])


def schema_of(path: Path) -> pa.Schema:
    with _readable(path, "Parquet"):
        return pq.read_schema(path)


def metadata_together(paths: Iterable[Path]) -> dict[bytes, bytes]:
    """Return what schemas of files say, the last one first; synthetic if one is."""
    found: dict[bytes, bytes] = {}
    is_synthetic = False
    for path in paths:
        own = schema_of(path).metadata or {}
        is_synthetic |= own.get(b"data") == b"SYNTHETIC"
        found |= own
    return found | ({b"data": b"SYNTHETIC"} if is_synthetic else {})


def metadata_of(path: Path) -> pq.FileMetaData:
    with _readable(path, "Parquet"):
        return pq.read_metadata(path)


def rows_where(
    path: Path, condition: pc.Expression, names: Sequence[str] | None = None
) -> pa.Table:
    # All columns, or those named; raises as `parquet` does.
    with _readable(path, "Parquet"):
        return pq.read_table(path, columns=names, filters=condition)


def receipt(path: Path) -> dict[str, Any]:
    with _readable(path, "JSON"):
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return content


def receipt_text(content: Mapping[str, Any]) -> str:
    return json.dumps(content, sort_keys=True, indent=2, ensure_ascii=False) + "\n"


def parquet_writer(
    path: Path, schema: pa.Schema, unlike: Collection[str] = ()
) -> pq.ParquetWriter:
    """Return what writes a Parquet file, compressed."""
    # Values are dictionary-encoded where that is shorter. In the columns `unlike`
    # hardly two values are the same, so that it is not tried: they are read three times
    # as fast.
    coded = [name for name in schema.names if name not in unlike]
    return pq.ParquetWriter(path, schema, compression="zstd", use_dictionary=coded)


@contextmanager
def _readable(path: Path, form: str) -> Iterator[None]:
    """Name a file that is not what it was made as; its content is not shown."""
    again = "microleak resume with the study file."
    try:
        yield
    except FileNotFoundError:
        said = f"{path} cannot be read as {form}: it is not there. Run {again}"
        raise TableError(said) from None
    except (OSError, ValueError, pa.ArrowException) as error:
        if isinstance(error, OSError) and error.errno:
            raise
        raise TableError(
            f"{path} cannot be read as {form}: it is cut or damaged. Delete it and run "
            f"{again}"
        ) from None


def regrouped(batches: Iterable[pa.RecordBatch], n_rows: int) -> Iterator[pa.Table]:
    """Give the rows of all batches in their order, `n_rows` at a time."""
    # The last table has the rest; without rows there is none. Memory is that of about
    # two tables and a batch.
    held: list[pa.RecordBatch] = []
    n_held = 0
    for batch in batches:
        held.append(batch)
        n_held += batch.num_rows
        while n_held >= n_rows:
            joined = pa.Table.from_batches(held)
            yield joined.slice(0, n_rows).combine_chunks()
            held = joined.slice(n_rows).to_batches()
            n_held -= n_rows
    if n_held:
        yield pa.Table.from_batches(held).combine_chunks()


ROWS_IN_A_GROUP = 2**18  # Rows of each row group but the last


def write_row_groups(
    path: Path, batches: Iterable[pa.RecordBatch], schema: pa.Schema
) -> None:
    """Write batches of any length as Parquet, whole or not at all."""
    # Memory is that of about two row groups.
    with whole_file(path) as aside, parquet_writer(aside, schema) as writer:
        for group in regrouped(batches, ROWS_IN_A_GROUP):
            table = pa.Table.from_arrays(group.columns, schema=schema)
            writer.write_table(table, row_group_size=ROWS_IN_A_GROUP)
