"""How anonymous a table is, from the files to the tables, and what reruns."""

import pandas as pd
import pytest

from tests.workflow.conftest import PEOPLE, Study, rules_planned

pytestmark = pytest.mark.workflow

EVERYBODY = PEOPLE + "7,25,F,no\n8,49,,no\n9,60,F,no\n"

ANONYMITY = """\
study: people
seed: 3
tables:
  people:
    source: delimited
    options: {person_id: id}
    releases:
      "1": {archive: people.csv}
      "2": {archive: everybody.csv}
analyses:
  collective:
    - {name: people, table: people, focal: "1", qids: [age, sex]}
  anonymity:
    - name: alone
      table: people
      focal: "1"
      qids: [age, sex]
      sensitive: [ill]
      entity: id
      n_population: 60
    - name: among-all
      table: people
      focal: "1"
      qids: [sex]
      sensitive: [ill]
      order: {ill: ["no", "yes"]}
      population: {table: people, release: "2"}
report: {languages: [en]}
"""
UNTIL_MEASURED = ("--until", "anonymity")
"""Of all results, those of the analyses and what they need."""


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    folder = tmp_path_factory.mktemp("anonymity")
    (folder / "people.csv").write_text(PEOPLE, encoding="utf-8")
    (folder / "everybody.csv").write_text(EVERYBODY, encoding="utf-8")
    study = Study(folder, "people", ANONYMITY)
    process = study.run(words=["--", *UNTIL_MEASURED])
    assert process.returncode == 0, process.output
    return study


def test_measures_are_of_one_record_a_person_and_of_all_rows_by_entity(ran):
    """The fourth of six persons has two rows: one counts, but for entities."""
    table = pd.read_csv(ran.results / "measures/anonymity/alone.csv")
    row = table[table["sensitive"].isna()].set_index("qids").loc["age"]
    assert (row["n_records"], row["k_anonymity"], row["n_below_2"]) == (6, 1, 3)
    assert (row["n_entities"], row["k_anonymity_entities"]) == (6, 1)
    assert row["n_entities_below_2"] == 3
    assert row["k_map_estimated"] == 10


def test_a_population_is_another_release(ran):
    """Of two women, three men and one of missing sex it has four, three and two."""
    table = pd.read_csv(ran.results / "measures/anonymity/among-all.csv")
    row = table[table["sensitive"].isna()].iloc[0]
    assert (row["n_population"], row["k_map"]) == (9, 2)
    assert (row["delta_presence_min"], row["delta_presence_max"]) == (0.5, 1)
    ill = table[table["sensitive"] == "ill"].iloc[0]
    assert ill["t_equal"] == ill["t_ordered"]


def test_another_number_of_persons_is_only_measured_again(ran):
    ran.change("n_population: 60", "n_population: 70")
    process = ran.run(words=["--", *UNTIL_MEASURED, "--dry-run"])
    assert process.returncode == 0, process.output
    assert rules_planned(process.output) == ["anonymity"]
