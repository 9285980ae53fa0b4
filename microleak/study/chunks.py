"""Tables read part by part, as often as needed, by several threads."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import pyarrow as pa
import pyarrow.parquet as pq

ROWS_A_CHUNK = 1 << 20


class Chunks(Protocol):
    """The rows of a table in chunks from 0 to `n_chunks` - 1."""

    n_rows: int
    n_chunks: int

    def read(self, chunk: int, names: Sequence[str]) -> pa.Table:
        """Return some columns of a chunk."""


class ParquetChunks:
    """Whole row groups of a Parquet file, about `rows_a_chunk` rows together."""

    def __init__(self, path: Path, rows_a_chunk: int = ROWS_A_CHUNK) -> None:
        metadata = pq.read_metadata(path)
        self._path = path
        self.n_rows = metadata.num_rows
        self.most_rows = 0
        self._groups: list[list[int]] = []
        n_rows = 0
        for group in range(metadata.num_row_groups):
            more = metadata.row_group(group).num_rows
            if not self._groups or n_rows + more > rows_a_chunk:
                self._groups.append([])
                n_rows = 0
            self._groups[-1].append(group)
            n_rows += more
            self.most_rows = max(self.most_rows, n_rows)
        self.n_chunks = len(self._groups)

    def read(self, chunk: int, names: Sequence[str]) -> pa.Table:
        """Return some columns of a chunk, as dictionaries where the file has them."""
        with pq.ParquetFile(self._path, read_dictionary=list(names)) as file:
            groups = self._groups[chunk]
            return file.read_row_groups(groups, columns=list(names), use_threads=False)


class TableChunks:
    """Slices of a table in memory."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table
        self.n_rows = len(table)
        self.n_chunks = -(-len(table) // ROWS_A_CHUNK)

    def read(self, chunk: int, names: Sequence[str]) -> pa.Table:
        """Return some columns of a chunk."""
        return self._table.select(names).slice(chunk * ROWS_A_CHUNK, ROWS_A_CHUNK)
