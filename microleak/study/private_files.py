"""Results about single persons: only who ran the study may open them."""

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

PRIVATE = ("tables", "people", "panels", "confidential", "records")
"""Folders whose files have records of persons, or hashes of such files."""

_OPEN = stat.S_IRWXG | stat.S_IRWXO


def make_private_folders(study_dir: Path, outputs: Iterable[str]) -> None:
    """Make the folders of records that a study has, closed to others.

    What a job writes there cannot be reached from the first byte on, whatever the
    permissions of the file.

    Parameters
    ----------
    study_dir
        Folder of the study's results.
    outputs
        Results of the study, as paths below it.
    """
    for name in {path.partition("/")[0] for path in outputs}.intersection(PRIVATE):
        folder = study_dir / name
        folder.mkdir(parents=True, exist_ok=True)
        _close(folder)


def close_private_files(study_dir: Path) -> None:
    """Leave records to their owner alone: files 0600, folders 0700.

    Links are left as they are, and what is somebody else's, who alone can close it.
    """
    for path in _records(study_dir):
        _close(path)


def _records(study_dir: Path) -> Iterator[Path]:
    """Yield the folders of records and all that is below them."""
    for name in PRIVATE:
        yield study_dir / name
        yield from (study_dir / name).rglob("*")


def _close(path: Path) -> None:
    if path.is_symlink() or not path.exists():
        return
    state = path.stat()
    if state.st_mode & _OPEN and state.st_uid == os.geteuid():
        path.chmod(stat.S_IMODE(state.st_mode) & ~_OPEN)
