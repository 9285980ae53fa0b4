"""Records in tables of one size, however they come."""

from collections.abc import Iterable, Iterator

import pyarrow as pa


def regrouped(batches: Iterable[pa.RecordBatch], n_rows: int) -> Iterator[pa.Table]:
    """Give the rows of all batches in their order, `n_rows` at a time.

    The last table has the rest; without rows there is none. Memory is that of
    about two tables and a batch.

    >>> batches = [pa.record_batch({"a": [1, 2, 3]}), pa.record_batch({"a": [4, 5]})]
    >>> [table["a"].to_pylist() for table in regrouped(batches, 2)]
    [[1, 2], [3, 4], [5]]
    """
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
