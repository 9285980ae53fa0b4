"""From one record a person to the block profiles of an anonymity analysis."""

from collections.abc import Sequence
from pathlib import Path

from microleak.kernels.records import Records
from microleak.kernels.walk import walk
from microleak.progress import progress
from microleak.resources import Resources
from microleak.study.chunks import ParquetChunks
from microleak.study.far_values import Domain, marks_of, with_marks
from microleak.study.memory import Memory
from microleak.study.profile_file import write_profiles
from microleak.study.profiling import full_disk_said
from microleak.study.samples import Anonymity
from microleak.study.sensitive_values import records_of


def profile_blocks(
    people: Path,
    analysis: Anonymity,
    is_synthetic: bool,
    resources: Resources,
    out: Path,
) -> None:
    """Write the block profile of every wanted subset, and of the empty one.

    After the sensitive attributes come the marks of some of their values
    (`microleak.study.far_values`).

    Parameters
    ----------
    people
        Records of the focal release, one a person. Only the attributes of the
        analysis are read, chunk by chunk.
    analysis
        Its entity and population do not matter.
    is_synthetic
        Whether a twin made the release.
    resources
        Bounds, which do not change what is written.
    out
        The file (`microleak.study.profile_file`).

    Raises
    ------
    TableError
        If a sensitive attribute has a value that is not in its order.
    MicroleakError
        If memory or temporary space does not suffice.
    """
    subsets = [0, *analysis.subsets]
    memory = Memory(resources, f"analysis {analysis.name!r}")
    n_columns = len(analysis.qids) + len(analysis.sensitive)
    with full_disk_said(memory.where, resources.scratch):
        chunks = ParquetChunks([people], memory.rows_a_chunk(n_columns))
        memory = memory.for_chunks(n_columns * chunks.most_rows)
        records = records_of(chunks, analysis, memory)
        marked = with_marks(records, marks_of(domains_of(records, analysis)))
        with progress("walking subsets", records.n_records * len(subsets)) as advance:
            found = walk(marked, subsets, memory.work(marked, advance))
            write_profiles(out, found, is_synthetic)


def domains_of(records: Records, analysis: Anonymity) -> Sequence[Domain]:
    """Return the values of each sensitive attribute of an analysis."""
    pairs = zip(analysis.sensitive, records.sensitive, strict=True)
    return [Domain(values.counts, name in analysis.order) for name, values in pairs]
