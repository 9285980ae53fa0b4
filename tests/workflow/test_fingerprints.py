"""Changed code reruns the rules that depend on it (on a copy of the project)."""

import os
import shutil
import subprocess
import sys

import pytest

from microleak.base.paths import ROOT
from tests.workflow.conftest import CSV_STUDY, PEOPLE, rules_planned, rules_run

pytestmark = pytest.mark.workflow
PARTS = (
    *("microleak", "papers", "scripts", "workflow", "config", "envs", "profiles"),
    "Snakefile",
)


@pytest.fixture
def copy(tmp_path, finished):
    """The project with what was compiled, which a finished study is sure to have."""
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            # But for what another process is writing just now.
            ignore = shutil.ignore_patterns("*.tmp.*", "*.pyc.*")
            shutil.copytree(source, tmp_path / part, ignore=ignore)
        else:
            shutil.copy(source, tmp_path / part)
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    (tmp_path / "people.yaml").write_text(CSV_STUDY, encoding="utf-8")
    return tmp_path


def output_of(copy, study, *words):
    line = [sys.executable, "-m", "snakemake", "--configfile", study]
    done = subprocess.run(
        [*line, "--cores", "2", *words],
        cwd=copy,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(copy)},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


PEOPLE_TABLE = "results/people/people/people/1.parquet"


@pytest.mark.long
def test_changed_code_reruns_in_plain_snakemake_what_depends_on_it_and_no_more(copy):
    """Of two rules; which code is whose is in tests/contract/test_reruns.py."""
    made = ["deduplicate", "ingest"]
    assert rules_run(output_of(copy, "people.yaml", PEOPLE_TABLE)) == made
    for module, expected in (
        ("microleak/sources/steps/ingest.py", made),
        ("microleak/sources/steps/deduplicate.py", ["deduplicate"]),
        ("microleak/report/templates/page.css", []),
    ):
        path = copy / module
        before = path.read_text("utf-8")
        remark = "/* changed */" if path.suffix == ".css" else "# changed"
        path.write_text(f"{before}\n{remark}\n", encoding="utf-8")
        planned = output_of(copy, "people.yaml", PEOPLE_TABLE, "--dry-run")
        assert rules_planned(planned) == expected, module
        path.write_text(before, encoding="utf-8")


def planned_by_records(copy):
    """Rules that a run of the small study would execute, without Snakemake's notes."""
    line = [sys.executable, "-m", "microleak", "run", "small.yaml", "--", "--dry-run"]
    env = {**os.environ, "PYTHONPATH": str(copy)}
    done = subprocess.run(
        line, cwd=copy, capture_output=True, text=True, check=False, env=env
    )
    assert done.returncode == 0, done.stderr
    return rules_planned(done.stdout + done.stderr)


@pytest.mark.long
def test_another_domain_or_name_of_a_release_reruns_its_ingest(copy, finished):
    for name in ("small.yaml", "results"):
        source = finished.folder / name
        (shutil.copytree if source.is_dir() else shutil.copy2)(source, copy / name)
    assert planned_by_records(copy) == []
    for path, old, new in (
        ("domains", "TP_SEXO,2014,2020,", "TP_SEXO,2014,2020,9|"),
        ("names", "TP_DEPENDENCIA", "TP_DEPENDENCIAS"),
    ):
        file = copy / "config" / path / "inep_school_census.csv"
        before = file.read_text("utf-8")
        assert old in before
        file.write_text(before.replace(old, new), encoding="utf-8")
        assert "ingest" in planned_by_records(copy), path
        file.write_text(before, encoding="utf-8")
