"""Targets, and who is in a sample: tables are made, and what is known stays out."""

import hashlib
import json
from fractions import Fraction

import pandas as pd
import pytest

from microleak.audit.manifest import verify
from microleak.study.job_records import text_of
from tests.workflow.conftest import Study, rules_run

pytestmark = pytest.mark.workflow

IN_2014 = """\
id,age,town,ill
1,025,Canaria,no
2,25,Canaria,yes
3,25,B,yes
4,,B,no
"""
IN_2016 = """\
id,age,town
1,027,Canaria
2,27,C
4,,B
"""
ABSENT = "canary-4711"
"""A value that no record has, so that it can come from the study file alone."""

POPULATION = """\
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
FILES = {
    "2014.csv": IN_2014,
    "2016.csv": IN_2016,
    "population.csv": POPULATION,
    "survey.csv": SURVEY,
}
TARGETS = f"""\
study: people
seed: 3
tables:
  people:
    source: delimited
    options: {{person_id: id}}
    releases: {{"2014": {{archive: 2014.csv}}, "2016": {{archive: 2016.csv}}}}
  population:
    source: delimited
    options: {{person_id: id}}
    releases: {{"1": {{archive: population.csv}}}}
  survey: {{source: delimited, releases: {{"1": {{archive: survey.csv}}}}}}
qid_sets: {{all: [age, town]}}
analyses:
  anonymity:
    - {{name: all, table: people, focal: "2014", qids: all, sensitive: [ill]}}
  targets:
    - name: anyone
      table: people
      focal: "2014"
      known: {{town: Canaria}}
      sensitive: [ill]
      further: [age]
    - name: linked
      table: people
      focal: "2014"
      known: {{"2014": {{town: Canaria}}, "2016": {{town: C}}}}
      sensitive: [ill]
    - name: nobody
      table: people
      focal: "2014"
      known: {{age: "{ABSENT}", town: null}}
  membership:
    - name: asked
      population: {{table: population, release: "1"}}
      sample: {{table: survey, release: "1"}}
      qids: [state, sex, age]
      filter: {{year: ["9"]}}
      targets: {{she: {{state: SP, sex: F}}, he: {{state: {ABSENT}, age: null}}}}
report: {{languages: [en]}}
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """The study, run once; its jobs' scripts stay, as a kill would leave them."""
    folder = tmp_path_factory.mktemp("ran")
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    study = Study(folder, "people", TARGETS)
    study.output = study.output_of(words=["--", "--skip-script-cleanup"])
    return study


@pytest.fixture
def own(ran, tmp_path):
    return ran.copy(tmp_path)


def table(study, name):
    path = study.results / f"confidential/targets/{name}.csv"
    return pd.read_csv(path, dtype="str", keep_default_na=False)


def holding(study, text, besides=()):
    """Paths in the study's folder of files with a text, Snakemake's own among them."""
    wanted = (text.encode(), text.encode("utf-16-le"))
    files = [path for path in sorted(study.folder.rglob("*")) if path.is_file()]
    found = [
        path.relative_to(study.folder).as_posix()
        for path in files
        if any(form in path.read_bytes() for form in wanted)
    ]
    return [path for path in found if path not in besides]


def test_every_target_has_its_two_tables(ran):
    found = table(ran, "linked")
    assert list(found["attack"]) == ["IRL", "IAL"]
    assert list(found["block_size"]) == ["1", "1"]
    assert list(found["most_likely"]) == ["", "yes"]
    assert list(table(ran, "anyone-further")["attribute"]) == ["age"]
    assert list(table(ran, "nobody")["outcome"]) == ["no match"]


def test_the_papers_example_of_membership_has_its_numbers_in_the_table(ran):
    table = pd.read_csv(ran.results / "measures/membership/asked.csv")
    (whole,) = table[table["n_qids"] == 3].to_dict("records")
    assert whole["degradation_printed"] == float(Fraction(45, 16))
    assert whole["degradation_partition"] == float(Fraction(65, 48))
    assert whole["degradation_person"] == float(Fraction(85, 48))
    assert (whole["n_population"], whole["n_sample"]) == (10, 4)


def test_each_target_of_membership_has_a_table_of_its_own(ran):
    folder = ran.results / "confidential/membership"
    she, he = (pd.read_csv(folder / f"asked-{t}.csv") for t in ("she", "he"))
    assert list(she["posterior"]) == [1.0]
    assert list(he["outcome"]) == ["no match"]


