"""Faults of the machine around a run: one clear line, and afterwards the same bytes.

What a single job does on a full disk, in folders that cannot be written to, without
free descriptors or with cut inputs is in test_canary.py for every rule; runs that
are killed, or two at once, are in test_kill.py and tests/base/test_locks.py.
"""

import os
import resource
import shutil
import subprocess
import sys
import time

import pytest

from microleak.base.locks import RUN, only_run
from microleak.run.job import job
from tests.workflow.conftest import CSV_STUDY, Study, given, rules_run

pytestmark = pytest.mark.long
workflow = pytest.mark.workflow
N_PEOPLE = 20_000
MEASURES = "measures/collective/people.csv"
TABLE = "tables/people/1.parquet"
PROFILE = "profiles/people/1.parquet"
YEAR_S = 365 * 24 * 3600
# Takes from root the right to all files
AS_OTHERS = ("setpriv", "--bounding-set=-all") if os.getuid() == 0 else ()


def ended(study, command="run", result=MEASURES, limit=None):
    """Run a study to a result, without a right to all files, under a limit."""
    line = (sys.executable, "-m", "microleak", command, study.file.name, "--verbose")
    return subprocess.run(
        (*AS_OTHERS, *line, "--", f"results/people/{result}"),
        cwd=study.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        preexec_fn=limit and (lambda: resource.setrlimit(*limit)),
    )


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """A study of one file that cannot be written to, run until it is measured."""
    folder = tmp_path_factory.mktemp("measured")
    people = [f"{i},{i % 90},{'FM'[i % 7 > 3]},{i % 11}\n" for i in range(N_PEOPLE)]
    text = "id,age,sex,ill\n" + "".join(people)
    (folder / "people.csv").write_text(text, encoding="utf-8")
    (folder / "people.csv").chmod(0o444)
    study = Study(folder, "people", CSV_STUDY)
    process = ended(study)
    assert process.returncode == 0, process.stdout
    return study


@pytest.fixture
def own(measured, tmp_path):
    """A copy of it, to do harm to."""
    return measured.copy(tmp_path)


def fault(study, result=MEASURES, limit=None):
    """Run a study that must fail; return the last line that it says."""
    process = ended(study, result=result, limit=limit)
    assert process.returncode == 1, process.stdout
    assert "Traceback" not in process.stdout
    assert list(study.results.parent.rglob(".unfinished-*")) == []
    assert not (study.results / result).exists()
    return process.stdout.splitlines()[-1]


def assert_goes_on(study, measured, result=MEASURES):
    """Check that a study goes on to the same bytes; return the rules that ran."""
    process = ended(study, "resume", result)
    assert process.returncode == 0, process.stdout
    made = study.bytes()
    assert result in made
    assert made.items() <= measured.bytes().items()
    return rules_run(process.stdout)


@workflow
def test_a_disk_that_fills_up_is_named_and_leaves_nothing(own, measured):
    shutil.rmtree(own.results)
    n_bytes = (measured.results / TABLE).stat().st_size // 2
    line = fault(own, TABLE, (resource.RLIMIT_FSIZE, (n_bytes, n_bytes)))
    assert "File too large" in line
    assert [path.name for path in own.results.rglob("*.parquet")] == []
    assert assert_goes_on(own, measured, TABLE) == ["ingest"]


@workflow
def test_results_that_cannot_be_written_are_named(own, measured):
    (own.results / MEASURES).unlink()
    folders = [path for path in own.results.rglob("*") if path.is_dir()]
    for folder in folders:
        folder.chmod(0o555)
    line = fault(own)
    for folder in folders:
        folder.chmod(0o755)
    assert "Permission denied" in line
    assert assert_goes_on(own, measured) == ["measure"]


@workflow
def test_a_clock_that_was_set_back_changes_no_byte(own, measured):
    at = time.time() - YEAR_S
    os.utime(own.results / PROFILE, (at, at))
    assert assert_goes_on(own, measured) == []


def test_a_log_that_cannot_be_written_does_not_show_what_a_job_met(tmp_path, capsys):
    log = tmp_path / "logs/ingest.log"
    with pytest.raises(SystemExit) as ended, job(given(log)):
        log.parent.touch()
        raise ValueError("a cell")
    assert ended.value.code == 1
    said = capsys.readouterr().err
    assert "stopped at something unexpected (ValueError" in said
    assert said.count("\n") == 1
    assert "a cell" not in said


def test_a_lock_of_a_process_that_is_no_more_holds_nobody(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    gone = "from microleak.base.locks import only_run\nonly_run('one').__enter__()"
    ends = f"import os\n{gone}\nos._exit(9)"
    subprocess.run([sys.executable, "-c", ends], check=False)
    assert RUN.read_text("utf-8") == "one"
    with only_run("two"):
        assert RUN.read_text("utf-8") == "two"
