"""Rows that wait, in memory or, beyond a bound, in a file without a name."""

import ctypes
import os
import tempfile
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from weakref import WeakSet

import numpy as np
import pyarrow as pa

from microleak.base.files import UNFINISHED
from microleak.kernels.spilled_rows import Arrays, Types, joined_rows
from microleak.tables.parquet import row_groups_of

ROWS_A_PLACE = 1 << 16  # Pieces are written together until they have so many rows
BYTES_AN_ARRAY = 128  # What an array needs beside its values


class Scratch:
    """Makes shelves that together hold at most `most_bytes` in memory."""

    # When they would hold more, the one with most writes what it has to a file in
    # `folder` that has no name, where the system can do that: nobody else can open it,
    # and it vanishes with the shelf or the process, however that ends.

    def __init__(self, folder: Path, most_bytes: int) -> None:
        self._folder = folder
        self._most_bytes = most_bytes
        self._shelves: WeakSet[ScratchShelf] = WeakSet()
        self._lock = Lock()

    def shelf(self, types: Types) -> "ScratchShelf":
        shelf = ScratchShelf(types, self, self._folder)
        with self._lock:
            self._shelves.add(shelf)
        return shelf

    def make_room(self) -> None:
        """Have shelves write what they hold until all is within bounds."""
        with self._lock:
            while sum(shelf.n_bytes for shelf in self._shelves) > self._most_bytes:
                max(self._shelves, key=lambda shelf: shelf.n_bytes).spill()
                give_back()


def give_back() -> None:
    """Give memory that was freed back to the system, as far as it can be told to."""
    pa.default_memory_pool().release_unused()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # of glibc
    if trim:
        trim(0)


class ScratchShelf:
    """Rows by a number, in memory or a file; threads may use it at the same time."""

    def __init__(self, types: Types, scratch: Scratch, folder: Path) -> None:
        self.types = types
        self.n_bytes = 0
        self._scratch = scratch
        self._held: dict[int, list[Arrays]] = defaultdict(list)
        self._places: dict[int, array[int]] = defaultdict(lambda: array("q"))
        self._sizes: Counter[int] = Counter()
        self._file = tempfile.TemporaryFile(  # noqa: SIM115
            dir=folder, prefix=UNFINISHED, buffering=0
        )
        self._end = 0  # of the file, where each place's offset and rows are noted
        self._lock = Lock()

    def put(self, number: int, rows: Arrays) -> None:
        """Add a copy of some rows."""
        if not len(rows[0]):
            return
        piece = [column.copy() for column in rows]
        with self._lock:
            self._held[number].append(piece)
            self._sizes[number] += len(piece[0])
            self.n_bytes += _n_bytes(piece)
        self._scratch.make_room()

    def n_rows(self, number: int) -> int:
        return self._sizes[number]

    def pieces(self, number: int) -> Iterator[Arrays]:
        """Yield all rows put under a number, piece by piece, and forget them."""
        with self._lock:
            held = self._held.pop(number, [])
            places = self._places.pop(number, array("q"))
            del self._sizes[number]
            self.n_bytes -= sum(map(_n_bytes, held))
        while held:
            yield held.pop()
        for offset, n_rows in zip(places[::2], places[1::2], strict=True):
            yield self._read(offset, n_rows)

    def spill(self) -> None:
        with self._lock:
            while self._held:
                number, pieces = self._held.popitem()
                # Small ones together, so that few are noted and none is large.
                for batch in row_groups_of(pieces, _n_rows, ROWS_A_PLACE):
                    whole = joined_rows(batch, self.types)
                    self._places[number].extend((self._end, len(whole[0])))
                    for column in whole:
                        self._write(column)
            self.n_bytes = 0

    def _write(self, column: np.ndarray) -> None:
        rest = memoryview(column.data).cast("B")
        while rest:
            n = os.pwrite(self._file.fileno(), rest, self._end)
            self._end += n
            rest = rest[n:]

    def _read(self, offset: int, n_rows: int) -> Arrays:
        columns, at = [], offset
        for kind in self.types:
            column = np.empty(n_rows, dtype=kind)
            _fill(self._file.fileno(), memoryview(column.data).cast("B"), at)
            at += column.nbytes
            columns.append(column)
        return columns


def _fill(file: int, rest: memoryview, at: int) -> None:
    while rest:
        n = os.preadv(file, [rest], at)
        assert n > 0, "the file ends before its rows"
        at += n
        rest = rest[n:]


def _n_rows(rows: Arrays) -> int:
    return len(rows[0])


def _n_bytes(rows: Arrays) -> int:
    return sum(column.nbytes + BYTES_AN_ARRAY for column in rows)
