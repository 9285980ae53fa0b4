"""A run killed at any moment, then resumed, gives the same bytes."""

import os
import signal
import time

import psutil
import pytest

from tests.workflow.conftest import rules_run

pytestmark = pytest.mark.workflow


def kill_tree(process):
    """Kill -9 a process and all that it started, jobs in other sessions too."""
    family = psutil.Process(process.pid).children(recursive=True)
    for one in (process, *family):
        try:
            os.kill(one.pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    process.wait()
    psutil.wait_procs(family, timeout=10)


def wait_for(study, path, process):
    """Wait until a result or a file being written beside it appears."""
    wanted = study.results / path
    for _ in range(1200):
        if wanted.exists() or list(wanted.parent.glob(f".{wanted.name}.*")):
            return
        assert process.poll() is None, "the run ended before it could be killed"
        time.sleep(0.02)
    pytest.fail(f"{path} did not appear")


@pytest.mark.parametrize(
    "moment",
    [
        "raw/synthetic/school_census/2018",
        "tables/school_census/2018.parquet",
        "people/school_census/2018.json",
        "profiles/small.parquet",
        "measures/worst/small.csv",
        "figures/small",
        "report",
    ],
)
def test_killed_and_resumed_gives_the_same_bytes(finished, twin_study, moment):
    process = twin_study.start()
    wait_for(twin_study, moment, process)
    kill_tree(process)
    assert not (twin_study.results / "manifest.json").exists()
    resumed = twin_study.run("resume")
    assert resumed.returncode == 0, resumed.output
    assert twin_study.bytes() == finished.bytes()
    left = [p for p in twin_study.results.rglob(".*.*") if p.is_dir()]
    assert left == [], "temporary folders with records are left behind"


def test_run_after_a_kill_says_to_resume(twin_study):
    process = twin_study.start()
    wait_for(twin_study, "tables/school_census/2018.parquet", process)
    kill_tree(process)
    again = twin_study.run()
    assert again.returncode == 1
    assert again.output.count("\n") == 1
    assert "microleak resume small.yaml" in again.output


def test_a_second_run_at_once_refuses_in_one_line(twin_study):
    first = twin_study.start()
    wait_for(twin_study, "raw/synthetic/school_census/2018", first)
    for command in ("run", "resume"):
        second = twin_study.run(command)
        assert second.returncode == 1
        assert second.output == (
            "microleak: The study small is running in another process. "
            "Wait for it, or stop it first.\n"
        )
    output = first.communicate()[0]
    assert first.returncode == 0, output
    assert "audit" in rules_run(output)
