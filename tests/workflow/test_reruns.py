"""What changed reruns, with what stands on it, and nothing else."""

import pytest

from tests.workflow.conftest import CSV_STUDY, PEOPLE, Study, rules_planned

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
    return finished_csv.copy(tmp_path)


def would_rerun(study, *words):
    """Names of the rules that a run would execute, with `all`; it runs nothing."""
    process = study.run(words=["--", *words, "--dry-run"])
    assert process.returncode == 0, process.output
    return rules_planned(process.output)


@pytest.mark.long
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


def test_a_dry_run_removes_nothing(done):
    path = done.results / "measures/worst/people.csv"
    path.write_text("edited", encoding="utf-8")
    process = done.run(words=["--", "--dry-run"])
    assert process.returncode == 0
    assert "the report is" not in process.output
    assert path.read_text("utf-8") == "edited"
