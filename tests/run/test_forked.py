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
from tests.examples import long

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks on Linux alone")

SNAKEFILE = """\
from pathlib import Path
from microleak.study.steps import code_of
Path("n_codes").write_text(str(code_of.cache_info().currsize))
rule every:
    input: "first.json", "second.json", "failing", "killed"
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
rule killed:
    output: "killed"
    script: "be_killed.py"
"""

LOOK = """\
import json, os, sys, tempfile
from pathlib import Path
from microleak.base import paths
from microleak.study.steps import code_of
Path(snakemake.output[0]).write_text(json.dumps({
    "name": Path("/proc/self/comm").read_text().strip(),
    "argv": [Path(word).suffixes[-2:] for word in sys.argv],
    "environment": dict(os.environ),
    "folder": os.getcwd(),
    "is leader": os.getsid(0) == os.getpid(),
    "input": os.read(0, 1).decode(),
    "temporary": tempfile.gettempdir(),
    "left": getattr(paths, "LEFT", None),
    "n_codes": code_of.cache_info().currsize,
    "files": [os.readlink(path) for path in Path("/proc/self/fd").iterdir()
              if int(path.name) > 2 and os.path.lexists(path)],
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
             output).watch(lambda: None, 1))
"""


@pytest.fixture(scope="module", params=[False, *long(True)], ids=["forked", "programs"])
def ran(request, tmp_path_factory):
    """Snakemake on all rules: its folder, status and words, and if jobs were forked."""
    folder = tmp_path_factory.mktemp("run")
    work = folder / "work"
    (work / "here").mkdir(parents=True)
    (work / "Snakefile").write_text(SNAKEFILE)
    (work / "look.py").write_text(LOOK)
    (work / "fail.py").write_text("import sys\nsys.exit('in these words')\n")
    (work / "be_killed.py").write_text("import os\nos.kill(os.getpid(), 15)\n")
    done = subprocess.run(
        [sys.executable, "-c", START, str(int(request.param))],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(folder)},
        input="of the one who asked",
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    printed = (folder / "printed").read_text()
    return work, done.returncode, printed, not request.param


@pytest.fixture
def jobs(ran):
    return [json.loads((ran[0] / f"{n}.json").read_text()) for n in ("first", "second")]


def test_a_job_is_a_fork_or_a_program(ran, jobs):
    *_, is_forked = ran
    assert jobs[0]["name"].startswith("job:look" if is_forked else "python")


def test_a_job_finds_what_its_program_would(ran, jobs):
    *_, is_forked = ran
    for job in jobs:
        assert job["argv"] == [[".look", ".py"]]
        assert job["folder"] == str(ran[0])
        assert job["input"] == ""
        assert job["environment"]["ASKED"] == "x"
        assert not [file for file in job["files"] if "lock" in file]
        # A fork tells by one how it ends.
        assert sum("socket" in file for file in job["files"]) == is_forked


def test_a_job_has_the_threads_and_the_temporary_folder_of_its_rule(ran, jobs):
    first, second = jobs
    assert first["environment"]["OMP_NUM_THREADS"] == "2"
    assert second["environment"]["OMP_NUM_THREADS"] == "1"
    assert first["temporary"] == str(ran[0] / "here")


def test_a_job_finds_nothing_that_another_left_in_memory(jobs):
    assert [job["left"] for job in jobs] == [None, None]


def test_snakemake_knows_the_code_as_it_was_at_first_and_a_job_looks_again(ran, jobs):
    folder, *_, is_forked = ran
    assert (int((folder / "n_codes").read_text()) > 10) == is_forked
    assert [job["n_codes"] for job in jobs] == [0, 0]


def test_a_job_is_measured_where_its_rule_asks_for_it(ran):
    header, row = (ran[0] / "second.tsv").read_text().splitlines()
    assert float(row.split("\t")[header.split("\t").index("s")]) > 0


def test_a_job_that_fails_fails_the_run_by_its_name(ran):
    _, status, said, _ = ran
    assert status == 1
    assert "Error in rule failing" in said
    assert "in these words\n" in said


def test_a_job_that_is_killed_is_told_of_by_its_signal(ran):
    _, _, said, _ = ran
    assert "Error in rule killed" in said
    assert "died with <Signals.SIGTERM: 15>" in said


