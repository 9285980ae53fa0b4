"""The layout that the Snakemake workflow catalogue asks of standard usage."""

import shutil

import pytest
import yaml

from microleak.base.paths import ROOT
from tests.commands import microleak, snakemake
from tests.workflow.conftest import rules_run


def test_the_catalogue_finds_what_it_asks_for():
    assert (ROOT / "workflow/Snakefile").is_file()
    assert (ROOT / "config/README.md").is_file()
    told = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text("utf-8"))
    usage = told["usage"]
    assert usage["report"] is True
    assert usage["software-stack-deployment"]["conda"] is True
    option, study = usage["mandatory-flags"]["flags"].split()
    assert option == "--configfile"
    assert (ROOT / study).is_file()


def test_what_snakedeploy_gives_a_module_names_a_study():
    given = yaml.safe_load((ROOT / "config/config.yaml").read_text("utf-8"))
    assert [*given] == ["study_file"]
    assert (ROOT / given["study_file"]).is_file()


@pytest.mark.workflow
def test_the_study_for_continuous_integration_runs_to_its_report(tmp_path):
    folder = tmp_path / "test"
    shutil.copytree(ROOT / ".test", folder, ignore=shutil.ignore_patterns("results"))
    study = (folder / "config/study.yaml").read_text("utf-8")
    (command,) = (line for line in study.splitlines() if "snakemake --cores" in line)
    words = command.removeprefix("#").replace(".test", str(folder)).split()
    assert words.pop(0) == "snakemake"
    done = snakemake(*words, "--until", "ingest", folder=ROOT)
    assert done.returncode == 0, done.output
    assert rules_run(done.output) == ["ingest", "synthesise"]
    done = microleak("run", "config/study.yaml", folder=folder)
    assert done.returncode == 0, done.output
    page = (folder / "results/test/report/index.html").read_text("utf-8")
    assert "SYNTHETIC" in page
