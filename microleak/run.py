"""Runs a study's rules with Snakemake, one run at a time in a folder."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil

from microleak.errors import StudyError
from microleak.files import sweep
from microleak.locks import at_work_here, no_jobs, only_run
from microleak.machine import megabytes, usual_mb
from microleak.paths import ROOT
from microleak.slurm import check_queue
from microleak.study.before_run import bring_to_now, check_archives, check_memory
from microleak.study.changed_results import remove_changed
from microleak.study.config import load_study
from microleak.study.estimate import estimates
from microleak.study.listing import first_few
from microleak.study.model import Study
from microleak.study.outputs import outputs_of
from microleak.study.private_files import make_private_folders

RESULTS = Path("results")
TOLD_MEMORY = (
    *("profile", "overlap", "blocks", "entities", "anonymity", "contingency"),
    "deduplicate",
)
"""Rules that use as much memory as they are told."""

RESOURCES = ("--resources", "--res", "--set-resources")
"""Options of Snakemake that forget what was said before to the same option."""

ELSEWHERE = ("--executor", "-e", "--profile", "--workflow-profile")
"""Options of Snakemake with which jobs may run on another machine."""

DATABASES_MB = 8000
"""What the rule `reconstruction` asks for where there is as much."""

DRY_RUNS = frozenset({"-n", "--dry-run", "--dryrun"})
"""Words that have Snakemake say what it would do."""

SNAKEMAKE_LOCKS = Path(".snakemake/locks")
STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
STOPPING_S = 5.0
"""How long jobs that were told to stop are waited for, before what is left stays."""

CLEAR_BELOW = "\r\x1b[J"
"""Takes the bar of a job that was killed off a terminal, before more is written."""

Call = Callable[[Sequence[str]], int]


def run(config: Path, words: Sequence[str], max_memory: str | None = None) -> int:
    """Run a study in the working folder; return Snakemake's exit status.

    A signal to this process stops Snakemake and its jobs first, and then ends
    it with 128 and the signal's number as its status.

    Parameters
    ----------
    config
        The study file.
    words
        What goes to Snakemake as it is.
    max_memory
        Memory that jobs may use, as `4GiB`: each that can be told, and together
        all that declare what they use. None leaves it to the rules.

    Raises
    ------
    StudyError
        If the study file is wrong, a study is running in this folder, an
        earlier run was stopped before it could tidy up, or jobs of it are left
        in a cluster's queue.
    ArchiveError, TableError
        If a release's archive is not there, or not what the study names.
    MicroleakError
        If `max_memory` is no size, or `words` limit memory as well.
    """
    limits = _limits(max_memory, words)
    study = _checked(config, max_memory, words)
    words = [*limits, *words]
    with _alone(study, config) as call:
        check_queue()
        with no_jobs():
            if SNAKEMAKE_LOCKS.is_dir() and any(SNAKEMAKE_LOCKS.iterdir()):
                raise StudyError(
                    "An earlier run was stopped at work. "
                    f"To go on where it stopped: microleak resume {config}"
                )
            sweep(RESULTS)
        return _snakemake(study, config, words, call)


def resume(config: Path, words: Sequence[str], max_memory: str | None = None) -> int:
    """Go on with a run that was stopped in any way; the results are the same.

    Takes, returns and raises as `run` does, but does not refuse for the earlier
    run, unless some of it is still at work.
    """
    limits = _limits(max_memory, words)
    study = _checked(config, max_memory, words)
    words = [*limits, *words]
    with _alone(study, config) as call:
        check_queue()
        with no_jobs():
            sweep(RESULTS)
            call(["--unlock", "--quiet", "all"])
        return _snakemake(study, config, words, call)


def _limits(max_memory: str | None, words: Sequence[str]) -> list[str]:
    """Return the words that hold Snakemake and its jobs to so much memory.

    Resources limit all that declare `mem_mb` at a time, and lower one that alone
    declares more; set for a rule they also give it more than its usual share.
    """
    if max_memory is None:
        return []
    size = f"mem_mb={megabytes(max_memory, '--max-memory')}"
    for option in (word.partition("=")[0] for word in words):
        if option in RESOURCES:
            raise StudyError(
                f"{option}, after --, would undo --max-memory. Use one of them."
            )
    told = [f"{rule}:{size}" for rule in TOLD_MEMORY]
    # Written with =, the last takes no more words: those that follow may be targets.
    return ["--set-resources", *told, f"--resources={size}"]


def _checked(config: Path, max_memory: str | None, words: Sequence[str]) -> Study:
    """Return a study whose archives have what it needs, and whose databases fit."""
    study = load_study(config)
    check_archives(study, config)
    if not {word.partition("=")[0] for word in words} & {*RESOURCES, *ELSEWHERE}:
        most_mb = usual_mb(DATABASES_MB)
        if max_memory is not None:
            most_mb = min(most_mb, megabytes(max_memory, "--max-memory"))
        check_memory(study, config, most_mb)
    return study


@contextmanager
def _alone(study: Study, config: Path) -> Iterator[Call]:
    """Keep other runs out of the folder; give the only way to call Snakemake."""
    # Written with =, it takes no more words: the first that follows may be a target.
    files = ["--snakefile", str(ROOT / "Snakefile"), f"--configfile={config}"]
    command = [sys.executable, "-m", "snakemake", *files]
    with only_run(study.name) as lock:

        def call(words: Sequence[str]) -> int:
            """Call Snakemake with the study's files; it holds the lock as well."""
            return _stoppable([*command, *words], pass_fds=(lock,))

        try:
            yield call
        except _StoppedError as stopped:
            _tidy()
            _say(f"stopped. To go on: microleak resume {config}")
            raise SystemExit(128 + stopped.number) from None


