"""Stops a run in many ways, on a busy machine: it always ends within ten seconds.

    python -m tests.workflow.stops 200

A pattern is random: some of the processes of a run or all of them, at a random moment,
get one or several signals with random pauses. Whatever they were, all processes of the
run end soon after the first of them, and the study goes on to the same bytes.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.workflow.conftest import TWIN_STUDY, Study
from tests.workflow.kills import Harmed

# Seconds from the last signal to the end of the last process of a run, at most
MOST_S = 10
# Latest moment at which it gets a first signal, from when Snakemake is there
ENDS_IN_S = 12.0

SIGNALS = (
    *("SIGTERM", "SIGTERM", "SIGTERM", "SIGINT", "SIGINT"),
    *("SIGHUP", "SIGQUIT", "SIGKILL"),
)
BUSY = "while True: pass"


@dataclass(frozen=True)
class Pattern:
    """Whom signals reach, when the first comes, and which ones, with what pauses."""

    # A share of 0 is the run's own process alone, 1 all of them.
    after_s: float
    share: float
    numbers: tuple[signal.Signals, ...]
    pauses: tuple[float, ...]

    @classmethod
    def drawn(cls, chance: random.Random) -> "Pattern":
        n = chance.choice((1, 1, 2, 3, 6))
        names = [chance.choice(SIGNALS) for _ in range(n)]
        if chance.random() < 0.5:
            names = names[:1] * n
        pauses = tuple(chance.choice((0, 0.001, 0.05, 0.4, 2)) for _ in range(n))
        share = chance.choice((0, 0.3, 0.7, 1, 1))
        numbers = tuple(signal.Signals[name] for name in names)
        return cls(chance.uniform(0, ENDS_IN_S), share, numbers, pauses)

    def send(self, process: subprocess.Popen, chance: random.Random) -> list:
        """Send the signals; return all processes that the run had at any moment."""
        family = []
        for number, pause in zip(self.numbers, self.pauses, strict=True):
            with suppress(psutil.NoSuchProcess):
                own = psutil.Process(process.pid)
                family += [own, *own.children(recursive=True)]
            there = list(dict.fromkeys(family))
            hit = [each for each in there if chance.random() < self.share]
            if not hit and there:
                hit = [chance.choice(there)] if self.share else there[:1]
            for each in hit:
                with suppress(psutil.NoSuchProcess):
                    each.send_signal(number)
            time.sleep(pause)
        return list(dict.fromkeys(family))


def is_alive(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def has_begun(process: subprocess.Popen) -> bool:
    with suppress(psutil.NoSuchProcess):
        children = psutil.Process(process.pid).children()
        return any(child.name() == "snakemake" for child in children)
    return False


class Stopped(Harmed):
    def __init__(self, folder: Path, chance: random.Random):
        self._chance = chance
        (folder / "given").mkdir()
        super().__init__(Study(folder / "given", "small", TWIN_STUDY), folder)
        self.n_stops = 0
        self.statuses = Counter()

    def stop(self, pattern: Pattern) -> float:
        """Go on, and stop once more; return how long that took."""
        said = self._folder / "said.txt"
        with said.open("w") as file:
            process = self.study.start("resume", stdout=file)
        while pattern.after_s > 1 and process.poll() is None and not has_begun(process):
            time.sleep(0.05)
        time.sleep(pattern.after_s)
        family = pattern.send(process, self._chance)
        began = time.monotonic()
        try:
            process.wait(MOST_S)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGABRT)  # has Python say where it is
            process.wait()
            where = said.read_text()
            raise SystemExit(f"{where}{pattern}: the run goes on: {family}") from None
        _, left = psutil.wait_procs(filter(is_alive, family), timeout=MOST_S)
        if left := [each for each in left if is_alive(each)]:
            raise SystemExit(f"{pattern}: the run has ended, but not {left}")
        self.statuses[process.returncode] += 1
        self.n_stops += 1
        if process.returncode == 0:
            self.compare(0, said.read_text())
        return time.monotonic() - began


def main(n_stops: int, seed: int) -> None:
    chance = random.Random(seed)
    os.environ["PYTHONFAULTHANDLER"] = "1"
    for number in set(SIGNALS) - {"SIGKILL"}:  # a job in the background ignores some
        signal.signal(signal.Signals[number], signal.SIG_DFL)
    loops = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(2)]
    longest = 0.0
    try:
        with tempfile.TemporaryDirectory() as folder:
            stopped = Stopped(Path(folder), chance)
            for n in range(n_stops):
                pattern = Pattern.drawn(chance)
                took = stopped.stop(pattern)
                longest = max(longest, took)
                names = " ".join(number.name for number in pattern.numbers)
                print(f"{n + 1}: {took:.1f} s, {pattern.share} {names}", flush=True)
            stopped.end()
    finally:
        for loop in loops:
            loop.kill()
    print(
        f"{n_stops} stops, at most {longest:.1f} s, statuses {dict(stopped.statuses)}, "
        f"{stopped.n_ends} ends with the same bytes"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]), int((sys.argv[2:] or [os.environ.get("SEED", "1")])[0]))
