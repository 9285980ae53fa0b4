"""Which results membership analyses have, how they are described, what they cost."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from microleak.attacks.membership.jobs import PUBLICATION
from microleak.audit.csv_metadata import write_csv_metadata
from microleak.run.rounds import profile_estimates
from microleak.study.load import load_study
from microleak.study.outdated import outputs_of
from microleak.study.tables import result_tables as specs

MEMBER = tuple(specs()["member"].names)

STUDY = """\
study: demo
seed: 7
tables:
  people:
    source: delimited
    releases:
      1: {archive: people.csv, n_rows: 40000000}
      2: {archive: survey.csv, n_rows: 100000}
analyses:
  collective:
    - {name: one, table: people, focal: 1, qids: [q0]}
  membership:
    - name: asked
      population: {table: people, release: 1}
      sample: {table: people, release: 2}
      qids: [q0, q1, q2, q3, q4, q5, q6, q7, q8, q9, q10]
      targets: {she: {q1: "25"}}
"""
ANONYMITY = """\
  anonymity:
    - name: known
      table: people
      focal: 2
      qids: [q0]
      entity: family
      population: {table: people, release: 1}
"""
KINDS = ("membership", "presence", "uniques")


@pytest.fixture
def study(tmp_path):
    path = tmp_path / "demo.yaml"
    path.write_text(STUDY + ANONYMITY, encoding="utf-8")
    return load_study(path)


def described(study, folder):
    path = folder / "csv-metadata.json"
    write_csv_metadata(path, study)
    content = json.loads(path.read_text(encoding="utf-8"))
    return {table["url"]: table for table in content["tables"]}


def columns(table):
    return tuple(column["name"] for column in table["tableSchema"]["columns"])


def test_a_membership_analysis_has_a_profile_three_tables_and_one_of_each_target(
    study,
):
    own = {
        path for path in outputs_of(study) if "asked" in path and "records" not in path
    }
    assert own == {
        "profiles/asked/overlap.parquet",
        *(f"measures/{kind}/asked.csv" for kind in KINDS),
        "confidential/membership/asked-she.csv",
    }


def test_the_table_of_a_target_is_described_as_confidential(study, tmp_path):
    table = described(study, tmp_path)["../confidential/membership/asked-she.csv"]
    assert table["dc:description"][0]["@value"].startswith("Confidential")
    assert columns(table) == MEMBER


MADE = {"profiles/asked/overlap.parquet"}


def test_the_profile_of_both_tables_is_estimated_by_the_records_of_both(study):
    (line,) = profile_estimates(study, outputs_of(study))
    assert line.startswith("analysis 'asked': the profiles of 2,047 subsets take")
    assert "for about 40,100,000 records" in line


def test_of_a_sample_of_unknown_size_each_million_is_estimated(tmp_path):
    path = tmp_path / "demo.yaml"
    path.write_text(STUDY.replace(", n_rows: 100000", ""), encoding="utf-8")
    (line,) = profile_estimates(load_study(path), MADE)
    assert "for a million records" in line


def test_the_report_knows_whose_values_filter_an_analysis():
    of_girls = SimpleNamespace(filter=("sex",))
    analyses = {"girls": of_girls, "all": SimpleNamespace(filter=())}
    study = SimpleNamespace(analyses={"membership": analyses})
    assert PUBLICATION.facts(study, Path()) == {"filters": {"girls": ["sex"]}}
