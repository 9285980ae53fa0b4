"""Rows of a table by entity: those of entities with one row, and of the others."""

import glob
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from microleak.errors import MicroleakError, TableError
from microleak.files import UNFINISHED
from microleak.progress import progress
from microleak.resources import Resources
from microleak.sources.choice import positions, several
from microleak.sources.made import schema_of
from microleak.sources.row_groups import ROWS_IN_A_GROUP, write_row_groups

DUCKDB_SHARE = 0.5
"""Part of the memory that DuckDB may use."""

MIB = 2**20

BYTES_A_ROW, BYTES_A_QID = 150, 20
"""What a row of an entity with several needs, and each of its QIDs."""


@dataclass(frozen=True)
class EntityTables:
    """The rows of a table, text columns.

    Attributes
    ----------
    single
        Parquet file with the QIDs of entities that have one row; it may be empty.
    several
        Entity and QIDs of each row of the others.
    """

    single: Path
    several: pa.Table


@dataclass(frozen=True)
class EntityTable:
    """A Parquet file of text columns whose rows are of entities.

    Attributes
    ----------
    path
        The file.
    entity, qids
        Columns that are read. Each row has an entity.
    where
        Beginning of messages.
    """

    path: Path
    entity: str
    qids: tuple[str, ...]
    where: str

    @contextmanager
    def divided(self, resources: Resources) -> Iterator[EntityTables]:
        """Give the rows by entity, in no order, until the context is closed.

        Memory is that of the rows of entities with several; what else exceeds it
        waits in temporary files, which are removed.

        Raises
        ------
        TableError
            If rows have no entity: how many.
        MicroleakError
            If memory or temporary space does not suffice.
        """
        resources.scratch.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(
            prefix=f"{UNFINISHED}entities-", dir=resources.scratch
        ) as folder:
            try:
                with progress("finding entities", None):
                    tables = self._divided(resources, Path(folder))
            except (duckdb.Error, pa.ArrowException) as error:
                raise MicroleakError(
                    f"{self.where}: grouping rows by {self.entity} stopped "
                    f"({type(error).__name__}). Give the rule entities more memory "
                    f"than {resources.memory_mb} MiB or its disk more space."
                ) from None
            yield tables

    def _divided(self, resources: Resources, folder: Path) -> EntityTables:
        columns = positions(schema_of(self.path).names)
        entity, qids = columns[self.entity], [columns[name] for name in self.qids]
        with duckdb.connect(":memory:", config=_settings(resources, folder)) as base:
            _view_records(base, self.path, columns)
            self._refuse_missing(base, entity)
            base.execute(f"CREATE TEMP TABLE several AS {several(entity)}")
            self._refuse_many(base, resources)
            names = ", ".join(qids)
            single = base.sql(
                f"SELECT {names} FROM records ANTI JOIN several USING ({entity})"
            )
            schema = pa.schema([(name, pa.string()) for name in self.qids])
            write_row_groups(
                folder / "single.parquet",
                single.to_arrow_reader(ROWS_IN_A_GROUP),
                schema,
            )
            others = base.sql(
                f"SELECT {entity}, {names} FROM records SEMI JOIN several "
                f"USING ({entity})"
            ).to_arrow_table()
        named = others.rename_columns([self.entity, *self.qids])
        return EntityTables(folder / "single.parquet", named)

    def _refuse_missing(self, base: duckdb.DuckDBPyConnection, entity: str) -> None:
        query = f"SELECT count(*) FROM records WHERE {entity} IS NULL"
        ((n_missing,),) = base.execute(query).fetchall()
        if n_missing:
            raise TableError(
                f"{self.where}: {self.entity}, which should name the entity of a row, "
                f"is missing in {n_missing:,} of the rows. Correct the release, or "
                "entity in the study file."
            )

    def _refuse_many(
        self, base: duckdb.DuckDBPyConnection, resources: Resources
    ) -> None:
        query = "SELECT coalesce(sum(n_rows), 0) FROM several"
        ((n_rows,),) = base.execute(query).fetchall()
        needed = int(n_rows) * (BYTES_A_ROW + BYTES_A_QID * len(self.qids)) // MIB
        if needed > resources.memory_mb:
            raise MicroleakError(
                f"{self.where}: {n_rows:,} rows are of a {self.entity} with several, "
                f"which takes about {needed:,} MiB of memory, more than the "
                f"{resources.memory_mb:,} given. Give the run more (--max-memory), or "
                "the rule entities (mem_mb)."
            )


def _settings(resources: Resources, folder: Path) -> dict[str, Any]:
    return {
        "threads": resources.threads,
        "memory_limit": f"{int(resources.memory_mb * DUCKDB_SHARE)}MiB",
        "temp_directory": str(folder),
        "preserve_insertion_order": False,
        "autoinstall_known_extensions": False,
    }


def _view_records(
    base: duckdb.DuckDBPyConnection, path: Path, columns: Mapping[str, str]
) -> None:
    """View the rows, their columns by position: DuckDB takes `a` and `A` for one."""
    file = glob.escape(str(path)).replace("'", "''")
    base.execute(
        "CREATE TEMP VIEW records AS FROM "
        f"read_parquet('{file}', hive_partitioning = false) "
        f"AS t({', '.join(columns.values())})"
    )
