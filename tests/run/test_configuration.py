"""A study is read from one file: Snakemake's other ways to change it are refused."""

from pathlib import Path

import pytest

from microleak.base.errors import StudyError
from microleak.base.paths import DEFAULT_STUDY, ROOT
from microleak.cli import main
from microleak.study.load import study_file_of
from tests.commands import snakemake
from tests.workflow.conftest import CSV_STUDY, PEOPLE


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(PEOPLE, encoding="utf-8")
    Path("people.yaml").write_text(CSV_STUDY, encoding="utf-8")
    return "people.yaml"


def test_one_file_is_the_study_and_none_the_default_one():
    assert study_file_of(["a.yaml"], {}) == Path("a.yaml")
    assert study_file_of([], {}) == DEFAULT_STUDY


def test_what_would_change_the_study_is_named(files, values, said):
    with pytest.raises(StudyError, match=said):
        study_file_of(files, values)


def test_a_run_takes_no_other_configuration(study, capsys, words):
    assert main(["run", study, "--", *words]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"microleak: {words[0].partition('=')[0]}, after --, would")
    assert said.count("\n") == 1
    assert not Path("results").exists()


@pytest.mark.parametrize("option", ["--profile", "--workflow-profile"])
def test_a_run_takes_no_other_configuration_of_a_profile(
    study, capsys, option, content, found
):
    write_profile(content)
    assert main(["run", study, "--", option, "mine"]) == 1
    said = capsys.readouterr().err.splitlines()[-1]
    assert said == (
        f"microleak: The profile sets {found}, which would change the study: it is "
        "read from people.yaml alone. Remove it from the profile."
    )
    assert not Path("results").exists()


def write_profile(content):
    Path("mine").mkdir()
    Path("mine/config.yaml").write_text(content, encoding="utf-8")


@pytest.mark.workflow
def test_plain_snakemake_takes_no_other_configuration_either(study, words, said):
    write_profile("configfile: people.yaml\nconfig: {seed: 5, study: other}\n")
    done = dry_run(*words)
    assert done.returncode == 1
    assert done.output.count(said) == 1
    assert not Path("results").exists()


@pytest.mark.workflow
def test_plain_snakemake_takes_the_study_file_of_a_profile(study):
    write_profile("configfile: people.yaml\n")
    done = dry_run("--profile", "mine", "--summary")
    assert done.returncode == 0, done.output
    assert "results/people/tables/people/1.parquet" in done.output


def dry_run(*words):
    line = [f"--snakefile={ROOT}/Snakefile", "--cores=1", "-n"]
    return snakemake(*line, *words, folder=Path.cwd())
