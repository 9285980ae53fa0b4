"""A table as Parquet whose schema says what each column is."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from microleak.study.exports_fields import unit_of
from microleak.study.exports_tables import TYPES, PublishedStudy, PublishedTable


def write_parquet(path: Path, study: PublishedStudy, table: PublishedTable) -> None:
    """Write a table; file and columns have their description as metadata."""
    pq.write_table(table.rows.cast(_schema(study, table)), path, compression="zstd")


def _schema(study: PublishedStudy, table: PublishedTable) -> pa.Schema:
    described = (
        pa.field(
            name,
            TYPES[column.datatype],
            metadata={"description": column.meaning, "unit": unit_of(name, column)},
        )
        for name, column in table.columns.items()
    )
    told = {
        "data": "SYNTHETIC" if study.is_synthetic else "released",
        "study": study.name,
        "audience": study.audience,
        "description": table.description,
        "source": table.source,
        "source_sha256": table.sha256,
    }
    return pa.schema(described, metadata=told)
