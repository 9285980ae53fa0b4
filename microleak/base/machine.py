"""How much memory and how many cores there are, and what a step may use of them."""

import gc
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from microleak.base.errors import MicroleakError

MB = 10**6
UNITS = {"MB": MB, "GB": 10**9, "MiB": 2**20, "GiB": 2**30}
# How much of a machine's memory one job takes unaided; the rest runs the machine
SHARE = 0.8
# Where Linux names the control groups of a process
OWN_CGROUPS = Path("/proc/self/cgroup")
CGROUPS = Path("/sys/fs/cgroup")  # Where Linux shows the limits of control groups
_SIZE = re.compile(rf"([0-9]{{1,12}}(?:\.[0-9]{{1,6}})?)({'|'.join(UNITS)})")


def megabytes_of(text: str, option: str) -> int:
    """Return a size such as `4GiB` or `500MB` in MB of 10^6 bytes, rounded down.

    >>> [megabytes_of(text, "--max-memory") for text in ("4GB", "1.5GiB", "600MiB")]
    [4000, 1610, 629]
    """
    found = _SIZE.fullmatch(text)
    size = int(Decimal(found[1]) * UNITS[found[2]]) // MB if found else 0
    if size < 1:
        raise MicroleakError(
            f"{option} is {text!r}; it must be a number and one of "
            f"{', '.join(UNITS)}, without a space and from 1MB up, as 4GiB."
        )
    return size


@contextmanager
def without_collection() -> Iterator[None]:
    """Make hundreds of thousands of objects, none of them garbage, in a third less."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def usual_mb(most_mb: int) -> int:
    """Return what a job may use unless told: `most_mb`, or less on a small machine."""
    return min(most_mb, int(SHARE * memory_here()) // MB)


def cores_here() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def memory_here() -> int:
    """Return the bytes of memory of this machine, or of its control group if fewer."""
    import psutil  # noqa: PLC0415 (most commands do not ask)

    return min([int(psutil.virtual_memory().total), *_memory_limits()])


def _memory_limits() -> Iterator[int]:
    """Yield the limits of this process's control groups and those around them."""
    is_here = OWN_CGROUPS.is_file()
    lines = OWN_CGROUPS.read_text("utf-8").splitlines() if is_here else []
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            yield from _limits_up(CGROUPS, path, "memory.max")
        elif "memory" in controllers.split(","):
            yield from _limits_up(CGROUPS / "memory", path, "memory.limit_in_bytes")


def _limits_up(root: Path, path: str, name: str) -> Iterator[int]:
    """Yield the limits from a group up to the root; a container hides some."""
    group = root / path.lstrip("/")
    for folder in (group, *group.parents):
        file = folder / name
        if folder.is_relative_to(root) and file.is_file():
            limit = file.read_text("utf-8").strip()
            if limit != "max":
                yield int(limit)


@dataclass(frozen=True)
class Resources:
    """Threads, memory in MiB, and a folder for temporary files."""

    threads: int
    memory_mib: int
    scratch: Path
