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
    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
        column = pc.add(column, pa.scalar(0.0, column.type))
    if not pa.types.is_dictionary(column.type):
        try:
            column = pc.dictionary_encode(column)
        except pa.ArrowNotImplementedError:
            raise TableError(
                f"Column {name} has values of type {column.type}, which have no "
                "equality. Convert it to text or numbers."
            ) from None
    column = column.unify_dictionaries()
    n_values = len(column.chunk(0).dictionary) if column.num_chunks else 0
    kind = np.min_scalar_type(n_values)
    codes = np.empty(len(column), dtype=kind)
    start = 0
    for chunk in column.chunks:
        indices = chunk.indices.fill_null(n_values)
        codes[start : start + len(chunk)] = indices.to_numpy(zero_copy_only=False)
        start += len(chunk)
    return Attribute(codes, n_values + int(column.null_count > 0))
