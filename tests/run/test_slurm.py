"""Jobs of an earlier run that wait in SLURM's queue, told by a stand-in of squeue."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from microleak.base.errors import StudyError
from microleak.base.paths import ROOT
from microleak.run import slurm
from microleak.run.display import Progress
from microleak.run.slurm import SUBMITTED, check_queue, watched_queue

RUN = "8073bf0b-fd83-407c-a2d8-34dec83771b3"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    here = tmp_path / "a study | of mine"
    (here / SUBMITTED).mkdir(parents=True)
    monkeypatch.chdir(here)
    return here


@pytest.fixture
def squeue(tmp_path, monkeypatch):
    """Makes a command squeue that gives these lines, and this status."""

    def make(*lines, status=0):
        told = tmp_path / "lines.txt"
        told.write_text("".join(f"{line}\n" for line in lines))
        command = tmp_path / "bin" / "squeue"
        command.parent.mkdir()
        command.write_text(f"#!/bin/sh\ncat '{told}'\nexit {status}\n")
        command.chmod(0o755)
        monkeypatch.setenv("PATH", str(command.parent), prepend=":")

    return make


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (
            [f"{RUN}|rule_profile_wildcards_a|HERE", f"{RUN}|rule_release_ingest|HERE"],
            rf": 2\. .*: scancel --name={RUN}$",
        ),
        (
            ["b|rule_audit|HERE", "a|rule_audit|HERE"],
            r"scancel --name=a; scancel --name=b$",
        ),
        ([f"{RUN}|rule_draw_wildcards_x|y|HERE"], ": 1"),
    ],
    ids=["one run", "two runs", "the sign that divides in a comment"],
)
def test_jobs_that_were_begun_here_are_counted_and_named(folder, squeue, lines, told):
    squeue(*(line.replace("HERE", str(folder)) for line in lines))
    with pytest.raises(StudyError, match=told):
        check_queue()


@pytest.mark.parametrize(
    "line",
    [
        *("bash|(null)|HERE", "bash|my own rule_profile|HERE"),
        *(f"{RUN}|rule_profile|HERE2", f"{RUN}|rule_profile|ABOVE"),
    ],
)
def test_other_jobs_of_the_user_are_let_be(folder, squeue, line):
    squeue(line.replace("HERE", str(folder)).replace("ABOVE", str(folder.parent)))
    check_queue()


def test_a_queue_that_cannot_be_seen_stops_the_run(folder, squeue):
    squeue(status=1)
    with pytest.raises(StudyError, match=r"squeue does not say .*slurm_logs\.$"):
        check_queue()


def test_slurm_is_not_asked_where_nothing_was_submitted(folder, squeue):
    (folder / SUBMITTED).rmdir()
    squeue(status=1)
    check_queue()


def test_a_folder_that_came_from_a_cluster_runs_without_slurm(folder, monkeypatch):
    monkeypatch.setenv("PATH", str(folder))
    check_queue()


class Stops:
    def __init__(self):
        self.why = []

    def give_up(self, why):
        self.why.append(str(why))


class Shown:
    """Stands in for the display of a run that has submitted a job."""

    def __init__(self, at_work=("profile",)):
        self.said = []
        self.say = self.said.append
        self.progress = Progress(at_work=dict.fromkeys(at_work))


def watched(monkeypatch, shown=None, until=lambda stops: False, most_s=0.4):
    """What is said of the queue while it is watched, for a moment or until then."""
    monkeypatch.setattr(slurm, "_WATCHED_EACH_S", 0.02)
    shown, stops = shown or Shown(), Stops()
    with watched_queue(shown, stops):
        ends = time.monotonic() + most_s
        while time.monotonic() < ends and not until(stops):
            time.sleep(0.02)
    return shown.said + stops.why


def test_jobs_that_no_partition_would_begin_are_told_once(folder, squeue, monkeypatch):
    squeue(
        f"PartitionTimeLimit|{RUN}|rule_profile|{folder}",
        f"Resources|{RUN}|rule_measure|{folder}",
        "PartitionTimeLimit|bash|(null)|/home",
    )
    (said,) = watched(monkeypatch)
    assert "ask for more time than they may have, and would wait for ever: 1 (" in said
    assert "--set-resources" in said


def test_nothing_is_told_of_jobs_that_wait_for_their_turn(folder, squeue, monkeypatch):
    squeue(f"Priority|{RUN}|rule_profile|{folder}")
    assert watched(monkeypatch) == []


def test_a_queue_that_cannot_be_seen_stops_nothing_at_work(folder, squeue, monkeypatch):
    squeue(status=1)
    assert watched(monkeypatch) == []


@pytest.fixture
def seen_then_lost(folder, tmp_path, monkeypatch):
    """A squeue that had a job of the run once, and then what `lost.txt` says."""
    (tmp_path / "lost.txt").write_text("")
    first = tmp_path / "first.txt"
    first.write_text(f"None|{RUN}|rule_profile|{folder}\n")
    command = tmp_path / "bin" / "squeue"
    command.parent.mkdir()
    lost = f"[ -e '{tmp_path}/away' ] && exit 1; cat '{tmp_path}/lost.txt'"
    took = f"if [ -e '{first}' ]; then cat '{first}'; rm '{first}'; else {lost}; fi"
    command.write_text(f"#!/bin/sh\n{took}\n")
    command.chmod(0o755)
    monkeypatch.setenv("PATH", str(command.parent), prepend=":")
    monkeypatch.setattr(slurm, "FORGOTTEN_S", 0.0)
    monkeypatch.setattr(slurm, "scripts_here", list)
    return tmp_path


def lost(monkeypatch, shown=None, most_s=0.3):
    return watched(monkeypatch, shown, lambda stops: stops.why, most_s)


def test_a_run_is_given_up_whose_jobs_slurm_has_no_more(seen_then_lost, monkeypatch):
    (said,) = lost(monkeypatch, most_s=60)
    assert said.startswith("The run was ended: SLURM has had none of its jobs")
    assert "microleak resume" in said


LEAVES = {
    "before its time": lambda folder, patch: patch.setattr(slurm, "FORGOTTEN_S", 600.0),
    "while slurm has a job of it": lambda folder, patch: folder.joinpath(
        "lost.txt"
    ).write_text(f"None|{RUN}|rule_measure|{Path.cwd()}\n"),
    "while slurm is away": lambda folder, patch: folder.joinpath("first.txt").rename(
        folder / "away"
    ),
    "while a job is at work here": lambda folder, patch: patch.setattr(
        slurm, "scripts_here", lambda: ["a download"]
    ),
    "of which another cluster has the jobs": lambda folder, patch: folder.joinpath(
        "first.txt"
    ).unlink(),
}


@pytest.mark.parametrize("when", LEAVES)
def test_no_run_is_given_up(seen_then_lost, monkeypatch, when):
    LEAVES[when](seen_then_lost, monkeypatch)
    assert lost(monkeypatch) == []


def test_no_run_is_given_up_that_has_begun_no_job(seen_then_lost, monkeypatch):
    assert lost(monkeypatch, Shown(at_work=())) == []


def test_no_run_is_given_up_whose_steps_end(seen_then_lost, monkeypatch):
    class Going(Progress):
        @property
        def n_ended(self):
            return time.monotonic_ns()

        @n_ended.setter
        def n_ended(self, _):
            pass

    shown = Shown()
    shown.progress = Going(at_work={"profile": None})
    assert lost(monkeypatch, shown) == []


GIVEN_UP = """\
import os, signal, sys
from pathlib import Path
from microleak.base.errors import StudyError
from microleak.run import forked, signals
line = [sys.executable, "-m", "snakemake", "--cores", "1"]
Path("Snakefile").write_text('rule:\\n    output: "a"\\n    shell: "sleep 1000"\\n')
lock = os.open("lock", os.O_RDWR | os.O_CREAT)
signals._CANCELLING_S = 1.0
stops = signals.Stops(waits=True)
def begin():
    stops.give_up(StudyError("lost"))
    return forked.start(line, lock, os.environ)
with stops.heeded():
    try:
        stops.watch(begin, None)
    except StudyError as error:
        print(error)
"""


def test_snakemake_ends_with_a_run_that_is_given_up(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", GIVEN_UP],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    assert done.stdout.endswith("lost\n")
