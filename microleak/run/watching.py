"""What the processes of a run tell its display, wherever they are at work.

Each writes lines of JSON to the end of one file, which its environment names. That
needs nobody to listen: who tells something does not wait, and a kill of any of them
leaves a file that the next run removes. On a cluster it is the shared disk's. How far
a part of a job is, is counted as it advances and told when that is due.
"""

import json
import math
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import astuple, dataclass, field
from gettext import gettext as _
from pathlib import Path
from threading import Lock
from typing import Any, TextIO

from microleak.base.progress import Advance, Watcher

TOLD = "MICROLEAK_TOLD"  # The file's path, in the environment of Snakemake and its jobs


def is_heard() -> bool:
    """Say whether this process is of a run that has a display."""
    return TOLD in os.environ


def tell_display(about: str, **what: Any) -> bool:
    """Tell the run's display something; say whether it can be heard."""
    path = os.environ.get(TOLD)
    if path is None:
        return False
    line = json.dumps({"about": about, **what}) + "\n"
    # Never created: where it is gone, so is the run that would listen.
    with suppress(OSError):
        file = os.open(path, os.O_WRONLY | os.O_APPEND)
        try:
            return os.write(file, line.encode()) == len(line)
        finally:
            os.close(file)
    return False


class Lines:
    """The end of a file that grows, line by line."""

    def __init__(self, path: Path, place: int = 0) -> None:
        """Begin at a byte of the file, which may come into being later."""
        self._path = path
        self._place = place

    def new(self) -> Iterator[str]:
        with suppress(FileNotFoundError), self._path.open("rb") as file:
            file.seek(self._place)
            for line in file:
                if not line.endswith(b"\n"):
                    return
                self._place += len(line)
                yield line.decode("utf-8", "replace").rstrip("\n")


def heard(lines: Lines) -> Iterator[dict[str, Any]]:
    """Yield what was told since, but no line that is broken."""
    for line in lines.new():
        with suppress(ValueError):
            told = json.loads(line)
            if isinstance(told, dict) and "about" in told:
                yield told


@dataclass(frozen=True)
class PartState:
    """How far a part is."""

    # Units of the part
    n_done: int
    total: int | None
    elapsed_s: float  # Seconds since the part began
    first: tuple[int, float] = (0, 0.0)

    @property
    def percent(self) -> int | None:
        """Share done, rounded down, or None without a total."""
        return min(100, 100 * self.n_done // self.total) if self.total else None

    def described(self, since_s: float = 0.0) -> str:
        """Say how far it is, so many seconds after, and how long it will take."""
        if self.percent is None:
            return duration(self.elapsed_s + since_s)
        if self.left_s is None:
            return f"{self.percent} %"
        left = _("about {time} left").format(
            time=duration(max(0.0, self.left_s - since_s))
        )
        return f"{self.percent} %, {left}"

    @property
    def left_s(self) -> float | None:
        """Seconds left at the mean rate since the first units were done."""
        # None before that is known of another hundredth of the part.
        n_first, until = self.first
        n_since = self.n_done - n_first
        if self.total is None or 100 * n_since < self.total:
            return None
        return max(0.0, (self.elapsed_s - until) * (self.total - self.n_done) / n_since)


def duration(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    if minutes >= 60:
        return f"{minutes // 60} h {minutes % 60} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


@dataclass(frozen=True)
class OnLines:
    """Plain lines, at most one in ten seconds: a part of nine says nothing."""

    title: str
    stream: TextIO
    first_s: float = 10.0  # From the part's begin to the first showing
    every_s: float = 10.0  # From one showing to the next, at least

    def show(self, state: PartState) -> None:
        # That nobody reads it any more must not stop the job.
        with suppress(OSError):
            self.stream.write(f"microleak: {self.title}: {state.described()}\n")
            self.stream.flush()

    def close(self) -> None:
        """Leave the lines where they are."""


@dataclass(frozen=True)
class OnDisplay:
    """The display of the run that the job is of, which knows the job by its log."""

    job: str
    part: str
    first_s: float = 1.0
    every_s: float = 1.0

    def show(self, state: PartState) -> None:
        tell_display("part", job=self.job, part=self.part, state=astuple(state))

    def close(self) -> None:
        tell_display("part", job=self.job, part="", state=None)


Clock = Callable[[], float]  # Seconds since a moment that does not change


def watcher(
    log: str, title: str, stream: TextIO, clock: Clock = time.monotonic
) -> Watcher:
    @contextmanager
    def watched(part: str, total: int | None) -> Iterator[Advance]:
        said = ", ".join(filter(None, [title, _(part)]))
        view = OnDisplay(log, part) if is_heard() else OnLines(said, stream)
        with following(view, total, clock) as advance:
            yield advance

    return watched


@contextmanager
def following(
    view: OnLines | OnDisplay, total: int | None, clock: Clock
) -> Iterator[Advance]:
    """Show a part when it advances and the view is due."""
    follower = _Follower(view, total, clock)
    try:
        yield follower.advance
    finally:
        follower.end()


@dataclass
class _Follower:
    """Counts a part's units, whichever thread they come from."""

    view: OnLines | OnDisplay
    total: int | None
    clock: Clock
    n_done: int = 0
    first: tuple[int, float] | None = None
    is_shown: bool = False
    lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        self.began = self.clock()
        self.due = self.began + self.view.first_s

    def advance(self, n: int) -> None:
        with self.lock:
            self.n_done += n
            now = self.clock()
            elapsed = now - self.began
            self.first = self.first or (self.n_done, elapsed)
            if now >= self.due and self.n_done != self.total:
                self.view.show(PartState(self.n_done, self.total, elapsed, self.first))
                self.due = now + self.view.every_s
                self.is_shown = True

    def end(self) -> None:
        """Show no more: a thread that reads ahead may be late to hear of an error."""
        with self.lock:
            self.due = math.inf
            if self.is_shown:
                self.view.close()
