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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn, Protocol

from microleak.base.locks import JOB
from microleak.base.paths import located
from microleak.study.fingerprint import versions
from microleak.study.job_records import DUE
from microleak.study.steps import code_of, steps

_THREADS = (
    *("OMP_NUM_THREADS", "GOTO_NUM_THREADS", "OPENBLAS_NUM_THREADS"),
    *("MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "NUMEXPR_NUM_THREADS"),
)
_FOLDERS = ("TMPDIR", "TMP", "TEMPDIR", "TEMP")
"""Variables of the environment that Snakemake sets for a script."""

LATE = ("microleak.run.job", "pandas", "pyarrow.pandas_compat")
"""What all jobs need, and some of it only when it is first used."""

_STOPS = ("SIGINT", "SIGTERM", "SIGHUP")
STOPS = tuple(s for s in signal.Signals if s.name in _STOPS)
"""Signals that stop a run; Windows has no SIGHUP."""

_VERSIONS = versions()
_MOST_BYTES = 1 << 16

Words = Sequence[str]
Environment = Mapping[str, str]


class Started(Protocol):
    """Snakemake at work."""

    def wait(self) -> int:
        """Wait for its end; return its exit status, below 0 if a signal ended it."""

    def watch(self, meanwhile: Callable[[], None], every_s: float) -> int:
        """Wait for its end as well, and do something each so many seconds."""

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
        A file, where what it and its jobs print should not go where this process
        prints.
    """
    words = line[line.index("snakemake") + 1 :]
    if sys.platform == "linux" and threading.active_count() == 1:
        # Snakemake asks jobs for the code as it is before any of it can change.
        for rule in steps():
            code_of(rule)
        if not _is_changed():
            return _Forked(words, lock, environment, folder, output)
    return _Program(
        line,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        start_new_session=True,
        pass_fds=(lock,),
    )


def _is_changed() -> bool:
    """Say whether code or packages may be others than when this process began."""
    since_boot = (
        Path("/proc/self/stat").read_text("ascii").rpartition(")")[2].split()[19]
    )
    age = time.clock_gettime(time.CLOCK_BOOTTIME)
    age -= int(since_boot) / os.sysconf("SC_CLK_TCK")
    began = time.time() - age
    try:
        return versions() != _VERSIONS or any(
            path.lstat().st_ctime > began
            for folder in ("microleak", "config", "scripts")
            for path in located(folder).rglob("*.*")
            if path.parent.name != "__pycache__"
        )
    except FileNotFoundError:
        return True


class _Program(subprocess.Popen[bytes]):
    """Snakemake as a program, with its jobs in one group."""

    def watch(self, meanwhile: Callable[[], None], every_s: float) -> int:
        while True:
            try:
                return self.wait(every_s)
            except subprocess.TimeoutExpired:
                meanwhile()

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
        # Jobs by their ids, with the socket that tells how each ends.
        self._jobs: dict[int, int] = {}
        self._imported: set[str] = set()
        self._ahead = _modules_due(environment)
        self._sent = 0
        self._place = (environment, folder, output)
        with _stops_wait():
            self._snakemake = _fork()
            if not self._snakemake:
                _leave(lambda: self._be_snakemake(snakemake, words, asks))
        asks.close()

    def wait(self) -> int:
        """Fork the jobs that are asked for until Snakemake ends; return its status."""
        return self.watch(lambda: None, None)

    def watch(self, meanwhile: Callable[[], None], every_s: float | None) -> int:
        """Do the same, and something else each so many seconds."""
        woken, wakes = os.pipe()
        for end in (woken, wakes):
            os.set_blocking(end, False)
        before = signal.signal(signal.SIGCHLD, lambda *_: None)
        before_fd = signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
        try:
            while True:
                if (status := _status(self._snakemake)) is not None:
                    return status
                for job in [*self._jobs]:
                    if (ended := _status(job)) is not None:
                        told = self._jobs.pop(job)
                        _tell(told, ended)
                        os.close(told)
                asked = self._asked.fileno()
                idle_s = 0 if self._ahead else every_s
                ready, _, _ = select.select([asked, woken], [], [], idle_s)
                if woken in ready:
                    os.read(woken, _MOST_BYTES)
                elif asked in ready:
                    self._answer((woken, wakes))
                elif self._ahead:
                    _import(self._ahead.pop(0))  # one, as a display waits meanwhile
                meanwhile()
        finally:
            signal.set_wakeup_fd(before_fd)
            signal.signal(signal.SIGCHLD, before)
            for end in (woken, wakes, *self._jobs.values()):
                os.close(end)
            self._asked.close()

    def send(self, number: int) -> None:
        self._sent = number
        self._ahead.clear()
        for process in (self._snakemake, *self._jobs):
            with suppress(ProcessLookupError):
                os.kill(process, number)

    def _answer(self, own: tuple[int, int]) -> None:
        """Fork a job that Snakemake asks for, unless its code was changed since."""
        message, ends, *_ = socket.recv_fds(self._asked, _MOST_BYTES, 1)
        if not message:  # Snakemake is at its end
            select.select([own[0]], [], [])
            return
        path, environment = json.loads(message)
        rule, told = path.split(".")[-2], ends[0]
        if not self._can_be_forked(rule):
            os.close(told)
            return
        with _stops_wait():
            job = _fork()
            if not job:
                others = (self._asked.detach(), *own, self._lock, *self._jobs.values())
                be_job = partial(self._be_job, rule, path, environment, told, others)
                _leave(be_job, told)
            self._jobs[job] = told
            if self._sent:  # while this was asked for
                os.kill(job, self._sent)

    def _can_be_forked(self, rule: str) -> bool:
        """Import what a rule's jobs need; say no if that may not be the run's code."""
        if rule not in self._imported:
            for module in _modules_of(rule):
                _import(module)
            if _is_changed():
                return False
            self._imported.add(rule)
        return True

    def _be_snakemake(
        self, snakemake: Callable[[list[str]], None], words: Words, asks: socket.socket
    ) -> None:
        self._asked.close()
        self._become("snakemake")
        _fork_scripts(asks)
        sys.argv = ["snakemake", *words]
        snakemake([*words])

    def _be_job(
        self,
        rule: str,
        path: str,
        environment: Environment,
        told: int,
        others: Sequence[int],
    ) -> None:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for end in others:
            os.close(end)
        self._become(f"{JOB}{rule}")
        _tell(told, os.getpid())
        os.read(told, 1)  # Snakemake measures it from here on
        code_of.cache_clear()
        os.environ.update(environment)
        sys.argv = [path]
        runpy.run_path(path, run_name="__main__")

    def _become(self, name: str) -> None:
        """Make a fork what a program would be that was started in its place."""
        environment, folder, output = self._place
        Path("/proc/self/comm").write_text(name, encoding="ascii")
        os.setsid()
        for number in STOPS:
            if signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, signal.SIG_DFL)
        if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
        with Path(os.devnull).open("rb") as nothing:
            os.dup2(nothing.fileno(), 0)
        if output is not None:
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        tempfile.tempdir = None
        if not sys.flags.safe_path:
            sys.path.pop(0)


def _modules_due(environment: Environment) -> list[str]:
    """Return what the jobs need that a run asks for, in the order data take."""
    file = Path(environment.get(DUE, os.devnull))
    titles = file.read_text("utf-8").splitlines()
    due = {title.partition(" ")[0] for title in titles}
    return [module for rule in steps() if rule in due for module in _modules_of(rule)]


def _modules_of(rule: str) -> Iterator[str]:
    """Yield what a rule's jobs need."""
    for step in steps().values():
        if rule in (step.rule, step.script):
            yield from step.modules
    yield from LATE


def _import(module: str) -> None:
    with suppress(Exception):  # the job will say it
        import_module(module)
        if "numba" in sys.modules:
            import_module("microleak.kernels.ready")


@contextmanager
def _stops_wait() -> Iterator[None]:
    """Hold back signals that stop a run until a fork is known, and is what it will be.

    Before, it has this process' handlers, which would stop nothing there.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _fork() -> int:
    _flush()
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
        answer, told = socket.socketpair()
        with answer, answer.makefile(encoding="ascii") as lines:
            with told, suppress(OSError):  # who would fork it may have been killed
                socket.send_fds(
                    asks, [json.dumps([path, asked]).encode()], [told.fileno()]
                )
            process = lines.readline()
            if not process:
                alone(script, path, edit)
                return
            record = script.bench_record
            with benchmarked(int(process), record) if record else nullcontext():
                with suppress(OSError):
                    answer.send(b"!")
                status = int(lines.readline() or -signal.SIGKILL)
        if status:
            raise subprocess.CalledProcessError(status, path)

    kind.execute_script = execute_script


def _status(process: int) -> int | None:
    """Return how a process ended; None if it has not."""
    ended, status = os.waitpid(process, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if ended else None


def _tell(told: int, number: int) -> None:
    with suppress(OSError):
        os.write(told, f"{number}\n".encode())


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            with suppress(OSError):
                stream.flush()


def _leave(task: Callable[[], object], told: int | None = None) -> NoReturn:
    """Do all that a fork is there for, and end it at once: nothing here is its own.

    How it ends is told before, where somebody waits for it who is not its parent.
    """
    code = 1
    try:
        task()
        code = 0
    except SystemExit as end:
        is_status = end.code is None or isinstance(end.code, int)
        code = int(end.code or 0) if is_status else 1
        if not is_status:
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    finally:
        try:
            _flush()
            if told is not None:
                _tell(told, code)
        finally:
            os._exit(code)
