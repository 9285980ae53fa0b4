"""From one record a person to a table of counts of pairs of values, and its file.

`profiles/ANALYSIS/contingency.parquet` has one row a pair of values that occurs:
`first` and `second` (places of two attributes in the analysis, see
`section.Counted.pairs`), `first_value`, `second_value` (null
is a missing value) and `n_records`. Rows are sorted by the attributes and then the
values, first by first, as their bytes in UTF-8 are; a missing one comes last.
Values of the release that no record has which a filter keeps stand there too, with
themselves and 0 records.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from microleak.attacks.mechanism.section import Counted
from microleak.base.arrays import Integers
from microleak.base.errors import TableError, ordinal
from microleak.base.machine import Resources
from microleak.base.progress import progress
from microleak.definitions.exact import run_starts
from microleak.records.chunks import Chunks, Given, chunks_of
from microleak.records.coding import Dictionary, codes_of, dictionary_of
from microleak.records.memory import MIB, Memory
from microleak.records.record_filter import KeptChunks, unseen_values
from microleak.sources.steps.intermediate import rows_where
from microleak.tables.parquet import ROWS_A_GROUP, write_parquet

FEW_PAIRS = 1 << 22
"""As many possible pairs as are counted in a table; of more, keys are sorted."""

LEAST_MERGED = 1 << 18  # Counts of parts that are merged at once, at least


@dataclass(frozen=True)
class Pairs:
    """Pairs of codes that occur, ascending, and the records of each, from 1."""

    # A pair is one number, `first * n_second + second`.

    key: Integers
    n_records: Integers


NO_PAIRS = Pairs(np.empty(0, np.int64), np.empty(0, np.int64))


class PairTally:
    """Records by a first and a second code, from 0 up, fewer than the numbers given."""

    # Memory grows with the pairs that occur, not with those that are possible.

    def __init__(self, n_first: int, n_second: int) -> None:
        self._n_second = n_second
        self._n_possible = n_first * n_second
        self._whole = NO_PAIRS
        self._waiting: list[Pairs] = []
        self._n_waiting = 0

    def add(self, first: Integers, second: Integers) -> None:
        keys = first * self._n_second + second
        if self._n_possible > FEW_PAIRS:
            part = Pairs(*np.unique(keys, return_counts=True))
        else:
            n_records = np.bincount(keys, minlength=self._n_possible)
            found = np.flatnonzero(n_records)
            part = Pairs(found, n_records[found])
        self._waiting.append(part)
        self._n_waiting += len(part.key)
        # So each pair is merged a few times, however many parts there are.
        if self._n_waiting > max(LEAST_MERGED, self.n_pairs):
            self._merge()

    @property
    def n_pairs(self) -> int:
        """Pairs that occur, but for those of the last parts."""
        return len(self._whole.key)

    @property
    def pairs(self) -> Pairs:
        self._merge()
        return self._whole

    def _merge(self) -> None:
        if self._waiting:
            parts = [self._whole, *self._waiting]
            keys = np.concatenate([part.key for part in parts])
            n_records = np.concatenate([part.n_records for part in parts])
            order = np.argsort(keys, kind="stable")
            starts = run_starts(keys[order])
            sums = np.add.reduceat(n_records[order], starts)
            self._whole = Pairs(keys[order][starts], sums)
        self._waiting, self._n_waiting = [], 0


SCHEMA = pa.schema(
    [
        ("first", pa.int16()),
        ("second", pa.int16()),
        ("first_value", pa.string()),
        ("second_value", pa.string()),
        ("n_records", pa.int64()),
    ]
)


@dataclass(frozen=True)
class Contingency:
    """Records by the values of two attributes."""

    # Those that occur, sorted as in the file
    first_values: pa.Array
    second_values: pa.Array
    # Places of a pair's values there
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    n_records: Integers  # Of each pair, from 1

    @property
    def transposed(self) -> "Contingency":
        """The same, second attribute first."""
        values = self.second_values, self.first_values
        return Contingency(*values, self.second, self.first, self.n_records)

    @cached_property
    def table(self) -> Integers:
        """Records of all pairs, shape (n_first_values, n_second_values)."""
        shape = (len(self.first_values), len(self.second_values))
        table = np.zeros(shape, dtype=np.int64)
        table[self.first, self.second] = self.n_records
        return table


def tables_of(
    pairs: Pairs, places: tuple[int, int], values: tuple[pa.Array, pa.Array]
) -> Iterator[pa.Table]:
    """Yield the rows of one pair of attributes, so many at once."""
    first, second = np.divmod(pairs.key, len(values[1]))
    for start in range(0, len(first), ROWS_A_GROUP):
        part = slice(start, start + ROWS_A_GROUP)
        n_rows = len(first[part])
        columns = [
            *(pa.array(np.full(n_rows, place, np.int16)) for place in places),
            values[0].take(pa.array(first[part])),
            values[1].take(pa.array(second[part])),
            pa.array(pairs.n_records[part]),
        ]
        yield pa.table(columns, schema=SCHEMA)


def read_contingency(path: Path, places: tuple[int, int]) -> Contingency:
    table = rows_where(path, _is_pair(places) & (pc.field("n_records") > 0))
    first_values, first = _coded(table["first_value"])
    second_values, second = _coded(table["second_value"])
    n_records = table["n_records"].to_numpy()
    return Contingency(first_values, second_values, first, second, n_records)


def released_values(path: Path, place: int) -> pa.Array:
    """Return all values of one attribute, also of records that a filter leaves out."""
    # By its place in the analysis; each once, sorted as in the file.
    column = rows_where(path, _is_pair((place, place)), ["first_value"])[0]
    return column.combine_chunks()


def _is_pair(places: tuple[int, int]) -> pc.Expression:
    return (pc.field("first") == places[0]) & (pc.field("second") == places[1])


def _coded(column: pa.ChunkedArray) -> tuple[pa.Array, NDArray[np.int64]]:
    """Return a column's distinct values, sorted, and the place of each row's."""
    both = column.dictionary_encode("encode").unify_dictionaries().combine_chunks()
    order = pc.array_sort_indices(both.dictionary, null_placement="at_end").to_numpy()
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return both.dictionary.take(pa.array(order)), place[both.indices.to_numpy()]


BYTES_A_PAIR = 100
"""What a pair of values that occurs needs, while pairs are merged and written."""

PAIRS = 0.5  # Share of the memory that pairs may take

PairTallies = Mapping[tuple[int, int], PairTally]
"""Records by pairs of values, by the places of two attributes."""


def count_pairs(
    people: Given, counted: Counted, is_synthetic: bool, resources: Resources, out: Path
) -> None:
    """Write how many records have each pair of values, of every pair of attributes."""
    memory = Memory(resources, f"analysis {counted.name!r}")
    n_columns = len(counted.attributes)
    chunks = chunks_of([people], memory.rows_a_chunk(n_columns))
    kept = _kept(chunks, counted)
    memory = memory.for_chunks(n_columns * chunks.most_rows)
    known = _coded_part(kept, counted, memory)
    released = _coded_part(chunks, counted, memory) if counted.keep else known
    tallies = _counted_part(known, counted, memory)
    tables = (
        table
        for i, j in counted.pairs
        for table in (
            _alone(released.values[i], known.values[i], i)
            if i == j
            else tables_of(tallies[i, j].pairs, (i, j), known.both(i, j))
        )
    )
    write_parquet(out, SCHEMA, tables, is_synthetic)


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
        return [codes_of(table[name], known).astype(np.int64) for name, known in pairs]

    def both(self, i: int, j: int) -> tuple[pa.Array, pa.Array]:
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
    values = counted.keep[attribute]
    parts = (chunks.read(i, [attribute]).column(0) for i in range(chunks.n_chunks))
    for value in unseen_values(parts, values)[:1]:
        raise TableError(
            f"analysis {counted.name!r}: the {ordinal(values.index(value) + 1)} value "
            f"of filter of {attribute} is that of no record of {counted.table} "
            f"{counted.release}. Correct filter in the study file."
        )


def _coded_part(chunks: Chunks, counted: Counted, memory: Memory) -> _Coded:
    names = counted.attributes

    def values(name: str) -> Dictionary:
        """Return a column's values in the order of their bytes, a missing one last."""
        known = dictionary_of(chunks, name, memory.bytes_a_column, advance)
        order = pc.array_sort_indices(known.values, null_placement="at_end")
        return Dictionary(known.values.take(order), known.counts[order.to_numpy()])

    with (
        progress("counting values", chunks.n_rows * len(names)) as advance,
        ThreadPoolExecutor(memory.resources.threads) as pool,
    ):
        return _Coded(chunks, names, list(pool.map(values, names)))


def _counted_part(known: _Coded, counted: Counted, memory: Memory) -> PairTallies:
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


def _refuse_many(tallies: PairTallies, counted: Counted, memory: Memory) -> None:
    n_pairs = sum(tally.n_pairs for tally in tallies.values())
    if n_pairs * BYTES_A_PAIR <= PAIRS * memory.resources.memory_mib * MIB:
        return
    i, j = max(tallies, key=lambda pair: tallies[pair].n_pairs)
    raise TableError(
        f"{memory.where}: there are at least {n_pairs:,} pairs of values, too many for "
        f"the memory given; {counted.attributes[i]} with {counted.attributes[j]} has "
        "most. Remove one of them, or give the run more memory (--max-memory)."
    )
