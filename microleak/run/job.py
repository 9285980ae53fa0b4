"""The edge between a job and whoever runs it, and the display of its progress.

Progress of a job: a bar on a terminal, plain lines elsewhere. On a terminal a bar is
drawn, elsewhere plain lines are said. Snakemake's jobs share one terminal with it
and with each other: the job that has locked the terminal draws, others say lines.
"""

import errno
import fcntl
import math
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from threading import Lock
from typing import IO, Any, Protocol, TextIO

from rich.console import Console
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from microleak.base.errors import MicroleakError, StudyError
from microleak.base.locks import at_work
from microleak.base.paths import MANIFEST, PACKAGE, name_of
from microleak.base.progress import Advance, Watcher, told_by, watched_by
from microleak.family import Step
from microleak.study.job_records import Recorder
from microleak.study.steps import AUDIT, code_now


@dataclass(frozen=True)
class State:
    """How far a step is.

    Attributes
    ----------
    n_done, total
        Units of the step; the total is None if it is not known.
    elapsed_s
        Seconds since the step began.
    """

    n_done: int
    total: int | None
    elapsed_s: float

    @property
    def percent(self) -> int | None:
        """Share done, rounded down, or None without a total."""
        return min(100, 100 * self.n_done // self.total) if self.total else None

    @property
    def left_s(self) -> float | None:
        """Seconds left at the mean rate so far, or None if nothing tells."""
        if not self.total or not self.n_done:
            return None
        return max(0.0, self.elapsed_s * (self.total - self.n_done) / self.n_done)


class View(Protocol):
    """A way to show a step: first after some seconds, then so many apart."""

    @property
    def first_s(self) -> float:
        """Seconds from the step's begin to the first showing."""

    @property
    def every_s(self) -> float:
        """Least seconds from one showing to the next."""

    def show(self, state: State) -> None:
        """Show how far the step is."""

    def close(self) -> None:
        """End the step."""


@dataclass(frozen=True)
class Lines:
    """Plain lines, at most one in ten seconds: a step of nine says nothing."""

    title: str
    stream: TextIO
    first_s: float = 10.0
    every_s: float = 10.0

    def show(self, state: State) -> None:
        """Say one line."""
        said = f"at work for {_duration(state.elapsed_s)}"
        if state.percent is not None:
            said = f"{state.percent} % after {_duration(state.elapsed_s)}"
        if state.left_s is not None:
            said += f", about {_duration(state.left_s)} left"
        _write(self.stream, f"microleak: {self.title}: {said}\n")

    def close(self) -> None:
        """Leave the lines where they are."""


@dataclass(frozen=True)
class Bar:
    """A bar some rows below the cursor, of which nothing stays.

    What others write meanwhile takes the empty rows above it: enough for the
    lines that Snakemake writes when a job ends. The cursor is never hidden, so
    that a job which is killed leaves nothing to repair.
    """

    title: str
    console: Console
    first_s: float = 1.0
    every_s: float = 0.25
    n_rows_above: int = 6

    def show(self, state: State) -> None:
        """Draw the bar in the place of the one before."""
        with self.console.capture() as drawn:
            self.console.print(self._row(state))
        below = "\n" * self.n_rows_above + drawn.get().rstrip("\n")
        _write(self.console.file, f"\r\x1b[J{below}\r\x1b[{self.n_rows_above}A")

    def close(self) -> None:
        """Clear all below the cursor."""
        _write(self.console.file, "\r\x1b[J")

    def _row(self, state: State) -> Table:
        times = str(timedelta(seconds=int(state.elapsed_s)))
        if state.left_s is not None:
            times += f", {timedelta(seconds=int(state.left_s))} left"
        share = "" if state.percent is None else f"{state.percent} %"
        row = Table.grid(padding=(0, 1), expand=True)
        row.add_column(no_wrap=True)
        row.add_column(ratio=1)
        row.add_column(no_wrap=True)
        bar = ProgressBar(total=state.total, completed=state.n_done)
        row.add_row(Text(self.title), bar, Text(f"{share} {times}"))
        return row


def _write(stream: IO[str], text: str) -> None:
    """Write at once; that nobody reads it any more must not stop the job."""
    with suppress(OSError):
        stream.write(text)
        stream.flush()


def _duration(seconds: float) -> str:
    """Write a time as people say it.

    >>> [_duration(seconds) for seconds in (9.9, 72, 3780)]
    ['9 s', '1 min 12 s', '1 h 3 min']
    """
    minutes, rest = divmod(int(seconds), 60)
    if minutes >= 60:
        return f"{minutes // 60} h {minutes % 60} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


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


_EDGE = ("job.py", "locks.py")
"""Modules that stand around every job, whatever goes wrong in it."""

_TO_DO = {
    errno.ENOSPC: "Make room on the disk: bytes (df), or inodes for files (df -i)",
    errno.EDQUOT: "Make room within the quota of the disk",
    errno.EFBIG: "Allow larger files (ulimit -f)",
    errno.EMFILE: "Allow more open files (ulimit -n)",
    errno.ENFILE: "Close programs that have many files open",
    errno.EROFS: "Use a disk that can be written to",
    errno.EACCES: "Allow the study's files to be read and its results to be written",
    errno.EPERM: "Allow the study's files to be read and its results to be written",
}
"""What helps where the system refused something, by the error's number."""


@contextmanager
def job(snakemake: Any) -> Iterator[Mapping[str, Any]]:
    """Give a job its settings; show its progress, and say why it failed.

    When it succeeds its record is written. The log, `results/STUDY/logs/…`, is
    removed then: what is in a log went wrong. The study's manifest is removed when
    a job begins, as it lists what was before. A job that is interrupted ends without
    a word, with status 130. A log that cannot be written, as on a full disk, is left
    out.

    Parameters
    ----------
    snakemake
        What Snakemake gives a script: log, input and, among the parameters, the
        fingerprint of its `code` and, of a rule that has a record, its `job`.
    """
    path = Path(snakemake.log[0])
    study_dir = Path(*path.parts[:2])
    try:
        path.unlink(missing_ok=True)
        shown = display(_title(path), sys.stderr)
        with at_work(), watched_by(shown), told_by(warn):
            (study_dir / MANIFEST).unlink(missing_ok=True)
            asked, code = (snakemake.params.get(name) for name in ("job", "code"))
            step = asked.step if asked else AUDIT
            _check_code(step, code, _title(path))
            if asked:
                study_file = Path(snakemake.input.get("study", ""))
                recorder = Recorder(asked, code, study_dir, study_file)
            yield asked.settings if asked else {}
            _check_code(step, code, _title(path))
            if asked:
                recorder.write()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except MicroleakError as error:
        said = str(error)
    except Exception as error:
        said = unexpected(error)
    else:
        return
    # Any error from here on would be shown together with the one told of.
    _write_log(path, said)
    warn(said)
    raise SystemExit(1)


def _check_code(step: Step, code: str, title: str) -> None:
    """Refuse to vouch for other code than the run's."""
    if code_now(step) != code:
        raise StudyError(
            f"The code of {title} is not the run's: it was changed since, or "
            "other versions of packages are installed here. Run again with one code."
        )


def warn(said: str) -> None:
    """Say on stderr what whoever runs a job should know, and need not change."""
    print(f"microleak: {said}", file=sys.stderr)


def _write_log(path: Path, said: str) -> None:
    """Write a log whole, or leave none."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{said}\n", encoding="utf-8")
    except OSError:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _title(log: Path) -> str:
    """Name the rule and what it works on, as in "ingest school_census 2018"."""
    return " ".join(log.with_suffix("").parts[3:])


def unexpected(error: Exception) -> str:
    """Say of which type an error is and where it was raised, never its message.

    Messages of pandas, Arrow and DuckDB may hold the content of a cell.
    """
    kind = type(error).__name__
    if isinstance(error, OSError) and error.errno:
        kind = f"{kind}: {os.strerror(error.errno)}"
        if help_ := _TO_DO.get(error.errno):
            return f"{_place(error)} could not go on ({kind}). {help_}, then run again."
    return (
        f"{_place(error)} stopped at something unexpected ({kind}; its message is "
        "not shown, it may hold records). If memory and disk suffice, it is a fault "
        "of microleak: report it with this line."
    )


def _place(error: Exception) -> str:
    """Name module and line of the innermost frame that is microleak's own."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if _is_own(Path(frame.filename))]
    if not own:
        return "microleak"
    module = name_of(Path(own[-1].filename)).removesuffix(".py").replace("/", ".")
    return f"{module}:{own[-1].lineno}"


def _is_own(path: Path) -> bool:
    return path.is_relative_to(PACKAGE) and path.name not in _EDGE
