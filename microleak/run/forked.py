"""Snakemake and its jobs, forked from the process that runs a study.

A job works for a fraction of the second or two that its imports take, and Snakemake's
own take as long. So `microleak run` imports what both need, once, and forks Snakemake,
round after round, and each job that Snakemake asks for. A job is what it would be on
its own: the same script, parameters and environment, and nothing that another job left.
Where it might not be, as code was changed since the process began, Snakemake is started
as a program, which starts its scripts as programs.
"""

import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn, Protocol

from microleak.base.locks import JOB
from microleak.base.paths import ROOT
from microleak.study.steps import code_now, steps

_THREADS = (
    *("OMP_NUM_THREADS", "GOTO_NUM_THREADS", "OPENBLAS_NUM_THREADS"),
    *("MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "NUMEXPR_NUM_THREADS"),
)
_FOLDERS = ("TMPDIR", "TMP", "TEMPDIR", "TEMP")
"""Variables of the environment that Snakemake sets for a script."""

_LATE = ("microleak.run.job", "pandera.backends.pandas.builtin_checks")
"""What all jobs need, and some of it only when it is first used."""

_MOST_BYTES = 1 << 16
_TICKS = os.sysconf("SC_CLK_TCK")


Words = Sequence[str]
Environment = Mapping[str, str]
Files = tuple[int, int]


class Started(Protocol):
    """Snakemake at work."""

    def wait(self) -> int:
        """Wait for its end; return its exit status, below 0 if a signal ended it."""

    def send(self, number: int) -> None:
        """Send a signal to it and its jobs, if it has not ended."""


def start(
    line: Sequence[str],
    lock: int,
    environment: Mapping[str, str],
    folder: Path = Path(),
    output: Any = None,
) -> Started:
    """Start Snakemake by its command, forked from this process if that is the same.

    Parameters
    ----------
    line
        As `snakemake_call` gives it.
    lock
        File that Snakemake holds open as well, and no job does.
    environment
        All of it.
    folder
        Where it works.
    output
        A file, where what it prints should not go where this process prints.
    """
    words = line[line.index("snakemake") + 1 :]
    if sys.platform == "linux" and threading.active_count() == 1 and not _is_changed():
        return _Forked(words, lock, environment, folder, output)
    return _Program(
        line,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=output,
        start_new_session=True,
        pass_fds=(lock,),
    )


def _is_changed() -> bool:
    """Say whether any file of the code was changed since this process began."""
    since_boot = (
        Path("/proc/self/stat").read_text("ascii").rpartition(")")[2].split()[19]
    )
    age = time.clock_gettime(time.CLOCK_BOOTTIME) - int(since_boot) / _TICKS
    began = time.time() - age
    return any(
        path.stat().st_ctime > began
        for folder in ("microleak", "config")
        for path in (ROOT / folder).rglob("*.*")
        if path.suffix != ".pyc"
    )


class _Program(subprocess.Popen[bytes]):
    """Snakemake as a program, with its jobs in one group."""

    def send(self, number: int) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.pid, number)


