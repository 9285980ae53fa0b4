"""Records of an anonymity analysis, the codes of sensitive values in their order."""

from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from microleak.errors import TableError
from microleak.kernels.records import Codes, Records, Values
from microleak.progress import Advance, progress
from microleak.study.chunks import Chunks
from microleak.study.coding import Dictionary, coded, codes, dictionary
from microleak.study.memory import Memory
from microleak.study.samples import Anonymity


def records_of(chunks: Chunks, analysis: Anonymity, memory: Memory) -> Records:
    """Return the QIDs and sensitive attributes of an analysis, read chunk by chunk.

    Codes of a sensitive attribute are in the order of its values: a missing one
    first, then as the analysis orders them or, where it does not, as texts. So
    they do not depend on the order of the records.

    Raises
    ------
    TableError
        If a value that occurs is not in the order that the analysis gives.
    """
    n_columns = len(analysis.qids) + len(analysis.sensitive)
    with progress("counting values", chunks.n_rows * n_columns) as advance:
        n_threads, most_bytes = memory.resources.threads, memory.bytes_a_column
        qids = coded(chunks, analysis.qids, (), n_threads, most_bytes, advance)
        known = {}
        for name in analysis.sensitive:
            found = dictionary(_told(chunks, name, advance), name, most_bytes)
            known[name] = _sorted(found, name, analysis)
    return _with_sensitive(qids, chunks, known)


def _sorted(known: Dictionary, name: str, analysis: Anonymity) -> Dictionary:
    if name not in analysis.order:
        return in_order(known)
    where = f"analysis {analysis.name!r}: {name}"
    return in_given_order(known, analysis.order[name], where)


def in_order(known: Dictionary) -> Dictionary:
    """Return a column's values in the order of their bytes, a missing one first."""
    return _taken(known, pc.array_sort_indices(known.values, null_placement="at_start"))


def in_given_order(known: Dictionary, order: Sequence[str], where: str) -> Dictionary:
    """Return a column's values from low to high, a missing one first.

    Raises
    ------
    TableError
        If a value is not in the order: of how many records, after `where`.
    """
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


def _told(chunks: Chunks, name: str, advance: Advance) -> Iterator[pa.ChunkedArray]:
    for i in range(chunks.n_chunks):
        column = chunks.read(i, [name]).column(0)
        yield column
        advance(len(column))


def _with_sensitive(
    qids: Records, chunks: Chunks, known: Mapping[str, Dictionary]
) -> Records:
    names, n_qids = list(known), len(qids.qids)

    def chunk(i: int, wanted: Sequence[int]) -> list[Codes]:
        """Return the codes of the attributes wanted in the i-th chunk."""
        own = [n for n in wanted if n < n_qids]
        found = dict(zip(own, qids.chunk(i, own), strict=True))
        others = {n: names[n - n_qids] for n in wanted if n >= n_qids}
        table = chunks.read(i, list(others.values()))
        found |= {n: codes(table[name], known[name]) for n, name in others.items()}
        return [found[n] for n in wanted]

    sensitive = [Values(column.counts) for column in known.values()]
    return Records(qids.qids, sensitive, qids.n_chunks, chunk)
