"""What a command prints, how it ends, and how a shell completes its words."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from microleak.cli import command_parser, main
from microleak.cli.parser import SHELLS, commands_of
from microleak.report.texts import voice
from microleak.run.watching import OnLines

PEOPLE = 'age,sex,ill\n25,F,no\n25,F,yes\n60,M,no\n61,M,no\n70,M,"\x1b[31m"\n'


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE, encoding="utf-8")
    return str(path)


@pytest.fixture
def printed(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "130")

    def rows(*words):
        assert main([*words]) == 0
        lines = capsys.readouterr().out.splitlines()
        return [" ".join(line.split()) for line in lines if line.strip()]

    return rows


def test_assess_begins_with_what_it_concludes(file, printed):
    rows = printed("assess", file, "--qids", "age,sex", "--sensitive", "ill")
    said = " ".join(rows[: rows.index("Re-identification")])
    found, learnt = (
        "Someone who knows one fact (age) finds 3 of 5 people (60.00%) with certainty.",
        "Someone who knows one fact finds out with certainty 1 (50.00%) of the 2 "
        "people whose value of “ill” is not the most frequent one. The surest: the "
        "only person with",
    )
    assert said.startswith(found)
    assert learnt in said


def test_assess_shows_the_worst_set_first_and_numbers_by_value(file, printed):
    rows = printed("assess", file, "--qids", "sex,age", "--sensitive", "ill")
    first = rows.index("age 3 (60.00%) 80.00% 20.00%")
    assert (
        rows.index("sex 0 (0%) 40.00% 20.00%") > first > rows.index("Re-identification")
    )
    inferred = rows[rows.index("Attribute inference: ill") :]
    assert "age 3 (60.00%) 80.00% 60.00%" in inferred
    assert "With the value “yes” of “ill” 1 0 (0%)" in inferred
    assert rows[-1].startswith("All sets and columns: --format csv.")


def test_headings_are_not_broken_within_a_word(file, printed, monkeypatch):
    monkeypatch.setenv("COLUMNS", "44")
    for lang in ("en", "pt"):
        line = ("assess", file, "--qids", "age,sex", "--sensitive", "ill")
        rows = printed(*line, "--lang", lang)
        words = {word for row in rows for word in row.split()}
        columns = voice(lang).columns("scenarios", "knows", "certain_infer", "guess")
        assert {word for each in columns for word in each.split()} <= words


def test_a_command_that_takes_long_says_how_far_it_is(file, capsys, monkeypatch):
    """In plain lines, also where its output is piped; a quick one says nothing."""
    line = ["assess", file, "--qids", "age,sex", "--lang", "pt"]
    assert main(line) == 0
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(OnLines.__init__, "__defaults__", (0.0, 0.0))
    assert main(line) == 0
    said = capsys.readouterr().err.splitlines()
    parts = {each.removeprefix("microleak: ").partition(":")[0] for each in said}
    assert {"percorrendo subconjuntos", "medindo subconjuntos"} <= parts
    assert all(re.fullmatch(r"microleak: [^:]+: \d+ %.*", each) for each in said)


def test_of_many_sets_the_worst_are_printed(tmp_path, printed):
    path = tmp_path / "people.csv"
    path.write_text(
        "a,b,c,d,e\n"
        + "".join(f"{n % 9},{n % 7},{n % 5},{n % 4},1\n" for n in range(60))
    )
    rows = printed("assess", str(path), "--qids", "a,b,c,d,e")
    assert "and 19 other sets" in rows
    assert rows.index("and 19 other sets") - rows.index("Re-identification") < 18


def test_target_prints_what_is_learned_beside_its_meaning(file, printed):
    words = ("--known", "sex=F", "--sensitive", "ill", "--further", "age")
    rows = printed("target", file, *words)
    assert rows[0] == "What an adversary who knows sex learns"
    assert rows[1] == "Re-identification Attribute inference: ill"
    assert "Records with the known values 2 2" in rows
    assert "Whether it is certain, knowing the values no no" in rows
    assert "Chance to be right about a record, knowing no QID 20.00% 60.00%" in rows
    assert "Chance to be right about a record 50.00% 50.00%" in rows
    assert "Most frequent sensitive values of the block, joined by | no | yes" in rows
    further = rows[rows.index("What would tell most next") :]
    assert "age 2 1 50.00% 0% 2" in further


def test_many_attacks_are_in_several_tables(tmp_path, printed):
    names = [f"s{n}" for n in range(5)]
    path = tmp_path / "people.csv"
    path.write_text(f"a,{','.join(names)}\n1,{','.join('x' * 5)}\n")
    words = ("--known", "a=1", "--sensitive", ",".join(names))
    rows = printed("target", str(path), *words)
    assert rows.count("What an adversary who knows a learns") == 2
    assert all(any(f"inference: {name}" in row for row in rows) for name in names)


def test_nobody_who_fits_leaves_out_what_would_follow(file, printed):
    rows = printed("target", file, "--known", "sex=X", "--sensitive", "ill")
    assert "Records with the known values 0 0" in rows
    assert not any(row.startswith("Whether it is certain") for row in rows)


def test_a_table_has_no_value_that_a_terminal_would_obey(file, printed, capsys):
    rows = printed("target", file, "--known", "age=70", "--sensitive", "ill")
    assert any(row.endswith("�[31m") for row in rows)
    assert not any("\x1b" in row for row in rows)


@pytest.mark.parametrize("words", [("--lang", "pt"), ("--lang=pt",)])
@pytest.mark.parametrize("is_first", [True, False])
def test_tables_are_in_portuguese_where_that_is_asked(file, printed, words, is_first):
    line = ["assess", file, "--qids", "age,sex"]
    rows = printed(*(words + tuple(line) if is_first else tuple(line) + words))
    assert rows[0].startswith("Alguém que conhece uma informação (age) encontra")
    assert "Acerto do melhor palpite" in " ".join(rows)


def test_numbers_are_written_as_the_language_does(tmp_path, printed):
    path = tmp_path / "people.csv"
    path.write_text("age\n" + "".join(f"{n}\n" for n in [*range(1500), *[0] * 6]))
    words = ("assess", str(path), "--qids", "age")
    assert "age 1,499 (99.54%) 99.60% 0.07%" in printed(*words)
    assert "age 1.499 (99,54%) 99,60% 0,07%" in printed(*words, "--lang", "pt")


def test_the_csv_is_the_same_in_every_language(file, capsys):
    outputs = []
    for lang in ("en", "pt"):
        words = ["assess", file, "--qids", "age", "--format", "csv", "--lang", lang]
        assert main(words) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]
    assert outputs[0].startswith("qids,n_qids,sensitive,n_records,")


def test_words_that_a_command_does_not_take_end_it_with_2(words, status, capsys):
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == status
    said = capsys.readouterr()
    assert bool(said.err) == bool(status)
    assert said.err.startswith("usage: microleak" if status else "")


def completion(shell, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--print-completion", shell])
    assert ended.value.code == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_has_a_script_with_every_command_and_option(shell, capsys):
    script = completion(shell, capsys)
    for name, command in commands_of(command_parser()).items():
        assert name in script
        for action in command._actions:
            options = [o for o in action.option_strings if o.startswith("--")]
            assert all(option.removeprefix("--") in script for option in options)


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("re", {"resume"}),
        ("run --max", {"--max-memory"}),
        ("run stu", {"study.yaml"}),
        ("assess a.csv --format ", {"table", "csv"}),
        ("target results --lang ", {"en", "pt"}),
    ],
)
def test_bash_completes_commands_options_values_files(words, found, tmp_path, capsys):
    (tmp_path / "study.yaml").touch()
    (tmp_path / "script").write_text(completion("bash", capsys))
    given = f"microleak {words}".split(" ")
    quoted = " ".join(f"'{word}'" for word in given)
    line = (
        f"source ./script; COMP_WORDS=({quoted}); COMP_CWORD={len(given) - 1}; "
        "_shtab_microleak; printf '%s\\n' ${COMPREPLY[@]}"
    )
    done = subprocess.run(
        ["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert set(done.stdout.split()) == found, done.stderr


def test_a_command_whose_output_nobody_reads_on_ends_without_a_word(tmp_path):
    rows = "".join(f"{n % 7},{n % 11},{n % 13}\n" for n in range(99))
    (tmp_path / "a.csv").write_text(f"x,y,z\n{rows}")
    read, written = os.pipe()
    os.close(read)
    ended = subprocess.run(
        [sys.executable, "-m", "microleak", "assess", "a.csv", "--format", "csv"],
        cwd=tmp_path,
        stdout=written,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(written)
    assert (ended.returncode, ended.stderr) == (141, b"")
