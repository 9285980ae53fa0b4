"""What of a study waits in SLURM's queue, or runs on its nodes.

Locks see the jobs at work. A Snakemake that was killed leaves others in the queue,
which begin when it is their turn, in the midst of the next run or after it. The
plugin for SLURM gives all jobs of a run one name, and each a comment that begins
with `rule_`; their working folder is that of the study.
"""

import shutil
import subprocess
from pathlib import Path

from microleak.errors import StudyError

SUBMITTED = Path(".snakemake/slurm_logs")
"""Where the plugin puts logs of jobs: there once a job was submitted from here."""

_COMMENT = "rule_"
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
    lines = [line for line in _queue() if _is_ours(line)]
    if lines:
        names = sorted({line.partition("|")[0] for line in lines})
        cancelling = "; ".join(f"scancel --name={name}" for name in names)
        raise StudyError(
            f"Jobs of an earlier run are queued or at work in SLURM: {len(lines)}. "
            f"Wait for them (squeue --me), or cancel them: {cancelling}"
        )


def _queue() -> list[str]:
    """Give name, comment and working folder of each job of this user."""
    asked = ["squeue", "--me", "--noheader", "--format=%j|%k|%Z"]
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
