"""Tables read part by part, as often as needed, by several threads."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, TypeAlias

import pyarrow as pa

from microleak.base.errors import TableError
from microleak.sources.steps.intermediate import metadata_of, parquet, schema_of

ROWS_A_CHUNK = 1 << 20

LEAST_ROWS = 1 << 12
"""Rows at least that are taken at once of a table in memory."""

Given: TypeAlias = Path | pa.Table
"""Records, one a person: a Parquet file of text columns, or such a table in memory."""


class Chunks(Protocol):
    """The rows of a table in chunks from 0 to `n_chunks` - 1."""

    n_rows: int
    n_chunks: int

    def read(self, chunk: int, names: Sequence[str]) -> pa.Table:
        """Return some columns of a chunk."""


class ParquetChunks:
    """Whole row groups of Parquet files, about `rows_a_chunk` rows together."""

    def __init__(self, paths: Sequence[Path], rows_a_chunk: int = ROWS_A_CHUNK) -> None:
        sizes = _group_sizes(paths)
        self._file_of = {name: path for path in paths for name in schema_of(path).names}
        self.n_rows = sum(sizes)
        self.sizes: list[int] = []
        self._groups: list[list[int]] = []
        n_rows = 0
        for group, more in enumerate(sizes):
            if not self._groups or n_rows + more > rows_a_chunk:
                self._groups.append([])
                self.sizes.append(0)
                n_rows = 0
            self._groups[-1].append(group)
            n_rows += more
            self.sizes[-1] = n_rows
        self.most_rows = max(self.sizes, default=0)
        self.n_chunks = len(self._groups)

    def read(self, chunk: int, names: Sequence[str]) -> pa.Table:
        found: dict[str, pa.ChunkedArray] = {}
        for path in dict.fromkeys(self._file_of[name] for name in names):
            own = [name for name in names if self._file_of[name] == path]
            with parquet(path, own) as file:
                groups = self._groups[chunk]
                part = file.read_row_groups(groups, columns=own, use_threads=False)
            found |= dict(zip(part.column_names, part.columns, strict=True))
        return pa.table({name: found[name] for name in names})


def _group_sizes(paths: Sequence[Path]) -> list[int]:
    first, *others = [
        [file.row_group(group).num_rows for group in range(file.num_row_groups)]
        for file in map(metadata_of, paths)
    ]
    for path, sizes in zip(paths[1:], others, strict=True):
        if sizes != first:
            raise TableError(
                f"{path} does not have the rows of {paths[0]}. Delete it and run "
                "microleak resume with the study file."
            )
    return first


class TableChunks:
    """Slices of a table in memory, of `rows_a_chunk` rows."""

    def __init__(self, table: pa.Table, rows_a_chunk: int = ROWS_A_CHUNK) -> None:
        self._table = table
        self._rows = max(LEAST_ROWS, rows_a_chunk)
        self.n_rows = len(table)
        self.most_rows = min(self._rows, len(table))
        starts = range(0, len(table), self._rows)
        self.sizes = [min(self._rows, len(table) - start) for start in starts]
        self.n_chunks = len(self.sizes)

    def read(self, chunk: int, names: Sequence[str]) -> pa.Table:
        return self._table.select(names).slice(chunk * self._rows, self._rows)


def chunks_of(
    given: Sequence[Given], rows_a_chunk: int = ROWS_A_CHUNK
) -> ParquetChunks | TableChunks:
    files = [each for each in given if isinstance(each, Path)]
    if files:
        return ParquetChunks(files, rows_a_chunk)
    (table,) = given
    return TableChunks(table, rows_a_chunk)
