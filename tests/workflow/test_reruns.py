"""What changed reruns, with what stands on it, and nothing else."""

import os

import pytest

from tests.workflow.conftest import CSV_STUDY, PEOPLE, Study, rules_planned, rules_run

pytestmark = pytest.mark.workflow
AFTER_PROFILES = [
    *("all", "audit", "compare", "draw", "entropy", "importance", "measure", "profile"),
    *("publish", "report"),
]
AFTER_PEOPLE = sorted([*AFTER_PROFILES, "count_rows", "deduplicate", "states"])
EVERYTHING = sorted([*AFTER_PEOPLE, "ingest"])
TABLE = "results/people/tables/people/1.parquet"
FOLDER_STUDY = CSV_STUDY.replace("archive: people.csv", "archive: data")


def run_once(folder, text, words=()):
    """A study whose archive can be a file or a folder, run once."""
    (folder / "data" / "inner").mkdir(parents=True)
    for path in (folder / "people.csv", folder / "data/inner/people.csv"):
        path.write_text(PEOPLE, encoding="utf-8")
    study = Study(folder, "people", text)
    process = study.run(words=words)
    assert process.returncode == 0, process.output
    return study


@pytest.fixture(scope="module")
def finished_csv(tmp_path_factory):
    return run_once(tmp_path_factory.mktemp("csv"), CSV_STUDY)


@pytest.fixture
def done(finished_csv, tmp_path):
    """A finished study of one's own, with the times of its files."""
    return finished_csv.copy(tmp_path)


def would_rerun(study, *words):
    """Names of the rules that a run would execute, with `all`; it runs nothing."""
    process = study.run(words=["--", *words, "--dry-run"])
    assert process.returncode == 0, process.output
    return rules_planned(process.output)


def test_another_seed_reruns_the_choice_of_records_and_what_follows(done):
    done.change("seed: 3", "seed: 4")
    assert would_rerun(done) == AFTER_PEOPLE


def test_other_subsets_rerun_the_profiles_and_what_follows(done):
    done.change("qids: [age, sex]", "qids: [age, sex], subsets: full")
    assert would_rerun(done) == AFTER_PROFILES


def test_another_attribute_reruns_everything_from_ingest(done):
    done.change("qids: [age, sex]", "qids: [age]")
    assert would_rerun(done) == EVERYTHING


def test_another_language_reruns_the_pages_only(done):
    done.change("[en]", "[pt, en]")
    assert would_rerun(done) == ["all", "audit", "draw", "publish", "report"]


def test_a_changed_archive_reruns_everything(done):
    (done.folder / "people.csv").write_text(PEOPLE + "7,60,F,no\n", encoding="utf-8")
    assert would_rerun(done) == EVERYTHING


def test_an_archive_replaced_by_an_older_file_reruns_everything(done):
    archive = done.folder / "people.csv"
    archive.write_text(PEOPLE.replace("60", "61"), encoding="utf-8")
    os.utime(archive, (1_000_000_000, 1_000_000_000))
    assert would_rerun(done) == EVERYTHING


def test_of_a_part_of_the_results_that_is_there_microleak_says_so(done):
    process = done.run(words=["--", "results/people/measures/worst/people.csv"])
    assert process.returncode == 0
    assert "everything is up to date" in process.output


def test_a_file_edited_inside_a_folder_of_an_archive_is_read_again(tmp_path):
    study = run_once(tmp_path, FOLDER_STUDY, ["--", TABLE])
    assert would_rerun(study, TABLE) == []
    path = tmp_path / "data/inner/people.csv"
    path.write_text(PEOPLE.replace("60", "61"), encoding="utf-8")
    assert would_rerun(study, TABLE) == ["ingest"]


BETWEEN = (
    "people/people/1.parquet",
    "profiles/people/1.parquet",
    "measures/worst/people.csv",
    "measures/comparison.csv",
    "measures/importance/people.csv",
)
"""Results that Snakemake does not miss once the last ones are there."""


def test_results_in_between_that_are_gone_are_made_again(done):
    before = done.bytes()
    for path in BETWEEN:
        (done.results / path).unlink()
    assert done.run().returncode == 0
    assert done.bytes() == before


def test_a_dry_run_removes_nothing(done):
    path = done.results / "measures/worst/people.csv"
    path.write_text("edited", encoding="utf-8")
    process = done.run(words=["--", "--dry-run"])
    assert process.returncode == 0
    assert "the report is" not in process.output
    assert path.read_text("utf-8") == "edited"


def test_edited_results_are_made_again(done):
    before = done.bytes()
    for path in (BETWEEN[-1], "report/index.html"):
        with (done.results / path).open("ab") as file:
            file.write(b"x")
    process = done.run()
    assert "2 steps are done again: importance people (changed results)" in (
        process.output
    )
    assert {"importance", "report", "audit"} <= set(rules_run(process.output))
    assert done.bytes() == before
