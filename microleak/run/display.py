"""All that a run says: rows that change on a terminal, elsewhere few plain lines.

One process shows it, the one that runs the study. Snakemake and jobs tell it by a file
(`run.watching`), and whatever else they print goes to a log.
"""

import os
import re
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from gettext import gettext as _
from gettext import ngettext
from pathlib import Path
from typing import IO, Any

from rich.console import Console
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from microleak.base.language import spoken_language
from microleak.families import FAMILIES
from microleak.run.watching import TOLD, Clock, Lines, PartState, duration, heard
from microleak.tables.spec import tables_content

LOG = "logs/snakemake.log"
"""All that Snakemake says, below a study's results; other logs tell what went wrong."""

_ERROR = re.compile(
    r"(Fatal Python error|[\w.]*(Error|Exception|Exit|Interrupt))\b(.*:| \[|$)"
)
"""A line that names an error, by its class."""

_TOLD_FILE = "told.jsonl"
EVERY_S = 0.25  # Seconds from one look at what was told to the next
MOST_ROWS = 8  # Steps at work that have a row of their own
# Columns of a terminal that rows leave free: it may echo a key, as ^C, there
_ECHOED = 4
WIDE = 72  # Columns of a terminal from which there is room for bars


@dataclass
class AtWork:
    """A step at work since a time; its part that takes long, and how far that is."""

    # The part was as far as its state says when that was told.
    name: str
    since: float
    part: str = ""
    state: PartState | None = None
    told: float = 0.0

    def described(self) -> str:
        part = _(self.part) if self.part else ""
        return self.name if self.name.startswith(part) else f"{self.name}: {part}"

    def times(self, now: float) -> str:
        """Say how far the part is and how long it will take, or since when it is."""
        if self.state is None or self.state.percent is None:
            return duration(now - self.since)
        return self.state.described(now - self.told)


@dataclass
class Progress:
    """How far a run is, from what its processes told."""

    # Steps, of all rounds so far
    n_done: int = 0
    n_steps: int = 0
    is_more: bool = False  # Whether later rounds may have more of them
    n_ended: int = 0  # Steps that ended since this began
    at_work: dict[str, AtWork] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)  # Why jobs failed, in their words
    has_news: bool = False  # Whether Snakemake said anything
    is_stopping: bool = False

    def hear(self, told: dict[str, Any], now: float) -> str | None:
        """Take note of what was told; return the line to be said of it, if any."""
        match told:
            case {"about": "round", "before": before, "steps": steps, "more": more}:
                is_first = not self.n_steps
                self.n_done, self.n_steps = before, before + steps
                self.is_more = more
                return f"microleak: {self.to_do()}" if is_first else None
            case {"about": "begun", "job": job, "rule": rule, "wildcards": wildcards}:
                self.at_work[job] = AtWork(step_name(rule, wildcards), now)
            case {"about": "ended", "job": job}:
                self.n_done += 1
                self.n_ended += 1
                self.at_work.pop(job, None)
            case {"about": "failed", "job": job}:
                failed = self.at_work.pop(job, AtWork(job, now))
                said = _("failed: {step}").format(step=failed.name)
                return None if self.is_stopping else f"microleak: {said}"
            case {"about": "part", "job": job, "part": part, "state": state}:
                if job in self.at_work:
                    step = self.at_work[job]
                    step.part, step.told = part, now
                    step.state = PartState(*state) if part else None
            case {"about": "fault", "said": said}:
                self.faults.append(said)
            case {"about": "news", "said": said}:
                self.has_news = True
                return None if self.is_stopping else str(said)
            case {"about": "said", "said": said}:
                return str(said)
        return None

    def to_do(self) -> str:
        n = self.n_steps
        if self.is_more:
            said = ngettext("{n} step or more to do", "{n} steps or more to do", n)
        else:
            said = ngettext("{n} step to do", "{n} steps to do", n)
        return said.format(n=n)

    def done(self) -> str:
        if self.is_stopping:
            return _("stopping")
        if not self.n_steps:
            return _("looking at what there is to do")
        said = _("{n_done} of {n_steps} steps done")
        if self.is_more:
            said = _("{n_done} of {n_steps} steps or more done")
        return said.format(n_done=self.n_done, n_steps=self.n_steps)

    def line(self, now: float) -> str:
        """Say in a line how far all is, and the step that has been at work longest."""
        said = self.done()
        if self.at_work:
            step, *others = self.at_work.values()
            said += f"; {step.described()} ({step.times(now)})"
            if n := len(others):
                said += " " + ngettext(
                    "and {n} other step", "and {n} other steps", n
                ).format(n=n)
        return said


