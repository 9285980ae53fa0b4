"""Jobs of an earlier run that wait in SLURM's queue, told by a stand-in of squeue."""

import time

import pytest

from microleak.base.errors import StudyError
from microleak.run import slurm
from microleak.run.slurm import SUBMITTED, check_queue, watched_queue

RUN = "8073bf0b-fd83-407c-a2d8-34dec83771b3"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A study's folder, from which jobs were submitted."""
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


def test_jobs_that_were_begun_here_are_counted_and_named(folder, squeue):
    squeue(
        f"{RUN}|rule_profile_wildcards_a|{folder}",
        f"{RUN}|rule_release_ingest|{folder}",
    )
    told = rf": 2\. .*: scancel --name={RUN}$"
    with pytest.raises(StudyError, match=told):
        check_queue()


def test_jobs_of_two_runs_are_cancelled_one_after_the_other(folder, squeue):
    squeue(f"b|rule_audit|{folder}", f"a|rule_audit|{folder}")
    with pytest.raises(StudyError, match=r"scancel --name=a; scancel --name=b$"):
        check_queue()


def test_a_comment_with_the_sign_that_divides_is_read(folder, squeue):
    squeue(f"{RUN}|rule_draw_wildcards_x|y|{folder}")
    with pytest.raises(StudyError, match=": 1"):
        check_queue()


@pytest.mark.parametrize("comment", ["(null)", "my own rule_profile"])
def test_other_jobs_of_the_user_in_the_folder_are_let_be(folder, squeue, comment):
    squeue(f"bash|{comment}|{folder}")
    check_queue()


def test_a_run_in_another_folder_is_let_be(folder, squeue):
    squeue(f"{RUN}|rule_profile|{folder}2", f"{RUN}|rule_profile|{folder.parent}")
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


def watched(monkeypatch):
    """What is said of the queue while it is watched for a moment."""
    monkeypatch.setattr(slurm, "_WATCHED_EACH_S", 0.05)
    said = []
    with watched_queue(said.append):
        time.sleep(1)
    return said


def test_jobs_that_no_partition_would_begin_are_told_of_once(
    folder, squeue, monkeypatch
):
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


def test_a_queue_that_cannot_be_seen_does_not_stop_what_runs(
    folder, squeue, monkeypatch
):
    squeue(status=1)
    assert watched(monkeypatch) == []
