"""Tables that peers and series need: draws of records, and small integer codes."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from microleak.base.files import whole_file
from microleak.sources.steps.intermediate import write_row_groups

Codes: TypeAlias = NDArray[np.unsignedinteger[Any]]
"""Code of each record's value, shape (n_records,)."""


def draw_records(people: str, n_records: int, seed: int, out: str) -> None:
    """Write a random draw of a table's records, in their order.

    All of them, if the table has no more.
    """
    source = pq.ParquetFile(people)
    groups = range(source.num_row_groups)
    n_rows = [source.metadata.row_group(group).num_rows for group in groups]
    draws = drawn(n_rows, n_records, np.random.default_rng(seed))
    batches = (
        batch
        for group, rows in zip(groups, draws, strict=True)
        for batch in source.read_row_group(group).take(rows).to_batches()
    )
    write_row_groups(Path(out), batches, source.schema_arrow)


def drawn(
    n_rows: Sequence[int], n_drawn: int, rng: np.random.Generator
) -> Iterator[NDArray[np.int64]]:
    """Yield which rows of groups of so many are drawn, each ascending.

    Every set of `n_drawn` rows of all groups together has the same chance; all
    rows are drawn if there are no more.
    """
    rest = sum(n_rows)
    left = min(n_drawn, rest)
    for n in n_rows:
        rest -= n
        here = int(rng.hypergeometric(n, rest, left))
        left -= here
        yield np.sort(rng.choice(n, here, replace=False, shuffle=False))


def write_codes(people: str, attributes: list[str], out: str) -> None:
    """Write attributes as integers from 0 up, of the smallest type that holds them.

    A missing value has the last code: peers that drop or tell apart missing
    values see a value like any other.
    """
    columns = {
        name: codes(pq.read_table(people, columns=[name])[name]) for name in attributes
    }
    with whole_file(out) as aside:
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
