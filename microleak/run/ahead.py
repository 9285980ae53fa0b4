"""Kernels are compiled while a first run begins: `python -m microleak.run.ahead`.

Numba compiles a kernel when it is first called, and keeps it beside its module. That
takes as long as all else of a small study, much of which leaves a core idle.
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

from microleak.base.forks import end_with
from microleak.base.paths import PACKAGE
from microleak.run.options import is_looking
from microleak.run.snakemake_call import safe_environment

_KERNELS = PACKAGE / "kernels"


@contextmanager
def kernels_compiled(words: Sequence[str]) -> Iterator[None]:
    """Have another process compile the kernels meanwhile, if they are not yet."""
    # A job that needs one before it is there compiles it, too.
    other = None
    if not (is_looking(words) or _is_compiled()) and os.access(_KERNELS, os.W_OK):
        nothing = subprocess.DEVNULL
        with suppress(OSError, TypeError):  # what is to be run, runs without it
            other = subprocess.Popen(
                [sys.executable, "-P", "-m", "microleak.run.ahead", str(os.getpid())],
                env=safe_environment(),
                stdin=nothing,
                stdout=nothing,
                stderr=nothing,
            )
    try:
        yield
    finally:
        if other:
            other.terminate()
            other.wait()


def _mark() -> Path:
    """Return the file that says that all kernels are compiled for this Python."""
    return _KERNELS / f"__pycache__/{sys.implementation.cache_tag}-{version('numba')}"


def _is_compiled() -> bool:
    mark = _mark()
    newest = max(file.stat().st_mtime_ns for file in _KERNELS.glob("*.py"))
    return mark.exists() and mark.stat().st_mtime_ns >= newest


def _compile() -> None:
    """Walk over a few random records, in several buckets."""
    numpy = import_module("numpy")
    records = import_module("microleak.kernels.records")
    walk = import_module("microleak.kernels.walk")
    draw = numpy.random.default_rng(0)

    def attribute(n_values: int, is_marked: bool = False) -> object:
        codes = draw.integers(n_values, size=4000, dtype=numpy.uint32)
        return records.AttributeCodes(codes, n_values, is_marked)

    few = records.in_memory(
        [attribute(n_values) for n_values in (20, 9, 4)],
        [attribute(3), attribute(2, is_marked=True)],
    )
    for _ in walk.walk_subsets(few, range(8), walk.Work(rows_a_bucket=500)):
        pass
    _mark().touch()


if __name__ == "__main__":
    if sys.argv[1:]:
        end_with(int(sys.argv[1]))
    _compile()