def _snakemake(study: Study, config: Path, words: Sequence[str], call: Call) -> int:
    if DRY_RUNS.intersection(words):
        return call(words)
    folder = RESULTS / study.name
    if changed := remove_changed(folder):
        _say(
            f"{len(changed)} results were changed since; they are made again "
            f"({first_few(changed)})"
        )
    bring_to_now(folder)
    make_private_folders(folder, outputs_of(study))
    for log in (folder / "logs").rglob("*.log"):
        log.unlink()
    for line in estimates(study, folder):
        _say(line)
    status = call(["--rerun-incomplete", *words])
    _report(folder, status, config)
    return status if status >= 0 else 128 - status


def _tidy() -> None:
    """Remove what stopped jobs left, unless one of them is still at work."""
    psutil.wait_procs(at_work_here(), timeout=STOPPING_S)
    with suppress(StudyError):
        check_queue()
        with no_jobs():
            sweep(RESULTS)


def _report(folder: Path, status: int, config: Path) -> None:
    """Say, last of all, what went wrong, or where the report is."""
    page = folder / "report" / "index.html"
    if status == 0:
        if page.exists():
            _say(f"the report is {page}")
        return
    logs = sorted((folder / "logs").rglob("*.log"))
    faults = [said for log in logs if (said := log.read_text("utf-8").strip())]
    for said in faults:
        _say(said)
    if not faults:
        _say(
            "the run failed where Snakemake says above; a job that says nothing was "
            f"killed or ran out of memory. To go on: microleak resume {config}"
        )


def _say(words: str) -> None:
    print(f"microleak: {words}", file=sys.stderr)


class _StoppedError(Exception):
    """A signal asked for an end, and Snakemake came to it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def _stoppable(line: Sequence[str], **options: Any) -> int:
    """Run a command that a signal to this process stops, with all that it started.

    It has a session of its own: Ctrl-C in a terminal comes here alone. The first
    signal asks it and its jobs to end, and Snakemake waits for those on a
    cluster; a second one has it cancel them.
    """
    received: list[int] = []
    started: list[subprocess.Popen[bytes]] = []

    def stop(number: int, _: object) -> None:
        """Pass a signal on to the command, if it has been started."""
        received.append(number)
        for process in started:
            _forward(process, len(received))

    heard = [number for number in STOPS if signal.getsignal(number) != signal.SIG_IGN]
    with handled(heard, stop):
        with subprocess.Popen(
            line, stdin=subprocess.DEVNULL, start_new_session=True, **options
        ) as process:
            started.append(process)
            if received:
                _forward(process, 1)
            status = process.wait()
        if received:
            raise _StoppedError(received[0])
    return status


def _forward(process: subprocess.Popen[bytes], n_received: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM if n_received == 1 else signal.SIGINT)
    if sys.stderr.isatty():
        sys.stderr.write(CLEAR_BELOW)
        sys.stderr.flush()


@contextmanager
def handled(
    numbers: Iterable[signal.Signals], handler: Callable[[int, object], None]
) -> Iterator[None]:
    """Handle signals within, and then as before."""
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)
