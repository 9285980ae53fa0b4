"""Turning columns of text or numbers into small integer codes."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from microleak.errors import TableError
from microleak.kernels.keys import Attribute


def coded(column: pa.ChunkedArray, name: str) -> Attribute:
    """Return one code for each distinct value of a column; missing has its own.

    Null and NaN are the same missing value; 0.0 and -0.0 are equal. Which code
    a value has depends on the order of records, no result does.

    Raises
    ------
    TableError
        If the column holds lists, structs or other values without equality.
    """
    values = _normal(column, name).unify_dictionaries()
    n_values = len(values.chunk(0).dictionary) if values.num_chunks else 0
    codes = np.empty(len(values), dtype=np.min_scalar_type(n_values))
    start = 0
    for chunk in values.chunks:
        indices = chunk.indices.fill_null(n_values)
        codes[start : start + len(chunk)] = indices.to_numpy(zero_copy_only=False)
        start += len(chunk)
    return Attribute(codes, n_values + int(values.null_count > 0))


def _normal(column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    """Return a column with dictionaries of distinct values, none of them missing.

    A dictionary that comes with the column may hold a value twice, null or NaN.
    """
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_floating(column.type):
        column = column.cast(pa.float64())
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
        column = pc.add(column, pa.scalar(0.0, column.type))
    try:
        return pc.dictionary_encode(column)
    except pa.ArrowNotImplementedError:
        raise TableError(
            f"Column {name} has values of type {column.type}, which have no "
            "equality. Convert it to text or numbers."
        ) from None