def said_beside_rules(program, folder):
    """What a program says in a folder that has the Snakefile."""
    (folder / "Snakefile").write_text(SNAKEFILE)
    (folder / "look.py").write_text(LOOK)
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout


STOPPED = """\
import os, signal, sys
from pathlib import Path
from microleak.run import forked
heard = []
signal.signal(signal.SIGTERM, lambda *_: heard.append(1))
line = [sys.executable, "-m", "snakemake", "--cores", "2", "first.json"]
started = forked.start(line, os.open("lock", os.O_RDWR | os.O_CREAT), os.environ)
started.stop(b"s")
assert isinstance(started, forked._Forked)
print(started.watch(lambda: None, 1), heard)
"""


@pytest.mark.long
def test_a_stop_that_comes_while_snakemake_is_forked_is_not_lost(tmp_path):
    assert said_beside_rules(STOPPED, tmp_path) == "130 []\n"
    assert not (tmp_path / "first.json").exists()


AHEAD = """\
import os, sys
from pathlib import Path
from microleak.run import forked
from microleak.study.job_records import DUE
Path("due").write_text("draw people\\naudit")
line = [sys.executable, "-m", "snakemake", "--cores", "1", "first.json"]
lock = os.open("lock", os.O_RDWR | os.O_CREAT)
started = forked.start(line, lock, os.environ | {DUE: "due"})
assert started.watch(lambda: None, 1) == 0
drawn, solved = "collective.report.drawing", "reconstruction.rebuild"
print([f"microleak.attacks.{name}" in sys.modules for name in (drawn, solved)])
"""


@pytest.mark.long
def test_what_due_jobs_need_is_imported_while_nothing_is_asked_for(tmp_path):
    assert said_beside_rules(AHEAD, tmp_path) == "[True, False]\n"


LEFT = """\
import os, sys
from microleak.run import forked
class Broken:
    def write(self, _): raise BrokenPipeError
    flush = write
def fail(): raise ValueError
if not forked._fork():
    sys.stderr = Broken()
    try:
        forked._leave(fail)
    finally:
        print("this is no fork's to say", flush=True)
print(os.waitstatus_to_exitcode(os.wait()[1]))
"""


def test_a_fork_whose_words_nobody_reads_ends_all_the_same():
    said = subprocess.run(
        [sys.executable, "-c", LEFT],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    assert said.stdout == "1\n"


def test_code_is_changed_if_a_file_is_younger_than_the_process(tmp_path, monkeypatch):
    monkeypatch.setattr(forked, "path_in_checkout", tmp_path.joinpath)
    (tmp_path / "microleak/base").mkdir(parents=True)
    (tmp_path / "config").mkdir()
    assert not forked._is_changed()
    (tmp_path / "microleak/base/__pycache__").mkdir()
    (tmp_path / "microleak/base/__pycache__/bytecode.pyc").write_bytes(b"")
    assert not forked._is_changed()
    module = tmp_path / "microleak/base/module.py"
    module.write_text("")
    # Its time may be set back, its state's may not.
    os.utime(module, (0, 0))
    assert forked._is_changed()


def test_code_that_was_there_before_the_process_is_not_changed(tmp_path, monkeypatch):
    monkeypatch.setattr(forked, "path_in_checkout", tmp_path.joinpath)
    (tmp_path / "config").mkdir()
    (tmp_path / "config/names.csv").write_text("")
    time.sleep(0.02)
    look = (
        "from microleak.run import forked; from pathlib import Path; import sys; "
        "forked.located = Path(sys.argv[1]).joinpath; print(forked._is_changed())"
    )
    said = subprocess.run(
        [*(sys.executable, "-c"), look, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout == "False\n"


def test_code_is_changed_if_a_file_is_gone_or_a_package_another(tmp_path, monkeypatch):
    monkeypatch.setattr(forked, "path_in_checkout", tmp_path.joinpath)
    (tmp_path / "microleak").mkdir()
    (tmp_path / "microleak/.#edited.py").symlink_to("nobody@nowhere.1")
    assert forked._is_changed()
    (tmp_path / "microleak/.#edited.py").unlink()
    assert not forked._is_changed()
    monkeypatch.setattr(forked, "package_versions", lambda: {"pandas": "99.0"})
    assert forked._is_changed()