def test_what_is_learned_next_is_measured_within_the_block(ran):
    row = table(ran, "anyone-further").iloc[0]
    assert (row["block_size"], row["expected_success"]) == ("2", "1.0")


def test_the_manifest_lists_the_tables_and_names_what_is_known(ran):
    manifest = json.loads((ran.results / "manifest.json").read_text("utf-8"))
    listed = {entry["path"] for entry in manifest["outputs"]}
    for name in ("anyone", "linked-further", "nobody"):
        assert f"confidential/targets/{name}.csv" in listed
    assert verify(ran.results) == len(listed)
    told = manifest["config"]["content"]["analyses"]["targets"]
    assert [target["known"] for target in told] == [
        ["town"],
        {"2014": ["town"], "2016": ["town"]},
        ["age", "town"],
    ]


def test_a_known_value_stands_in_the_study_file_alone(ran):
    assert holding(ran, ABSENT) == ["people.yaml"]
    assert ABSENT not in ran.output


def test_a_known_value_that_people_have_stands_with_their_records_alone(ran):
    found = holding(ran, "Canaria", ("people.yaml", "2014.csv", "2016.csv"))
    records = ("results/people/tables/", "results/people/people/")
    records += ("results/people/panels/", "results/.store/")
    assert all(path.startswith(records) for path in found), found
    assert "Canaria" not in ran.output


def test_a_target_does_not_enter_the_report(ran):
    page = (ran.results / "report/index.html").read_text("utf-8")
    assert "nobody" not in page
    assert "Canaria" not in page
    assert not list((ran.results / "report").rglob("*target*"))


def test_the_page_has_the_membership_and_its_tables(ran):
    report = ran.results / "report"
    page = (report / "index.html").read_text("utf-8")
    for table in ("membership", "presence", "uniques"):
        assert (report / f"data/asked-{table}.csv").is_file()
        assert f"data/asked-{table}.csv" in page


READ_KNOWN = {"all", "audit", "member", "publish", "target"}
"""What reads the study file, as it has what is known, and what follows."""


def test_another_known_value_counts_the_targets_again_and_no_profile(own):
    own.change("known: {town: Canaria}", "known: {town: B}")
    done = rules_run(own.output_of())
    assert set(done) == READ_KNOWN
    assert list(table(own, "anyone")["most_likely"]) == ["", "no|yes"]


@pytest.mark.parametrize(
    ("old", "new", "rules"),
    [
        ("{state: SP, sex: F}", "{state: MG, sex: F}", {"report"}),
        ('{year: ["9"]}', '{year: ["8"]}', {"overlap", "membership", "report"}),
    ],
    ids=["another known value", "another filter"],
)
def test_what_is_asked_of_a_sample_reruns_what_follows(own, old, new, rules):
    own.change(old, new)
    assert {*own.planned()} == READ_KNOWN | rules


def test_results_of_a_removed_target_are_removed(own):
    text = own.file.read_text(encoding="utf-8")
    first, last = text.index("    - name: nobody"), text.index("  membership:")
    own.change(text[first:last], "")
    assert own.run().returncode == 0
    left = sorted(p.name for p in (own.results / "confidential/targets").iterdir())
    assert left == [
        *("anyone-further.csv", "anyone.csv"),
        *("linked-further.csv", "linked.csv"),
    ]
    verify(own.results)


def test_a_target_that_fails_does_not_say_what_is_known(own):
    panel, damaged = "panels/people/2014/2016.parquet", b"no panel"
    (own.results / panel).write_bytes(damaged)
    record = own.results / "records/join/people/2014/2016.json"
    # Its record vouches for it, or else it would be made again.
    told = json.loads(record.read_text(encoding="utf-8"))
    told["outputs"][panel] = hashlib.sha256(damaged).hexdigest()
    record.write_text(text_of(told), encoding="utf-8")
    process = own.run()
    assert process.returncode == 1
    assert "2016.parquet cannot be read as Parquet" in process.output
    assert ABSENT not in process.output
    assert holding(own, ABSENT) == ["people.yaml"]


def test_a_value_cut_at_a_comma_is_refused_and_left_nowhere(tmp_path):
    text = TARGETS.replace("{town: Canaria}", f"{{town: Rua X, {ABSENT} 12}}", 1)
    study = Study(tmp_path, "people", text)
    process = study.run()
    assert process.returncode == 1
    assert "the 2nd attribute of known in 2014 is not one of" in process.output
    assert f"{ABSENT} 12" not in process.output
    assert holding(study, f"{ABSENT} 12") == ["people.yaml"]
