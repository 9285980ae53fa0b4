"""Tables that peers and series need: first records, and small integer codes."""

from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from microleak.files import whole

Codes: TypeAlias = NDArray[np.unsignedinteger[Any]]
"""Code of each record's value, shape (n_records,)."""


def first_records(people: str, n_records: int, out: str) -> None:
    """Write the first records of a table, all of them if it has no more.

    The twin numbers its students at random and the table is sorted by their
    numbers: the first records are a random draw of them.
    """
    left = n_records
    source = pq.ParquetFile(people)
    with (
        whole(out) as aside,
        pq.ParquetWriter(aside, source.schema_arrow, compression="zstd") as writer,
    ):
        for group in range(source.num_row_groups):
            part = source.read_row_group(group).slice(0, left)
            writer.write_table(part)
            left -= part.num_rows
            if not left:
                return


def write_codes(people: str, attributes: list[str], out: str) -> None:
    """Write attributes as integers from 0 up, of the smallest type that holds them.

    A missing value has the last code: peers that drop or tell apart missing
    values see a value like any other.
    """
    columns = {
        name: codes(pq.read_table(people, columns=[name])[name]) for name in attributes
    }
    with whole(out) as aside:
        pq.write_table(pa.table(columns), aside, compression="zstd")


def codes(column: pa.ChunkedArray) -> Codes:
    """Return the codes of a column's values, in the order they first appear.

    Examples
    --------
    >>> codes(pa.chunked_array([["b", None], ["a", "b"]])).tolist()
    [0, 2, 1, 0]
    """
    encoded = column.dictionary_encode().unify_dictionaries()
    n_values = len(encoded.chunk(0).dictionary)
    found = np.empty(len(encoded), dtype=np.min_scalar_type(n_values))
    start = 0
    for chunk in encoded.chunks:
        indices = chunk.indices.fill_null(n_values)
        found[start : start + len(chunk)] = indices.to_numpy(zero_copy_only=False)
        start += len(chunk)
    return found
