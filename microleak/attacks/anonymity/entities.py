"""From the rows of a table to how many of its entities share a block.

Entities share a block if they have the same multiset of rows (Google's entity IDs,
`definitions.entities`). Those that have one row share it with others of one row
only: they are walked as any records. Those with several, who are few where rows are
nearly persons, are compared subset by subset.
"""

import glob
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, Self

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from microleak.attacks.anonymity.definitions import k_anonymity
from microleak.attacks.anonymity.section import Anonymity
from microleak.base.arrays import Codes, Integers, QidMask
from microleak.base.errors import MicroleakError, TableError
from microleak.base.files import UNFINISHED
from microleak.base.machine import Resources
from microleak.base.progress import Advance, progress, tell_no_progress
from microleak.definitions.exact import kind_sums, run_starts
from microleak.kernels.tally import Histogram
from microleak.kernels.walk import walk_subsets
from microleak.records.chunks import Given, ParquetChunks, TableChunks
from microleak.records.coding import code_columns
from microleak.records.memory import Memory, coded_records, full_disk_said
from microleak.records.profile_file import profiles_of, write_profiles
from microleak.records.subsets import BlockRows, SubsetTree, most_identifying_first
from microleak.sources.steps.intermediate import (
    ROWS_IN_A_GROUP,
    schema_of,
    write_row_groups,
)

DUCKDB_SHARE = 0.5  # Part of the memory that DuckDB may use
MIB = 2**20

BYTES_A_ROW, BYTES_A_QID = 150, 20
"""What a row of an entity with several needs, and each of its QIDs."""


class EntityTables(NamedTuple):
    """The rows of a table, text columns."""

    single: Path  # Parquet file with the QIDs of entities that have one row
    several: pa.Table  # Entity and QIDs of each row of the others


@contextmanager
def _divided(
    rows: Given, analysis: Anonymity, resources: Resources
) -> Iterator[EntityTables]:
    """Return the rows by entity, in no order, until the context is closed."""
    # Memory is that of the rows of entities with several; what else exceeds it
    # waits in temporary files, which are removed.
    resources.scratch.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(
        prefix=f"{UNFINISHED}entities-", dir=resources.scratch
    ) as folder:
        try:
            with progress("finding entities", None):
                tables = _by_entity(rows, analysis, resources, Path(folder))
        except (duckdb.Error, pa.ArrowException) as error:
            raise MicroleakError(
                f"{_where(analysis)}: grouping rows by {analysis.entity} stopped "
                f"({type(error).__name__}). Give the rule entities more memory "
                f"than {resources.memory_mib} MiB or its disk more space."
            ) from None
        yield tables


def _by_entity(
    rows: Given, analysis: Anonymity, resources: Resources, folder: Path
) -> EntityTables:
    schema = schema_of(rows) if isinstance(rows, Path) else rows.schema
    columns = {name: f"c{i}" for i, name in enumerate(schema.names)}
    key = str(analysis.entity)
    entity, qids = columns[key], [columns[name] for name in analysis.qids]
    settings: dict[str, Any] = {
        "threads": resources.threads,
        "memory_limit": f"{int(resources.memory_mib * DUCKDB_SHARE)}MiB",
        "temp_directory": str(folder),
        "preserve_insertion_order": False,
        "autoinstall_known_extensions": False,
    }
    with duckdb.connect(":memory:", config=settings) as base:
        _view_records(base, rows, columns)
        _refuse_missing(base, entity, analysis)
        base.execute(
            f"CREATE TEMP TABLE several AS SELECT {entity}, count(*) AS n_rows "
            f"FROM records GROUP BY {entity} HAVING count(*) > 1"
        )
        _refuse_many(base, analysis, resources)
        names = ", ".join(qids)
        single = base.sql(
            f"SELECT {names} FROM records ANTI JOIN several USING ({entity})"
        )
        schema = pa.schema([(name, pa.string()) for name in analysis.qids])
        write_row_groups(
            folder / "single.parquet",
            single.to_arrow_reader(ROWS_IN_A_GROUP),
            schema,
        )
        others = base.sql(
            f"SELECT {entity}, {names} FROM records SEMI JOIN several USING ({entity})"
        ).to_arrow_table()
    named = others.rename_columns([key, *analysis.qids])
    return EntityTables(folder / "single.parquet", named)


