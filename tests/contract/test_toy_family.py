"""A new family is a folder, a name in a list, and a rule with its script."""

import json
import os
import re
import shutil
import subprocess
import sys

import pandas as pd
import pytest

from microleak.base.paths import ROOT
from microleak.study.steps import code_of, steps_by_rule
from tests.contract.new_family import LISTS, install
from tests.workflow.conftest import CSV_STUDY

pytestmark = pytest.mark.workflow

STUDY = f"""\
{CSV_STUDY.partition("analyses:")[0].replace("study: people", "study: toys")}\
analyses:
  toy:
    - {{name: ages, table: people, focal: "1", attribute: age}}
report: {{languages: [en]}}
"""
PEOPLE = "id,age\n1,25\n2,25\n3,\n4,60\n"
COPIED = ("microleak", "papers", "workflow", "scripts")
COPIED += ("config", "envs", "docs", "tests")
# What writes, at `make docs`, what git keeps beside a page that nobody edits
MADE = ("microleak.study.load", "tests.contract.stub")
MOST_TOUCHED = 14


def files_in(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    folder = tmp_path_factory.mktemp("house")
    for name in COPIED:
        # What is compiled stays, but for what another process is writing just now.
        ignored = shutil.ignore_patterns("*.tmp.*", "*.pyc.*")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for name in ("Snakefile", "pyproject.toml", "CITATION.cff", "LICENSE"):
        shutil.copyfile(ROOT / name, folder / name)
    before = files_in(folder)
    install(folder, "toy")
    return folder, before


@pytest.fixture(scope="module")
def house(checkout):
    return checkout[0]


def python(house, *arguments, folder=None):
    """Run Python with the copy in the place of this package, and no options of ours."""
    given = {
        name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"
    }
    return subprocess.run(
        [sys.executable, "-P", *arguments],
        cwd=folder or house,
        capture_output=True,
        text=True,
        env=given | {"PYTHONPATH": str(house), "LC_ALL": "C.UTF-8"},
        check=False,
    )


@pytest.fixture(scope="module")
def results(house, tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    (folder / "toys.yaml").write_text(STUDY, encoding="utf-8")
    (folder / "people.csv").write_text(PEOPLE, encoding="utf-8")
    commands = (
        ["run", "toys.yaml"],
        ["verify", "results/toys"],
        ["export", "results/toys", "--format", "json", "--to", "exported"],
    )
    code = f"from microleak.cli import main; print([main(w) for w in {commands}])"
    done = python(house, "-c", code, folder=folder)
    assert done.stdout.endswith("[0, 0, 0]\n"), done.stdout + done.stderr
    return folder / "results/toys"


@pytest.mark.long
def test_its_table_is_made_published_shown_exported_and_listed(results):
    for folder in ("measures", "published"):
        table = pd.read_csv(results / folder / "toy/ages.csv")
        (found,) = table[["n_records", "n_values", "share_alone"]].values.tolist()
        assert found == [4, 3, 0.5]
    page = (results / "report/index.html").read_text(encoding="utf-8")
    assert "By one fact, 50.00% of the records are alone" in page
    assert "The fact has 3 values." in page
    assert "50.0% of the records are alone by age" in page
    assert 'href="data/ages-toy.csv"' in page
    assert (results / "report/data/ages-toy.csv").exists()
    exported = results.parents[1] / "exported/json/ages-toy.json"
    said = "Values that the attribute has, a missing one among them."
    assert said in exported.read_text(encoding="utf-8")
    manifest = json.loads((results / "manifest.json").read_text(encoding="utf-8"))
    listed = {each["path"] for each in manifest["outputs"]}
    assert {"measures/toy/ages.csv", "records/toy/ages.json"} <= listed
    crate = (results / "ro-crate-metadata.json").read_text(encoding="utf-8")
    assert '"#run-toy"' in crate


def test_no_step_of_another_family_has_other_code(house):
    code = (
        "import json; from microleak.study.steps import code_of, steps_by_rule;"
        "print(json.dumps({rule: code_of(rule) for rule in steps_by_rule()}))"
    )
    before = {rule: code_of(rule) for rule in steps_by_rule()}
    after = json.loads(python(house, "-c", code).stdout)
    changed = {rule for rule in before if after[rule] != before[rule]}
    assert changed == {"publish", "report", "audit"}
    assert {*after} - {*before} == {"toy"}


@pytest.mark.long
def test_contract_tests_find_it_by_themselves(house):
    files = ["tests/contract/test_families.py", "tests/contract/test_reruns.py"]
    line = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "", "-k", "toy"]
    done = python(house, *line, *files, "tests/attacks/toy", "microleak/attacks/toy")
    assert done.returncode == 0, done.stdout + done.stderr


def test_it_touches_few_files(checkout):
    folder, before = checkout
    for module in MADE:
        done = python(folder, "-m", module)
        assert done.returncode == 0, done.stderr
    after = files_in(folder)
    touched = sorted(path for path in after if after[path] != before.get(path))
    assert len(touched) <= MOST_TOUCHED, touched


def test_another_name_is_given_everywhere(tmp_path):
    for listed, *_ in LISTS:
        (tmp_path / listed).parent.mkdir()
        (tmp_path / listed).write_bytes((ROOT / listed).read_bytes())
    for path in install(tmp_path, "many_toys"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"(?<!many_)toy\b|Toy\b", text), path
        assert "many_toys" in text or "ManyToys" in text, path
