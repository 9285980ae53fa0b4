"""A run killed at any moment, then resumed, gives the same bytes.

One study is killed at several steps and goes on to its end; `kills.py` kills every
rule at work, `stops.py` stops whom it may in many ways. The others go on until
the job that was hit has done its work: what follows from the same bytes is the same.
"""

import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from microleak.base.locks import JOB
from microleak.base.paths import ROOT
from microleak.run.store import MARK, STORE
from microleak.study.listing import DIGESTS
from tests.examples import long
from tests.workflow.conftest import TWIN_STUDY, Study, rules_run

pytestmark = pytest.mark.workflow
RAW = "raw/synthetic/school_census/2018"
TABLE = "tables/school_census/2018.parquet"
UNTIL_RAW = ["--", f"results/small/{RAW}"]
UNTIL_TABLE = ["--", f"results/small/{TABLE}"]


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
    (found,) = (one for one in family_of(process) if one.name() == "snakemake")
    return found


def jobs_of(process):
    return [
        one
        for one in family_of(process)
        if one.name().startswith(JOB)
        or (not one.children() and "/.snakemake/scripts/" in " ".join(one.cmdline()))
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
        if path.name not in (DIGESTS, STORE.name, MARK)
    ]


def assert_goes_on(study, command, words, finished):
    """Check that a study goes on until there is a result, and all that is there."""
    process = study.run(command, words)
    assert process.returncode == 0, process.output
    made = study.bytes()
    assert words[-1].removeprefix("results/small/") in made
    assert made.items() <= finished.bytes().items()
    assert hidden(study) == []


def test_killed_at_several_steps_and_resumed_each_time_gives_the_same_bytes(
    finished, twin_study
):
    command = "run"
    for moment in (RAW, "profiles/small/2018.parquet", "report"):
        process = twin_study.start(command)
        wait_for(twin_study, moment, process)
        kill_tree(process)
        assert not (twin_study.results / "manifest.json").exists()
        command = "resume"
    process = twin_study.run("resume")
    assert process.returncode == 0, process.output
    assert twin_study.bytes() == finished.bytes()
    assert hidden(twin_study) == []


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """A study of which all was killed in the middle of writing its release."""
    study = Study(tmp_path_factory.mktemp("killed"), "small", TWIN_STUDY)
    process = study.start(words=UNTIL_RAW)
    caught_writing(study, RAW, process)
    kill_tree(process)
    return study


def test_run_after_a_kill_says_to_resume(killed):
    again = killed.run()
    assert again.returncode == 1
    assert again.output.count("\n") == 1
    assert "microleak resume small.yaml" in again.output


def test_records_that_a_kill_left_are_removed_when_the_study_goes_on(
    finished, killed, tmp_path
):
    study = killed.copy(tmp_path)
    (left,) = hidden(study)
    assert left.startswith("raw/synthetic/school_census/.unfinished-2018.")
    assert_goes_on(study, "resume", UNTIL_RAW, finished)


def test_a_job_that_is_killed_fails_the_run_and_the_next_one_mends_it(
    finished, twin_study
):
    process = twin_study.start(words=UNTIL_TABLE)
    caught_writing(twin_study, TABLE, process).kill()
    output = process.communicate()[0]
    assert process.returncode == 1
    assert output.splitlines()[-1] == (
        "microleak: the run failed where Snakemake says above; a job that says "
        "nothing was killed or ran out of memory. To go on: microleak resume small.yaml"
    )
    assert_goes_on(twin_study, "run", UNTIL_TABLE, finished)


def all_of(process):
    return [psutil.Process(process.pid), *family_of(process)]


WHO = {
    "microleak": lambda process: all_of(process)[:1],
    "snakemake": lambda process: [snakemake_of(process)],
    "job": jobs_of,
    "all": all_of,
    "all, its own last": lambda process: all_of(process)[::-1],
}


