"""What the processes of a run tell its display, wherever they are at work.

Each writes lines of JSON to the end of one file, which its environment names. That
needs nobody to listen: who tells something does not wait, and a kill of any of them
leaves a file that the next run removes. On a cluster it is the shared disk's.
"""

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

TOLD = "MICROLEAK_TOLD"  # The file's path, in the environment of Snakemake and its jobs


def is_heard() -> bool:
    """Say whether this process is of a run that has a display."""
    return TOLD in os.environ


def tell_display(about: str, **what: Any) -> bool:
    """Tell the run's display something; say whether it can be heard."""
    path = os.environ.get(TOLD)
    if path is None:
        return False
    line = json.dumps({"about": about, **what}) + "\n"
    # Never created: where it is gone, so is the run that would listen.
    with suppress(OSError):
        file = os.open(path, os.O_WRONLY | os.O_APPEND)
        try:
            return os.write(file, line.encode()) == len(line)
        finally:
            os.close(file)
    return False


class Lines:
    """The end of a file that grows, line by line."""

    def __init__(self, path: Path, place: int = 0) -> None:
        """Begin at a byte of the file, which may come into being later."""
        self._path = path
        self._place = place

    def new(self) -> Iterator[str]:
        with suppress(FileNotFoundError), self._path.open("rb") as file:
            file.seek(self._place)
            for line in file:
                if not line.endswith(b"\n"):
                    return
                self._place += len(line)
                yield line.decode("utf-8", "replace").rstrip("\n")


def heard(lines: Lines) -> Iterator[dict[str, Any]]:
    """Yield what was told since, but no line that is broken."""
    for line in lines.new():
        with suppress(ValueError):
            told = json.loads(line)
            if isinstance(told, dict) and "about" in told:
                yield told
