"""A store of intermediates: what several studies read of one release is made once.

What some rules make depends on an archive, on how it is read and on code, and on
nothing else of a study. An entry is a folder `RULE/KEY` with the files of such a job,
linked to those of the studies, and the job's record. `KEY` is the SHA-256 of what the
record says, but of results only their names. A store is as private as results are, and
nothing is taken from it unread: each file is hashed first.
"""

import hashlib
import os
import re
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from microleak.base.digests import CLOCK_STEP_NS, Digests
from microleak.base.errors import StudyError
from microleak.base.files import (
    is_locked,
    remove_unfinished,
    whole_file,
    whole_folder,
    write_text,
)
from microleak.base.paths import MANIFEST, RECORDS, RESULTS
from microleak.step import Job
from microleak.study.job_records import (
    PARTS,
    parse_record,
    read_record,
    record_of,
    text_of,
)
from microleak.study.jobs import DEDUPLICATE, DOWNLOAD, INGEST, JOIN, SYNTHESISE
from microleak.study.listing import first_few
from microleak.study.outdated import asked_now

STORE = RESULTS / ".store"  # Where the store of a folder is unless told
# Rules whose results several studies can have in common
SHARED = tuple(s.rule for s in (DOWNLOAD, SYNTHESISE, INGEST, DEDUPLICATE, JOIN))
# File that tells a store from other folders; who writes to one shares its lock
MARK = ".microleak-store"
_RECORD = "entry.json"
_KEY = re.compile("[0-9a-f]{64}")


def is_shared(job: Job) -> bool:
    """Say whether other studies can have what a job makes."""
    # What an address gives may be another thing tomorrow, unless its hash is given.
    is_fixed = job.rule != DOWNLOAD.rule or bool(job.settings["sha256"])
    return job.rule in SHARED and is_fixed


@dataclass(frozen=True)
class Entry:
    """What one job made."""

    folder: Path  # Where it is
    record: Mapping[str, Any]  # The job's record

    @property
    def rule(self) -> str:
        return self.folder.parent.name

    @property
    def files(self) -> Mapping[str, str]:
        """SHA-256 of each file by its path below a study's results."""
        files: Mapping[str, str] = self.record["outputs"]
        return files

    @property
    def n_bytes(self) -> int:
        return sum(state.st_size for state in self._states())

    def is_used(self, used: frozenset[str]) -> bool:
        is_linked = any(state.st_nlink > 1 for state in self._states())
        return is_linked or self.folder.name in used

    def _states(self) -> Iterator[os.stat_result]:
        return ((self.folder / path).stat() for path in self.files)