@pytest.mark.parametrize(
    ("who", "stops"),
    [
        ("microleak", ["SIGTERM"] * 20),
        *long(("all", ["SIGHUP", "SIGTERM", "SIGINT"])),
    ],
)
def test_a_run_is_stopped_whoever_gets_how_many_signals(twin_study, who, stops):
    process = twin_study.start(words=UNTIL_RAW)
    job = caught_writing(twin_study, RAW, process)
    family, hit = family_of(process), WHO[who](process)
    for stop in stops:
        for each in hit:
            with suppress(psutil.NoSuchProcess):
                each.send_signal(signal.Signals[stop])
    with suppress(psutil.NoSuchProcess):
        job.resume()
    output = process.communicate()[0]
    assert process.returncode - 128 in {signal.Signals[stop] for stop in stops}
    assert [one for one in family if one.is_running()] == []
    assert output.splitlines()[-1] == (
        "microleak: stopped. To go on: microleak resume small.yaml"
    )
    assert hidden(twin_study) == []
    assert not any(Path(twin_study.folder, ".snakemake/locks").glob("*"))


@pytest.mark.long
def test_a_job_that_does_not_end_when_it_is_told_to_is_killed(twin_study):
    process = twin_study.start(words=UNTIL_RAW)
    job = caught_writing(twin_study, RAW, process)  # and stays as it is
    snakemake = snakemake_of(process)
    snakemake.suspend()
    process.terminate()
    output = process.communicate()[0]
    assert process.returncode == 143, output
    assert not job.is_running()
    assert not snakemake.is_running()
    assert output.splitlines()[-1].startswith("microleak: stopped. ")


@pytest.mark.parametrize(
    ("stop", "status"), [(signal.SIGINT, 130), *long((signal.SIGTERM, 143))]
)
def test_a_stopped_run_stops_its_jobs_and_leaves_nothing(
    finished, twin_study, stop, status
):
    process = twin_study.start(words=UNTIL_TABLE)
    job = caught_writing(twin_study, TABLE, process)
    family = family_of(process)
    process.send_signal(stop)
    job.resume()
    output = process.communicate()[0]
    assert process.returncode == status
    assert [one for one in family if one.is_running()] == []
    assert "Traceback" not in output
    assert output.splitlines()[-1] == (
        "microleak: stopped. To go on: microleak resume small.yaml"
    )
    assert hidden(twin_study) == []
    assert_goes_on(twin_study, "run", UNTIL_TABLE, finished)


def test_a_second_run_at_once_refuses_in_one_line(twin_study):
    other = twin_study.folder / "other.yaml"
    other.write_text(TWIN_STUDY.replace("study: small", "study: other"))
    first = twin_study.start(words=UNTIL_RAW)
    job = caught_writing(twin_study, RAW, first)
    for command in ("run", "resume"):
        for file in ("small.yaml", "other.yaml"):
            second = twin_study.run(command, file=file)
            assert second.returncode == 1
            assert "The study small is running in this folder" in second.output
            assert second.output.count("\n") == 1
    job.resume()
    output = first.communicate()[0]
    assert first.returncode == 0, output
    assert rules_run(output) == ["synthesise"]


@pytest.mark.long
def test_a_plain_snakemake_at_work_is_left_alone_and_gives_the_same(
    finished, twin_study
):
    line = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")]
    plain = subprocess.Popen(
        [*line, "--configfile", "small.yaml", "--cores", "2", *UNTIL_RAW],
        cwd=twin_study.folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    job = caught_writing(twin_study, RAW, plain)
    said = re.compile(r"another Snakemake, are still at .*\(process ids ([\d, ]+)\)")
    for command in ("run", "resume"):
        refused = twin_study.run(command)
        assert refused.returncode == 1
        assert str(plain.pid) in said.search(refused.output)[1].split(", ")
    job.resume()
    assert plain.wait() == 0
    made = twin_study.bytes()
    assert any(path.startswith(RAW) for path in made)
    assert made.items() <= finished.bytes().items()
