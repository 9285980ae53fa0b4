"""How far a long step has come, told to who watches.

Code that takes long tells its progress here and does not know whether anybody
looks: as a library, nobody does. How it is shown is not decided here, so that a
change of the looks is no change of the code that results depend on.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import TypeAlias

# Steps that earlier rounds of a run did; `+` after them if more may follow
STEPS = "MICROLEAK_STEPS"
# Tells, from any thread, how many more units of a step are done
Advance: TypeAlias = Callable[[int], None]
# Takes a step's name and total as `progress` does, and gives its `Advance`
Watcher: TypeAlias = Callable[[str, int | None], AbstractContextManager[Advance]]


def tell_no_progress(n: int) -> None:
    """Do nothing: the `Advance` of a step without a watcher."""


# Unless somebody watches or listens, nothing is done.
_watcher: ContextVar[Watcher] = ContextVar(
    "watcher", default=lambda step, total: nullcontext(tell_no_progress)
)
_teller: ContextVar[Callable[[str], None]]
_teller = ContextVar("teller", default=lambda said: None)


def progress(step: str, total: int | None) -> AbstractContextManager[Advance]:
    """Begin a long step; within, call what it gives as units are done.

    Only the thread that the watcher began in is watched, so begin a step there;
    threads that it starts may call the `Advance`. Steps follow one another.

    >>> with progress("adding", 3) as advance:
    ...     for number in (5, 6, 7):
    ...         advance(1)
    """
    return _watcher.get()(step, total)


def tell_user(said: str) -> None:
    """Print between steps what a user may want to change; never a cell's content."""
    _teller.get()(said)


@contextmanager
def told_by(teller: Callable[[str], None]) -> Iterator[None]:
    """Let somebody hear what is told within."""
    token = _teller.set(teller)
    try:
        yield
    finally:
        _teller.reset(token)


@contextmanager
def watched_by(watcher: Watcher) -> Iterator[None]:
    """Let a watcher see the steps that begin within."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)
