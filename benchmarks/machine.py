"""What a benchmark ran on: hardware without names, versions, and code."""

import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psutil

from benchmarks.peers import PEERS
from microleak.study.fingerprint import fingerprint_of_modules

_OWN_PACKAGES = ("microleak", "numba", "numpy", "pyarrow")


def machine() -> dict[str, Any]:
    """Return processor, usable cores, memory in GiB, and operating system."""
    return {
        "cpu": _cpu_model(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(psutil.virtual_memory().total / 2**30, 1),
        "system": platform.system(),
    }


def versions() -> dict[str, str]:
    """Return versions of Python and packages, and the fingerprint of the engine."""
    packages = sorted({*_OWN_PACKAGES, *(peer.package for peer in PEERS.values())})
    return {
        "python": platform.python_version(),
        **{name: version(name) for name in packages},
        "engine": fingerprint_of_modules("microleak.attacks.collective.profile")[:16],
    }


def _cpu_model() -> str:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    named = [line.split(":", 1)[1].strip() for line in lines if "model name" in line]
    return named[0] if named else platform.machine()
