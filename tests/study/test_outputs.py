"""A study's results are those of its own rules, whatever ran before."""

import pytest

from microleak.study.config import load_study
from microleak.study.outputs import outputs_of, remove_leftovers

STUDY = """\
study: demo
seed: 7
tables:
  people:
    source: delimited
    releases:
      1: {archive: people.csv}
      2: {archive: more.csv}
analyses:
  collective:
    - {name: one, table: people, focal: 1, qids: [age]}
"""
OUTPUTS = [
    "figures/one",
    "measures/collective/one.csv",
    "measures/csv-metadata.json",
    "measures/distribution/one.csv",
    "measures/ingest.csv",
    "measures/success/one.parquet",
    "measures/worst/one.csv",
    "people/people/1.json",
    "people/people/1.parquet",
    "profiles/one.parquet",
    "report",
    "tables/people/1.json",
    "tables/people/1.parquet",
]


@pytest.fixture
def study(tmp_path):
    path = tmp_path / "demo.yaml"
    path.write_text(STUDY, encoding="utf-8")
    return load_study(path)


def written(folder, paths):
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(path)


def found(folder):
    return sorted(
        p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()
    )


def test_outputs_are_those_of_the_analyses_and_of_the_releases_they_use(study):
    assert sorted(outputs_of(study)) == OUTPUTS


def test_results_of_removed_analyses_and_releases_go_with_their_folders(
    study, tmp_path
):
    files = [path for path in OUTPUTS if path not in {"figures/one", "report"}]
    own = sorted([*files, "figures/one/success-x.en.svg", "report/index.html"])
    leftovers = [
        *("measures/worst/two.csv", "profiles/two.parquet"),
        *("tables/people/2.parquet", "people/gone/1.json"),
        *("figures/two/success-x.en.svg", "figures/two/.snakemake_timestamp"),
    ]
    folder = tmp_path / "results"
    written(folder, [*own, *leftovers])
    remove_leftovers(folder, outputs_of(study))
    assert found(folder) == own
    assert not (folder / "figures/two").exists()
    assert not (folder / "people/gone").exists()


def test_a_file_that_no_rule_could_have_made_stays(study, tmp_path):
    foreign = [
        *("notes.txt", "measures/notes.csv", "figures/two/notes.txt"),
        *("logs/profile/two.log", "raw/url/people/2", "tables/people/2.txt"),
    ]
    written(tmp_path / "results", foreign)
    remove_leftovers(tmp_path / "results", outputs_of(study))
    assert found(tmp_path / "results") == sorted(foreign)


def test_nothing_beside_the_studys_folder_is_removed(study, tmp_path):
    beside = ["other/profiles/two.parquet", "profiles/two.parquet"]
    written(tmp_path / "results", beside)
    remove_leftovers(tmp_path / "results/demo", outputs_of(study))
    assert found(tmp_path / "results") == sorted(beside)
