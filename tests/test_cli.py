"""The command: what it prints and how it ends."""

import subprocess
import sys
import tempfile

import pytest

import microleak
from microleak.cli import main

PEOPLE = "age;sex;ill\n025;F;no\n25;F;yes\n;M;no\n;M;yes\n"


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE, encoding="utf-8")
    return str(path)


def test_the_command_starts_without_what_only_its_jobs_need():
    heavy = "'duckdb', 'matplotlib', 'numba', 'pandas', 'snakemake'"
    code = f"import sys, microleak.cli; print(*{{{heavy}}} & {{*sys.modules}})"
    line = [sys.executable, "-c", code]
    assert subprocess.run(line, capture_output=True, check=True).stdout == b"\n"


def test_assess_prints_the_measures_of_a_file(people, capsys):
    words = ["--qids", "age,sex", "--sensitive", "ill", "--delimiter", ";"]
    assert main(["assess", people, *words]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("qids,n_qids,sensitive,n_records,n_blocks,n_certain")
    assert lines[1].startswith("age,1,,4,3,2,3,0.0,0.5,0.5,0.25,0.75")
    assert len(lines) == 1 + 3 * 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["assess", "none.csv", "--qids", "a"], "none.csv"),
        (["run", "none.yaml"], "There is no study file none.yaml."),
        (["verify", "none"], "none"),
        (["run", "a.yaml", "--max-memory", "4 apples"], "--max-memory is '4 apples'"),
        (["resume", "a.yaml", "--max-memory", "4"], "must be a number and one of MB"),
        (
            ["run", "a.yaml", "--max-memory", "4GB", "--", "--resources=mem_mb=3"],
            "--resources, after --, would undo --max-memory. Use one of them.",
        ),
        (
            ["run", "a.yaml", "--max-memory=4GB", "--", "--set-resources", "a:b=3"],
            "--set-resources, after --, would undo --max-memory.",
        ),
    ],
)
def test_what_a_user_can_put_right_is_said_in_one_line(words, said, capsys):
    assert main(words) == 1
    error = capsys.readouterr().err
    assert error.startswith("microleak: ")
    assert error.count("\n") == 1
    assert said in error


def test_assess_writes_no_record_to_a_disk(people, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere")
    assert main(["assess", people, "--qids", "age", "--delimiter", ";"]) == 0


def test_a_release_that_its_source_does_not_have_is_said_in_one_line(tmp_path, capsys):
    study = tmp_path / "study.yaml"
    study.write_text(
        "study: a\nseed: 1\n"
        "tables:\n  t: {source: inep_school_census, releases: {1999: {archive: a}}}\n"
        "analyses: {collective: [{name: a, table: t, focal: 1999, qids: [TP_SEXO]}]}\n"
    )
    assert main(["run", str(study)]) == 1
    error = capsys.readouterr().err
    assert "inep_school_census has no release 1999; there are 20" in error
    assert error.count("\n") == 1


def test_an_option_that_cannot_be_is_said_in_one_line(tmp_path, capsys):
    study = tmp_path / "study.yaml"
    study.write_text(
        "study: a\nseed: 1\ntables:\n  t:\n    source: delimited\n"
        "    options: {delimiter: '::'}\n    releases: {1: {archive: a.csv}}\n"
        "analyses: {collective: [{name: a, table: t, focal: 1, qids: [b]}]}\n"
    )
    assert main(["run", str(study)]) == 1
    error = capsys.readouterr().err
    assert "delimiter" in error
    assert error.count("\n") == 1


def test_the_message_of_an_unexpected_error_is_not_shown(people, monkeypatch, capsys):
    def broken(*arguments):
        raise ValueError("secret")

    monkeypatch.setattr(microleak, "assess", broken)
    assert main(["assess", people, "--qids", "age", "--delimiter", ";"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("microleak: microleak.cli.assess:")
    assert "ValueError" in error
    assert "secret" not in error
    assert error.count("\n") == 1


def test_an_interrupt_ends_quietly_with_status_130(people, monkeypatch, capsys):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(microleak, "assess", interrupted)
    assert main(["assess", people, "--qids", "age", "--delimiter", ";"]) == 130
    assert capsys.readouterr().err == ""


def test_a_wrong_column_of_a_file_is_named(people, capsys):
    assert main(["assess", people, "--qids", "agee", "--delimiter", ";"]) == 1
    said = "has no column agee. Correct --qids or --delimiter."
    assert said in capsys.readouterr().err
