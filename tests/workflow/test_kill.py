"""A run killed at any moment, then resumed, gives the same bytes."""

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from microleak.paths import ROOT
from tests.workflow.conftest import TWIN_STUDY, rules_run

pytestmark = pytest.mark.workflow
TABLE = "tables/school_census/2018.parquet"


def family_of(process):
    return psutil.Process(process.pid).children(recursive=True)


def kill_tree(process):
    """Kill -9 a process and all that it started, jobs in other sessions too."""
    family = family_of(process)
    for one in (process, *family):
        try:
            os.kill(one.pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    process.wait()
    psutil.wait_procs(family, timeout=10)


def snakemake_of(process):
    """The main process of Snakemake, which microleak started."""
    (child,) = psutil.Process(process.pid).children()
    return child


def jobs_of(process):
    """Processes of the jobs at work: what Snakemake's shells started."""
    return [
        one
        for one in family_of(process)
        if not one.children() and "/.snakemake/scripts/" in " ".join(one.cmdline())
    ]


def wait_for(study, path, process):
    """Wait until a result or a file being written beside it appears."""
    wanted = study.results / path
    for _ in range(6000):
        if wanted.exists() or being_written(wanted):
            return
        assert process.poll() is None, "the run ended before it could be killed"
        time.sleep(0.02)
    pytest.fail(f"{path} did not appear")


def being_written(path):
    return list(path.parent.glob(f".unfinished-{path.name}.*"))


def caught_writing(study, path, process):
    """The job that writes a result, stopped in the middle of it."""
    for _ in range(60000):
        if being_written(study.results / path):
            (job,) = jobs_of(process)
            job.suspend()
            if being_written(study.results / path):
                return job
            job.resume()
        assert process.poll() is None, "the run ended before a job could be caught"
        time.sleep(0.001)
    return pytest.fail(f"{path} was not seen in the making")


def hidden(study):
    """Hidden files and folders of the results but those that should be there."""
    return [
        path.relative_to(study.results).as_posix()
        for path in study.results.parent.rglob(".*")
        if path.name != ".snakemake_timestamp"
    ]


def assert_ends_as(study, finished, command):
    process = study.run(command)
    assert process.returncode == 0, process.output
    assert study.bytes() == finished.bytes()
    assert hidden(study) == []


@pytest.mark.parametrize(
    "moment",
    [
        "raw/synthetic/school_census/2018",
        TABLE,
        "people/school_census/2018.json",
        "profiles/small/2018.parquet",
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
    assert_ends_as(twin_study, finished, "resume")


def test_records_that_a_kill_left_are_removed_when_the_study_goes_on(
    finished, twin_study
):
    process = twin_study.start()
    caught_writing(twin_study, "raw/synthetic/school_census/2018", process)
    kill_tree(process)
    (left,) = hidden(twin_study)
    assert left.startswith("raw/synthetic/school_census/.unfinished-2018.")
    assert_ends_as(twin_study, finished, "resume")


def test_run_after_a_kill_says_to_resume(twin_study):
    process = twin_study.start()
    wait_for(twin_study, TABLE, process)
    kill_tree(process)
    again = twin_study.run()
    assert again.returncode == 1
    assert again.output.count("\n") == 1
    assert "microleak resume small.yaml" in again.output


def test_a_job_that_is_killed_fails_the_run_and_the_next_one_mends_it(
    finished, twin_study
):
    process = twin_study.start()
    caught_writing(twin_study, TABLE, process).kill()
    output = process.communicate()[0]
    assert process.returncode == 1
    assert output.splitlines()[-1] == (
        "microleak: the run failed where Snakemake says above; a job that says "
        "nothing was killed or ran out of memory. To go on: microleak resume small.yaml"
    )
    assert_ends_as(twin_study, finished, "run")


def test_while_snakemake_outlives_microleak_no_other_run_begins(finished, twin_study):
    process = twin_study.start(stdout=subprocess.DEVNULL)
    job = caught_writing(twin_study, TABLE, process)
    snakemake = snakemake_of(process)
    process.kill()
    process.wait()
    for command in ("run", "resume"):
        refused = twin_study.run(command)
        assert refused.returncode == 1
        assert refused.output.startswith(
            "microleak: The study small is running in this folder (process ids "
        )
        assert str(snakemake.pid) in refused.output
        assert refused.output.count("\n") == 1
    job.resume()
    psutil.wait_procs([snakemake], timeout=60)
    assert_ends_as(twin_study, finished, "run")


def test_while_a_job_outlives_snakemake_no_other_run_begins(finished, twin_study):
    process = twin_study.start()
    job = caught_writing(twin_study, TABLE, process)
    snakemake_of(process).kill()
    assert process.wait() == 137
    for command in ("run", "resume"):
        refused = twin_study.run(command)
        assert refused.returncode == 1
        assert refused.output.startswith(
            "microleak: Jobs of an earlier run, or another Snakemake, are still at work"
        )
        assert str(job.pid) in refused.output
        assert refused.output.count("\n") == 1
    job.resume()
    psutil.wait_procs([job], timeout=60)
    assert_ends_as(twin_study, finished, "resume")


@pytest.mark.parametrize(
    ("stop", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)]
)
def test_a_stopped_run_stops_its_jobs_and_leaves_nothing(
    finished, twin_study, stop, status
):
    process = twin_study.start()
    wait_for(twin_study, TABLE, process)
    family = family_of(process)
    process.send_signal(stop)
    output = process.communicate()[0]
    assert process.returncode == status
    assert [one for one in family if one.is_running()] == []
    assert "Traceback" not in output
    assert output.splitlines()[-1] == (
        "microleak: stopped. To go on: microleak resume small.yaml"
    )
    assert hidden(twin_study) == []
    assert_ends_as(twin_study, finished, "run")


def test_a_second_run_at_once_refuses_in_one_line(twin_study):
    other = twin_study.folder / "other.yaml"
    other.write_text(TWIN_STUDY.replace("study: small", "study: other"))
    first = twin_study.start()
    wait_for(twin_study, "raw/synthetic/school_census/2018", first)
    for command in ("run", "resume"):
        for file in ("small.yaml", "other.yaml"):
            second = twin_study.run(command, file=file)
            assert second.returncode == 1
            assert "The study small is running in this folder" in second.output
            assert second.output.count("\n") == 1
    output = first.communicate()[0]
    assert first.returncode == 0, output
    assert "audit" in rules_run(output)


def test_a_plain_snakemake_at_work_is_left_alone(finished, twin_study):
    line = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")]
    plain = subprocess.Popen(
        [*line, "--configfile", "small.yaml", "--cores", "2"],
        cwd=twin_study.folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    wait_for(twin_study, "raw/synthetic/school_census/2018", plain)
    said = "another Snakemake, are still at work in this folder (process ids"
    for command in ("run", "resume"):
        refused = twin_study.run(command)
        assert refused.returncode == 1
        assert f"{said} {plain.pid}" in refused.output
    assert plain.wait() == 0
    assert twin_study.bytes() == finished.bytes()
