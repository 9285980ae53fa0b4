"""A run killed at any moment, then resumed, gives the same bytes.

One study is killed and stopped at several steps and goes on to its end; `kills.py`
kills every rule at work, `stops.py` stops whom it may in many ways.
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
from tests.workflow.conftest import TWIN_STUDY

pytestmark = pytest.mark.workflow
RAW = "raw/synthetic/school_census/2018"
TABLE = "tables/school_census/2018.parquet"
UNTIL_RAW = ["--", f"results/small/{RAW}"]
STOPPED = "microleak: stopped. To go on: microleak resume small.yaml"


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
    (found,) = (one for one in family_of(process) if one.name() == "snakemake")
    return found


def is_job(one):
    """Whether a process is a job, and not what a job forked."""
    if one.name().startswith(JOB):
        return not one.parent().name().startswith(JOB)
    return not one.children() and "/.snakemake/scripts/" in " ".join(one.cmdline())


def jobs_of(process):
    return [one for one in family_of(process) if is_job(one)]


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


def last_line(output):
    return output.splitlines()[-1]


def refuse_others(study):
    """Check that while a run is at work, no other begins in its folder."""
    other = study.folder / "other.yaml"
    other.write_text(TWIN_STUDY.replace("study: small", "study: other"))
    for command, file in (("run", other.name), ("resume", study.file.name)):
        second = study.run(command, file=file)
        assert second.returncode == 1
        assert "The study small is running in this folder" in second.output
        assert second.output.count("\n") == 1


def kill_all(study):
    """Kill a run as it writes a release; then the next must be `resume`."""
    process = study.start()
    caught_writing(study, RAW, process)
    refuse_others(study)
    kill_tree(process)
    (left,) = hidden(study)
    assert left.startswith("raw/synthetic/school_census/.unfinished-2018.")
    again = study.run()
    assert again.returncode == 1
    assert again.output.count("\n") == 1
    assert "microleak resume small.yaml" in again.output


def interrupt(study):
    """Stop a run as it writes a table: all of it ends, and nothing is left."""
    process = study.start("resume")
    job = caught_writing(study, TABLE, process)
    family = family_of(process)
    process.send_signal(signal.SIGINT)
    job.resume()
    output = process.communicate()[0]
    assert process.returncode == 130
    assert [one for one in family if one.is_running()] == []
    assert "Traceback" not in output
    assert last_line(output) == STOPPED
    assert hidden(study) == []


def kill_job(study):
    """Kill one job, as the system does that lacks memory: the run says so."""
    process = study.start()
    caught_writing(study, "report", process).kill()
    output = process.communicate()[0]
    assert process.returncode == 1
    assert last_line(output) == (
        "microleak: the run failed where Snakemake says above; a job that says "
        "nothing was killed or ran out of memory. To go on: microleak resume small.yaml"
    )


def test_killed_and_stopped_a_study_goes_on_to_the_same_bytes(finished, twin_study):
    for harm in (kill_all, interrupt, kill_job):
        harm(twin_study)
        assert not (twin_study.results / "manifest.json").exists()
    page = "results/small/report/index.html"
    assert last_line(twin_study.output_of()) == f"microleak: the report is {page}"
    assert twin_study.bytes() == finished.bytes()
    assert hidden(twin_study) == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("n_hit", "stops"), [(1, ["SIGTERM"] * 20), (None, ["SIGHUP", "SIGTERM", "SIGINT"])]
)
def test_a_run_is_stopped_whoever_gets_how_many_signals(twin_study, n_hit, stops):
    process = twin_study.start(words=UNTIL_RAW)
    job = caught_writing(twin_study, RAW, process)
    family = family_of(process)
    hit = [psutil.Process(process.pid), *family][:n_hit]
    for stop in stops:
        for each in hit:
            with suppress(psutil.NoSuchProcess):
                each.send_signal(signal.Signals[stop])
    with suppress(psutil.NoSuchProcess):
        job.resume()
    output = process.communicate()[0]
    assert process.returncode - 128 in {signal.Signals[stop] for stop in stops}
    assert [one for one in family if one.is_running()] == []
    assert last_line(output) == STOPPED
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
    assert last_line(output) == STOPPED


@pytest.mark.long
def test_plain_snakemake_at_work_is_left_alone_and_gives_the_same(finished, twin_study):
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
