"""The files of results that the page is written from, and where it was measured."""

import json
import os
import platform
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psutil

from microleak.base.errors import MicroleakError
from microleak.base.files import write_text

Found = dict[str, Any]
"""What was measured, as its file has it."""


def measured_on(packages: Iterable[str]) -> Found:
    """Return date, hardware without names, and versions."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": {
            "cpu": _cpu_model(),
            "cores": len(os.sched_getaffinity(0)),
            "memory_gib": round(psutil.virtual_memory().total / 2**30, 1),
            "system": platform.system(),
        },
        "versions": {
            "python": platform.python_version(),
            **{name: version(name) for name in packages},
        },
    }


def _cpu_model() -> str:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    named = [line.split(":", 1)[1].strip() for line in lines if "model name" in line]
    return named[0] if named else platform.machine()


def load(path: Path) -> Found:
    """Return what a file has; nothing if it is not there."""
    if not path.exists():
        return {}
    try:
        content: Found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        raise MicroleakError(
            f"{path} is not a results file of the benchmarks. Delete it and run the "
            "benchmark again."
        ) from None
    return content


def save(path: Path, content: Mapping[str, Any]) -> None:
    """Write results, a measurement a line."""
    write_text(path, f"{_lines(content, depth=3)}\n")


def _lines(value: Any, depth: int) -> str:
    if depth and isinstance(value, dict):
        parts = (f"{json.dumps(k)}: {_lines(v, depth - 1)}" for k, v in value.items())
        return "{\n" + ",\n".join(parts) + "\n}"
    if depth and isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(map(json.dumps, value)) + "\n]"
    return json.dumps(value)


def save_taken(
    name: str, taken: Iterable[Found], packages: Iterable[str], folder: Path
) -> None:
    """Write what one of the further programs measured, by the name of its chapter."""
    found = list(taken)
    save(folder / f"performance-{name}.json", {**measured_on(packages), "taken": found})
