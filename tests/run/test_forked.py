"""Jobs that are forked are what programs would be, and programs are where they may not.

A program of its own starts Snakemake on three rules, as a process of the tests has
other threads, with which nothing is forked.
"""

import json
import os
import subprocess
import sys
import time

import pytest

from microleak.base.paths import ROOT
from microleak.run import forked

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks on Linux alone")

SNAKEFILE = """\
rule every:
    input: "first.json", "second.json", "failing"
rule first:
    output: "first.json"
    threads: 2
    resources: tmpdir="here"
    script: "look.py"
rule second:
    input: "first.json"
    output: "second.json"
    benchmark: "second.tsv"
    script: "look.py"
rule failing:
    output: "failing"
    script: "fail.py"
"""

LOOK = """\
import json, os, sys, tempfile
from pathlib import Path
from microleak.base import paths
Path(snakemake.output[0]).write_text(json.dumps({
    "name": Path("/proc/self/comm").read_text().strip(),
    "argv": [Path(word).suffixes[-2:] for word in sys.argv],
    "environment": dict(os.environ),
    "folder": os.getcwd(),
    "is leader": os.getsid(0) == os.getpid(),
    "input": os.read(0, 1).decode(),
    "temporary": tempfile.gettempdir(),
    "left": getattr(paths, "LEFT", None),
    "files": [os.readlink(f"/proc/self/fd/{n}") for n in (3, 4, 5, 6, 7, 8)
              if os.path.lexists(f"/proc/self/fd/{n}")],
}))
paths.LEFT = "by another job"
"""

START = """\
import os, sys
from pathlib import Path
from microleak.run import forked
if int(sys.argv[1]):
    forked._is_changed = lambda: True
line = [sys.executable, "-m", "snakemake", "--cores", "2", "--keep-going"]
lock = os.open("lock", os.O_RDWR | os.O_CREAT)
with open("printed", "wb") as output:
    sys.exit(forked.start(line, lock, os.environ | {"ASKED": "x"}, Path("work"),
             output).wait())
"""


@pytest.fixture(scope="module", params=[False, True], ids=["forked", "programs"])
def ran(request, tmp_path_factory):
    """Snakemake on all rules: its folder, status and words, and if jobs were forked."""
    folder = tmp_path_factory.mktemp("run")
    work = folder / "work"
    (work / "here").mkdir(parents=True)
    (work / "Snakefile").write_text(SNAKEFILE)
    (work / "look.py").write_text(LOOK)
    (work / "fail.py").write_text("import sys\nsys.exit(3)\n")
    done = subprocess.run(
        [sys.executable, "-c", START, str(int(request.param))],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(folder)},
        input="of the one who asked",
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    return work, done.returncode, done.stderr, not request.param


@pytest.fixture
def jobs(ran):
    """What each of the two jobs found."""
    return [json.loads((ran[0] / f"{n}.json").read_text()) for n in ("first", "second")]


def test_a_job_is_a_fork_or_a_program(ran, jobs):
    *_, is_forked = ran
    assert jobs[0]["name"].startswith("job:look" if is_forked else "python")


def test_a_job_finds_what_its_program_would(ran, jobs):
    for job in jobs:
        assert job["argv"] == [[".look", ".py"]]
        assert job["folder"] == str(ran[0])
        assert job["input"] == ""
        assert job["environment"]["ASKED"] == "x"
        assert not [file for file in job["files"] if "socket" in file or "lock" in file]


def test_a_job_has_the_threads_and_the_temporary_folder_of_its_rule(ran, jobs):
    first, second = jobs
    assert first["environment"]["OMP_NUM_THREADS"] == "2"
    assert second["environment"]["OMP_NUM_THREADS"] == "1"
    assert first["temporary"] == str(ran[0] / "here")


def test_a_job_finds_nothing_that_another_left_in_memory(jobs):
    assert [job["left"] for job in jobs] == [None, None]


def test_a_job_is_measured_where_its_rule_asks_for_it(ran):
    header, row = (ran[0] / "second.tsv").read_text().splitlines()
    assert float(row.split("\t")[header.split("\t").index("s")]) > 0


def test_a_job_that_fails_fails_the_run_by_its_name(ran):
    _, status, said, _ = ran
    assert status == 1
    assert "Error in rule failing" in said


def test_code_is_changed_where_a_file_of_it_is_younger_than_the_process(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(forked, "ROOT", tmp_path)
    (tmp_path / "microleak/base").mkdir(parents=True)
    (tmp_path / "config").mkdir()
    assert not forked._is_changed()
    (tmp_path / "microleak/base/bytecode.pyc").write_bytes(b"")
    assert not forked._is_changed()
    module = tmp_path / "microleak/base/module.py"
    module.write_text("")
    # Its time may be set back, its state's may not.
    os.utime(module, (0, 0))
    assert forked._is_changed()


def test_code_that_was_there_before_the_process_is_not_changed(tmp_path, monkeypatch):
    monkeypatch.setattr(forked, "ROOT", tmp_path)
    (tmp_path / "config").mkdir()
    (tmp_path / "config/names.csv").write_text("")
    time.sleep(0.02)
    look = "from microleak.run import forked; from pathlib import Path; import sys;"
    said = subprocess.run(
        [
            *(sys.executable, "-c"),
            f"{look} forked.ROOT = Path(sys.argv[1]); print(forked._is_changed())",
            str(tmp_path),
        ],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout == "False\n"
