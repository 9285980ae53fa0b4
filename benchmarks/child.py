"""The process of one measurement: reads a task, runs it, writes what it took."""

import json
import os
import resource
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.process import OUT_OF_MEMORY


def main() -> None:
    """Run the task that stdin describes."""
    task = json.load(sys.stdin)
    cores = sorted(os.sched_getaffinity(0))[: task["n_threads"]]
    os.sched_setaffinity(0, cores)  # before any import starts threads
    module, name = task["call"].split(":")
    function = getattr(import_module(module), name)
    wall, cpu = time.perf_counter(), _cpu_s()
    try:
        answer = function(**task["arguments"])
    except MemoryError:
        raise SystemExit(OUT_OF_MEMORY) from None
    taken = {
        "wall_s": time.perf_counter() - wall,
        "cpu_s": _cpu_s() - cpu,
        "peak_mib": _peak_mib(),
        "answer": answer,
    }
    Path(task["answer"]).write_text(json.dumps(taken), encoding="utf-8")


def _cpu_s() -> float:
    taken: Any = [resource.getrusage(who) for who in _BOTH]
    return float(sum(part.ru_utime + part.ru_stime for part in taken))


_BOTH = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)


def _peak_mib() -> int:
    """Return the most resident memory of this process, or of a child of its own.

    From VmHWM: `ru_maxrss` of a process is never below what its parent held when
    it was started (getrusage(2)).
    """
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    own = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return int(max(own, children)) >> 10


if __name__ == "__main__":
    main()
