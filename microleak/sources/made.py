"""Files that an earlier job made, opened: a cut or damaged one is named."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from microleak.errors import TableError


def parquet(path: Path, as_dictionary: Sequence[str] = ()) -> pq.ParquetFile:
    """Open a Parquet file, with some columns as dictionaries.

    Raises
    ------
    TableError
        If it is cut, damaged or not there.
    """
    with _readable(path, "Parquet"):
        return pq.ParquetFile(path, read_dictionary=[*as_dictionary])


def schema_of(path: Path) -> pa.Schema:
    """Return the schema of a Parquet file; raises as `parquet` does."""
    with _readable(path, "Parquet"):
        return pq.read_schema(path)


def metadata_of(path: Path) -> pq.FileMetaData:
    """Return what a Parquet file says of itself; raises as `parquet` does."""
    with _readable(path, "Parquet"):
        return pq.read_metadata(path)


def rows_where(
    path: Path, condition: pc.Expression, names: Sequence[str] | None = None
) -> pa.Table:
    """Return the rows of a Parquet file of which a condition is true.

    All columns, or those named; raises as `parquet` does.
    """
    with _readable(path, "Parquet"):
        return pq.read_table(path, columns=names, filters=condition)


def receipt(path: Path) -> dict[str, Any]:
    """Return the content of a JSON file.

    Raises
    ------
    TableError
        If it is cut, damaged or not there.
    """
    with _readable(path, "JSON"):
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return content


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
