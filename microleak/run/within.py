"""Snakemake's own process: only the run's process stops it, and it ends with that one.

Snakemake's handler of SIGTERM takes a lock that the thread which it interrupts may
hold, and then both wait for ever. Here a handler only tells the run's process of the
signal, and a thread does what that process says, once or many times.
"""

import os
import signal
import socket
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, NoReturn

# What the run's process says: begin no more jobs; cancel those on a cluster
STOP, CANCEL = b"s", b"c"
_STOPS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT")
# Signals that stop a run; Windows has only two of them
STOPS = tuple(s for s in signal.Signals if s.name in _STOPS)


class _Heeding:
    """Hears signals and tells of them, and does what the run's process says."""

    def __init__(self, run: socket.socket) -> None:
        kind = import_module("snakemake.scheduling.job_scheduler").JobScheduler
        self._run = run
        self._stop, self._schedule = kind.exit_gracefully, kind.schedule
        self._scheduler: Any = None
        self._is_asked = False
        kind.exit_gracefully = lambda _, *heard: self._tell(*heard)

        def schedule(scheduler: Any) -> Any:
            """Begin jobs, unless the run is stopping already."""
            self._scheduler = scheduler
            if self._is_asked:
                self._stop(scheduler)
            return self._schedule(scheduler)

        kind.schedule = schedule
        for number in STOPS:
            if signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, self._tell)
        # Ctrl-C of a terminal may be ignored here; this one never is.
        signal.signal(signal.SIGUSR1, signal.default_int_handler)
        threading.Thread(target=self._listen, daemon=True).start()

    def _tell(self, number: int, _: object) -> None:
        with suppress(OSError):
            self._run.send(bytes([number]), socket.MSG_DONTWAIT)

    def _listen(self) -> NoReturn:
        with suppress(OSError):
            while word := self._run.recv(1):
                self._is_asked = True
                if word == STOP and self._scheduler:
                    self._stop(self._scheduler)
                else:
                    main = threading.main_thread().ident
                    signal.pthread_kill(main or 0, signal.SIGUSR1)
        os.killpg(0, signal.SIGKILL)  # the run's process is gone
        os._exit(1)


def heed(run: socket.socket) -> None:
    """Have this process, which leads its group, do what the run's process says."""
    # It says so by a socket, and is gone when that has an end.
    _Heeding(run)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)


def main(words: Sequence[str]) -> None:
    """Be Snakemake, by the number of the socket and Snakemake's own words."""
    heed(socket.socket(fileno=int(words[0])))
    sys.argv = ["snakemake", *words[1:]]
    import_module("snakemake.cli").main([*words[1:]])


if __name__ == "__main__":
    main(sys.argv[2:])  # after the name of Snakemake, by which others know it
