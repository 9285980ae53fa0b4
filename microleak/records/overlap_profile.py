"""From the records of a population and of a sample to the profile of both."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from microleak.base.arrays import QidMask
from microleak.base.errors import TableError
from microleak.base.machine import Resources
from microleak.base.progress import progress, tell_user
from microleak.definitions.overlap import n_not_found, overlap
from microleak.kernels.records import Records
from microleak.kernels.tally import Histogram
from microleak.kernels.walk import walk_subsets
from microleak.records.chunks import Given
from microleak.records.compared import MARK, REFUSE, Compared, both_of
from microleak.records.meeting import NEXT_TO_NOTHING, are_few
from microleak.records.memory import Memory, coded_records, full_disk_said
from microleak.records.profile_file import profiles_of, write_profiles
from microleak.records.subsets import names_of


def profile_overlap(
    population: Given,
    sample: Given,
    compared: Compared,
    is_synthetic: bool,
    resources: Resources,
    out: Path,
) -> None:
    subsets = {0, *compared.subsets}
    memory = Memory(resources, f"analysis {compared.name!r}")
    n_columns = len(compared.attributes) + 1
    with full_disk_said(memory.where, resources.scratch):
        chunks = both_of(population, sample, compared, memory.rows_a_chunk(n_columns))
        memory = memory.for_chunks(n_columns * chunks.most_rows)
        records = coded_records(chunks, compared.qids, [MARK], memory)
        if compared.not_found == REFUSE:
            _refuse_not_found(records, compared, memory)
        few: list[str] = []
        with progress("walking subsets", records.n_records * len(subsets)) as advance:
            found = walk_subsets(records, subsets, memory.work(records, advance))
            write_profiles(out, _looked_at(found, compared.qids, few), is_synthetic)
    for name in few:
        tell_user(
            f"{memory.where}: {name} of {compared.sample} and of {compared.population} "
            f"have {NEXT_TO_NOTHING}"
        )


def _looked_at(
    found: Iterable[tuple[QidMask, Histogram]], qids: Sequence[str], few: list[str]
) -> Iterator[tuple[QidMask, Histogram]]:
    """Yield what is found, and put aside QIDs by which hardly anybody is."""
    for subset, histogram in found:
        if subset.bit_count() == 1:
            both = overlap(profiles_of(histogram)[0])
            if are_few((both.n_sample - n_not_found(both), both.n_sample)):
                few += names_of(subset, qids)
        yield subset, histogram


def _refuse_not_found(records: Records, compared: Compared, memory: Memory) -> None:
    every = (1 << len(compared.qids)) - 1
    with progress("looking for the sample", records.n_records) as advance:
        ((_, histogram),) = walk_subsets(
            records, [every], memory.work(records, advance)
        )
    n = n_not_found(overlap(profiles_of(histogram)[0]))
    if n:
        raise TableError(
            f"analysis {compared.name!r}: the sample {compared.sample} has values, of "
            f"all QIDs together, that no record of the population "
            f"{compared.population} has, in {n:,} of its records. Correct qids or the "
            "crosswalk, or write not_found: count in the study file."
        )
