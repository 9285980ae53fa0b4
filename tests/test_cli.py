"""The command: what it prints and how it ends."""

import pytest

from microleak.cli import main

PEOPLE = "age;sex;ill\n025;F;no\n25;F;yes\n;M;no\n;M;yes\n"


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE, encoding="utf-8")
    return str(path)


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
    ],
)
def test_what_a_user_can_put_right_is_said_in_one_line(words, said, capsys):
    assert main(words) == 1
    error = capsys.readouterr().err
    assert error.startswith("microleak: ")
    assert error.count("\n") == 1
    assert said in error


def test_a_wrong_column_of_a_file_is_named(people, capsys):
    assert main(["assess", people, "--qids", "agee", "--delimiter", ";"]) == 1
    assert "agee" in capsys.readouterr().err
