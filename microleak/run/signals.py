"""Signals that stop a run, with Snakemake and all that it started."""

import os
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress

from microleak.base.errors import MicroleakError
from microleak.run.display import EVERY_S, Display
from microleak.run.forked import Started
from microleak.run.within import CANCEL, STOP, STOPS

# How long Snakemake and jobs here have to end; twice as long has all of the run
STOPPING_S = 4.0
_CANCELLING_S = 30.0  # How long Snakemake has to cancel jobs on a cluster


class StoppedError(KeyboardInterrupt):
    """A signal asked for an end, and Snakemake came to it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Stops:
    """The signals that stop a run, from its begin to its end.

    Handlers note a signal, and end what needs no end of its own; one loop, in `watch`,
    does what follows. The first signal asks Snakemake and its jobs to end. Others
    change nothing here; where jobs are on a cluster, for which Snakemake waits, the
    second one has it cancel them. What has not ended in time is killed. Snakemake and
    its jobs are in other sessions: Ctrl-C in a terminal comes to this process alone. A
    signal to one of them stops the run, too.
    """

    def __init__(self, *, waits: bool) -> None:
        """Begin; a run waits for jobs elsewhere until a second signal comes."""
        self._waits = waits
        self._received: list[int] = []
        self._process: Started | None = None
        self._is_watching = False
        self._said: bytes | None = None
        self._given_up: MicroleakError | None = None

    @contextmanager
    def heeded(self) -> Iterator[None]:
        """Heed signals within, but for those that this process ignores."""
        heard = [n for n in STOPS if signal.getsignal(n) != signal.SIG_IGN]
        alarms = [signal.SIGALRM] if hasattr(signal, "SIGALRM") else []
        with handled(heard, self._hear), handled(alarms, self._end):
            try:
                yield
            finally:
                if self._received or self._given_up:
                    signal.setitimer(signal.ITIMER_REAL, 0)

    def watch(self, begin: Callable[[], Started], shown: Display | None) -> int:
        """Run Snakemake; return its exit status, or 128 and its signal's number."""
        self._is_watching, self._said = True, None
        self._process = process = begin()

        def meanwhile() -> None:
            """Do what signals ask for, and show how far all is."""
            self._heed(process, shown)
            if shown:
                shown.refresh()

        status = process.watch(meanwhile, EVERY_S)
        meanwhile()
        self._is_watching, self._process = False, None
        if self._received:
            _alarm(_CANCELLING_S if self._waits else STOPPING_S)
            raise StoppedError(self._received[0])
        if self._given_up:
            raise self._given_up
        return status if status >= 0 else 128 - status

    def give_up(self, why: MicroleakError) -> None:
        """Have Snakemake end as if it had been cancelled; any thread may ask for it."""
        self._given_up = why

    def _hear(self, number: int, _: object) -> None:
        self._received.append(number)
        # Once: a deadline that each signal moves would never come.
        if len(self._received) == (2 if self._waits else 1):
            _alarm(_CANCELLING_S if self._waits else STOPPING_S)
        is_idle = not self._is_watching or (
            self._process and self._process.is_importing
        )
        if is_idle and len(self._received) == 1:
            raise StoppedError(number)

    def _heed(self, process: Started, shown: Display | None) -> None:
        if process.heard and not self._received:
            self._received.append(process.heard[0])
        if self._given_up or (self._waits and len(self._received) > 1):
            self._say(process, CANCEL, _CANCELLING_S)
        elif self._received:
            self._say(process, STOP, 0.0 if self._waits else STOPPING_S)
        if shown and self._received:
            shown.progress.is_stopping = True

    def _say(self, process: Started, word: bytes, most_s: float) -> None:
        if word != self._said:
            self._said = word
            _alarm(most_s)
            process.stop(word)

    def _end(self, *_: object) -> None:
        """Kill what has not ended in time, and then this process, if it has not."""
        _alarm(STOPPING_S)
        if self._process is None:
            os._exit(128 + self._received[0] if self._received else 1)
        self._process.kill()
        self._process = None


def _alarm(after_s: float) -> None:
    with suppress(AttributeError):  # Windows, which runs no study
        signal.setitimer(signal.ITIMER_REAL, after_s)


@contextmanager
def handled(
    numbers: Iterable[signal.Signals], handler: Callable[[int, object], None]
) -> Iterator[None]:
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)
