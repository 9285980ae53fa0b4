"""A pooled release is attacked as any other, and has the counts of its parts."""

import pandas as pd
import pytest

from tests.workflow.workshop import copied, made_in

pytestmark = pytest.mark.usefixtures("plain_pages")

STUDY = """\
study: people
seed: 3
tables:
  people:
    source: delimited
    releases: {north: {archive: north.csv}, south: {archive: south.csv}}
pooled:
  both: {table: people, releases: [north, south], attribute: region}
analyses:
  collective:
    - name: parts
      table: people
      focal: [north, south]
      qids: [age, sex]
      sensitive: [ill]
    - name: with
      table: people
      focal: both
      qids: [age, sex, region]
      sensitive: [ill]
    - {name: without, table: people, focal: both, qids: [age, sex], sensitive: [ill]}
    - {name: whole, table: one, focal: 1, qids: [age, sex], sensitive: [ill]}
  anonymity:
    - {name: models, table: people, focal: both, qids: [age, sex]}
report: {languages: [en]}
"""
WHOLE = "  one: {source: delimited, releases: {1: {archive: whole.csv}}}\npooled:\n"
TEXT = STUDY.replace("pooled:\n", WHOLE)
NORTH = "25,F,no\n25,F,yes\n49,M,yes\n,M,no\n"
SOUTH = "25,F,no\n49,M,no\n60,,no\n"
COUNTS = ["n_records", "n_blocks", "n_certain", "n_modal"]


@pytest.fixture(scope="module")
def pooled(tmp_path_factory):
    rows = {"north": NORTH, "south": SOUTH, "whole": NORTH + SOUTH}
    files = {f"{name}.csv": f"age,sex,ill\n{text}" for name, text in rows.items()}
    return made_in(tmp_path_factory.mktemp("pooled"), TEXT, files)


@pytest.fixture
def made(pooled, tmp_path, monkeypatch):
    return copied(pooled, tmp_path, TEXT, monkeypatch)


def measured(workshop, name):
    table = pd.read_csv(workshop.results / f"measures/collective/{name}.csv")
    if name == "with":
        table = table[table["qids"].str.contains("region")]
        table = table[table["qids"] != "region"]
        table["qids"] = table["qids"].str.removesuffix("|region")
    table["sensitive"] = table["sensitive"].fillna("")
    return table.set_index(["qids", "sensitive"])[COUNTS].sort_index()


def test_with_the_region_counts_are_the_sums_of_the_parts(made):
    apart = measured(made, "parts-north") + measured(made, "parts-south")
    pd.testing.assert_frame_equal(measured(made, "with"), apart)


def test_without_it_they_are_those_of_one_file(made):
    pd.testing.assert_frame_equal(measured(made, "without"), measured(made, "whole"))


def test_other_families_attack_it_too(made):
    models = pd.read_csv(made.results / "measures/anonymity/models.csv")
    assert set(models["n_records"]) == {7}


def test_a_part_that_changed_is_pooled_again(made):
    (made.file.parent / "south.csv").write_text("age,sex,ill\n25,F,no\n", "utf-8")
    assert "pool" in made.run()
    receipt = (made.results / "people/people/both.json").read_text("utf-8")
    assert '"south": 1' in receipt
    assert made.run() == []
