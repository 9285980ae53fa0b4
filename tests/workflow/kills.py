"""Kills a study of every kind of analysis over and over, and compares its bytes.

    python -m tests.workflow.kills 60

Every rule is killed at work first, then runs are killed at random moments, all
processes at once; each time the study is resumed. Whenever it comes to its end its
results must have the bytes of a run that nobody disturbed; then it begins anew.
"""

import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import psutil

from microleak.base.locks import JOB
from tests.workflow.canary_study import made
from tests.workflow.conftest import Study, rules_in_order
from tests.workflow.test_kill import jobs_of, kill_tree

# Runs in which a rule is waited for: on a busy machine a short one is not seen
MOST_MISSED = 5
# Latest moment of a run at which it is killed without regard to its rules
MOST_S = 20


class Harmed:
    """A study that is harmed and goes on, beside one that was left in peace."""

    def __init__(self, given: Study, folder: Path):
        self._given, self._folder = given, folder
        reference = given.copy(folder / "reference")
        self.said, self._bytes = reference.output_of(), reference.bytes()
        self.n_ends = 0
        self.begin()

    def begin(self) -> None:
        self.study = self._given.copy(self._folder / f"harmed-{self.n_ends}")

    def end(self) -> None:
        process = self.study.run("resume")
        self.compare(process.returncode, process.output)

    def compare(self, status: int, said: str) -> None:
        assert status == 0, said
        assert self.study.bytes() == self._bytes
        assert not list(self.study.results.rglob(".unfinished-*"))
        shutil.rmtree(self.study.folder)
        self.n_ends += 1
        self.begin()


class Killed(Harmed):
    """A study of every kind of analysis that is killed and resumed."""

    def __init__(self, folder: Path):
        folder.joinpath("given").mkdir()
        super().__init__(
            Study(folder / "given", "canary", made(folder / "given")), folder
        )
        ended = rules_in_order(self.said)
        self.rules = [rule for rule in dict.fromkeys(ended) if rule != "all"]
        self.kills: Counter[str] = Counter()

    def begin(self) -> None:
        super().begin()
        self._command = "run"

    def kill(self, rule: str | None, after_s: float) -> None:
        """Go on until a rule has been at work, or the run was, for so many seconds."""
        said = self._folder / "said.txt"
        with said.open("w") as file:
            process = self.study.start(self._command, stdout=file)
            if _is_met(process, rule):
                time.sleep(after_s)
            is_at_work = process.poll() is None
            if is_at_work:
                kill_tree(process)
        if is_at_work:
            self.kills[rule or "any moment"] += 1
            print(f"{self.kills.total()}: {rule or 'any moment'}", flush=True)
            self._command = "resume"
        else:
            self.compare(process.returncode, said.read_text())


def _is_met(process, rule: str | None) -> bool:
    while rule and process.poll() is None:
        with suppress(psutil.NoSuchProcess):  # it ended while it was looked at
            if any(job.name() == f"{JOB}{rule}"[:15] for job in jobs_of(process)):
                break
        time.sleep(0.02)
    return process.poll() is None


def main(n_kills: int) -> None:
    chance = random.Random(n_kills)
    with tempfile.TemporaryDirectory() as folder:
        killed = Killed(Path(folder))
        missed: Counter[str] = Counter()
        while killed.kills.total() < n_kills:
            left = (rule for rule in killed.rules if not killed.kills[rule])
            rule = next((each for each in left if missed[each] < MOST_MISSED), None)
            n_before = killed.kills.total()
            killed.kill(rule, chance.uniform(0, 1 if rule else MOST_S))
            if rule and killed.kills.total() == n_before:
                missed[rule] += 1
                print(f"{rule} was over before it was seen at work", flush=True)
        killed.end()
        print(f"{n_kills} kills, {killed.n_ends} ends with the same bytes")


if __name__ == "__main__":
    main(int(sys.argv[1]))
