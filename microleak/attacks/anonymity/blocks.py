"""From one record a person to the block profiles of an anonymity analysis.

Both distances of t-closeness (`t_equal`, `t_ordered`) are convex in a block's
shares: no block is farther than a *pure* one, of only one value, of the farthest of
its values would be. So a pure block of the farthest value of all decides t, and if
there is one of another value, only blocks with a value that is farther still can
be farther. Walking the records with such values marked says which pure blocks there
are (decision 8).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from microleak.attacks.anonymity.section import Anonymity
from microleak.base.arrays import Codes, Integers
from microleak.base.errors import TableError
from microleak.base.machine import Resources
from microleak.base.progress import progress
from microleak.definitions.exact import kind_sums
from microleak.definitions.profile import BlockProfile
from microleak.kernels.records import Records, Values
from microleak.kernels.walk import walk_subsets
from microleak.records.chunks import Chunks, Given
from microleak.records.coding import Dictionary, code_columns, codes_of, dictionary_of
from microleak.records.memory import Memory, full_disk_said
from microleak.records.profile_file import write_profiles

T_EQUAL, T_ORDERED = "t_equal", "t_ordered"

MARKED_RECORDS = (1, 1_000, 100_000)
"""Records that the farthest values are to have together, to be marked together."""


@dataclass(frozen=True)
class SensitiveDomain:
    """Values of a sensitive attribute in the whole table."""

    counts: Integers  # Records of each value, from 1, by its code
    has_order: bool  # Whether codes are in an order of the values that means something

    @property
    def n_records(self) -> int:
        return int(self.counts.sum())

    @cached_property
    def distances(self) -> dict[str, Integers]:
        """Distance of a pure block of each value, times its `scale`."""
        found = {T_EQUAL: self.n_records - self.counts}
        return found | ({T_ORDERED: self._moved} if self.has_order else {})

    def scale(self, distance: str) -> int:
        """Return by what the distances of pure blocks are to be divided, from 1."""
        n_steps = max(1, len(self.counts) - 1) if distance == T_ORDERED else 1
        return self.n_records * n_steps

    @property
    def _moved(self) -> Integers:
        """Records that are to be moved past each rank to have one value only."""
        up_to = np.cumsum(self.counts)[:-1]
        above = np.cumsum(self.n_records - up_to)
        below = np.append(0, np.cumsum(up_to))
        moved: Integers = below + above[-1:].sum() - np.append(0, above)
        return moved


@dataclass(frozen=True)
class Mark:
    """Values of one sensitive attribute that are marked together."""

    sensitive: int  # Position of the attribute in the analysis
    is_member: NDArray[np.bool_]  # Whether a value is one of them, by its code

    def has_pure_block(self, profile: BlockProfile) -> bool:
        """Whether some block has only one value, one of those that are marked."""
        # Of several values together it is known of blocks of one record only.
        is_pure = profile.modal_count == profile.block_size
        if self.is_member.sum() > 1:
            is_pure &= profile.block_size == 1
        return bool(is_pure.any())


Marked = tuple[Mark, BlockProfile]  # A mark, and the profile of its members


def marks_of(domains: Sequence[SensitiveDomain]) -> list[Mark]:
    """Return what to mark of each sensitive attribute, in their order."""
    # Of an attribute with two values the first, so that the marks tell all of it; of
    # others, by each distance, the farthest values that have some numbers of records.
    return [
        Mark(i, np.array(is_member))
        for i, domain in enumerate(domains)
        for is_member in dict.fromkeys(_marked(domain))
    ]


def _marked(domain: SensitiveDomain) -> Iterator[tuple[bool, ...]]:
    if len(domain.counts) == 2:
        yield True, False
        return
    for far in domain.distances.values():
        # Values that are as far are in a mark together; one of all values says nothing.
        each, kind = np.unique(-far, return_inverse=True)
        n_records = np.cumsum(kind_sums(kind, domain.counts, len(each)))
        places = np.unique(np.searchsorted(n_records, MARKED_RECORDS))
        for threshold in each[places[places < len(each) - 1]]:
            yield tuple((far >= -threshold).tolist())


def marked_in(
    profiles: Mapping[int, BlockProfile], marks: Sequence[Mark]
) -> list[Marked]:
    """Return each mark with its profile, from those of a subset; marks come last."""
    first = len(profiles) - len(marks)
    return [(mark, profiles[first + i]) for i, mark in enumerate(marks)]


def with_marks(records: Records, marks: Sequence[Mark]) -> Records:
    """Return records with marked attributes after the sensitive ones."""
    n_given = len(records.qids) + len(records.sensitive)

    def source(name: int) -> int:
        if name < n_given:
            return name
        return len(records.qids) + marks[name - n_given].sensitive

    def recoded(name: int, found: Codes) -> Codes:
        if name < n_given:
            return found
        return marks[name - n_given].is_member.astype(np.uint8)[found]

    def chunk(i: int, names: Sequence[int]) -> list[Codes]:
        sources = list(dict.fromkeys(map(source, names)))
        found = dict(zip(sources, records.chunk(i, sources), strict=True))
        return [recoded(name, found[source(name)]) for name in names]

    marked = []
    for mark in marks:
        counts = records.sensitive[mark.sensitive].counts
        n_members = counts[mark.is_member].sum()
        both = np.array([counts.sum() - n_members, n_members])
        marked.append(Values(both, is_marked=True))
    return replace(records, sensitive=[*records.sensitive, *marked], chunk=chunk)


def records_of(chunks: Chunks, analysis: Anonymity, memory: Memory) -> Records:
    """Return the QIDs and sensitive attributes of an analysis, read chunk by chunk."""
    # Codes of a sensitive attribute are in the order of its values: a missing one
    # first, then as the analysis orders them or, where it does not, as texts. So they
    # do not depend on the order of the records.
    n_columns = len(analysis.qids) + len(analysis.sensitive)
    with progress("counting values", chunks.n_rows * n_columns) as advance:
        n_threads, most_bytes = memory.resources.threads, memory.bytes_a_column
        qids = code_columns(chunks, analysis.qids, (), n_threads, most_bytes, advance)
        known = {}
        for name in analysis.sensitive:
            found = dictionary_of(chunks, name, most_bytes, advance)
            if name in analysis.order:
                where = f"analysis {analysis.name!r}: {name}"
                known[name] = in_given_order(found, analysis.order[name], where)
            else:
                known[name] = in_order(found)
    return _with_sensitive(qids, chunks, known)


def in_order(known: Dictionary) -> Dictionary:
    return _taken(known, pc.array_sort_indices(known.values, null_placement="at_start"))


def in_given_order(known: Dictionary, order: Sequence[str], where: str) -> Dictionary:
    places = pa.array([None, *order], known.values.type)
    place = pc.index_in(known.values, places, skip_nulls=False)
    if place.null_count:
        n_records = known.counts[place.is_null().to_numpy(zero_copy_only=False)].sum()
        raise TableError(
            f"{where} has a value that is not in its order, in {n_records:,} of the "
            "records. "
            "Add the value to order of the analysis in the study file."
        )
    return _taken(known, pc.array_sort_indices(place))


def _taken(known: Dictionary, order: pa.Array) -> Dictionary:
    return Dictionary(known.values.take(order), known.counts[order.to_numpy()])


def _with_sensitive(
    qids: Records, chunks: Chunks, known: Mapping[str, Dictionary]
) -> Records:
    names, n_qids = list(known), len(qids.qids)

    def chunk(i: int, wanted: Sequence[int]) -> list[Codes]:
        own = [n for n in wanted if n < n_qids]
        found = dict(zip(own, qids.chunk(i, own), strict=True))
        others = {n: names[n - n_qids] for n in wanted if n >= n_qids}
        table = chunks.read(i, list(others.values()))
        found |= {n: codes_of(table[name], known[name]) for n, name in others.items()}
        return [found[n] for n in wanted]

    sensitive = [Values(column.counts) for column in known.values()]
    return Records(qids.qids, sensitive, qids.n_chunks, chunk)


def profile_blocks(
    people: Given,
    analysis: Anonymity,
    is_synthetic: bool,
    resources: Resources,
    out: Path,
) -> None:
    """Write the block profile of every wanted subset, and of the empty one."""
    # After the sensitive attributes come the marks of some of their values
    # (`microleak.attacks.anonymity.blocks`).
    subsets = [0, *analysis.subsets]
    memory = Memory(resources, f"analysis {analysis.name!r}")
    n_columns = len(analysis.qids) + len(analysis.sensitive)
    with full_disk_said(memory.where, resources.scratch):
        chunks, memory = memory.chunks(people, n_columns)
        records = records_of(chunks, analysis, memory)
        marked = with_marks(records, marks_of(domains_of(records, analysis)))
        with progress("walking subsets", records.n_records * len(subsets)) as advance:
            found = walk_subsets(marked, subsets, memory.work(marked, advance))
            write_profiles(out, found, is_synthetic)


def domains_of(records: Records, analysis: Anonymity) -> Sequence[SensitiveDomain]:
    pairs = zip(analysis.sensitive, records.sensitive, strict=True)
    return [
        SensitiveDomain(values.counts, name in analysis.order) for name, values in pairs
    ]
