"""Who of another release is whom: the rows of one person, by an identifier of both."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from microleak.kernels.texts import Texts, places_in
from microleak.records.chunks import Given
from microleak.sources.steps.intermediate import parquet

ROWS_A_PART = 1 << 16
"""Identifiers of a file that are read at once, into memory that is used again."""

PartnerRows = NDArray[np.int32]
"""Rows of another release, -1 for none."""


def partner_rows(focal: Given, auxiliary: Given, person_id: str) -> PartnerRows:
    """Return the focal row of the person of each auxiliary row, -1 without one.

    Both are sorted by the identifier, so they are read side by side.
    """
    ahead = _Ahead(_identifiers_of(focal, person_id))
    found = [ahead.rows_of(ids) for ids in _identifiers_of(auxiliary, person_id)]
    return np.concatenate([np.empty(0, dtype=np.int32), *found])


def _identifiers_of(given: Given, person_id: str) -> Iterator[pa.Array]:
    """Yield the identifiers of a release, all of a table in memory at once."""
    if isinstance(given, Path):
        with parquet(given) as file:
            for part in file.iter_batches(ROWS_A_PART, columns=[person_id]):
                yield part[person_id].cast(pa.string())
    else:
        yield given[person_id].combine_chunks()


def bytes_of(texts: pa.Array) -> Texts:
    """Return the bytes of one text or more; a missing one has none."""
    _, first, data = texts.buffers()
    begin = texts.offset
    offsets = np.frombuffer(first, np.int32)[begin : begin + len(texts) + 1]
    return Texts(offsets, np.frombuffer(data or b"\0", np.uint8))


class _Ahead:
    """Identifiers of a sorted release, in groups, looked up in ascending order."""

    def __init__(self, groups: Iterator[pa.Array]) -> None:
        self._groups = groups
        self._group = next(groups, pa.nulls(0, pa.string()))
        self._first = 0

    def rows_of(self, ids: pa.Array) -> PartnerRows:
        """Return rows of identifiers, which come after those asked before."""
        found = np.full(len(ids), -1, dtype=np.int32)
        while len(ids) and len(self._group):
            rows = places_in(bytes_of(ids), bytes_of(self._group))
            found[rows >= 0] = rows[rows >= 0] + self._first
            following = self._following(ids)
            if following is None:
                break
            self._first += len(self._group)
            self._group = following
        return found

    def _following(self, ids: pa.Array) -> pa.Array | None:
        """Return the next group, if some identifier may be in it."""
        if self._group[-1].as_py() > ids[-1].as_py():
            return None
        return next(self._groups, None)
