"""Releases of a study: which are synthetic, and what was removed of each.

An archive that a twin made is synthetic, however the study file gives it.
"""

import json
import shutil
from pathlib import Path

import pytest

from microleak.study.load import load_study
from microleak.study.releases import removed_table
from microleak.study.tables import result_tables as specs
from papers.twins import write_outpatient

TEXT = """\
study: marked
seed: 7
tables:
  given:
    source: SOURCE
    releases: {RELEASE: {archive: ARCHIVE}}
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


@pytest.mark.parametrize(
    ("archive", "said"),
    [("RR", True), ("tables alone", True), ("empty", False), ("none", False)],
)
def test_the_folder_and_the_tables_of_a_twin_are_synthetic(place, archive, said):
    shutil.copytree("RR", "tables alone", ignore=shutil.ignore_patterns("*.txt"))
    (place / "empty").mkdir()
    found = study("datasus_sia_pa", "RR-2023", archive, "PA_SEXO")
    assert is_synthetic(found) == said


REMOVED = tuple(specs()["removed"].names)


def receipt(study_dir, release, n_read, removed):
    path = study_dir / "tables" / "sia" / f"{release}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"n_read": n_read} | ({} if removed is None else {"removed": removed})
    path.write_text(json.dumps(content), encoding="utf-8")
    return "sia", release, False


def counts(*rows):
    return [
        dict(zip(("attribute", "reason", "n_rows"), row, strict=True)) for row in rows
    ]


def test_a_row_tells_how_many_of_the_rows_read_were_removed_and_why(tmp_path):
    removed = counts(
        ("PA_SEXO", "missing", 0), ("PA_SEXO", "outside", 3), ("", "any", 3)
    )
    releases = [
        receipt(tmp_path, "AC-2023", 8, removed),
        receipt(tmp_path, "RR-2023", 3, counts(("", "any", 1))),
    ]
    assert removed_table(tmp_path, releases).to_dict("split")["data"] == [
        ["sia", "AC-2023", "PA_SEXO", "missing", 0, 0],
        ["sia", "AC-2023", "PA_SEXO", "outside", 3, 3 / 8],
        ["sia", "AC-2023", "", "any", 3, 3 / 8],
        ["sia", "RR-2023", "", "any", 1, pytest.approx(1 / 3)],
    ]


def test_without_sources_that_remove_there_are_only_columns(tmp_path):
    table = removed_table(tmp_path, [receipt(tmp_path, "2018", 8, None)])
    assert (tuple(table.columns), len(table)) == (REMOVED, 0)
