"""A disk that fills up: one clear line, and with room again the same bytes.

What a single job does on a full disk, in folders that cannot be written to, without
free descriptors or with cut inputs is in test_canary.py for every rule; runs that
are killed, or two at once, are in test_kill.py and tests/base/test_locks.py.
"""

import os
import resource
import shutil
import subprocess
import sys

import pytest

from tests.workflow.conftest import CSV_STUDY, Study, rules_run

pytestmark = [pytest.mark.long, pytest.mark.workflow]
N_PEOPLE = 20_000
TABLE = "results/people/tables/people/1.parquet"
# Takes from root the right to all files
AS_OTHERS = ("setpriv", "--bounding-set=-all") if os.getuid() == 0 else ()


@pytest.fixture
def study(tmp_path):
    people = [f"{i},{i % 90},{'FM'[i % 7 > 3]},{i % 11}\n" for i in range(N_PEOPLE)]
    (tmp_path / "people.csv").write_text("id,age,sex,ill\n" + "".join(people))
    (tmp_path / "people.csv").chmod(0o444)
    return Study(tmp_path, "people", CSV_STUDY)


def ended(study, command, limit=None):
    """Run a study to its table, without a right to all files, under a limit."""
    line = (sys.executable, "-m", "microleak", command, study.file.name, "--verbose")
    return subprocess.run(
        (*AS_OTHERS, *line, "--", TABLE),
        cwd=study.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        preexec_fn=limit and (lambda: resource.setrlimit(*limit)),
    )


def test_a_disk_that_fills_up_is_named_and_leaves_nothing(study):
    assert ended(study, "run").returncode == 0
    before, n_bytes = study.bytes(), (study.folder / TABLE).stat().st_size // 2
    shutil.rmtree(study.results)
    process = ended(study, "run", (resource.RLIMIT_FSIZE, (n_bytes, n_bytes)))
    assert process.returncode == 1, process.stdout
    assert "Traceback" not in process.stdout
    assert "File too large" in process.stdout.splitlines()[-1]
    assert list(study.results.parent.rglob(".unfinished-*")) == []
    assert [path.name for path in study.results.rglob("*.parquet")] == []
    process = ended(study, "resume")
    assert process.returncode == 0, process.stdout
    assert rules_run(process.stdout) == ["ingest"]
    assert study.bytes() == before
