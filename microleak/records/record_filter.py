"""The records of a table that have one of some values, chunk by chunk."""

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc

from microleak.base.progress import Advance, unseen
from microleak.records.chunks import Chunks

Values = Mapping[str, tuple[str | None, ...]]
"""Values of attributes; None is a missing one."""


class KeptChunks:
    """The rows of a table that have, in each attribute of `keep`, one of its values.

    Null is a value like any other. The attributes of `keep` are read once, when
    this is made, of which `advance` is told; memory is that of a chunk, and of one
    bit a row. Chunks without such a row are left out.
    """

    def __init__(self, chunks: Chunks, keep: Values, advance: Advance = unseen) -> None:
        self._chunks = chunks
        self._kept: list[tuple[int, pa.BooleanArray]] = []
        for i in range(chunks.n_chunks):
            mask = _mask(chunks, i, keep)
            if mask.true_count:
                self._kept.append((i, mask))
            advance(len(mask))
        self.n_rows = sum(mask.true_count for _, mask in self._kept)
        self.n_chunks = len(self._kept)

    def read(self, chunk: int, names: Sequence[str]) -> pa.Table:
        """Return some columns of a chunk."""
        number, mask = self._kept[chunk]
        return self._chunks.read(number, names).filter(mask)


def unseen_values(
    columns: Iterable[pa.ChunkedArray], values: Sequence[str | None]
) -> list[str]:
    """Return the values that no part of a column has, but a missing one.

    Parts are taken until each value was seen: mostly that is the first alone.
    """
    sought = [value for value in values if value is not None]
    for column in columns:
        found = column.unique().cast(pa.string())
        is_seen = pc.is_in(pa.array(sought, pa.string()), value_set=found).to_pylist()
        sought = [v for v, seen in zip(sought, is_seen, strict=True) if not seen]
        if not sought:
            break
    return sought


def _mask(chunks: Chunks, chunk: int, keep: Values) -> pa.BooleanArray:
    table = chunks.read(chunk, list(keep))
    each = [
        pc.is_in(table[name], value_set=pa.array(values, pa.string()))
        for name, values in keep.items()
    ]
    return reduce(pc.and_, each).combine_chunks()
