"""Who is in a sample, from two files to the tables, and what stays out of sight."""

import shutil
from fractions import Fraction

import pandas as pd
import pytest

from tests.workflow.conftest import Study, rules_planned
from tests.workflow.test_targets import holding

pytestmark = pytest.mark.workflow

PEOPLE = """\
id,state,sex,age,year
1,SP,F,31-40,9
2,MG,F,21-30,9
3,MG,F,21-30,9
4,RJ,M,21-30,9
5,RJ,M,21-30,9
6,RJ,M,21-30,9
7,SP,M,31-40,9
8,SP,M,31-40,9
9,SP,M,31-40,9
10,SP,M,31-40,9
11,SP,F,31-40,8
12,BA,F,,8
"""
"""The population of Rodrigues, section 3.4, and two persons who do not count."""

SURVEY = """\
state,sex,age,year,answer
SP,F,31-40,9,yes
MG,F,21-30,9,no
RJ,M,21-30,9,yes
RJ,M,21-30,9,no
BA,F,,8,no
"""
ABSENT = "canary-4711"
"""A value that no record has, so that it can come from the study file alone."""

MEMBERSHIP = f"""\
study: people
seed: 3
tables:
  people:
    source: delimited
    options: {{person_id: id}}
    releases:
      "1": {{archive: people.csv}}
  survey:
    source: delimited
    releases:
      "1": {{archive: survey.csv}}
analyses:
  collective:
    - {{name: all, table: people, focal: "1", qids: [age, sex]}}
  membership:
    - name: asked
      population: {{table: people, release: "1"}}
      sample: {{table: survey, release: "1"}}
      qids: [state, sex, age]
      filter: {{year: ["9"]}}
      targets: {{she: {{state: SP, sex: F}}, nobody: {{state: {ABSENT}, age: null}}}}
report: {{languages: [en]}}
"""
AFTER_STUDY_FILE = {"all", "audit", "draw", "member", "publish", "report"}


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """The study, run once; its jobs' scripts stay, as a kill would leave them."""
    folder = tmp_path_factory.mktemp("ran")
    (folder / "people.csv").write_text(PEOPLE, encoding="utf-8")
    (folder / "survey.csv").write_text(SURVEY, encoding="utf-8")
    study = Study(folder, "people", MEMBERSHIP)
    process = study.run(words=["--", "--skip-script-cleanup"])
    assert process.returncode == 0, process.output
    study.output = process.output
    return study


@pytest.fixture
def own(ran, tmp_path):
    shutil.copytree(ran.folder, tmp_path, dirs_exist_ok=True)
    return Study(tmp_path, "people", MEMBERSHIP)


def planned(study):
    process = study.run(words=["--", "--dry-run"])
    assert process.returncode == 0, process.output
    return set(rules_planned(process.output))


def test_the_papers_example_has_its_numbers_in_the_table(ran):
    table = pd.read_csv(ran.results / "measures/membership/asked.csv")
    (whole,) = table[table["n_qids"] == 3].to_dict("records")
    assert whole["degradation_printed"] == float(Fraction(45, 16))
    assert whole["degradation_partition"] == float(Fraction(65, 48))
    assert whole["degradation_person"] == float(Fraction(85, 48))
    assert (whole["n_population"], whole["n_sample"]) == (10, 4)


def test_each_target_has_a_table_of_its_own(ran):
    folder = ran.results / "confidential/membership"
    she, nobody = (pd.read_csv(folder / f"asked-{t}.csv") for t in ("she", "nobody"))
    assert list(she["posterior"]) == [1.0]
    assert list(nobody["outcome"]) == ["no match"]


def test_a_known_value_of_somebody_stands_in_the_study_file_alone(ran):
    assert holding(ran, ABSENT) == ["people.yaml"]
    assert ABSENT not in ran.output


def test_the_page_has_the_analysis_and_its_tables(ran):
    report = ran.results / "report"
    page = (report / "index.html").read_text("utf-8")
    for table in ("membership", "presence", "uniques"):
        assert (report / f"data/asked-{table}.csv").is_file()
        assert f"data/asked-{table}.csv" in page


def test_another_filter_reruns_the_overlap_and_what_follows(own):
    own.change('{year: ["9"]}', '{year: ["8"]}')
    assert planned(own) == AFTER_STUDY_FILE | {"overlap", "membership"}


def test_another_known_value_reruns_neither_profile_nor_measures(own):
    own.change("{state: SP, sex: F}", "{state: MG, sex: F}")
    assert planned(own) == AFTER_STUDY_FILE
