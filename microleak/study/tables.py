"""Result tables as files: whole, in a stated order, the same bytes every time."""

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from microleak.files import whole


def write_csv(path: Path, table: pd.DataFrame) -> None:
    """Write a CSV: UTF-8, `,`, Unix line ends, numbers in full precision."""
    with whole(path) as aside:
        table.to_csv(aside, index=False, lineterminator="\n", encoding="utf-8")


def write_parquet(path: Path, table: pa.Table, is_synthetic: bool) -> None:
    """Write a Parquet file that says whether its data are synthetic."""
    note = {"data": "SYNTHETIC" if is_synthetic else "released"}
    with whole(path) as aside:
        pq.write_table(table.replace_schema_metadata(note), aside, compression="zstd")