class Store:
    """The entries in a folder, shared by all studies that are told of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def give(self, study_dir: Path, job: Job, digests: Digests) -> None:
        record = read_record(study_dir, job)
        files = record["outputs"]
        entry = self.folder / job.rule / _key(record, files)
        is_there = all((study_dir / path).is_file() for path in files)
        if _entry(entry) or not is_there:
            return
        self._begin(entry.parent)
        with self.in_use():
            shutil.rmtree(entry, ignore_errors=True)  # what is damaged, if anything
            try:
                with whole_folder(entry) as aside:
                    for path in files:
                        (aside / path).parent.mkdir(parents=True, exist_ok=True)
                        with digests.while_linked(study_dir / path):
                            _link(study_dir / path, aside / path)
                    write_text(aside / _RECORD, text_of(record))
            except OSError:
                if not entry.exists():  # another run was quicker
                    raise

    def _begin(self, folder: Path) -> None:
        """Make the folder of a rule, which its owner alone can open."""
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / MARK).touch(0o600)
        folder.mkdir(mode=0o700, exist_ok=True)
        folder.chmod(0o700)

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Let nobody tidy up."""
        with (self.folder / MARK).open("a") as lock:
            if not is_locked(lock, is_shared=True):
                raise BlockingIOError(0, "it is being tidied up")
            yield

    def take(
        self, study_dir: Path, jobs: Iterable[Job], study_file: Path, digests: Digests
    ) -> list[Job]:
        """Link what the store has of jobs into a study, each with its record."""
        # An entry with a file that is not as it was, or cannot be read, is removed.
        placed: list[tuple[Job, Entry]] = []
        for job in jobs if self.folder.is_dir() else ():
            asked = asked_now(job, study_dir, study_file, digests)
            key = _key(asked, job.outputs.values())
            entry = _entry(self.folder / job.rule / key)
            if entry and self._is_placed(entry, study_dir):
                placed.append((job, entry))
        if placed:  # a hash of what has just changed is not kept
            time.sleep(CLOCK_STEP_NS / 1e9)
        taken = []
        for job, entry in placed:
            files = entry.files.items()
            if any(digests.of(study_dir / path) != sha for path, sha in files):
                shutil.rmtree(entry.folder, ignore_errors=True)
                for path in entry.files:
                    (study_dir / path).unlink(missing_ok=True)
                continue
            write_text(study_dir / record_of(job), text_of(entry.record))
            taken.append(job)
        return taken

    def _is_placed(self, entry: Entry, study_dir: Path) -> bool:
        (study_dir / MANIFEST).unlink(missing_ok=True)
        try:
            with ExitStack() as stack:
                for path in entry.files:
                    aside = stack.enter_context(whole_file(study_dir / path))
                    _link(entry.folder / path, aside)
        except OSError:  # removed just now, or no room: the job says it
            return False
        return True

    def entries(self) -> list[Entry]:
        return [entry for entry in map(_entry, self._folders()) if entry]

    def _folders(self) -> list[Path]:
        folders = (f for rule in SHARED for f in sorted(self.folder.glob(f"{rule}/*/")))
        return [f for f in folders if _KEY.fullmatch(f.name) and not f.is_symlink()]

    def check(self) -> None:
        if not (self.folder / MARK).is_file():
            raise StudyError(f"{self.folder} is no store. Correct --store.")

    def lines(self) -> Iterator[str]:
        """Say of each entry its bytes, whether a study uses it, and what it has."""
        used = _keys_of_results()
        for entry in self.entries():
            mark = "used" if entry.is_used(used) else "unused"
            what = f"{entry.rule:11}  {first_few([*entry.files])}"
            yield f"{entry.n_bytes:>15,}  {mark:6}  {what}"

    def remove_unused(self) -> tuple[int, int]:
        """Remove what no study has, and what is damaged; return entries and bytes."""
        # A study has the files of an entry if they are links to its own, or if the
        # record of a study in this folder names the entry.
        with (self.folder / MARK).open("a") as lock:
            if not is_locked(lock):
                raise StudyError(
                    f"A run is writing to {self.folder}. Wait for it, or stop it first."
                )
            for rule in SHARED:
                remove_unfinished(self.folder / rule)
            used = _keys_of_results()
            kept = {entry.folder for entry in self.entries() if entry.is_used(used)}
            removed = [folder for folder in self._folders() if folder not in kept]
            n_bytes = 0
            for folder in removed:
                files = (f for f in folder.rglob("*") if f.is_file())
                n_bytes += sum(f.lstat().st_size for f in files)
                shutil.rmtree(folder)
        return len(removed), n_bytes


def _key(record: Mapping[str, Any], outputs: Iterable[str]) -> str:
    """Return the SHA-256 of what a record says, but of results only their names."""
    asked = {part: record[part] for part in PARTS if part != "outputs"}
    asked["outputs"] = sorted(outputs)
    return hashlib.sha256(text_of(asked).encode()).hexdigest()


def _entry(folder: Path) -> Entry | None:
    """Return what a folder of the store has; None if that is nothing, or damaged."""
    try:
        record = parse_record((folder / _RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not record or _key(record, record["outputs"]) != folder.name:
        return None
    there = [folder / path for path in record["outputs"]]
    is_whole = all(file.is_file() and not file.is_symlink() for file in there)
    return Entry(folder, record) if is_whole else None


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
    keys = set()
    for rule in SHARED:
        for file in RESULTS.glob(f"*/{RECORDS}/{rule}/**/*.json"):
            with suppress(OSError, ValueError, KeyError):
                record = parse_record(file.read_text(encoding="utf-8"))
                keys.add(_key(record, record["outputs"]))
    return frozenset(keys)
