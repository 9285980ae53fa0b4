"""From one record a person to a table of counts of pairs of values."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from microleak.errors import TableError, ordinal
from microleak.progress import progress
from microleak.resources import Resources
from microleak.study.chunks import Chunks, ParquetChunks
from microleak.study.coding import Dictionary, codes, dictionary
from microleak.study.contingency_file import tables_of, write_contingency
from microleak.study.kept import KeptChunks, unseen_values
from microleak.study.mechanism_model import Counted
from microleak.study.memory import MIB, Memory
from microleak.study.pair_tally import Integers, Pairs, PairTally

BYTES_A_PAIR = 100
"""What a pair of values that occurs needs, while pairs are merged and written."""

PAIRS = 0.5
"""Share of the memory that pairs may take."""

Tallies = Mapping[tuple[int, int], PairTally]
"""Records by pairs of values, by the places of two attributes."""


def count_pairs(
    people: Path, counted: Counted, is_synthetic: bool, resources: Resources, out: Path
) -> None:
    """Write how many records have each pair of values, of every pair of attributes.

    Parameters
    ----------
    people
        Records of the release, one a person. Columns of the analysis are read twice,
        chunk by chunk; with a filter its own are read once before, and those of the
        analysis once more for the values that the filter leaves out.
    counted
        Attributes, and which records count.
    is_synthetic
        Whether a twin made the release.
    resources
        Bounds, which do not change what is written.
    out
        The file (`microleak.study.contingency_file`).

    Raises
    ------
    TableError
        If no record counts, or has a value of the filter, or values or their pairs
        are too many for the memory.
    """
    memory = Memory(resources, f"analysis {counted.name!r}")
    n_columns = len(counted.attributes)
    chunks = ParquetChunks([people], memory.rows_a_chunk(n_columns))
    kept = _kept(chunks, counted)
    memory = memory.for_chunks(n_columns * chunks.most_rows)
    known = _coded(kept, counted, memory)
    released = _coded(chunks, counted, memory) if counted.keep else known
    tallies = _counted(known, counted, memory)
    tables = (
        table
        for i, j in counted.pairs
        for table in (
            _alone(released.values[i], known.values[i], i)
            if i == j
            else tables_of(tallies[i, j].pairs, (i, j), known.both(i, j))
        )
    )
    write_contingency(out, tables, is_synthetic)


@dataclass(frozen=True)
class _Coded:
    """The records that count, and the values of each attribute, sorted."""

    chunks: Chunks
    names: Sequence[str]
    values: Sequence[Dictionary]

    def codes(self, chunk: int) -> list[Integers]:
        """Return the codes of a chunk's records, attribute by attribute."""
        table = self.chunks.read(chunk, self.names)
        pairs = zip(self.names, self.values, strict=True)
        return [codes(table[name], known).astype(np.int64) for name, known in pairs]

    def both(self, i: int, j: int) -> tuple[pa.Array, pa.Array]:
        """Return the values of two attributes."""
        return self.values[i].values, self.values[j].values


def _alone(released: Dictionary, kept: Dictionary, place: int) -> Iterator[pa.Table]:
    """Yield the rows of an attribute with itself: all values, with the kept records."""
    n_values = len(released.values)
    counts = np.zeros(n_values, dtype=np.int64)
    found = pc.index_in(kept.values, released.values, skip_nulls=False)
    counts[found.to_numpy(zero_copy_only=False)] = kept.counts
    pairs = Pairs(np.arange(n_values) * (n_values + 1), counts)
    return tables_of(pairs, (place, place), (released.values, released.values))


def _kept(chunks: Chunks, counted: Counted) -> Chunks:
    """Return the records that count."""
    where = f"analysis {counted.name!r}: {counted.table} {counted.release} has no"
    if not chunks.n_rows:
        raise TableError(f"{where} records. Correct focal in the study file.")
    if not counted.keep:
        return chunks
    for attribute in counted.keep:
        _check_filter(chunks, counted, attribute)
    with progress("filtering", chunks.n_rows) as advance:
        kept = KeptChunks(chunks, counted.keep, advance)
    if not kept.n_rows:
        raise TableError(
            f"{where} record with the values of filter ({', '.join(counted.keep)}). "
            "Correct filter in the study file."
        )
    return kept


def _check_filter(chunks: Chunks, counted: Counted, attribute: str) -> None:
    """Refuse a value of the filter that no record has, but a missing one."""
    values = counted.keep[attribute]
    parts = (chunks.read(i, [attribute]).column(0) for i in range(chunks.n_chunks))
    for value in unseen_values(parts, values)[:1]:
        raise TableError(
            f"analysis {counted.name!r}: the {ordinal(values.index(value) + 1)} value "
            f"of filter of {attribute} is that of no record of {counted.table} "
            f"{counted.release}. Correct filter in the study file."
        )


def _coded(chunks: Chunks, counted: Counted, memory: Memory) -> _Coded:
    names = counted.attributes

    def values(name: str) -> Dictionary:
        """Return the dictionary of a column in the order of its values."""
        parts = (chunks.read(i, [name]).column(0) for i in range(chunks.n_chunks))
        found = _sorted(dictionary(parts, name, memory.bytes_a_column))
        advance(chunks.n_rows)
        return found

    with (
        progress("counting values", chunks.n_rows * len(names)) as advance,
        ThreadPoolExecutor(memory.resources.threads) as pool,
    ):
        return _Coded(chunks, names, list(pool.map(values, names)))


def _sorted(known: Dictionary) -> Dictionary:
    """Return values in the order of their bytes, a missing one last."""
    order = pc.array_sort_indices(known.values, null_placement="at_end")
    return Dictionary(known.values.take(order), known.counts[order.to_numpy()])


def _counted(known: _Coded, counted: Counted, memory: Memory) -> Tallies:
    """Return the records of each pair of values, of two attributes each."""
    sizes = [len(column.values) for column in known.values]
    tallies = {
        (i, j): PairTally(sizes[i], sizes[j]) for i, j in counted.pairs if i != j
    }
    with (
        progress("counting pairs", known.chunks.n_rows) as advance,
        ThreadPoolExecutor(memory.resources.threads) as pool,
    ):
        for chunk in range(known.chunks.n_chunks):
            found = known.codes(chunk)
            tasks = [
                pool.submit(tally.add, found[i], found[j])
                for (i, j), tally in tallies.items()
            ]
            for task in tasks:
                task.result()
            _refuse_many(tallies, counted, memory)
            advance(len(found[0]))
    return tallies


def _refuse_many(tallies: Tallies, counted: Counted, memory: Memory) -> None:
    """Refuse more pairs of values than there is memory for."""
    n_pairs = sum(tally.n_pairs for tally in tallies.values())
    if n_pairs * BYTES_A_PAIR <= PAIRS * memory.resources.memory_mb * MIB:
        return
    i, j = max(tallies, key=lambda pair: tallies[pair].n_pairs)
    raise TableError(
        f"{memory.where}: there are at least {n_pairs:,} pairs of values, too many for "
        f"the memory given; {counted.attributes[i]} with {counted.attributes[j]} has "
        "most. Remove one of them, or give the run more memory (--max-memory)."
    )
