"""Signals that stop a run, with Snakemake and all that it started."""

import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from microleak.run.display import Display
from microleak.run.forked import STOPS, Started


class StoppedError(Exception):
    """A signal asked for an end, and Snakemake came to it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def stoppable(begin: Callable[[], Started], shown: Display | None) -> int:
    """Run Snakemake, which a signal to this process stops, with all that it started.

    Returned is its exit status, or 128 and the number of the signal that ended it.

    It and its jobs are in other sessions: Ctrl-C in a terminal comes here alone. The
    first signal asks all of them to end, and Snakemake waits for those on a cluster;
    a second one has it cancel them.
    """
    received: list[int] = []
    started: list[Started] = []

    def stop(number: int, _: object) -> None:
        """Pass a signal on to the command, if it has been started."""
        received.append(number)
        if shown:
            shown.progress.is_stopping = True
        for process in started:
            _forward(process, len(received))

    heard = [number for number in STOPS if signal.getsignal(number) != signal.SIG_IGN]
    with handled(heard, stop):
        process = begin()
        started.append(process)
        if received:
            _forward(process, 1)
        status = shown.watch(process) if shown else process.wait()
        if received:
            raise StoppedError(received[0])
    return status if status >= 0 else 128 - status


def _forward(process: Started, n_received: int) -> None:
    process.send(signal.SIGTERM if n_received == 1 else signal.SIGINT)


@contextmanager
def handled(
    numbers: Iterable[signal.Signals], handler: Callable[[int, object], None]
) -> Iterator[None]:
    """Handle signals within, and then as before."""
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)
