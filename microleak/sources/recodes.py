"""Codes of old releases brought to the newest ones."""

from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc

Codes = Mapping[str, str]
"""Old -> newest code of one attribute."""

NO_CODE = ""
"""What an impossible old code becomes; no domain of a recoded attribute has it."""


def recoded(chunk: pa.Table, recodes: Mapping[str, Codes]) -> pa.Table:
    """Chunk with the values of the recoded attributes in the newest codes.

    A value that is not listed stays, and a missing one stays missing. But one
    that is not listed and is what another becomes was no code of the release:
    kept, it could not be told from that other. It becomes `NO_CODE`, so that
    its record is refused. The work is done once for each distinct value.

    Examples
    --------
    >>> chunk = pa.table({"sex": ["0", "1", None, "2", "x"], "age": list("01234")})
    >>> recoded(chunk, {"sex": {"0": "2", "1": "1"}})["sex"].to_pylist()
    ['2', '1', None, '', 'x']
    """
    for place, name in enumerate(chunk.column_names):
        if name in recodes:
            column = _recoded(chunk.column(name), recodes[name])
            chunk = chunk.set_column(place, name, column)
    return chunk


def _recoded(column: pa.ChunkedArray, codes: Codes) -> pa.ChunkedArray:
    return pa.chunked_array(
        [_translated(chunk.dictionary_encode(), codes) for chunk in column.chunks],
        pa.string(),
    )


def _translated(values: pa.DictionaryArray, codes: Codes) -> pa.StringArray:
    newest = [_newest(value, codes) for value in values.dictionary.to_pylist()]
    return pc.take(pa.array(newest, pa.string()), values.indices)


def _newest(value: str, codes: Codes) -> str:
    if value in codes:
        return codes[value]
    return NO_CODE if value in codes.values() else value
