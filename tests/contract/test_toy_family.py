"""A new family is a folder, a name in a list, and a rule with its script."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from microleak.base.paths import ROOT
from microleak.study.steps import code_of, steps_by_rule

pytestmark = pytest.mark.workflow

TOY = Path(__file__).with_name("toy")
STUDY = """\
study: toys
seed: 3
tables:
  people:
    source: delimited
    options: {person_id: id}
    releases:
      "1": {archive: people.csv}
analyses:
  toy:
    - {name: ages, table: people, focal: "1", attribute: age}
report: {languages: [en]}
"""
PEOPLE = "id,age\n1,25\n2,25\n3,\n4,60\n"


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """A copy of the code with the family in it."""
    folder = tmp_path_factory.mktemp("house")
    for name in ("microleak", "papers", "workflow", "scripts", "config", "envs"):
        # What is compiled stays, but for what another process is writing just now.
        ignored = shutil.ignore_patterns("*.tmp.*", "*.pyc.*")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for name in ("Snakefile", "pyproject.toml", "CITATION.cff", "LICENSE"):
        shutil.copyfile(ROOT / name, folder / name)
    own = shutil.ignore_patterns("__pycache__", "toy.smk", "script.txt")
    shutil.copytree(TOY, folder / "microleak/attacks/toy", ignore=own)
    shutil.copyfile(TOY / "toy.smk", folder / "workflow/rules/toy.smk")
    shutil.copyfile(TOY / "script.txt", folder / "scripts/toy.py")
    add(
        folder / "microleak/families.py",
        '    "toy",\n',
        ')\n"""In the order of the page',
    )
    rules = folder / "workflow/Snakefile"
    add(rules, 'include: "rules/toy.smk"\n', 'include: "rules/pages.smk"')
    return folder


def add(file, line, before):
    text = file.read_text(encoding="utf-8")
    assert before in text
    file.write_text(text.replace(before, line + before), encoding="utf-8")


@pytest.fixture(scope="module")
def results(house, tmp_path_factory):
    """Results of a study with an analysis of the family, made by the copy."""
    folder = tmp_path_factory.mktemp("study")
    (folder / "toys.yaml").write_text(STUDY, encoding="utf-8")
    (folder / "people.csv").write_text(PEOPLE, encoding="utf-8")
    commands = (
        ["run", "toys.yaml"],
        ["verify", "results/toys"],
        ["export", "results/toys", "--format", "json", "--to", "exported"],
    )
    code = f"from microleak.cli import main; print([main(w) for w in {commands}])"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        cwd=folder,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(house), "LC_ALL": "C.UTF-8"},
        check=False,
    )
    assert done.stdout.endswith("[0, 0, 0]\n"), done.stdout + done.stderr
    return folder / "results/toys"


def test_its_table_is_made_and_published(results):
    for folder in ("measures", "published"):
        table = pd.read_csv(results / folder / "toy/ages.csv")
        assert table.to_dict("records") == [{"analysis": "ages", "n_values": 3}]


def test_its_part_is_on_the_page_with_its_file(results):
    page = (results / "report/index.html").read_text(encoding="utf-8")
    assert "<h2>A toy family</h2>" in page
    assert "<li>The attribute has 3 values.</li>" in page
    assert 'href="data/ages-toy.csv"' in page
    assert (results / "report/data/ages-toy.csv").exists()


def test_it_is_exported_with_what_its_columns_mean(results):
    exported = results.parents[1] / "exported/json/ages-toy.json"
    text = exported.read_text(encoding="utf-8")
    assert json.loads(text)
    assert "Number of values." in text


def test_the_manifest_lists_its_table_and_the_crate_its_rule(results):
    manifest = json.loads((results / "manifest.json").read_text(encoding="utf-8"))
    listed = {each["path"] for each in manifest["outputs"]}
    assert {"measures/toy/ages.csv", "records/toy/ages.json"} <= listed
    crate = (results / "ro-crate-metadata.json").read_text(encoding="utf-8")
    assert '"#run-toy"' in crate


def test_no_step_of_another_family_has_other_code(house):
    code = (
        "import json; from microleak.study.steps import code_of, steps;"
        "print(json.dumps({rule: code_of(rule) for rule in steps()}))"
    )

    env = os.environ | {"PYTHONPATH": str(house)}
    line = [sys.executable, "-c", code]
    done = subprocess.run(line, cwd=house, capture_output=True, env=env, check=True)
    before, after = (
        {rule: code_of(rule) for rule in steps_by_rule()},
        json.loads(done.stdout),
    )
    changed = {rule for rule in before if after[rule] != before[rule]}
    assert changed == {"publish", "report", "audit"}
    assert {*after} - {*before} == {"toy"}
