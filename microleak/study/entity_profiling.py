"""From the rows of a table to how many of its entities share a block.

Entities share a block if they have the same multiset of rows (Google's entity IDs,
`microleak.attacks.entities`). Those that have one row share it with others of one row
only: they are walked as any records. Those with several, who are few where rows are
nearly persons, are compared subset by subset.
"""

from pathlib import Path

import numpy as np
import pyarrow as pa

from microleak.attacks.k_anonymity import BlockSizes, sizes_in
from microleak.kernels.tally import Histogram
from microleak.kernels.walk import walk
from microleak.progress import progress
from microleak.resources import Resources
from microleak.study.chunks import ParquetChunks, TableChunks
from microleak.study.coding import coded
from microleak.study.entity_groups import added, entity_rows, entity_sizes
from microleak.study.entity_tables import EntityTable
from microleak.study.memory import Memory
from microleak.study.profile_file import profiles_of, write_profiles
from microleak.study.profiling import coded_records, full_disk_said
from microleak.study.samples import Anonymity
from microleak.study.subsets import Subset

Sizes = dict[Subset, BlockSizes]


def profile_entities(
    table: Path,
    analysis: Anonymity,
    is_synthetic: bool,
    resources: Resources,
    out: Path,
) -> None:
    """Write how many blocks have each number of entities, for every wanted subset.

    Parameters
    ----------
    table
        All rows of the focal release, before one record a person is chosen.
    analysis
        It has an entity.
    is_synthetic
        Whether a twin made the release.
    resources
        Bounds, which do not change what is written.
    out
        The file (`microleak.study.profile_file`): sizes of blocks are entities.

    Raises
    ------
    TableError
        If rows have no entity.
    MicroleakError
        If memory or temporary space does not suffice.
    """
    assert analysis.entity is not None
    where = f"analysis {analysis.name!r}"
    rows = EntityTable(table, analysis.entity, analysis.qids, where)
    memory = Memory(resources, where)
    with full_disk_said(where, resources.scratch), rows.divided(resources) as parts:
        single = _sizes_of_single(parts.single, analysis, memory)
        several = _sizes_of_several(parts.several, analysis)
        sizes = [part for part in (single, several) if part]
        found = (
            (subset, _histogram(added([part[subset] for part in sizes])))
            for subset in sorted(analysis.subsets)
        )
        write_profiles(out, found, is_synthetic)


def _sizes_of_single(path: Path, analysis: Anonymity, memory: Memory) -> Sizes:
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
            subset: sizes_in(profiles_of(histogram)[0])
            for subset, histogram in walk(records, analysis.subsets, work)
        }


def _sizes_of_several(rows: pa.Table, analysis: Anonymity) -> Sizes:
    """Compare entities that have several rows, subset by subset."""
    if not len(rows):
        return {}
    chunks = TableChunks(rows)
    records = coded(chunks, [*analysis.qids, str(analysis.entity)], ())
    columns = range(len(records.qids))
    parts = [records.chunk(i, columns) for i in range(records.n_chunks)]
    *qids, entity = (np.concatenate(codes) for codes in zip(*parts, strict=True))
    n_codes = [len(values.counts) for values in records.qids[:-1]]
    with progress("comparing entities", len(analysis.subsets)) as advance:
        return entity_sizes(
            entity_rows(entity, qids, n_codes), analysis.subsets, advance
        )


def _histogram(sizes: BlockSizes) -> Histogram:
    """Return sizes as of a sensitive attribute with one value."""
    return Histogram(sizes.size, sizes.size << 32 | 1, sizes.n_blocks)
