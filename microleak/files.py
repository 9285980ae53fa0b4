"""Files that are either whole or absent: written aside, synced, then renamed."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole(path: str | Path) -> Iterator[Path]:
    """Give a private path beside `path`, which takes its place on success.

    After an error, or a kill at any moment, `path` is what it was before: two
    writers, or a writer that was orphaned, cannot mix their bytes.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    aside = folder / path.name
    try:
        yield aside
        _sync(aside)
        aside.replace(path)
        _sync(path.parent)
    finally:
        aside.unlink(missing_ok=True)
        folder.rmdir()


@contextmanager
def whole_folder(path: str | Path) -> Iterator[Path]:
    """Give a private folder that takes the place of `path` on success.

    What `path` held before is removed first; after an error it is as it was.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    try:
        yield aside
        for file in aside.rglob("*"):
            _sync(file)
        aside.chmod(0o755)
        if path.exists():
            shutil.rmtree(path)
        aside.replace(path)
        _sync(path.parent)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def write_text(path: str | Path, text: str) -> None:
    """Write a text file as UTF-8 with Unix line ends, whole or not at all."""
    with whole(path) as aside:
        aside.write_text(text, encoding="utf-8", newline="\n")


def sha256_of(path: str | Path) -> str:
    """SHA-256 of a file's bytes, as 64 lower-case hexadecimal digits."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