def _refuse_missing(
    base: duckdb.DuckDBPyConnection, entity: str, analysis: Anonymity
) -> None:
    query = f"SELECT count(*) FROM records WHERE {entity} IS NULL"
    ((n_missing,),) = base.execute(query).fetchall()
    if n_missing:
        raise TableError(
            f"{_where(analysis)}: {analysis.entity}, which should name the entity of a "
            f"row, is missing in {n_missing:,} of the rows. Correct the release, or "
            "entity in the study file."
        )


def _refuse_many(
    base: duckdb.DuckDBPyConnection, analysis: Anonymity, resources: Resources
) -> None:
    query = "SELECT coalesce(sum(n_rows), 0) FROM several"
    ((n_rows,),) = base.execute(query).fetchall()
    needed = int(n_rows) * (BYTES_A_ROW + BYTES_A_QID * len(analysis.qids)) // MIB
    if needed > resources.memory_mib:
        raise MicroleakError(
            f"{_where(analysis)}: {n_rows:,} rows are of a {analysis.entity} with "
            f"several, which takes about {needed:,} MiB of memory, more than the "
            f"{resources.memory_mib:,} given. Give the run more (--max-memory), or "
            "the rule entities (mem_mb)."
        )


def _where(analysis: Anonymity) -> str:
    """Return how messages begin."""
    return f"analysis {analysis.name!r}"


def _view_records(
    base: duckdb.DuckDBPyConnection, rows: Given, columns: Mapping[str, str]
) -> None:
    """View the rows, their columns by position: DuckDB takes `a` and `A` for one."""
    if isinstance(rows, Path):
        file = glob.escape(str(rows)).replace("'", "''")
        source = f"read_parquet('{file}', hive_partitioning = false)"
    else:
        source = "given"
        base.register(source, rows.rename_columns([*columns.values()]))
    named = ", ".join(columns.values())
    base.execute(f"CREATE TEMP VIEW records AS FROM {source} AS t({named})")


@dataclass(frozen=True)
class EntityRows(BlockRows):
    """Rows of entities, those of an entity one after the other."""

    entity: Integers  # Number of each row's entity, ascending

    def of(self, is_kept: NDArray[np.bool_]) -> Self:
        """Return the rows of some entities, one claim for each, in their order."""
        lengths = np.diff(run_starts(self.entity), append=len(self.entity))
        rows = np.repeat(is_kept, lengths)
        qids = {qid: codes[rows] for qid, codes in self.qids.items()}
        return replace(
            self, entity=self.entity[rows], block=self.block[rows], qids=qids
        )

    @property
    def blocks(self) -> Integers:
        """Block of each entity, in their order, numbered from 0."""
        block = np.unique(self.block, return_inverse=True)[1]
        return k_anonymity.entity_blocks(self.entity, block)


def entity_rows(
    entity: Codes, qids: Sequence[Codes], n_codes: Sequence[int]
) -> EntityRows:
    """Return the rows of entities from the codes of each row, in any order."""
    order = np.argsort(entity, kind="stable")
    by_qid = {i: codes[order] for i, codes in enumerate(qids)}
    block = np.zeros(len(entity), dtype=np.int64)
    ascending = entity[order].astype(np.int64)
    return EntityRows(block, 1, by_qid, n_codes, ascending)


