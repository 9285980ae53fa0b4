"""Locks of files, which the system lets go of however a process ends."""

from importlib import import_module
from typing import IO, Any

from microleak.base.errors import StudyError


def has_locks() -> bool:
    """Whether the system has such locks: Windows has not, and runs no study."""
    try:
        import_module("fcntl")
    except ImportError:
        return False
    return True


def is_locked(file: IO[Any], *, is_shared: bool = False) -> bool:
    """Take a file's lock at once, alone or with others; say whether it was free."""
    if not has_locks():
        raise StudyError(
            "Studies are run on Linux or macOS; on Windows, run microleak in WSL. "
            "The commands assess, target, init, export and verify, and the Python "
            "interface, work on Windows, too."
        )
    fcntl = import_module("fcntl")
    kind = fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise StudyError(
            f"{file.name} cannot be locked ({error.strerror}). Run the study in a "
            "folder whose file system has locks (flock)."
        ) from None
    return True