class _Forked:
    """Snakemake as a fork of this process, which forks its jobs while it waits."""

    def __init__(
        self,
        words: Words,
        lock: int,
        environment: Environment,
        folder: Path,
        output: Any,
    ) -> None:
        # Snakemake is imported before it is forked, for all rounds of a run.
        snakemake = import_module("snakemake.cli").main
        self._asked, asks = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._lock = lock
        self._jobs: set[int] = set()
        self._place = (environment, folder, output)
        self._snakemake = _fork()
        if not self._snakemake:
            _leave(lambda: self._be_snakemake(snakemake, words, asks))
        asks.close()

    def wait(self) -> int:
        """Fork the jobs that are asked for until Snakemake ends; return its status."""
        woken, wakes = os.pipe()
        for end in (woken, wakes):
            os.set_blocking(end, False)
        before = signal.signal(signal.SIGCHLD, lambda *_: None)
        before_fd = signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
        try:
            while True:
                if (status := _status(self._snakemake)) is not None:
                    return status
                self._jobs -= {job for job in self._jobs if _status(job) is not None}
                ready, _, _ = select.select([self._asked.fileno(), woken], [], [])
                if woken in ready:
                    os.read(woken, _MOST_BYTES)
                else:
                    self._answer((woken, wakes))
        finally:
            signal.set_wakeup_fd(before_fd)
            signal.signal(signal.SIGCHLD, before)
            os.close(woken)
            os.close(wakes)
            self._asked.close()

    def send(self, number: int) -> None:
        for process in (self._snakemake, *self._jobs):
            with suppress(ProcessLookupError):
                os.kill(process, number)

    def _answer(self, own: Files) -> None:
        """Fork a job that Snakemake asks for, which tells its id, and how it ends."""
        message, told, *_ = socket.recv_fds(self._asked, _MOST_BYTES, 1)
        if not message:  # Snakemake is at its end
            select.select([own[0]], [], [])
            return
        path, environment = json.loads(message)
        rule = path.split(".")[-2]
        with suppress(Exception):  # the job will say it
            _import(rule)
        job = _fork()
        if not job:
            _leave(lambda: self._be_job(rule, path, environment, told[0], own), told[0])
        self._jobs.add(job)
        os.close(told[0])

    def _be_snakemake(
        self, snakemake: Callable[[list[str]], None], words: Words, asks: socket.socket
    ) -> None:
        self._asked.close()
        self._become("snakemake")
        _fork_scripts(asks)
        sys.argv = ["snakemake", *words]
        snakemake([*words])

    def _be_job(
        self, rule: str, path: str, environment: Environment, told: int, own: Files
    ) -> None:
        _tell(told, os.getpid())
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for end in (self._asked.detach(), *own, self._lock):
            os.close(end)
        self._become(f"{JOB}{rule}")
        os.environ.update(environment)
        sys.argv = [path]
        runpy.run_path(path, run_name="__main__")

    def _become(self, name: str) -> None:
        """Make a fork what a program would be that was started in its place."""
        environment, folder, output = self._place
        Path("/proc/self/comm").write_text(name, encoding="ascii")
        os.setsid()
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            if signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, signal.SIG_DFL)
        if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        with Path(os.devnull).open("rb") as nothing:
            os.dup2(nothing.fileno(), 0)
        if output is not None:
            os.dup2(output.fileno(), 1)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        tempfile.tempdir = None
        if not sys.flags.safe_path:
            sys.path.pop(0)


def _fork() -> int:
    sys.stdout.flush()
    sys.stderr.flush()
    return os.fork()


def _fork_scripts(asks: socket.socket) -> None:
    """Have Snakemake's scripts forked, if they have no environment of their own."""
    kind = import_module("snakemake.script").PythonScript
    benchmarked = import_module("snakemake.benchmark").benchmarked
    alone = kind.execute_script

    def execute_script(script: Any, path: str, edit: bool = False) -> None:
        if any((script.conda_env, script.container_img, script.env_modules)):
            alone(script, path, edit)
            return
        folder = script.resources.get("tmpdir")
        asked = dict.fromkeys(_THREADS, str(script.threads))
        asked |= dict.fromkeys(_FOLDERS, folder) if folder else {}
        answer, told = os.pipe()
        try:
            socket.send_fds(asks, [json.dumps([path, asked]).encode()], [told])
        except OSError:  # who would fork it was killed
            alone(script, path, edit)
            return
        finally:
            os.close(told)
        record = script.bench_record
        with os.fdopen(answer, encoding="ascii") as lines:
            process = int(lines.readline() or os.getpid())
            with benchmarked(process, record) if record else nullcontext():
                status = int(lines.readline() or -signal.SIGKILL)
        if status:
            raise subprocess.CalledProcessError(status, path)

    kind.execute_script = execute_script


def _import(rule: str) -> None:
    """Import what a rule's jobs need, and read their code, if none did before."""
    step = next(step for step in steps().values() if rule in {step.rule, step.script})
    for module in (*step.modules, *_LATE):
        import_module(module)
    code_now(step)


def _status(process: int) -> int | None:
    """Return how a process ended; None if it has not."""
    ended, status = os.waitpid(process, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if ended else None


def _tell(told: int, number: int) -> None:
    with suppress(BrokenPipeError):
        os.write(told, f"{number}\n".encode())


def _leave(task: Callable[[], object], told: int | None = None) -> NoReturn:
    """Do all that a fork is there for, and end it at once: nothing here is its own.

    How it ends is told before, where somebody waits for it who is not its parent.
    """
    status: object = 0
    try:
        task()
    except SystemExit as end:
        status = end.code
    except BaseException:
        status = 1
        traceback.print_exc()
    with suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    code = status if isinstance(status, int) else int(status is not None)
    if told is not None:
        _tell(told, code)
    os._exit(code)
