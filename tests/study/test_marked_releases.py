"""An archive that a twin made is synthetic, however the study file gives it."""

import shutil
from pathlib import Path

import pytest

from microleak.study.load import load_study
from papers.twins import write_outpatient

TEXT = """\
study: marked
seed: 7
tables:
  given:
    source: SOURCE
    releases:
      RELEASE: {archive: ARCHIVE}
analyses:
  collective:
    - {name: one, table: given, focal: RELEASE, qids: [QID], sensitive: []}
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    write_outpatient(folder / "RR", "RR", 2023, 1200, seed=7)
    return folder


@pytest.fixture
def place(made, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path


def study(source, release, archive, qid):
    given = {"SOURCE": source, "RELEASE": release, "ARCHIVE": archive, "QID": qid}
    text = TEXT
    for word, value in given.items():
        text = text.replace(word, value)
    path = Path("marked.yaml")
    path.write_text(text, encoding="utf-8")
    return load_study(path)


def is_synthetic(found):
    (release,) = [r for table in found.tables.values() for r in table.releases.values()]
    said = found.is_synthetic_analysis(found.analyses["collective"]["one"])
    assert said == found.is_synthetic_release("given", release.name)
    assert said == release.is_synthetic
    return said


def outpatient(archive):
    return study("datasus_sia_pa", "RR-2023", archive, "PA_SEXO")


@pytest.mark.usefixtures("place")
def test_the_folder_of_a_twin_is_synthetic():
    assert is_synthetic(outpatient("RR"))


def test_the_tables_of_a_twin_alone_are_synthetic(place):
    for file in (place / "RR").glob("*.txt"):
        file.unlink()
    assert is_synthetic(outpatient("RR"))


def test_a_folder_of_other_files_and_one_that_is_not_there_are_not(place):
    (place / "empty").mkdir()
    assert not is_synthetic(outpatient("empty"))
    assert not is_synthetic(outpatient("none"))
