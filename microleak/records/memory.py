"""Records coded and profiled within bounds of memory and disk."""

import errno
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path

import psutil

from microleak.base.errors import MicroleakError
from microleak.base.machine import Resources
from microleak.base.progress import Advance, progress
from microleak.kernels.records import MOST_RECORDS, ROWS_A_CHUNK, Records
from microleak.kernels.spilled_rows import NewShelf
from microleak.kernels.walk import ROWS_A_BUCKET, Work
from microleak.records.chunks import Chunks, Given, chunks_of
from microleak.records.coding import (
    Dictionary,
    Wanted,
    check_size,
    coded_with,
    columns_of,
    dictionaries_of,
)
from microleak.sources.steps.scratch import Scratch, give_back

MIB = 2**20

BYTES_A_ROW, BYTES_A_QID = 80, 14
"""What a thread needs for each row of the bucket that it walks, and for each QID
of the row, as there is a table on the way for each decision."""

BYTES_WIDER = 4
"""What a row of each table takes more where numbers of records need 64 bits."""

BYTES_A_CELL = 40
"""What a thread needs for each value of the chunk that it codes."""

LEAST_ROWS = 1 << 14
"""Buckets are no smaller, or there would be too many."""

CHUNKS, BUCKETS, FOUND, TALLIES, SPARE = 0.4, 0.35, 0.08, 0.12, 0.3
"""Shares of the free memory: chunks being coded; buckets at work, blocks counted
in them and blocks counted in all, at most; spare."""

FIXED = 130 * MIB
"""What compiled code and libraries need beyond what they have when a walk begins."""


@dataclass(frozen=True)
class Memory:
    """Bounds of one profiling."""

    resources: Resources
    where: str

    def rows_a_chunk(self, n_columns: int) -> int:
        cells = CHUNKS * self._free / (self.resources.threads * BYTES_A_CELL)
        return min(ROWS_A_CHUNK, int(cells / n_columns))

    def for_chunks(self, n_cells: int) -> "Memory":
        """Return bounds with as many threads as can code chunks of `n_cells`."""
        n_bytes = max(n_cells, 1) * BYTES_A_CELL
        threads = int(CHUNKS * self._free / n_bytes)
        if threads < 1:
            self._refuse(n_bytes / CHUNKS - self._free)
        threads = min(threads, self.resources.threads)
        return replace(self, resources=replace(self.resources, threads=threads))

    def chunks(self, people: Given, n_columns: int) -> "tuple[Chunks, Memory]":
        chunks = chunks_of([people], self.rows_a_chunk(n_columns))
        return chunks, self.for_chunks(n_columns * chunks.most_rows)

    @property
    def bytes_a_column(self) -> float:
        return 0.5 * self._free / self.resources.threads

    def work(self, records: Records, advance: Advance) -> Work:
        give_back()
        threads = self.resources.threads
        is_wide = records.n_records > MOST_RECORDS
        bytes_a_qid = BYTES_A_QID + BYTES_WIDER * is_wide
        bytes_a_row = threads * (BYTES_A_ROW + bytes_a_qid * len(records.qids))
        free = self._free - FIXED
        rows = min(ROWS_A_BUCKET, int(BUCKETS * free / bytes_a_row))
        if rows < LEAST_ROWS:
            self._refuse(LEAST_ROWS * bytes_a_row / BUCKETS - free)
        shelves = (1 - FOUND - TALLIES - SPARE) * free - rows * bytes_a_row
        scratch = Scratch(self.resources.scratch, int(shelves))
        return Work(
            n_threads=threads,
            rows_a_bucket=rows,
            found_bytes=int(FOUND * free / threads),
            tally_bytes=int(TALLIES * free),
            new_shelf=scratch.shelf,
            advance=advance,
        )

    def new_shelf(self) -> NewShelf:
        give_back()
        return Scratch(self.resources.scratch, int(SPARE * self._free)).shelf

    @property
    def _free(self) -> float:
        in_use: int = psutil.Process().memory_info().rss
        return self.resources.memory_mib * MIB - in_use

    def _refuse(self, missing_bytes: float) -> None:
        needed = ceil(self.resources.memory_mib + missing_bytes / MIB)
        raise MicroleakError(
            f"{self.where}: {self.resources.memory_mib} MiB of memory are too little; "
            f"with {self.resources.threads} threads it needs {needed} MiB. Give the "
            "run more (--max-memory), or its rule (mem_mb)."
        )


FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def coded_records(
    chunks: Chunks, qids: Sequence[str], sensitive: Sequence[Wanted], memory: Memory
) -> Records:
    known = counted_values(chunks, columns_of([*qids, *sensitive]), memory)
    return coded_with(chunks, known, qids, sensitive)


def counted_values(
    chunks: Chunks, names: Sequence[str], memory: Memory, most: int = MOST_RECORDS
) -> dict[str, Dictionary]:
    check_size(chunks, most)
    with progress("counting values", chunks.n_rows * len(names)) as advance:
        return dictionaries_of(
            chunks, names, memory.resources.threads, memory.bytes_a_column, advance
        )


@contextmanager
def full_disk_said(where: str, folder: Path) -> Iterator[None]:
    """Refuse in one line what an analysis writes within to a disk that is full."""
    try:
        yield
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise MicroleakError(
            f"{where}: the disk of {folder} is full. Free space there, or give the "
            "run more memory (--max-memory), so that less waits on the disk."
        ) from None
