"""SHA-256 of files, taken again only where a file may have changed.

A file is taken to be as it was while its size, its times of change and its inode are,
of which nobody can set the time of the last change of state (ctime). One that changed
within the clock's step of being hashed is hashed again. What is kept is for telling
what may have changed: no record takes its hashes from there.
"""

import hashlib
import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from microleak.base.files import sha256_of, whole_file

# Bytes of a file, when its content and its state last changed (ns), and its inode
State = tuple[int, int, int, int]
CLOCK_STEP_NS = 50_000_000  # Longer than the steps in which file systems count time


def state_of(path: Path) -> State | None:
    """Return the state of a file, or of what a link leads to; None if absent."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino


class Digests:
    """Hashes of files by their paths, each with the state of its file."""

    def __init__(self, known: Mapping[str, tuple[State, str]] | None = None) -> None:
        self._known = dict(known or {})

    @classmethod
    def read(cls, file: Path) -> "Digests":
        """Return what an earlier run wrote; nothing if that is missing or damaged."""
        try:
            seal, rows = json.loads(file.read_text(encoding="utf-8"))
            known = {path: (_state_read(state), str(sha)) for path, state, sha in rows}
            if seal != _rows_seal(rows):
                known = {}
        except (OSError, ValueError, TypeError):
            known = {}
        return cls(known)

    def write(self, file: Path) -> None:
        """Keep the hashes of files that are still there, for a later run."""
        # Only the owner can read them: a hash tells who guesses a file's content that
        # it is right.
        known = sorted(self._known.items())
        rows = [[path, *of] for path, of in known if Path(path).exists()]
        if rows:
            with whole_file(file) as aside:
                aside.touch(0o600)
                aside.write_text(json.dumps([_rows_seal(rows), rows]), encoding="utf-8")

    @contextmanager
    def while_linked(self, path: Path) -> Iterator[None]:
        """Keep a file's hash while a link to it changes its state."""
        name, before = str(path), state_of(path)
        known = self._known.get(name)
        yield
        after = state_of(path)
        if known and before == known[0] and after:
            size, modified, _, inode = before
            if (size, modified, inode) == (after[0], after[1], after[3]):
                self._known[name] = after, known[1]

    def of(self, path: Path) -> str | None:
        """SHA-256 of a file; None if there is no file of that name."""
        state = state_of(path)
        if state is None or path.is_dir():
            return None
        name = str(path)
        known = self._known.get(name)
        if known is None or known[0] != state:
            begun_ns = time.time_ns()
            known = state, sha256_of(path)
            if begun_ns - state[2] < CLOCK_STEP_NS or state_of(path) != state:
                return known[1]
            self._known[name] = known
        return known[1]


def _rows_seal(rows: object) -> str:
    """Return what tells that rows were damaged on the disk."""
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()


def _state_read(given: list[int]) -> State:
    size, modified, changed, inode = map(int, given)
    return size, modified, changed, inode
