"""What changed reruns, code too, with what stands on it, and nothing else."""

import os
import shutil
import subprocess
import sys

import pytest

from microleak.base.paths import ROOT
from tests.examples import long
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
    study.output_of(words=words)
    return study


@pytest.fixture(scope="module")
def finished_csv(tmp_path_factory):
    return run_once(tmp_path_factory.mktemp("csv"), CSV_STUDY)


@pytest.fixture
def done(finished_csv, tmp_path):
    return finished_csv.copy(tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "rules"),
    [
        *long(
            ("seed: 3", "seed: 4", AFTER_PEOPLE),
            ("qids: [age, sex]", "qids: [age, sex], subsets: full", AFTER_PROFILES),
        ),
        ("qids: [age, sex]", "qids: [age]", EVERYTHING),
        ("[en]", "[pt, en]", ["all", "audit", "draw", "publish", "report"]),
    ],
)
def test_another_setting_reruns_what_depends_on_it(done, old, new, rules):
    done.change(old, new)
    assert done.planned() == rules


LABELS = """report:
  languages: [en]
  labels:
    ill: {label: {en: illness, pt: doença}, values: {"yes": {en: a cold}}}
    sex: {label: sex at birth}
"""


def test_labels_of_the_study_file_stand_in_its_report(done):
    done.change("report: {languages: [en]}\n", LABELS)
    assert done.planned() == ["all", "audit", "draw", "publish", "report"]
    done.output_of()
    told = (done.results / "report/index.html").read_text("utf-8")
    assert "with the value “a cold” of “illness”" in told
    assert "With the value “a cold” of “illness” (yes)" in told
    assert "sex at birth (sex)" in told
    assert "doença" not in told and "“ill”" not in told
    (svg,) = done.results.glob("figures/*/success-inference-ill.en.svg")
    assert "illness" in svg.read_text("utf-8")


def test_of_a_part_of_the_results_that_is_there_microleak_says_so(done):
    process = done.run(words=["--", "results/people/measures/worst/people.csv"])
    assert process.returncode == 0
    assert "everything is up to date" in process.output


def test_a_file_edited_inside_a_folder_of_an_archive_is_read_again(tmp_path):
    study = run_once(tmp_path, FOLDER_STUDY, ["--", TABLE])
    assert study.planned(TABLE) == []
    path = tmp_path / "data/inner/people.csv"
    path.write_text(PEOPLE.replace("60", "61"), encoding="utf-8")
    assert study.planned(TABLE) == ["ingest"]


def test_a_dry_run_removes_nothing(done):
    path = done.results / "measures/worst/people.csv"
    path.write_text("edited", encoding="utf-8")
    process = done.run(words=["--", "--dry-run"])
    assert process.returncode == 0
    assert "the report is" not in process.output
    assert path.read_text("utf-8") == "edited"


PARTS = (
    *("microleak", "papers", "scripts", "workflow", "config", "envs", "profiles"),
    "Snakefile",
)


@pytest.fixture
def copy(tmp_path, finished):
    """The project with what was compiled, which a finished study is sure to have."""
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            # But for what another process is writing just now.
            ignore = shutil.ignore_patterns("*.tmp.*", "*.pyc.*")
            shutil.copytree(source, tmp_path / part, ignore=ignore)
        else:
            shutil.copy(source, tmp_path / part)
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    (tmp_path / "people.yaml").write_text(CSV_STUDY, encoding="utf-8")
    return tmp_path


def output_of(copy, study, *words):
    line = [sys.executable, "-m", "snakemake", "--configfile", study]
    done = subprocess.run(
        [*line, "--cores", "2", *words],
        cwd=copy,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(copy)},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


PEOPLE_TABLE = "results/people/people/people/1.parquet"


@pytest.mark.long
def test_changed_code_reruns_in_plain_snakemake_what_depends_on_it_and_no_more(copy):
    """Of two rules; which code is whose is in tests/contract/test_reruns.py."""
    made = ["deduplicate", "ingest"]
    assert rules_run(output_of(copy, "people.yaml", PEOPLE_TABLE)) == made
    for module, expected in (
        ("microleak/sources/steps/ingest.py", made),
        ("microleak/sources/steps/deduplicate.py", ["deduplicate"]),
        ("microleak/report/templates/page.css", []),
    ):
        path = copy / module
        before = path.read_text("utf-8")
        remark = "/* changed */" if path.suffix == ".css" else "# changed"
        path.write_text(f"{before}\n{remark}\n", encoding="utf-8")
        planned = output_of(copy, "people.yaml", PEOPLE_TABLE, "--dry-run")
        assert rules_planned(planned) == expected, module
        path.write_text(before, encoding="utf-8")
