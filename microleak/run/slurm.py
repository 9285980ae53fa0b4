"""What of a study waits in SLURM's queue, or runs on its nodes.

Locks see the jobs at work. A Snakemake that was killed leaves others in the queue,
which begin when it is their turn, in the midst of the next run or after it. The
plugin for SLURM gives all jobs of a run one name, and each a comment that begins
with `rule_`; their working folder is that of the study.
"""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread

from microleak.base.errors import StudyError

SUBMITTED = Path(".snakemake/slurm_logs")
"""Where the plugin puts logs of jobs: there once a job was submitted from here."""

_COMMENT = "rule_"
_NAMED = "%j|%k|%Z"
"""Name, comment and working folder of a job."""

_TIME_LIMITS = {
    *("PartitionTimeLimit", "AssocMaxWallDurationPerJobLimit"),
    "QOSMaxWallDurationPerJobLimit",
}
_TOO_LONG = (
    "Jobs in SLURM's queue ask for more time than they may have, and would wait for "
    "ever: {n_jobs} (squeue --me; sinfo -o '%P %l'). Stop with Ctrl-C twice; then run "
    "with less time, as --set-resources profile:runtime=60, or in another partition, "
    "--default-resources slurm_partition=NAME."
)
_WATCHED_EACH_S = 20.0
_ANSWER_S = 60
"""How long SLURM may take to say what is in its queue."""


def check_queue() -> None:
    """Refuse to go on while jobs of an earlier run are SLURM's.

    Folders from which nothing was ever submitted are not asked about, nor is
    SLURM where it is not installed.

    Raises
    ------
    StudyError
        If there are such jobs, by the name to cancel them with, or SLURM does
        not say.
    """
    if not SUBMITTED.is_dir() or shutil.which("squeue") is None:
        return
    lines = [line for line in _queue(_NAMED) if _is_ours(line)]
    if lines:
        names = sorted({line.partition("|")[0] for line in lines})
        cancelling = "; ".join(f"scancel --name={name}" for name in names)
        raise StudyError(
            f"Jobs of an earlier run are queued or at work in SLURM: {len(lines)}. "
            f"Wait for them (squeue --me), or cancel them: {cancelling}"
        )


@contextmanager
def watched_queue(say: Callable[[str], None]) -> Iterator[None]:
    """Say once, while a run goes on, that jobs ask for more time than they may have.

    SLURM leaves such jobs in its queue for ever, and Snakemake waits with them.
    """
    ended = Event()

    def watch() -> None:
        while not ended.wait(_WATCHED_EACH_S):
            if n_jobs := _n_too_long():
                say(_TOO_LONG.format(n_jobs=n_jobs))
                return

    watching = Thread(target=watch, daemon=True)
    watching.start()
    try:
        yield
    finally:
        ended.set()
        watching.join(timeout=1)


def _n_too_long() -> int:
    """Count the jobs of this folder's run that wait for a time limit to be raised."""
    if not SUBMITTED.is_dir() or shutil.which("squeue") is None:
        return 0
    with suppress(StudyError):
        parts = [line.partition("|") for line in _queue(f"%r|{_NAMED}")]
        return sum(reason in _TIME_LIMITS and _is_ours(job) for reason, _, job in parts)
    return 0


def _queue(form: str) -> list[str]:
    """Give a line for each job of this user, in a form of squeue's."""
    asked = ["squeue", "--me", "--noheader", f"--format={form}"]
    try:
        done = subprocess.run(
            asked, capture_output=True, text=True, check=True, timeout=_ANSWER_S
        )
    except (subprocess.SubprocessError, OSError):
        raise StudyError(
            "squeue does not say whether jobs of an earlier run are left. Try again "
            f"when SLURM answers or, if none can be, remove {SUBMITTED}."
        ) from None
    return done.stdout.splitlines()


def _is_ours(line: str) -> bool:
    """Tell a run's job, begun here, from others; comments and folders may hold `|`."""
    _, _, rest = line.partition("|")
    return rest.startswith(_COMMENT) and rest.endswith(f"|{Path.cwd()}")
