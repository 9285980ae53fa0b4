"""Turning columns of text or numbers into small integer codes, chunk by chunk."""

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import inf

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from microleak.errors import TableError
from microleak.kernels.records import MOST_RECORDS, Codes, Records, Values
from microleak.progress import Advance, unseen
from microleak.study.chunks import Chunks

MOST_WAITING = 1 << 29
"""What merging takes at which the values of a column's chunks are merged."""

BYTES_A_VALUE = 60
"""What a distinct value needs beside four copies, while it is merged or looked up."""


@dataclass(frozen=True)
class Dictionary:
    """Distinct values of a column, null among them, and the records of each."""

    values: pa.Array
    counts: NDArray[np.int64]


def coded(
    chunks: Chunks,
    qids: Sequence[str],
    sensitive: Sequence[str],
    n_threads: int = 1,
    most_bytes: float = inf,
    advance: Advance = unseen,
) -> Records:
    """Return the codes of columns, one for each distinct value; missing has its own.

    Null and NaN are the same missing value; 0.0 and -0.0 are equal. Which code
    a value has depends on the order of records, no result does. All rows are
    read once, which `advance` is told column by column, and again when codes
    are asked for. Memory is that of a chunk a thread, and of all distinct values,
    which may take `most_bytes` a column.

    Raises
    ------
    TableError
        If a column holds lists, structs or other values without equality, or too
        many distinct values, or if there are too many records.
    """
    if chunks.n_rows > MOST_RECORDS:
        raise TableError(
            f"The table has {chunks.n_rows:,} records, more than the {MOST_RECORDS:,} "
            "that an analysis can have. Cut it, for example by state."
        )
    names = [*qids, *sensitive]

    def column(name: str) -> Dictionary:
        return dictionary(_told(chunks, name, advance), name, most_bytes)

    with ThreadPoolExecutor(n_threads) as pool:
        dictionaries = list(pool.map(column, names))

    def chunk(i: int, wanted: Sequence[int]) -> list[Codes]:
        table = chunks.read(i, [names[n] for n in wanted])
        return [codes(table.column(k), dictionaries[n]) for k, n in enumerate(wanted)]

    values = [Values(found.counts) for found in dictionaries]
    return Records(values[: len(qids)], values[len(qids) :], chunks.n_chunks, chunk)


def _told(chunks: Chunks, name: str, advance: Advance) -> Iterable[pa.ChunkedArray]:
    for i in range(chunks.n_chunks):
        column = chunks.read(i, [name]).column(0)
        yield column
        advance(len(column))


def dictionary(
    columns: Iterable[pa.ChunkedArray], name: str, most_bytes: float
) -> Dictionary:
    """Return the distinct values of a column that comes in parts."""
    known: list[Dictionary] = []
    waiting: float = 0
    for column in columns:
        values, indices = _encoded(column, name)
        known.append(Dictionary(values, np.bincount(indices, minlength=len(values))))
        waiting += _bytes_to_merge(values)
        if waiting > min(MOST_WAITING, most_bytes / 2):
            known = [_merged(known)]
            _refuse_many(known[0].values, name, most_bytes)
            waiting = 0
    whole = _merged(known)
    _refuse_many(whole.values, name, most_bytes)
    return whole


def _bytes_to_merge(values: pa.Array) -> int:
    return int(4 * values.nbytes) + BYTES_A_VALUE * len(values)


def _refuse_many(values: pa.Array, name: str, most_bytes: float) -> None:
    if _bytes_to_merge(values) > most_bytes:
        raise TableError(
            f"Column {name} has at least {len(values):,} distinct values, too many for "
            "the memory given. Remove it from the QIDs, as it nearly identifies each "
            "person by itself, or give the run more memory (--max-memory)."
        )


def _merged(parts: Sequence[Dictionary]) -> Dictionary:
    values = pa.concat_arrays([part.values for part in parts])
    counts = np.concatenate([part.counts for part in parts])
    both = values.dictionary_encode(null_encoding="encode")
    # Exact: a sum of floats that are whole and below 2**53.
    sums = np.bincount(both.indices, weights=counts, minlength=len(both.dictionary))
    is_used = sums > 0
    return Dictionary(both.dictionary.filter(is_used), sums[is_used].astype(np.int64))


def codes(column: pa.ChunkedArray, known: Dictionary) -> Codes:
    """Return the codes of a part of a column, whose values are all known."""
    values, indices = _encoded(column, "")
    code_of = pc.index_in(values, known.values, skip_nulls=False)
    kind = np.min_scalar_type(len(known.values))
    table: Codes = code_of.fill_null(0).to_numpy(zero_copy_only=False).astype(kind)
    return table[indices]


def _encoded(column: pa.ChunkedArray, name: str) -> tuple[pa.Array, NDArray[np.int32]]:
    """Return a column's normal values, some maybe twice, and which each row has."""
    try:
        if pa.types.is_dictionary(column.type):
            wide = pa.dictionary(pa.int32(), column.type.value_type)
            column = column.cast(wide)
        else:
            column = column.dictionary_encode()
    except pa.ArrowNotImplementedError:
        raise TableError(
            f"Column {name} has values of type {column.type}, which have no "
            "equality. Convert it to text or numbers."
        ) from None
    both = column.unify_dictionaries().combine_chunks()
    values = both.dictionary
    missing = pa.nulls(1, values.type)
    indices = both.indices.fill_null(len(values)).to_numpy(zero_copy_only=False)
    return _normal(pa.concat_arrays([values, missing])), indices


def _normal(values: pa.Array) -> pa.Array:
    """Return values without NaN and negative zero, of a type that can be filtered."""
    if pa.types.is_string_view(values.type):
        return values.cast(pa.large_string())
    if pa.types.is_binary_view(values.type):
        return values.cast(pa.large_binary())
    if not pa.types.is_floating(values.type):
        return values
    values = values.cast(pa.float64())
    values = pc.if_else(pc.is_nan(values), pa.scalar(None, values.type), values)
    return pc.add(values, pa.scalar(0.0, values.type))
