"""Files that are either whole or absent: written aside, synced, then renamed."""

import hashlib
import hmac
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from microleak.base.errors import StudyError

UNFINISHED = ".unfinished-"
"""How every name begins that is to be removed if a kill left it; it holds records."""


@contextmanager
def whole_file(path: str | Path) -> Iterator[Path]:
    """Yield a private path beside `path`, which takes its place on success."""
    # After an error, or a kill at any moment, `path` is what it was before: two
    # writers, or a writer that was orphaned, cannot mix their bytes. What a kill leaves
    # beside it, `remove_unfinished` removes.
    path = Path(path)
    folder = _folder_beside(path)
    aside = folder / path.name
    try:
        yield aside
        _sync_to_disk(aside)
        aside.replace(path)
        _sync_to_disk(path.parent)
    finally:
        aside.unlink(missing_ok=True)
        folder.rmdir()


@contextmanager
def all_new(paths: Sequence[Path]) -> Iterator[list[Path]]:
    """Yield private paths beside new files of one folder; all appear on success."""
    # After an error none of them is there; what others made there meanwhile stays. The
    # first one comes last: after a kill it is there only if all are.
    aside = _folder_beside(paths[0])
    placed: list[Path] = []
    try:
        yield [aside / path.name for path in paths]
        for file in aside.iterdir():
            _sync_to_disk(file)
        for path in reversed(paths):
            if path.exists():
                raise StudyError(
                    f"{path} was made by something else meanwhile, and stays as it is. "
                    "Nothing was written: name another file."
                )
            (aside / path.name).replace(path)
            placed.append(path)
        _sync_to_disk(paths[0].parent)
    except BaseException:
        for path in placed:
            path.unlink(missing_ok=True)
        raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)


@contextmanager
def whole_folder(path: str | Path) -> Iterator[Path]:
    """Yield a private folder that takes the place of `path` on success."""
    # After an error `path` is as it was. A folder cannot take the place of another in
    # one step: a kill between the two leaves none at `path`, never a part.
    path = Path(path)
    aside = _folder_beside(path)
    try:
        yield aside
        for file in aside.rglob("*"):
            _sync_to_disk(file)
        aside.chmod(0o755)
        _exchange_folders(aside, path)
        _sync_to_disk(path.parent)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def remove_unfinished(folder: str | Path) -> None:
    """Remove what writers that were killed left below a folder; none may be at work."""
    for left in list(Path(folder).rglob(f"{UNFINISHED}*")):
        if left.is_dir():
            shutil.rmtree(left)
        else:
            left.unlink(missing_ok=True)


def write_text(path: str | Path, text: str) -> None:
    """Write a text file as UTF-8 with Unix line ends, whole or not at all."""
    with whole_file(path) as aside:
        aside.write_text(text, encoding="utf-8", newline="\n")


def sha256_of(path: str | Path) -> str:
    """SHA-256 of a file's bytes, as 64 lower-case hexadecimal digits."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def key_fingerprint(key: str | Path) -> str:
    """Return what tells that the file of a key changed, in hexadecimal."""
    # Records may keep it: it is the HMAC of a fixed text, and so no hash of the file
    # and no part of a draw.
    return hmac.digest(Path(key).read_bytes(), b"fingerprint", "sha256").hex()


def _folder_beside(path: Path) -> Path:
    """Make a private, empty folder beside `path`, on the same file system."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix=f"{UNFINISHED}{path.name}.", dir=path.parent))


def _exchange_folders(new: Path, path: Path) -> None:
    """Put a new folder in the place of an old one, if there is one, and remove that."""
    if not path.exists():
        new.replace(path)
        return
    old = path.replace(_folder_beside(path))
    try:
        new.replace(path)
    except OSError:
        old.replace(path)
        raise
    shutil.rmtree(old)


def _sync_to_disk(path: Path) -> None:
    if os.name == "nt" and path.is_dir():  # where a folder cannot be opened
        return
    # Windows syncs only what could be written to.
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


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
