"""Results about single persons: only who ran the study may open them."""

import os
import stat
from collections.abc import Iterable
from pathlib import Path

PRIVATE = ("tables", "people", "panels", "profiles", "confidential", "records")
"""Folders with records of persons, exact counts by value, or hashes of such files."""

_UNLISTED = ("raw", "logs", "benchmarks", "code")
_PUBLIC = "report"
"""Folder of what a public study shows; it and nothing else is open to others."""

_OPEN = stat.S_IRWXG | stat.S_IRWXO


def make_private_folders(
    study_dir: Path, outputs: Iterable[str], audience: str
) -> None:
    """Make the folders of records that a study has, closed to others.

    What a job writes there cannot be reached from the first byte on, whatever the
    permissions of the file.

    Parameters
    ----------
    study_dir
        Folder of the study's results.
    outputs
        Results of the study, as paths below it.
    audience
        That of its report; for the public all folders but the report are closed.
    """
    folders = {path.partition("/")[0] for path in outputs if "/" in path}
    if audience == "public":
        private = {*folders, *_UNLISTED} - {_PUBLIC}
    else:
        private = folders.intersection(PRIVATE)
    for name in private:
        folder = study_dir / name
        folder.mkdir(parents=True, exist_ok=True)
        _close(folder)


def close_private_files(study_dir: Path, audience: str) -> None:
    """Leave records to their owner alone: files 0600, folders 0700.

    Of a public study all but the report is left to its owner. Links are left as they
    are, and what is somebody else's, who alone can close it.
    """
    is_public = audience == "public"
    for top in study_dir.iterdir():
        if top.name in PRIVATE or (is_public and top.name != _PUBLIC):
            _close(top)
            for path in top.rglob("*"):
                _close(path)


def _close(path: Path) -> None:
    if path.is_symlink() or not path.exists():
        return
    state = path.stat()
    if state.st_mode & _OPEN and state.st_uid == os.geteuid():
        path.chmod(stat.S_IMODE(state.st_mode) & ~_OPEN)
