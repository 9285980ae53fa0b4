"""Progress of a job, shown to whoever runs it.

On a terminal a bar is drawn, elsewhere plain lines are said. Snakemake's jobs
share one terminal with it and with each other: the job that has locked the
terminal draws, others say lines.
"""

import fcntl
import math
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import TextIO

from rich.console import Console

from microleak.progress import Advance, Watcher
from microleak.study.views import Bar, Lines, State, View

Clock = Callable[[], float]
"""Seconds since a moment that does not change."""


def display(job: str, stream: TextIO, clock: Clock = time.monotonic) -> Watcher:
    """Show a job's steps on a stream: a bar if it is a terminal, else lines."""

    @contextmanager
    def watcher(step: str, total: int | None) -> Iterator[Advance]:
        """Show a step on the stream while it lasts."""
        title = f"{job}, {step}"
        with _own_terminal(stream) as is_own:
            console = Console(file=stream)
            is_drawn = is_own and not console.is_dumb_terminal
            view = Bar(title, console) if is_drawn else Lines(title, stream)
            with following(view, total, clock) as advance:
                yield advance

    return watcher


@contextmanager
def following(view: View, total: int | None, clock: Clock) -> Iterator[Advance]:
    """Show a step when it advances and the view is due."""
    follower = _Follower(view, total, clock)
    try:
        yield follower.advance
    finally:
        follower.end()


@dataclass
class _Follower:
    """Counts a step's units, whichever thread they come from."""

    view: View
    total: int | None
    clock: Clock
    n_done: int = 0
    lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        self.began = self.clock()
        self.due = self.began + self.view.first_s

    def advance(self, n: int) -> None:
        """Count so many units as done, and show that where it is due."""
        with self.lock:
            self.n_done += n
            now = self.clock()
            if now >= self.due and self.n_done != self.total:
                self.view.show(State(self.n_done, self.total, now - self.began))
                self.due = now + self.view.every_s

    def end(self) -> None:
        """Show no more: a thread that reads ahead may be late to hear of an error."""
        with self.lock:
            self.due = math.inf
            self.view.close()


@contextmanager
def _own_terminal(stream: TextIO) -> Iterator[bool]:
    """Tell whether a stream is a terminal that nobody else draws on until the end."""
    try:
        terminal = os.open(os.ttyname(stream.fileno()), os.O_WRONLY | os.O_NOCTTY)
    except (OSError, ValueError):
        yield False
        return
    try:
        yield _is_locked(terminal)
    finally:
        os.close(terminal)


def _is_locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
