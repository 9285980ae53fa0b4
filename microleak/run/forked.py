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
from typing import Any, NoReturn

import psutil

from microleak.base.forks import end_with
from microleak.base.locks import JOB, at_work_here
from microleak.base.paths import path_in_checkout
from microleak.run.within import STOPS, heed
from microleak.study.fingerprint import package_versions
from microleak.study.job_records import DUE
from microleak.study.steps import code_of, steps_by_rule

_THREADS = (
    *("OMP_NUM_THREADS", "GOTO_NUM_THREADS", "OPENBLAS_NUM_THREADS"),
    *("MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "NUMEXPR_NUM_THREADS"),
)
# Variables of the environment that Snakemake sets for a script
_FOLDERS = ("TMPDIR", "TMP", "TEMPDIR", "TEMP")
# What all jobs need, and some of it only when it is first used
LATE = ("microleak.run.job", "pandas", "pyarrow.pandas_compat")
_VERSIONS = package_versions()
_MOST_BYTES = 1 << 16
_AT_END_S = 0.2
CommandWords = Sequence[str]
Environment = Mapping[str, str]
_Place = tuple[Environment, Path, Any]  # All of it, a folder, and where output goes


def _is_changed() -> bool:
    """Say whether code or packages may be others than when this process began."""
    since_boot = (
        Path("/proc/self/stat").read_text("ascii").rpartition(")")[2].split()[19]
    )
    age = time.clock_gettime(time.CLOCK_BOOTTIME)
    age -= int(since_boot) / os.sysconf("SC_CLK_TCK")
    began = time.time() - age
    try:
        return package_versions() != _VERSIONS or any(
            os.lstat(f"{place}/{name}").st_ctime > began
            for folder in ("microleak", "papers/twins", "config", "scripts")
            for place, _, names in os.walk(path_in_checkout(folder))
            if not place.endswith("__pycache__")
            for name in names
        )
    except FileNotFoundError:
        return True


class _Program:
    """Snakemake as a program, with its jobs in one group."""

    def __init__(self, line: CommandWords, lock: int, place: _Place) -> None:
        environment, folder, output = place
        at = line.index("snakemake")
        self.heard: list[int] = []  # Signals that it and its jobs got from others
        self.is_importing = False
        self._run, run = socket.socketpair()
        self._run.setblocking(False)
        with run:
            told = ("microleak.run.within", "snakemake", str(run.fileno()))
            self._snakemake = subprocess.Popen(
                [*line[:at], *told, *line[at + 1 :]],
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                pass_fds=(lock, run.fileno()),
            )

    def watch(self, meanwhile: Callable[[], None], every_s: float) -> int:
        """Wait for its end, and do something each so many seconds."""
        # Returned is its exit status, below 0 if a signal ended it.
        with self._run:
            while True:
                try:
                    status = self._snakemake.wait(every_s)
                    break
                except subprocess.TimeoutExpired:
                    with suppress(OSError):
                        self.heard += self._run.recv(_MOST_BYTES)
                    meanwhile()
        if status:
            self.kill()
        return status

    def stop(self, word: bytes) -> None:
        """Say to it what `run.within` knows, and ask its jobs here to end."""
        with suppress(OSError):
            self._run.send(word)
        # Not all of the group: what asks a cluster for its jobs is to have an answer.
        for process in at_work_here():
            with suppress(psutil.NoSuchProcess):
                process.terminate()

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._snakemake.pid, signal.SIGKILL)


