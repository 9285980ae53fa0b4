"""Snakemake with --sdm conda: one environment, made of one file, runs every job."""

import os
import subprocess
from pathlib import Path

import pytest
import yaml

from envs import conda as writing
from microleak.base.paths import ROOT
from tests.commands import snakemake
from tests.workflow import conda
from tests.workflow.conftest import CSV_STUDY, PEOPLE, Study

FILE = ROOT / "envs/microleak.yaml"


def test_the_environment_has_the_pins_of_the_lock_as_make_lock_writes_them():
    lock = (ROOT / "envs/run.lock").read_text("utf-8")
    assert FILE.read_text("utf-8") == writing.environment(lock)
    *_, given = yaml.safe_load(FILE.read_text("utf-8"))["dependencies"]
    assert given["pip"] == writing.pins(lock)
    assert "envs/conda.py" in (ROOT / "Makefile").read_text("utf-8")


@pytest.fixture
def study(tmp_path, monkeypatch):
    home = tmp_path / "conda"
    conda.put(home / "bin")
    monkeypatch.setenv(conda.HOME, str(home))
    monkeypatch.setenv("PATH", str(home / "bin"), prepend=os.pathsep)
    return study_in(tmp_path / "study")


@pytest.fixture
def here(tmp_path):
    return study_in(tmp_path / "here")


def study_in(folder):
    folder.mkdir()
    (folder / "people.csv").write_text(PEOPLE, encoding="utf-8")
    return Study(folder, "people", CSV_STUDY)


def run_with_conda(study):
    """Run a study with plain Snakemake; return the one environment that was made."""
    asked = ["--cores=2", "--configfile=people.yaml", "--sdm=conda"]
    done = snakemake(f"--snakefile={ROOT}/Snakefile", *asked, folder=study.folder)
    assert done.returncode == 0, done.output
    (made,) = (study.folder / ".snakemake/conda").glob("*.env_setup_done")
    return made.with_suffix("")


def rules_of(environment):
    ran = (environment / conda.RAN).read_text("utf-8").splitlines()
    return [Path(each).name.split(".")[1] for each in ran if "scripts/" in each]


@pytest.mark.long
def test_an_environment_installed_from_the_file_alone_has_all_jobs_need(study, here):
    environment = run_with_conda(study)
    ran = rules_of(environment)
    assert {"ingest", "deduplicate", "measure", "report", "audit"} <= {*ran}
    python = environment / "bin/python"
    subprocess.run([python, "-m", "pip", "check"], check=True)
    # Without the packages of the Python that runs Snakemake, which scripts see too,
    # and without microleak, which lies in the project's folder.
    alone = {n: v for n, v in os.environ.items() if not n.startswith("PYTHON")}
    for snakefile in ("Snakefile", "workflow/Snakefile"):
        subprocess.run(
            [python, "-m", "snakemake", "--cores=1", "--list", "-s", snakefile],
            cwd=ROOT,
            env=alone,
            check=True,
        )
    assert here.run().returncode == 0
    assert study.bytes() == here.bytes()