def entity_sizes(
    rows: EntityRows, wanted: Collection[QidMask], advance: Advance = tell_no_progress
) -> dict[QidMask, k_anonymity.BlockSizes]:
    """Return how many entities share a block, for each of the subsets wanted."""
    # An entity that is alone in its block is alone with more QIDs, too: its rows are
    # left out from there on. There is at least one entity. `advance` is told of each
    # subset that is compared.
    n_entities = len(run_starts(rows.entity))
    found = dict.fromkeys(wanted, _all_alone(n_entities))

    def visit(subset: QidMask, rows: EntityRows) -> EntityRows:
        blocks = rows.blocks
        alone = _all_alone(n_entities - len(blocks))
        found[subset] = added([k_anonymity.sizes_of(blocks), alone])
        advance(1)
        return rows.of(np.bincount(blocks)[blocks] > 1)

    SubsetTree(most_identifying_first(rows.n_codes), visit).descend(rows, 0, wanted)
    return found


def added(parts: Sequence[k_anonymity.BlockSizes]) -> k_anonymity.BlockSizes:
    """Return the sizes of the blocks of all parts; those of none are left out."""
    every = np.concatenate([part.size for part in parts])
    sizes, kind = np.unique(every, return_inverse=True)
    n_blocks = kind_sums(
        kind, np.concatenate([part.n_blocks for part in parts]), len(sizes)
    )
    return k_anonymity.BlockSizes(sizes[n_blocks > 0], n_blocks[n_blocks > 0])


def _all_alone(n_entities: int) -> k_anonymity.BlockSizes:
    return k_anonymity.BlockSizes(np.array([1]), np.array([n_entities]))


SizesBySubset = dict[QidMask, k_anonymity.BlockSizes]


def profile_entities(
    table: Given,
    analysis: Anonymity,
    is_synthetic: bool,
    resources: Resources,
    out: Path,
) -> None:
    """Write how many blocks have each number of entities, for every wanted subset."""
    assert analysis.entity is not None
    where = _where(analysis)
    memory = Memory(resources, where)
    with (
        full_disk_said(where, resources.scratch),
        _divided(table, analysis, resources) as parts,
    ):
        single = _sizes_of_single(parts.single, analysis, memory)
        several = _sizes_of_several(parts.several, analysis)
        sizes = [part for part in (single, several) if part]
        found = (
            (subset, _histogram(added([part[subset] for part in sizes])))
            for subset in sorted(analysis.subsets)
        )
        write_profiles(out, found, is_synthetic)


def _sizes_of_single(path: Path, analysis: Anonymity, memory: Memory) -> SizesBySubset:
    """Walk the rows of entities that have one, so that sizes are those of blocks."""
    chunks = ParquetChunks([path], memory.rows_a_chunk(len(analysis.qids)))
    if not chunks.n_rows:
        return {}
    memory = memory.for_chunks(len(analysis.qids) * chunks.most_rows)
    records = coded_records(chunks, analysis.qids, (), memory)
    n_steps = records.n_records * len(analysis.subsets)
    with progress("walking subsets", n_steps) as advance:
        work = memory.work(records, advance)
        return {
            subset: k_anonymity.sizes_in(profiles_of(histogram)[0])
            for subset, histogram in walk_subsets(records, analysis.subsets, work)
        }


def _sizes_of_several(rows: pa.Table, analysis: Anonymity) -> SizesBySubset:
    """Compare entities that have several rows, subset by subset."""
    if not len(rows):
        return {}
    records = code_columns(
        TableChunks(rows), [*analysis.qids, str(analysis.entity)], ()
    )
    columns = range(len(records.qids))
    parts = [records.chunk(i, columns) for i in range(records.n_chunks)]
    *qids, entity = (np.concatenate(codes) for codes in zip(*parts, strict=True))
    n_codes = [len(values.counts) for values in records.qids[:-1]]
    with progress("comparing entities", len(analysis.subsets)) as advance:
        return entity_sizes(
            entity_rows(entity, qids, n_codes), analysis.subsets, advance
        )


def _histogram(sizes: k_anonymity.BlockSizes) -> Histogram:
    """Return sizes as of a sensitive attribute with one value."""
    choices = (sizes.size > 1).astype(np.int64)
    return Histogram(sizes.size, sizes.size, 1 << 32 | choices, sizes.n_blocks)
