"""What a step may use of a machine."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Resources:
    """Threads, memory in MiB, and a folder for temporary files."""

    threads: int
    memory_mb: int
    scratch: Path
