"""How much of the memory given goes to what, when an analysis is profiled."""

from dataclasses import dataclass

import psutil

from microleak.errors import MicroleakError
from microleak.kernels.records import Records
from microleak.kernels.walk import ROWS_A_BUCKET, Work
from microleak.progress import Advance
from microleak.resources import Resources
from microleak.study.scratch import Scratch, give_back

MIB = 2**20

BYTES_A_ROW = 120
"""What a thread needs for each row of the bucket that it walks."""

BYTES_A_CELL = 40
"""What a thread needs for each value of the chunk that it codes."""

BYTES_A_TALLY = 3 * 2**11
"""What a thread needs for a subset and sensitive attribute, of its bucket alone."""

LEAST_ROWS = 1 << 14
"""Buckets are no smaller, or there would be too many."""

BUCKETS, TALLIES, SPARE = 0.35, 0.15, 0.35
"""Shares of the free memory: buckets at work and blocks counted, at most; spare."""

FIXED = 130 * MIB
"""What compiled code and libraries need beyond what they have when a walk begins."""


@dataclass(frozen=True)
class Memory:
    """Bounds of one profiling."""

    resources: Resources
    where: str

    def rows_a_chunk(self, n_columns: int) -> int:
        """Return how many rows to read at once, of so many columns."""
        rows = 0.4 * self._free / (self.resources.threads * n_columns * BYTES_A_CELL)
        return min(ROWS_A_BUCKET // 2, int(rows))

    @property
    def bytes_a_column(self) -> float:
        """Most that the distinct values of a column may take."""
        return 0.5 * self._free / self.resources.threads

    def work(self, records: Records, n_subsets: int, advance: Advance) -> Work:
        """Return how to walk records whose values are known.

        Raises
        ------
        MicroleakError
            If there is less memory than the smallest buckets need.
        """
        give_back()
        threads = self.resources.threads
        n_attributes = max(1, len(records.sensitive))
        free = self._free - FIXED - threads * n_subsets * n_attributes * BYTES_A_TALLY
        rows = min(ROWS_A_BUCKET, int(BUCKETS * free / (threads * BYTES_A_ROW)))
        if rows < LEAST_ROWS:
            self._refuse(free)
        tallies = int(TALLIES * free)
        shelves = free - threads * rows * BYTES_A_ROW - tallies - SPARE * free
        scratch = Scratch(self.resources.scratch, int(shelves))
        return Work(threads, rows, tallies, scratch.shelf, advance)

    @property
    def _free(self) -> float:
        in_use: int = psutil.Process().memory_info().rss
        return self.resources.memory_mb * MIB - in_use

    def _refuse(self, free: float) -> None:
        least = LEAST_ROWS * self.resources.threads * BYTES_A_ROW / BUCKETS
        needed = self.resources.memory_mb + (least - free) / MIB
        raise MicroleakError(
            f"{self.where}: {self.resources.memory_mb} MiB of memory are too little; "
            f"with {self.resources.threads} threads it needs {needed:.0f} MiB. Give "
            "the run more (--max-memory), or the rule profile (mem_mb)."
        )