@dataclass
class PlainLines:
    """Lines without a control character, the further apart the longer a run takes."""

    stream: IO[str]
    began: float
    every_s: float = 10.0

    def __post_init__(self) -> None:
        self.due = self.began + self.every_s

    def say(self, line: str) -> None:
        self.stream.write(f"{line}\n")
        self.stream.flush()

    def show(self, progress: Progress, now: float) -> None:
        """Say in a line how far the run is: at most each ten seconds."""
        if now >= self.due and progress.at_work:
            self.say(f"microleak: {progress.line(now)}")
            self.due = now + max(self.every_s, (now - self.began) / 10)

    def close(self) -> None:
        """Leave the lines where they are."""


class _Console(Console):
    """A terminal whose cursor is never hidden: nothing brings it back after a kill."""

    def show_cursor(self, show: bool = True) -> bool:
        return False


class TerminalRows:
    """Rows below all lines of a terminal: the steps done, and each that is at work."""

    def __init__(
        self, stream: IO[str], began: float, size: tuple[int, int] = (0, 0)
    ) -> None:
        """Take a stream that leads to a terminal, and since when it shows a run."""
        # Its size is the terminal's, unless it is given.
        self._began = began
        width, height = size
        self._console = _Console(
            file=stream, width=width or None, height=height or None, highlight=False
        )
        self._live = Live(
            console=self._console,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._live.start()

    def say(self, line: str) -> None:
        self._console.print(Text(line), soft_wrap=True)

    def show(self, progress: Progress, now: float) -> None:
        """Draw the rows in the place of those before."""
        self._live.update(self._drawn(progress, now), refresh=True)

    def close(self) -> None:
        self._live.stop()

    def _drawn(self, progress: Progress, now: float) -> Table:
        rows = Table.grid(padding=(0, 1), expand=True)
        rows.width = max(1, self._console.width - _ECHOED)
        rows.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
        is_wide = self._console.width >= WIDE
        if is_wide:
            rows.add_column(width=20)
        rows.add_column(no_wrap=True, justify="right")

        def add(name: str, share: tuple[int, int | None] | None, times: str) -> None:
            """Add a row, with a bar where there is room and a share to draw."""
            bar = ProgressBar(completed=share[0], total=share[1]) if share else ""
            rows.add_row(Text(name), *([bar] if is_wide else []), Text(times))

        every = progress.n_steps and (progress.n_done, progress.n_steps)
        add(progress.done(), every or None, duration(now - self._began))
        for step in [*progress.at_work.values()][:MOST_ROWS]:
            state = step.state
            share = (state.n_done, state.total) if state and state.total else None
            add(f"  {step.described()}", share, step.times(now))
        if (n := len(progress.at_work) - MOST_ROWS) > 0:
            more = ngettext("and {n} other step", "and {n} other steps", n)
            add(f"  {more.format(n=n)}", None, "")
        return rows


@dataclass
class Display:
    """What shows a run: others print lines by it, and its processes report to it."""

    view: PlainLines | TerminalRows  # Where the run is shown
    told: Path  # The file by which its processes tell what they do
    log: Path  # Where what they print goes
    is_verbose: bool = False  # Whether that is shown as well
    clock: Clock = time.monotonic
    progress: Progress = field(default_factory=Progress)

    def __post_init__(self) -> None:
        self._began = self.clock()
        self._heard = Lines(self.told)
        self._printed: Lines | None = None
        self._is_begun = False

    @property
    def environment(self) -> dict[str, str]:
        return {TOLD: str(self.told.absolute())}

    @contextmanager
    def output(self) -> Iterator[IO[bytes]]:
        """Open the log, which a run begins anew; never what a link leads to."""
        self.log.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        flags |= getattr(os, "O_NOFOLLOW", 0) | (0 if self._is_begun else os.O_TRUNC)
        self._is_begun = True
        with os.fdopen(os.open(self.log, flags, 0o600), "ab") as file:
            if self.is_verbose:  # but not what an earlier run left there
                self._printed = Lines(self.log, file.tell())
            yield file

    def refresh(self) -> None:
        now = self.clock()
        for told in heard(self._heard):
            line = self.progress.hear(told, now)
            if line is not None:
                self._write(line)
        for line in self._printed.new() if self._printed else ():
            self._write(line)
        with suppress(OSError):
            self.view.show(self.progress, now)

    def say(self, said: str) -> None:
        self._write(f"microleak: {said}")

    def sum_up(self) -> None:
        if n := self.progress.n_ended:
            said = ngettext("{n} step done in {time}", "{n} steps done in {time}", n)
            self.say(said.format(n=n, time=duration(self.clock() - self._began)))

    def faults(self) -> list[str]:
        """Return why jobs failed: what they told, and what their logs keep."""
        logs = (
            log for log in sorted(self.log.parent.rglob("*.log")) if log != self.log
        )
        kept = [said for log in logs if (said := log.read_text("utf-8").strip())]
        return [*dict.fromkeys([*self.progress.faults, *kept])]

    def last_words(self) -> str:
        with suppress(OSError):
            return cause_of(self.log.read_text("utf-8", "replace"))
        return ""

    def _write(self, line: str) -> None:
        # It may have names of files of a folder that is somebody else's.
        plain = "".join(c if c.isprintable() or c in "\t\n" else "?" for c in line)
        # That nobody reads it any more must not stop the run.
        with suppress(OSError):
            self.view.say(plain)


def cause_of(text: str) -> str:
    """Return in one line what went wrong, without the frames of a stack.

    Python writes it below the frames, Snakemake above them. Without any error by its
    name it is the last line that is not indented.

    >>> cause_of('  File "a.py", line 1, in f' + chr(10) + "KeyError: 3")
    'KeyError: 3'
    """
    lines = [line.rstrip() for line in text.split("\n")]
    lines = [line for line in lines if line and not line[0].isspace()]
    named = [place for place, line in enumerate(lines) if _ERROR.match(line)]
    if not named:
        return lines[-1] if lines else text.strip().rpartition("\n")[2].strip()
    found = lines[named[-1]]
    is_begun = found.endswith(":") and named[-1] + 1 < len(lines)
    return f"{found} {lines[named[-1] + 1]}" if is_begun else found


@contextmanager
def display(place: Path, results: Path, *, is_verbose: bool) -> Iterator[Display]:
    """Show a run on the standard error while it lasts."""
    told = place / _TOLD_FILE
    told.touch()
    stream, began = sys.stderr, time.monotonic()
    view: PlainLines | TerminalRows = PlainLines(stream, began)
    if stream.isatty() and not Console(file=stream).is_dumb_terminal:
        view = TerminalRows(stream, began)
    try:
        yield Display(view, told, results / LOG, is_verbose)
    finally:
        with suppress(OSError):
            view.close()


def step_name(rule: str, wildcards: Mapping[str, str]) -> str:
    """Return what a job is called, or its rule and wildcards where nothing says."""
    words = _words().get(rule, {}).get(spoken_language())
    if words is None:
        return " ".join((rule, *wildcards.values()))
    return words.format(**wildcards)


@cache
def _words() -> dict[str, dict[str, str]]:
    packages = "microleak.study", *(family.package for family in FAMILIES)
    return {
        rule: words
        for package in packages
        for rule, words in tables_content(package).get("steps", {}).items()
    }
