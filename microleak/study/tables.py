"""Result tables as files: whole, in a stated order, the same bytes every time."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TextIO, TypeVar

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from microleak.files import whole

ROWS_A_GROUP = 1 << 19
"""Row groups are closed at the end of the part that reaches this size."""

Part = TypeVar("Part")


def write_csv(path: Path, table: pd.DataFrame) -> None:
    """Write a CSV: UTF-8, `,`, Unix line ends, numbers in full precision."""
    with whole(path) as aside, aside.open("w", encoding="utf-8", newline="") as file:
        print_csv(table, file)


def print_csv(table: pd.DataFrame, file: TextIO) -> None:
    r"""Write a table as CSV to a file or terminal that translates no line ends.

    Values with a line end are in quotation marks, also those with a lone \r, at
    which readers end a row and which pandas quotes only where rows end so.
    """
    table.to_csv(_UnixEnds(file), index=False, lineterminator="\r\n")


class _UnixEnds:
    r"""Takes rows that end in \r\n, one at a time, and ends them in \n."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, row: str) -> int:
        """Write one row."""
        return self._file.write(row.removesuffix("\r\n") + "\n")


def write_parquet(
    path: Path, schema: pa.Schema, groups: Iterable[pa.Table], is_synthetic: bool
) -> None:
    """Write a Parquet file, a row group a table, as the tables come.

    The file says whether its data are synthetic.
    """
    schema = schema.with_metadata({"data": "SYNTHETIC" if is_synthetic else "released"})
    with (
        whole(path) as aside,
        pq.ParquetWriter(aside, schema, compression="zstd") as writer,
    ):
        for group in groups:
            writer.write_table(group, row_group_size=max(1, len(group)))


def grouped(
    parts: Iterable[Part], n_rows: Callable[[Part], int]
) -> Iterator[list[Part]]:
    """Yield the parts of each row group: whole ones, in their order."""
    group: list[Part] = []
    n = 0
    for part in parts:
        group.append(part)
        n += n_rows(part)
        if n >= ROWS_A_GROUP:
            yield group
            group, n = [], 0
    if group:
        yield group
