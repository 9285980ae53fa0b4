"""The example on plain CSV files: how its files are made, and what it shows."""

import csv
import subprocess
import sys

import pytest

from microleak.paths import CONFIG, ROOT
from microleak.sources.definition import source_definition
from microleak.sources.marks import is_marked
from microleak.study.config import load_study
from tests.docs.pages import text

EXAMPLE = CONFIG / "examples" / "delimited-demo"
RELEASES = ("survey-2023", "town-2022", "town-2023")


def rows(name):
    with (EXAMPLE / name / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=";"))


def test_the_program_beside_the_files_makes_their_bytes_again(tmp_path):
    command = [sys.executable, EXAMPLE / "make.py", tmp_path]
    subprocess.run(command, check=True, timeout=60)
    assert sorted(path.name for path in tmp_path.iterdir()) == list(RELEASES)
    for made in tmp_path.rglob("*.*"):
        assert made.read_bytes() == (EXAMPLE / made.relative_to(tmp_path)).read_bytes()


def test_the_study_has_an_analysis_of_every_kind(monkeypatch):
    monkeypatch.chdir(ROOT)
    study = load_study(CONFIG / "examples" / "delimited-demo.yaml")
    assert study.collective
    assert study.targets
    assert study.membership
    assert study.anonymity
    assert study.mechanism
    assert study.reconstruction


@pytest.mark.parametrize("name", RELEASES)
def test_its_releases_are_known_to_be_synthetic(name):
    assert is_marked(EXAMPLE / name, source_definition("delimited", "2023", {}))


def test_the_page_tells_the_numbers_of_the_files():
    known = [
        (row["sex"], row["birth_year"], row["district"]) for row in rows("survey-2023")
    ]
    n_alone = sum(known.count(values) == 1 for values in known)
    census = rows("town-2022")
    n_persons = len({row["person"] for row in census})
    page = text("docs/own-file.md")
    assert f"finds {n_alone} of the {len(known)} persons alone" in page
    assert f"here {len(census) - n_persons} of {len(census)} in 2022" in page
    assert f"of {n_persons} persons of 2022" in page
