"""How a command ends, and how a shell completes its words."""

import os
import shutil
import subprocess
import sys

import pytest

from microleak.cli import command_parser, main
from microleak.cli.parser import SHELLS, commands_of


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
def test_bash_completes_commands_options_values_and_files(
    words, found, tmp_path, capsys
):
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
