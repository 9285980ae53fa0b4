"""Functions on frames need nothing of what the command line alone needs."""

import re
import subprocess
import sys
import tomllib

import pytest

from microleak.base.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
INSTALLED, PIPELINE = (
    {re.match(r"[\w-]+", each)[0] for each in names}
    for names in (
        PROJECT["dependencies"],
        PROJECT["optional-dependencies"]["pipeline"],
    )
)
WITHOUT = f"import sys; sys.modules |= dict.fromkeys({PIPELINE - INSTALLED!r})\n"
"""Hides what `pip install microleak` does not install."""


def run_without(code, *words):
    line = [sys.executable, "-c", WITHOUT + code, *words]
    return subprocess.run(line, check=False, capture_output=True, text=True)


def test_every_function_and_figure_is_there_without_the_pipeline():
    done = run_without(
        "import microleak, pandas\n"
        "from microleak.families import FAMILIES, load\n"
        "for name in microleak.__all__: getattr(microleak, name)\n"
        "for family in FAMILIES: load(family.part)\n"
        "people = pandas.DataFrame({'age': [1, 1, 2], 'ill': ['a', 'b', 'b']})\n"
        "print(microleak.assess(people, ['age'], ['ill'])._repr_html_())\n"
    )
    assert not done.stderr
    assert "<svg" in done.stdout


@pytest.mark.parametrize(
    ("words", "module"),
    [
        (["--print-completion", "bash"], "shtab"),
        (["demo"], "rich"),
        (["--lang", "pt", "init", "people.csv"], "jinja2"),
    ],
)
def test_a_command_that_needs_the_pipeline_says_how_to_install_it(
    tmp_path, monkeypatch, words, module
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("age,sex\n1,F\n2,M\n2,F\n")
    done = run_without("from microleak.cli import main; sys.exit(main())", *words)
    assert done.returncode == 1
    said = rf"microleak: \w+ \w+ .*{module}.*\(pip install 'microleak\[pipeline\]'.*\n"
    assert re.fullmatch(said, done.stderr)
