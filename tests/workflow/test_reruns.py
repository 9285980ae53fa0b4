"""What changed reruns, with what stands on it, and nothing else."""

import pytest

from tests.workflow.conftest import PEOPLE, rules_run

pytestmark = pytest.mark.workflow
AFTER_PROFILES = ["all", "audit", "draw", "measure", "profile", "report"]
AFTER_PEOPLE = sorted([*AFTER_PROFILES, "count_rows", "deduplicate"])


@pytest.fixture
def done(csv_study):
    process = csv_study.run()
    assert process.returncode == 0, process.output
    return csv_study


def reruns(study):
    process = study.run()
    assert process.returncode == 0, process.output
    return rules_run(process.output)


def test_another_seed_reruns_the_choice_of_records_and_what_follows(done):
    done.change("seed: 3", "seed: 4")
    assert reruns(done) == AFTER_PEOPLE


def test_other_subsets_rerun_the_profiles_and_what_follows(done):
    done.change("qids: [age, sex]", "qids: [age, sex], subsets: full")
    assert reruns(done) == AFTER_PROFILES


def test_another_attribute_reruns_everything_from_ingest(done):
    done.change("qids: [age, sex]", "qids: [age]")
    assert reruns(done) == sorted([*AFTER_PEOPLE, "ingest"])


def test_another_language_reruns_the_pages_only(done):
    done.change("[en]", "[pt, en]")
    assert reruns(done) == ["all", "audit", "draw", "report"]


def test_a_changed_archive_reruns_everything(done):
    (done.folder / "people.csv").write_text(PEOPLE + "7,60,F,no\n", encoding="utf-8")
    assert reruns(done) == sorted([*AFTER_PEOPLE, "ingest"])


def test_an_added_analysis_leaves_the_others_alone(done):
    done.change(
        "report:",
        '    - {name: more, table: people, focal: "1", qids: [sex, ill]}\nreport:',
    )
    assert reruns(done) == AFTER_PROFILES
