"""How much of the memory given goes to what, when an analysis is profiled."""

from dataclasses import dataclass, replace
from math import ceil

import psutil

from microleak.base.errors import MicroleakError
from microleak.base.progress import Advance
from microleak.base.resources import Resources
from microleak.kernels.records import Records
from microleak.kernels.walk import ROWS_A_BUCKET, Work
from microleak.records.spilling import Scratch, give_back

MIB = 2**20

BYTES_A_ROW, BYTES_A_QID = 80, 14
"""What a thread needs for each row of the bucket that it walks, and for each QID
of the row, as there is a table on the way for each decision."""

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
        """Return how many rows to read at once, of so many columns."""
        cells = CHUNKS * self._free / (self.resources.threads * BYTES_A_CELL)
        return min(ROWS_A_BUCKET // 2, int(cells / n_columns))

    def for_chunks(self, n_cells: int) -> "Memory":
        """Return bounds with as many threads as can code chunks of so many values.

        Raises
        ------
        MicroleakError
            If there is less memory than one chunk needs.
        """
        n_bytes = n_cells * BYTES_A_CELL
        threads = int(CHUNKS * self._free / n_bytes)
        if threads < 1:
            self._refuse(n_bytes / CHUNKS - self._free)
        threads = min(threads, self.resources.threads)
        return replace(self, resources=replace(self.resources, threads=threads))

    @property
    def bytes_a_column(self) -> float:
        """Most that the distinct values of a column may take."""
        return 0.5 * self._free / self.resources.threads

    def work(self, records: Records, advance: Advance) -> Work:
        """Return how to walk records whose values are known.

        Raises
        ------
        MicroleakError
            If there is less memory than the smallest buckets need.
        """
        give_back()
        threads = self.resources.threads
        bytes_a_row = threads * (BYTES_A_ROW + BYTES_A_QID * len(records.qids))
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

    @property
    def _free(self) -> float:
        in_use: int = psutil.Process().memory_info().rss
        return self.resources.memory_mb * MIB - in_use

    def _refuse(self, missing_bytes: float) -> None:
        needed = ceil(self.resources.memory_mb + missing_bytes / MIB)
        raise MicroleakError(
            f"{self.where}: {self.resources.memory_mb} MiB of memory are too little; "
            f"with {self.resources.threads} threads it needs {needed} MiB. Give the "
            "run more (--max-memory), or its rule (mem_mb)."
        )
