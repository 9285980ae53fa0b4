"""What of a study waits in SLURM's queue, or runs on its nodes.

Locks see the jobs at work. A Snakemake that was killed leaves others in the queue,
which begin when it is their turn, in the midst of the next run or after it. The
plugin for SLURM gives all jobs of a run one name, and each a comment that begins
with `rule_`; their working folder is that of the study.
"""

import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

from microleak.base.errors import StudyError
from microleak.base.locks import scripts_here
from microleak.run.display import Display
from microleak.run.signals import Stops

# Where the plugin puts logs of jobs: there once a job was submitted from here
SUBMITTED = Path(".snakemake/slurm_logs")
_COMMENT = "rule_"
_NAMED = "%j|%k|%Z"  # Name, comment and working folder of a job

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
_FORGOTTEN = (
    "The run was ended: SLURM has had none of its jobs for ten minutes, but Snakemake "
    "still waits for them. That happens when SLURM does not answer for a minute or "
    "more. To go on, call microleak resume with the same arguments (docs/cluster.md)."
)
# How long no job may be SLURM's before a run ends that waits for some: longer than
# the plugin takes to ask for them and Snakemake to see their files
FORGOTTEN_S = 600.0
_WATCHED_EACH_S = 20.0
_ANSWER_S = 60  # How long SLURM may take to say what is in its queue


def check_queue() -> None:
    """Refuse to go on while jobs of an earlier run are SLURM's."""
    lines = [line for line in _queue(_NAMED) if _is_ours(line)]
    if lines:
        names = sorted({line.partition("|")[0] for line in lines})
        cancelling = "; ".join(f"scancel --name={name}" for name in names)
        raise StudyError(
            f"Jobs of an earlier run are queued or at work in SLURM: {len(lines)}. "
            f"Wait for them (squeue --me), or cancel them: {cancelling}"
        )


@contextmanager
def watched_queue(shown: Display, stops: Stops) -> Iterator[None]:
    """Say that jobs would wait for ever, and end a run whose jobs are lost."""
    # SLURM leaves jobs that ask for too much time in its queue. Where it does not
    # answer for a minute, the plugin forgets all jobs, and Snakemake waits for them for
    # ever.
    ended = Event()

    def watch() -> None:
        is_told, was_seen = False, False
        since, before = time.monotonic(), shown.progress.n_ended
        while not ended.wait(_WATCHED_EACH_S):
            try:
                reasons = _reasons()
            except StudyError:  # it does not answer, which tells nothing of jobs
                continue
            if (n_jobs := sum(map(_TIME_LIMITS.__contains__, reasons))) and not is_told:
                shown.say(_TOO_LONG.format(n_jobs=n_jobs))
                is_told = True
            was_seen |= bool(reasons)
            is_ended = before != (before := shown.progress.n_ended)
            if reasons or is_ended or not shown.progress.at_work or scripts_here():
                since = time.monotonic()
            elif was_seen and time.monotonic() - since >= FORGOTTEN_S:
                stops.give_up(StudyError(_FORGOTTEN))
                return

    watching = Thread(target=watch, daemon=True)
    watching.start()
    try:
        yield
    finally:
        ended.set()
        watching.join(timeout=1)


def _reasons() -> list[str]:
    """Give why each job of this folder's run waits, if it does, in SLURM's words."""
    parts = [line.partition("|") for line in _queue(f"%r|{_NAMED}")]
    return [reason for reason, _, job in parts if _is_ours(job)]


def _queue(form: str) -> list[str]:
    """Give a line for each job of this user, in a form of squeue's."""
    # Folders from which nothing was ever submitted are not asked about, nor is SLURM
    # where it is not installed.
    if not SUBMITTED.is_dir() or shutil.which("squeue") is None:
        return []
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
