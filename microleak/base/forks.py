"""Work side by side in forks of this process, which have all that it has read."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from typing import Any, TypeVar

from microleak.base.errors import MicroleakError

# The first word of Linux's prctl that asks for a signal when the parent ends
_DIES_WITH_PARENT = 1

S = TypeVar("S")
T = TypeVar("T")


def end_with(parent: int) -> None:
    """Have the system end this process, on Linux, when its parent ends."""
    if sys.platform == "linux":
        prctl = import_module("ctypes").CDLL(None).prctl
        prctl(_DIES_WITH_PARENT, int(signal.SIGKILL))
        if os.getppid() != parent:
            os._exit(1)


def side_by_side(
    task: Callable[[S], Iterator[T]], things: Sequence[S]
) -> Iterator[tuple[T, ...]]:
    """Yield what a task yields of things, one of each at a time; all yield as many.

    The first thing is done here, and each other in a fork: what it yields is pickled.
    Beside other threads of Python, where forks are not safe, all are done here.
    """
    first, *others = (partial(task, thing) for thing in things)
    is_safe = sys.platform == "linux" and threading.active_count() == 1
    heard = [_forked(other) if is_safe else other() for other in others]
    yield from zip(first(), *heard, strict=True)


def _forked(task: Callable[[], Iterator[T]]) -> Iterator[T]:
    """Begin a task in a fork, and return what will be heard of it."""
    forks: Any = import_module("multiprocessing").get_context("fork")
    heard, told = forks.Pipe(duplex=False)
    with told:
        arguments = (task, told, os.getpid())
        forks.Process(target=_tell, args=arguments, daemon=True).start()
    return _heard(heard)


def _tell(task: Callable[[], Iterator[Any]], told: Any, parent: int) -> None:
    end_with(parent)
    try:
        for each in task():
            told.send((each, None))
        told.send(None)
    except MicroleakError as error:  # others of its kind cannot all be pickled
        told.send((None, MicroleakError(str(error))))
    except Exception as error:
        told.send((None, error))


def _heard(end: Any) -> Iterator[Any]:
    with end:
        while told := _received(end):
            found, error = told
            if error is not None:
                raise error
            yield found


def _received(end: Any) -> Any:
    try:
        return end.recv()
    except EOFError:
        raise MicroleakError(
            "A process was ended from outside, perhaps for want of memory. Run again."
        ) from None
