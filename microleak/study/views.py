"""Ways to show how far a step is: a bar on a terminal, plain lines elsewhere."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import IO, Protocol, TextIO

from rich.console import Console
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text


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
