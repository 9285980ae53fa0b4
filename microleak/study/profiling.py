"""From one record a person to the block profiles of an analysis."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from microleak.errors import MicroleakError
from microleak.kernels.records import Records
from microleak.kernels.walk import walk
from microleak.progress import progress
from microleak.resources import Resources
from microleak.study.chunks import Chunks, ParquetChunks
from microleak.study.coding import coded
from microleak.study.memory import Memory
from microleak.study.model import Collective
from microleak.study.profile_file import write_profiles

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def profile_analysis(
    people: Path,
    analysis: Collective,
    is_synthetic: bool,
    resources: Resources,
    out: Path,
) -> None:
    """Write the block profile of every wanted subset, and of the empty one.

    Only the attributes of the analysis are read, chunk by chunk. Neither
    threads nor memory change what is written.

    Raises
    ------
    MicroleakError
        If memory or temporary space does not suffice.
    """
    subsets = [0, *analysis.subsets]
    memory = Memory(resources, f"analysis {analysis.name!r}")
    n_columns = len(analysis.qids) + len(analysis.sensitive)
    with _full_disk_said(memory.where, resources.scratch):
        chunks = ParquetChunks(people, memory.rows_a_chunk(n_columns))
        memory = memory.for_chunks(n_columns * chunks.most_rows)
        records = _records(chunks, analysis, memory)
        with progress("walking subsets", records.n_records * len(subsets)) as advance:
            work = memory.work(records, advance)
            write_profiles(out, walk(records, subsets, work), is_synthetic)


def _records(chunks: Chunks, analysis: Collective, memory: Memory) -> Records:
    n_columns = len(analysis.qids) + len(analysis.sensitive)
    with progress("counting values", chunks.n_rows * n_columns) as advance:
        return coded(
            chunks,
            analysis.qids,
            analysis.sensitive,
            memory.resources.threads,
            memory.bytes_a_column,
            advance,
        )


@contextmanager
def _full_disk_said(where: str, folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise MicroleakError(
            f"{where}: the disk of {folder} is full. Free space there, or give the "
            "run more memory (--max-memory), so that less waits on the disk."
        ) from None