class _Forked:
    """Snakemake as a fork of this process, which forks its jobs while it waits."""

    def __init__(self, words: CommandWords, lock: int, place: _Place) -> None:
        # Snakemake is imported before it is forked, for all rounds of a run.
        snakemake = import_module("snakemake.cli").main
        self._asked, asks = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._lock = lock
        # Jobs by their ids, with the socket that tells how each ends.
        self._jobs: dict[int, int] = {}
        self._imported: set[str] = set()
        self._ahead = _modules_due(place[0])
        self.heard: list[int] = []
        self.is_importing = self._is_stopping = False
        self._place = place
        self._own = os.getpid()
        with _stops_wait():
            self._snakemake = _fork()
            if not self._snakemake:
                _leave(lambda: self._be_snakemake(snakemake, words, asks))
        asks.close()

    def watch(self, meanwhile: Callable[[], None], every_s: float) -> int:
        """Fork the jobs that are asked for until Snakemake ends; return its status."""
        woken, wakes = os.pipe()
        for end in (woken, wakes):
            os.set_blocking(end, False)
        before = signal.signal(signal.SIGCHLD, lambda *_: None)
        before_fd = signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
        try:
            while (status := _status(self._snakemake)) is None:
                self._tell_ends()
                asked = self._asked.fileno()
                idle_s = 0 if self._ahead else every_s
                ready, _, _ = select.select([asked, woken], [], [], idle_s)
                if woken in ready:
                    os.read(woken, _MOST_BYTES)
                elif asked in ready:
                    self._answer((woken, wakes))
                elif self._ahead:
                    self._import(
                        self._ahead.pop(0)
                    )  # one, as a display waits meanwhile
                meanwhile()
            return status
        finally:
            signal.set_wakeup_fd(before_fd)
            signal.signal(signal.SIGCHLD, before)
            self._kill_jobs()  # of a Snakemake that is gone
            for job in self._jobs:
                os.waitpid(job, 0)
            for end in (woken, wakes, *self._jobs.values()):
                os.close(end)
            self._asked.close()

    def stop(self, word: bytes) -> None:
        self._is_stopping = True
        self._ahead.clear()
        with suppress(OSError):
            self._asked.send(word)
        for job in self._jobs:
            os.kill(job, signal.SIGTERM)

    def kill(self) -> None:
        os.kill(self._snakemake, signal.SIGKILL)
        self._kill_jobs()

    def _kill_jobs(self) -> None:
        for job in self._jobs:
            with suppress(ProcessLookupError):  # it does not lead a group yet
                os.killpg(job, signal.SIGKILL)
            os.kill(job, signal.SIGKILL)

    def _tell_ends(self) -> None:
        """Tell Snakemake which jobs have ended; what stops one stops the run."""
        for job in [*self._jobs]:
            if (ended := _status(job)) is not None:
                told = self._jobs.pop(job)
                _tell(told, ended)
                os.close(told)
                if -ended in STOPS:
                    self.heard.append(-ended)

    def _answer(self, own: tuple[int, int]) -> None:
        """Fork a job that Snakemake asks for, unless its code was changed since."""
        message = b""
        ends: list[int] = []
        with suppress(ConnectionResetError):  # killed before it read what it was told
            message, ends, *_ = socket.recv_fds(self._asked, _MOST_BYTES, 1)
        if len(message) < 2:  # a signal, or Snakemake is at its end
            self.heard += message
            if not message:
                select.select([own[0]], [], [], _AT_END_S)
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
            _tell(told, job)  # before its end is told, which may come at once
            if self._is_stopping:  # while this was asked for
                os.kill(job, signal.SIGTERM)

    def _can_be_forked(self, rule: str) -> bool:
        if rule not in self._imported:
            for module in _modules_of(rule):
                self._import(module)
            if _is_changed():
                return False
            self._imported.add(rule)
        return True

    def _import(self, module: str) -> None:
        with suppress(
            Exception, KeyboardInterrupt
        ):  # the job will say it, if it begins
            self.is_importing = True
            try:
                import_module(module)
                if "numba" in sys.modules:
                    import_module("microleak.kernels.ready")
            finally:
                self.is_importing = False

    def _be_snakemake(
        self,
        snakemake: Callable[[list[str]], None],
        words: CommandWords,
        asks: socket.socket,
    ) -> None:
        self._asked.close()
        self._become("snakemake")
        heed(asks)
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
        end_with(self._own)
        self._become(f"{JOB}{rule}")
        if not os.read(told, 1):  # Snakemake measures it from here on, or is gone
            return
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
        code_of.cache_clear()
        os.environ.update(environment)
        sys.argv = [path]
        runpy.run_path(path, run_name="__main__")

    def _become(self, name: str) -> None:
        """Make a fork what a program would be that was started in its place."""
        environment, folder, output = self._place
        Path("/proc/self/comm").write_text(name, encoding="ascii")
        os.setsid()
        for number in (*STOPS, signal.SIGALRM):
            if signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, signal.SIG_DFL)
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


Started = _Program | _Forked  # Snakemake at work


def start(
    line: Sequence[str],
    lock: int,
    environment: Mapping[str, str],
    folder: Path = Path(),
    output: Any = None,
) -> Started:
    """Start Snakemake by its command, forked from this process if that is the same."""
    # `lock` is a file that Snakemake holds open as well, and no job does; `environment`
    # is all of it. What is printed goes to `output`, or where this process prints.
    if sys.platform == "linux" and threading.active_count() == 1:
        # Snakemake asks jobs for the code as it is before any of it can change.
        for rule in steps_by_rule():
            code_of(rule)
        if not _is_changed():
            words = line[line.index("snakemake") + 1 :]
            return _Forked(words, lock, (environment, folder, output))
    return _Program(line, lock, (environment, folder, output))


def _modules_due(environment: Environment) -> list[str]:
    file = Path(environment.get(DUE, os.devnull))
    titles = file.read_text("utf-8").splitlines()
    due = {title.partition(" ")[0] for title in titles}
    return [
        module
        for rule in steps_by_rule()
        if rule in due
        for module in _modules_of(rule)
    ]


def _modules_of(rule: str) -> tuple[str, ...]:
    step = steps_by_rule().get(rule)
    return (step.modules if step else ()) + LATE


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
    """Do all that a fork is there for, and end it at once: nothing here is its own."""
    # How it ends is told before, where somebody waits for it who is not its parent.
    code = 1
    try:
        task()
        code = 0
    except SystemExit as end:
        is_status = end.code is None or isinstance(end.code, int)
        code = int(end.code or 0) if is_status else 1
        if not is_status:
            print(end.code, file=sys.stderr)
    except KeyboardInterrupt:  # of Snakemake, which has no more to say
        code = 128 + signal.SIGINT
    except BaseException:
        traceback.print_exc()
    finally:
        try:
            _flush()
            if told is not None:
                _tell(told, code)
        finally:
            os._exit(code)
