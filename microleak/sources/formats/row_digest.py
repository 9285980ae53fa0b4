"""What a row has in all columns of its file, as one short text that names it."""

from collections.abc import Sequence
from hashlib import sha256
from operator import itemgetter

import pyarrow as pa
import pyarrow.compute as pc

from microleak.sources.definitions.definition import ROW, SourceDefinition

_DIGITS = 32


def row_digests(batch: pa.RecordBatch) -> pa.Array:
    """Digest of each row: the same in any order of the columns.

    The first 32 hexadecimal digits of the SHA-256 of a text with all names in the
    order of their bytes, then the values in the same order. Each is written as its
    length in bytes, ":" and itself, a missing value as "-:-", with ":" between.

    >>> row = pa.record_batch({"b": ["é"], "a": pa.array([None], pa.string())})
    >>> row_digests(row)[0].as_py()
    'ac6740ad2e7f7e6f14c1c28c88eec3be'
    >>> sha256("1:a:1:b:-:-:2:é".encode()).hexdigest()[:32]
    'ac6740ad2e7f7e6f14c1c28c88eec3be'
    """
    columns = sorted(
        zip(batch.schema.names, batch.columns, strict=True), key=itemgetter(0)
    )
    names = ":".join(f"{len(name.encode())}:{name}" for name, _ in columns)
    cells = [part for _, each in columns for part in (_lengths(each), each)]
    rows = pc.binary_join_element_wise(
        *(names, *cells, ":"), null_handling="replace", null_replacement="-"
    )
    digests = (sha256(row).hexdigest() for row in rows.cast(pa.binary()).to_pylist())
    return pa.array((each[:_DIGITS] for each in digests), pa.string())


def _lengths(texts: pa.Array) -> pa.Array:
    return pc.binary_length(texts).cast(pa.string())


def selected(
    batch: pa.RecordBatch, definition: SourceDefinition, attributes: Sequence[str]
) -> pa.RecordBatch:
    """Columns of attributes by their newest names, among them the digests of rows."""
    names = batch.schema.names
    columns = [
        row_digests(batch)
        if attribute == ROW
        else batch.column(names.index(definition.official(attribute)))
        for attribute in attributes
    ]
    return pa.RecordBatch.from_arrays(columns, [*attributes])
