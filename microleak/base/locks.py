"""Who works in a folder: one run at a time, and the jobs that it started.

Two files beside Snakemake's own state are locked with flock, so that the system
lets go of them however a process ends. A run holds the first, and Snakemake
inherits it, so that it lasts when only the `microleak` process is killed. Every
job shares the second, and a run must have it alone before it tidies up.
Processes that hold neither are found by their command: a Snakemake that was
started without microleak, a job that has not come to its lock yet. That sees
this machine only: jobs that wait in a cluster's queue are the user's to cancel.
"""

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from gettext import gettext as _
from pathlib import Path
from typing import IO

import psutil

from microleak.base.errors import StudyError
from microleak.base.files import has_locks, is_locked

RUN = Path(".snakemake/microleak-run.lock")
JOBS = Path(".snakemake/microleak-jobs.lock")
JOB = "job:"  # How the names of processes begin that a run forked for its jobs

_SCRIPTS = "/.snakemake/scripts/"


@contextmanager
def only_run(study: str) -> Iterator[int]:
    """Yield the file descriptor of the folder's lock, held within, to be inherited."""
    with _opened_lock(RUN) as lock:
        if not is_locked(lock):
            lock.seek(0)
            said = _(
                "The study {study} is running in this folder{processes}. Wait for it, "
                "or stop it first."
            )
            processes = _names_of(at_work_here())
            raise StudyError(said, study=lock.read(), processes=processes)
        lock.truncate(0)
        lock.write(study)
        lock.flush()
        yield lock.fileno()


def is_running(study_dir: Path) -> bool:
    if not has_locks():
        return False
    try:
        with (study_dir.absolute().parents[1] / RUN).open(encoding="utf-8") as lock:
            is_named = lock.read() == study_dir.absolute().name
            return is_named and not is_locked(lock, is_shared=True)
    except (OSError, IndexError):
        return False


@contextmanager
def no_jobs() -> Iterator[None]:
    """Keep jobs from starting, in the lock of `only_run`."""
    found = at_work_here()
    with _opened_lock(JOBS) as lock:
        if found or not is_locked(lock):
            raise StudyError(
                "Jobs of an earlier run, or another Snakemake, are still at work in "
                f"this folder{_names_of(found) or ', on another machine'}. Wait for "
                "them, or stop them."
            )
        yield


@contextmanager
def at_work() -> Iterator[None]:
    with _opened_lock(JOBS) as lock:
        if not is_locked(lock, is_shared=True):
            raise StudyError(
                "The run that started this job was stopped, and another is about to "
                "begin. Nothing needs to be done."
            )
        yield


def at_work_here() -> list[psutil.Process]:
    """Find Snakemake's processes and jobs whose working folder is this one."""
    here = str(Path.cwd())
    own = {os.getpid(), *(process.pid for process in psutil.Process().parents())}
    return [
        process
        for process in psutil.process_iter(["cwd", "cmdline", "name"])
        if process.pid not in own
        and process.info["cwd"] == here
        and _is_snakemake(process.info["name"], process.info["cmdline"] or ())
    ]


def scripts_here() -> list[psutil.Process]:
    """Find those of them that are programs of jobs, which Snakemake started."""
    found = at_work_here()
    return [each for each in found if _SCRIPTS in " ".join(each.info["cmdline"] or ())]


def _is_snakemake(name: str, words: Sequence[str]) -> bool:
    return name.startswith(JOB) or any(
        Path(word).name == "snakemake" or _SCRIPTS in word for word in (name, *words)
    )


def _names_of(processes: Sequence[psutil.Process]) -> str:
    ids = ", ".join(str(process.pid) for process in processes)
    return _(" (process ids {ids})").format(ids=ids) if ids else ""


def _opened_lock(path: Path) -> IO[str]:
    """Open a lock's file, never what a link leads to: it is emptied."""
    path.parent.mkdir(exist_ok=True)
    try:
        no_link = getattr(os, "O_NOFOLLOW", 0)  # Windows has none
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | no_link)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        raise StudyError(f"{path} is a link, not a lock. Remove it.") from None
    return os.fdopen(file, "a+", encoding="utf-8")
