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


class Killed:
    """A study that is killed and resumed, beside one that was left in peace."""

    def __init__(self, folder: Path):
        folder.joinpath("given").mkdir()
        self._given = Study(folder / "given", "canary", made(folder / "given"))
        self.reference = self._given.copy(folder / "reference")
        process = self.reference.run()
        assert process.returncode == 0, process.output
        ended = rules_in_order(process.output)
        self.rules = [rule for rule in dict.fromkeys(ended) if rule != "all"]
        self.kills = Counter()
        self.n_ends = 0
        self._folder = folder / "killed"
        self._begin()

    def _begin(self):
        shutil.rmtree(self._folder, ignore_errors=True)
        self.study = self._given.copy(self._folder)
        self._command = "run"

    def kill(self, rule: str | None, after_s: float) -> None:
        """Go on until a rule has been at work, or the run was, for so many seconds."""
        with (self._folder / "said.txt").open("w") as said:
            process = self.study.start(self._command, stdout=said)
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
            self._compare(process)

    def end(self) -> None:
        process = self.study.run("resume")
        (self._folder / "said.txt").write_text(process.output)
        self._compare(process)

    def _compare(self, process) -> None:
        said = (self._folder / "said.txt").read_text()
        assert process.returncode == 0, said
        assert self.study.bytes() == self.reference.bytes()
        assert not list(self.study.results.rglob(".unfinished-*"))
        self.n_ends += 1
        self._begin()


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
