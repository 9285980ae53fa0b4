"""One measurement: a call in a fresh process, with its time and its peak memory."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from microleak.base.errors import MicroleakError

FINISHED, MEMORY, TIME = "finished", "memory", "time"
OUT_OF_MEMORY = 3
"""Exit status of a child that says itself that memory does not suffice."""

_GLANCE_S = 0.05


@dataclass(frozen=True)
class Limits:
    """What a process may take before it is ended."""

    n_threads: int  # Cores it is bound to, and threads it is told to use
    memory_gib: float  # Resident
    time_s: float  # Wall time


@dataclass(frozen=True)
class Outcome:
    """What a call took, without the start of Python and the imports."""

    # `finished`, or the limit it met; then the rest is as far as it is known
    status: str
    wall_s: float
    cpu_s: float
    peak_mib: int  # Most resident memory of the whole process
    answer: Any = None

    @property
    def taken(self) -> dict[str, Any]:
        """All but the answer."""
        return {name: each for name, each in vars(self).items() if name != "answer"}


def measured(call: str, arguments: Mapping[str, Any], limits: Limits) -> Outcome:
    """Call `module:function` in a fresh process and measure it.

    Arguments and answer pass as JSON.
    """
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.json"
        task = {
            "call": call,
            "arguments": dict(arguments),
            "n_threads": limits.n_threads,
            "answer": str(answer),
        }
        started = time.perf_counter()
        status, peak_mib = _watched(task, limits)
        if status != FINISHED:
            return Outcome(status, time.perf_counter() - started, 0.0, peak_mib)
        return Outcome(FINISHED, **json.loads(answer.read_text(encoding="utf-8")))


def _watched(task: Mapping[str, Any], limits: Limits) -> tuple[str, int]:
    """Run a task to its end or to a limit; return which, and most memory seen."""
    environment = os.environ | {"POLARS_MAX_THREADS": str(limits.n_threads)}
    # Modules that are imported late are compiled once, not in each measurement.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    child = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.child"],
        stdin=subprocess.PIPE,
        stdout=sys.stderr,
        text=True,
        env=environment,
    )
    try:
        assert child.stdin
        child.stdin.write(json.dumps(task))
        child.stdin.close()
        met, peak_mib = _limit_met(child, limits)
    finally:
        child.kill()
        child.wait()
    return met or _ended(child.returncode, str(task["call"])), peak_mib


def _limit_met(child: subprocess.Popen[str], limits: Limits) -> tuple[str, int]:
    """Wait for the end of a process or a limit; return the limit, or nothing."""
    until = time.monotonic() + limits.time_s
    peak = 0
    most = int(limits.memory_gib * 2**30)
    while child.poll() is None:
        peak = max(peak, _resident(child.pid))
        if peak > most:
            return MEMORY, peak >> 20
        if time.monotonic() > until:
            return TIME, peak >> 20
        time.sleep(_GLANCE_S)
    return "", peak >> 20


def _resident(pid: int) -> int:
    try:
        return int(psutil.Process(pid).memory_info().rss)
    except psutil.NoSuchProcess:
        return 0


def _ended(exit_status: int, call: str) -> str:
    if exit_status == 0:
        return FINISHED
    if exit_status in (OUT_OF_MEMORY, -signal.SIGKILL):
        return MEMORY
    raise MicroleakError(
        f"The benchmark's process for {call} ended with status {exit_status}; what it "
        "said is above. Correct it in benchmarks/ and run again."
    )


def say(name: str, outcome: Outcome) -> None:
    """Show on stderr how far a benchmark is."""
    took = f"{outcome.status}, {outcome.wall_s:,.1f} s, {outcome.peak_mib:,} MiB"
    print(f"{name}: {took}", file=sys.stderr, flush=True)


def step_of(
    name: str, call: str, arguments: Mapping[str, Any], limits: Limits
) -> dict[str, Any]:
    """Measure a step that the rest of a benchmark needs."""
    done = measured(call, arguments, limits)
    say(name, done)
    if done.status != FINISHED:
        raise MicroleakError(
            f"{name} met the limit of {done.status}, so the benchmark has no table. "
            "Raise --memory-gib or --time-limit-s."
        )
    return {"name": name, **done.taken}
