"""A store of intermediates: what several studies read of one release is made once.

What `SHARED` rules make depends on an archive, on how it is read and on code, and on
nothing else of a study. An entry is a folder `RULE/KEY` with the files of such a job,
linked to those of the studies, and a list of them with their SHA-256. `KEY` is that of
what the job's record says but for its results. A store is as private as results are,
and nothing is taken from it unread: each file is hashed first.
"""

import hashlib
import json
import os
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from microleak.base.digests import CLOCK_STEP_NS, Digests
from microleak.base.files import whole, whole_folder, write_text
from microleak.base.paths import MANIFEST, RESULTS
from microleak.family import Job
from microleak.study.job_records import (
    PARTS,
    RECORDS,
    asked_now,
    files_of_job,
    read_record,
    record_of,
    text_of,
)
from microleak.study.jobs import OF_RELEASES
from microleak.study.listing import first_few

STORE = RESULTS / ".store"
"""Where the store of a folder is unless told."""

SHARED = tuple(step.rule for step, _ in OF_RELEASES if not step.is_of_study)
"""Rules whose results several studies can have in common."""

_LIST = "entry.json"


@dataclass(frozen=True)
class Entry:
    """What one job made.

    Attributes
    ----------
    folder
        Where it is.
    files
        SHA-256 of each file by its path below a study's results.
    """

    folder: Path
    files: Mapping[str, str]

    @property
    def n_bytes(self) -> int:
        """Bytes of its files."""
        return sum(state.st_size for state in self._states())

    def is_used(self, used: frozenset[str]) -> bool:
        """Say whether a study has its files: by links or, where copied, by `used`."""
        if self.folder.stat().st_dev == RESULTS.stat().st_dev:
            return any(state.st_nlink > 1 for state in self._states())
        return self.folder.name in used

    def _states(self) -> Iterator[os.stat_result]:
        return ((self.folder / path).stat() for path in self.files)


class Store:
    """The entries in a folder, shared by all studies that are told of it."""

    def __init__(self, folder: Path) -> None:
        """Take the folder; it need not be there."""
        self.folder = folder

    def give(self, study_dir: Path, job: Job, digests: Digests) -> None:
        """Keep what a job made, as its record says, unless it is there.

        Raises
        ------
        OSError
            If it cannot be written; then there is no entry.
        """
        record = read_record(study_dir, job)
        entry = self.folder / job.rule / _key(record)
        files = files_of_job(study_dir, job)
        if entry.exists() or not all(file.is_file() for file in files.values()):
            return
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            with whole_folder(entry) as aside:
                for path, file in files.items():
                    (aside / path).parent.mkdir(parents=True, exist_ok=True)
                    _link(file, aside / path)
                kept = {path: digests.of(file) for path, file in files.items()}
                write_text(aside / _LIST, text_of(kept))
        except OSError:
            if not entry.exists():  # another run was quicker
                raise

    def take(
        self, study_dir: Path, jobs: Iterable[Job], study_file: Path, digests: Digests
    ) -> list[Job]:
        """Link what the store has of jobs into a study, each with its record.

        An entry with a file that is not as it was, or cannot be read, is removed.
        """
        placed: list[tuple[Job, dict[str, Any], Entry]] = []
        for job in jobs:
            asked = asked_now(job, study_dir, study_file, digests)
            entry = _entry(self.folder / job.rule / _key(asked))
            if entry and self._is_placed(entry, job, study_dir):
                placed.append((job, asked, entry))
        if placed:  # a hash of what has just changed is not kept
            time.sleep(CLOCK_STEP_NS / 1e9)
        taken = []
        for job, asked, entry in placed:
            files = entry.files.items()
            others = [p for p, sha in files if digests.of(study_dir / p) != sha]
            if others:
                shutil.rmtree(entry.folder, ignore_errors=True)
                for path in entry.files:
                    (study_dir / path).unlink(missing_ok=True)
                continue
            outputs = {path: entry.files[path] for path in job.outputs.values()}
            record = {**asked, "outputs": outputs}
            write_text(study_dir / record_of(job), text_of(record))
            taken.append(job)
        return taken

    def _is_placed(self, entry: Entry, job: Job, study_dir: Path) -> bool:
        """Link an entry's files to where a study has them."""
        there = [Path(path) for path in entry.files]
        is_inside = not any(path.is_absolute() or ".." in path.parts for path in there)
        if not is_inside or not set(job.outputs.values()) <= {*entry.files}:
            shutil.rmtree(entry.folder, ignore_errors=True)
            return False
        (study_dir / MANIFEST).unlink(missing_ok=True)
        try:
            with ExitStack() as stack:
                for path in entry.files:
                    aside = stack.enter_context(whole(study_dir / path))
                    _link(entry.folder / path, aside)
        except OSError:  # removed just now, or no room: the job says it
            return False
        return True

    def entries(self) -> list[Entry]:
        """Return all that is in the store, by rule and key."""
        folders = (f for rule in SHARED for f in sorted(self.folder.glob(f"{rule}/*/")))
        return [entry for folder in folders if (entry := _entry(folder))]

    def lines(self) -> Iterator[str]:
        """Say of each entry its bytes, whether a study uses it, and what it has."""
        used = _keys_of_results()
        for entry in self.entries():
            mark = "used" if entry.is_used(used) else "unused"
            what = f"{entry.folder.parent.name:11}  {first_few([*entry.files])}"
            yield f"{entry.n_bytes:>15,}  {mark:6}  {what}"

    def remove_unused(self) -> tuple[int, int]:
        """Remove what no study has, and what is damaged; return entries and bytes.

        A study has an entry's files as links to them. Where the file systems of store
        and results differ, and files are copies, the records of the studies in this
        folder tell.
        """
        used = _keys_of_results()
        kept = {entry.folder for entry in self.entries() if entry.is_used(used)}
        removed = [f for f in self.folder.glob("*/*/") if f not in kept]
        n_bytes = 0
        for folder in removed:
            n_bytes += sum(f.stat().st_size for f in folder.rglob("*") if f.is_file())
            shutil.rmtree(folder)
        return len(removed), n_bytes


def _key(record: Mapping[str, Any]) -> str:
    """Return the SHA-256 of all that a record says but its results."""
    asked = {part: record[part] for part in PARTS if part != "outputs"}
    return hashlib.sha256(text_of(asked).encode()).hexdigest()


def _entry(folder: Path) -> Entry | None:
    """Return what a folder of the store has; None if that is nothing, or damaged."""
    try:
        files = json.loads((folder / _LIST).read_text(encoding="utf-8"))
        is_whole = all((folder / path).is_file() for path in files)
    except (OSError, ValueError, TypeError):
        return None
    return Entry(folder, files) if is_whole and isinstance(files, dict) else None


def _link(file: Path, to: Path) -> None:
    """Give a file a second name, or copy it where a file system has no such names."""
    try:
        to.hardlink_to(file)
    except FileNotFoundError:
        raise
    except OSError:
        shutil.copy(file, to)


def _keys_of_results() -> frozenset[str]:
    """Return the keys of what the studies in this folder have, by their records."""
    files = [f for r in SHARED for f in RESULTS.glob(f"*/{RECORDS}/{r}/**/*.json")]
    records = (json.loads(file.read_text(encoding="utf-8")) for file in files)
    return frozenset(_key(r) for r in records if PARTS.keys() <= r.keys())
