"""Records coded within bounds of memory and disk, for any profile."""

import errno
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from microleak.base.errors import MicroleakError
from microleak.base.progress import progress
from microleak.kernels.records import Records
from microleak.records.chunks import Chunks
from microleak.records.coding import (
    Dictionary,
    Wanted,
    coded_with,
    columns_of,
    dictionaries,
)
from microleak.records.memory import Memory

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def coded_records(
    chunks: Chunks, qids: Sequence[str], sensitive: Sequence[Wanted], memory: Memory
) -> Records:
    """Return the codes of columns within bounds of memory, and tell the progress."""
    known = counted(chunks, columns_of([*qids, *sensitive]), memory)
    return coded_with(chunks, known, qids, sensitive)


def counted(
    chunks: Chunks, names: Sequence[str], memory: Memory
) -> dict[str, Dictionary]:
    """Return the values of columns within bounds of memory, and tell the progress."""
    with progress("counting values", chunks.n_rows * len(names)) as advance:
        return dictionaries(
            chunks, names, memory.resources.threads, memory.bytes_a_column, advance
        )


@contextmanager
def full_disk_said(where: str, folder: Path) -> Iterator[None]:
    """Say of an analysis within that the disk of a folder is full, in one line."""
    try:
        yield
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise MicroleakError(
            f"{where}: the disk of {folder} is full. Free space there, or give the "
            "run more memory (--max-memory), so that less waits on the disk."
        ) from None
