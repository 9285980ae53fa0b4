"""Records are told of their households, and a study that cannot be is refused."""

import re

import pandas as pd
import polars as pl
import pytest

import microleak
from microleak.base.errors import StudyError, TableError
from microleak.study_file.yaml import read_yaml
from tests.study_file.given import loaded, refused
from tests.workflow.workshop import Workshop

pytestmark = pytest.mark.usefixtures("plain_pages")

STUDY = """\
study: homes
seed: 3
tables:
  people: {source: delimited, releases: {2022: {archive: people.csv}}}
  homes: {source: delimited, releases: {2022: {archive: homes.csv}}}
units:
  neighbours:
    table: people
    release: 2022
    unit: home
    facts:
      members: {of: [sex, age]}
      n_members: {}
      others_ill: {where: {ill: ["yes"]}, others: true}
      ill_there: {where: {ill: ["yes"]}, others: true, whether: true}
    joined: [{table: homes, release: 2022, unit: number, attributes: [rooms]}]
analyses:
  collective:
    - {name: one, table: people, focal: neighbours, qids: [members, rooms, n_members],
       sensitive: [others_ill, ill_there]}
report: {languages: [en]}
"""
PEOPLE = """\
home,sex,age,ill
1,M,40,no
1,F,38,yes
2,F,70,yes
3,M,40,no
3,F,38,no
,M,30,yes
"""
HOMES = "number,rooms\n3,5\n1,2\n9,7\n"


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    (tmp_path / "homes.csv").write_text(HOMES, encoding="utf-8")
    return tmp_path


@pytest.mark.workflow
def test_a_study_tells_each_record_of_its_household(files):
    workshop = Workshop(STUDY)
    assert "units" in workshop.run()
    told = pd.read_parquet(workshop.results / "people/people/neighbours.parquet")
    names = ["members", "rooms", "n_members", "others_ill", "ill_there"]
    rows = sorted(told.fillna("")[names].values.tolist())
    couple = "(F,38)(M,40)"
    assert rows == [
        [couple, "2", "2", "0", "no"],
        [couple, "2", "2", "1", "yes"],
        [couple, "5", "2", "0", "no"],
        [couple, "5", "2", "0", "no"],
        ["(F,70)", "", "1", "0", "no"],
        ["(M,30)", "", "1", "0", "no"],
    ]
    counts = read_yaml(workshop.results / "people/people/neighbours.json")
    assert (counts["n_units"], counts["n_without_unit"]) == (4, 1)
    assert not workshop.run()


@pytest.mark.workflow
def test_two_lines_of_one_household_are_not_joined(files):
    (files / "homes.csv").write_text(HOMES + "1,4\n", encoding="utf-8")
    with pytest.raises(AssertionError, match="1 record too many, with the number"):
        Workshop(STUDY).run()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("members: {of", "age: {of", "has an attribute age of its own"),
        ("attributes: [rooms]", "attributes: [members]", "members is told twice"),
        ("neighbours:\n", "2022:\n", "has the name of a release of people"),
        ("    release: 2022\n    unit", "    release: 2021\n    unit", "no release"),
        ("others: true, whether", "of: [sex], whether", "has of and whether"),
        ("unit: home\n", "unit: members\n", "has an attribute members of its own"),
    ],
)
def test_units_that_cannot_be_are_refused(files, old, new, words):
    assert old in STUDY
    refused(files, STUDY.replace(old, new), words)


def test_frames_of_any_kind_are_told_the_same():
    people = pd.DataFrame({"home": [1, 1, 2], "sex": ["M", None, "F"], "n": [1, 2, 2]})
    facts = {
        "members": {"of": ["sex", "n"]},
        "two": {"where": {"n": [2]}, "whether": True},
    }
    told = microleak.unit_facts(people, "home", facts)
    assert told["members"].tolist() == ["(-,2)(M,1)"] * 2 + ["(F,2)"]
    assert told["two"].tolist() == ["yes"] * 3
    other = microleak.unit_facts(pl.from_pandas(people), "home", facts)
    assert other["members"].to_list() == told["members"].tolist()
    assert [*people] == ["home", "sex", "n"]


