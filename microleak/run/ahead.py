"""Kernels are compiled while a first run begins, on a core that has nothing to do."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from microleak.base.paths import PACKAGE

_KERNELS = PACKAGE / "kernels"


@contextmanager
def kernels_compiled() -> Iterator[None]:
    """Have another process compile the kernels meanwhile, if none has been.

    They take as long as all else of a small study. A job that needs one before it is
    there compiles it, too.
    """
    is_done = any(_KERNELS.glob("__pycache__/*.nbi"))
    if is_done or not os.access(_KERNELS, os.W_OK):
        yield
        return
    nothing = subprocess.DEVNULL
    line = [sys.executable, "-m", "microleak.kernels"]
    with subprocess.Popen(line, stdin=nothing, stdout=nothing, stderr=nothing) as other:
        try:
            yield
        finally:
            other.terminate()