@pytest.mark.parametrize(
    ("facts", "error", "words"),
    [
        ({"sex": {}}, StudyError, "the frame has a column sex"),
        ({"a": {"of": ["agee"]}}, TableError, "agee"),
        ({"a": {"of": [3]}}, TableError, "no column 3"),
        ({"a": {"off": ["age"]}}, StudyError, "off"),
        (
            {"a": {"where": {"sex": "M"}}},
            StudyError,
            "a: where of sex is a list",
        ),
        ({"a": {"where": {"sex": ["X"]}}}, TableError, "no record has 'X' in sex, so"),
    ],
)
def test_facts_that_cannot_be_are_refused(facts, error, words):
    people = pd.DataFrame({"home": [1], "sex": ["M"]})
    with pytest.raises(error, match=re.escape(words)):
        microleak.unit_facts(people, "home", facts)


def test_a_joined_release_of_units_is_made_before_whatever_joins_it(files):
    """Tables stand in another order than what is made of them."""
    homes = (
        "  homed: {table: homes, release: 2022, unit: rooms, facts: {n_homes: {}}}\n"
    )
    text = STUDY.replace("units:\n", f"units:\n{homes}")
    text = text.replace(
        "release: 2022, unit: number, attributes: [rooms]",
        "release: homed, unit: number, attributes: [n_homes]",
    )
    study = loaded(files, text.replace("members, rooms, n_m", "members, n_homes, n_m"))
    assert study.of_units == (("homes", "homed"), ("people", "neighbours"))


def test_what_is_made_of_synthetic_records_is_synthetic(files):
    (files / "homes.csv").unlink()
    (files / "homes").mkdir()
    (files / "homes/homes.csv").write_text(HOMES, encoding="utf-8")
    (files / "homes/LEIA-ME-SINTETICO.txt").write_text("made up", encoding="utf-8")
    again = (
        "  again: {table: people, release: neighbours, unit: home, facts: {k: {}}}\n"
    )
    text = STUDY.replace("homes.csv", "homes").replace("analyses:", f"{again}analyses:")
    study = loaded(files, text)
    made = ("2022", "neighbours", "again")
    marked = [n for n in made if study.is_synthetic_release("people", n)]
    assert marked == ["neighbours", "again"]


def test_facts_of_what_was_drawn_anew_are_drawn_anew(files):
    step = "{swap: [COLUMN], rate: '0.1'}"
    made_of = f"{{table: people, release: 2022, steps: [{step}]}}"
    swapped = f"protections:\n  s: {made_of}\n"
    text = STUDY.replace("units:\n", f"{swapped}units:\n", 1)
    text = text.replace(
        "    release: 2022\n    unit: home", "    release: s\n    unit: home"
    )
    for column, made in (("sex", {"members"}), ("home", {"members", "rooms"})):
        study = loaded(files, text.replace("COLUMN", column))
        drawn = {name for _, name in study.tables["people"].drawn_anew("neighbours")}
        assert made | {column} <= drawn


def test_the_smallest_protection_of_facts_of_units_is_refused(files):
    """They are made again from any release of the records."""
    keys = "name: s, table: people, focal: neighbours, qids: [members], target: {k: 2}"
    search = f"  smallest_protection:\n    - {{{keys}}}\n"
    text = STUDY.replace("report:", f"{search}report:")
    text = text.replace("units:\n", "hierarchies: {members: {}}\nunits:\n", 1)
    refused(files, text, "neighbours has facts of units, which are made again from any")


def test_units_of_pooled_releases_are_refused(files):
    """A number may be another household's in each of them."""
    pool = (
        "pooled:\n  all_of: {table: people, releases: [2021, 2022], attribute: year}\n"
    )
    text = STUDY.replace(
        "{2022: {archive: people.csv}}",
        "{2021: {archive: a.csv}, 2022: {archive: people.csv}}",
    )
    text = text.replace("units:\n", f"{pool}units:\n", 1)
    text = text.replace(
        "    release: 2022\n    unit: home", "    release: all_of\n    unit: home"
    )
    refused(files, text, "all_of is pooled, and the same home may be another unit")
