"""A protected release is attacked as any other; what changed reruns, and no more."""

import html
import re

import pandas as pd
import pytest
import yaml

from tests.workflow.conftest import PEOPLE
from tests.workflow.workshop import Workshop, copied, made_in

TOWN = """\
study: people
seed: 3
tables:
  people:
    source: delimited
    options: {person_id: id}
    releases: {"1": {archive: people.csv}}
"""
STUDY = (
    TOWN
    + """\
hierarchies: {age: {file: ages.csv}}
protections:
  coarse: {table: people, release: "1", steps: [{generalise: {age: 1}}]}
  coarser: {table: people, release: coarse, steps: [{drop: [sex]}]}
tabulations:
  - {name: by-age, table: people, attributes: [age, sex], outcome: age}
analyses:
  collective:
    - {name: before, table: people, focal: "1", qids: [age, sex], sensitive: [ill]}
    - {name: after, table: people, focal: coarse, qids: [age, sex], sensitive: [ill]}
  known_protection:
    - {name: known, table: people, focal: coarser, qids: [age, sex], sensitive: [ill]}
  smallest_protection:
    - {name: smallest, table: people, focal: "1", qids: [age], target: {k: 2}}
report: {languages: [en]}
"""
)
AGES = "25;younger\n49;older\n60;older\n"


@pytest.fixture(scope="module")
def protected(tmp_path_factory):
    files = {"people.csv": PEOPLE, "ages.csv": AGES}
    return made_in(tmp_path_factory.mktemp("protected"), STUDY, files)


@pytest.fixture
def made(protected, tmp_path, monkeypatch):
    return copied(protected, tmp_path, STUDY, monkeypatch)


def again(workshop):
    return set(workshop.run())


def table(workshop, kind, name):
    return pd.read_csv(workshop.results / "measures" / kind / f"{name}.csv")


def test_every_family_attacks_what_a_protection_left(made):
    of_all = {}
    for name in ("before", "after"):
        rows = table(made, "collective", name).query("n_qids == 2")
        of_all[name] = rows.sort_values("sensitive", na_position="first")[
            "posterior_prob"
        ].tolist()
    known = table(made, "known_protection", "known")
    assert of_all["after"] <= of_all["before"]
    assert known["posterior_prob_before"].tolist() == of_all["before"]
    changes = pd.read_csv(made.results / "measures/protections.csv")
    assert changes["release"].tolist() == ["coarse", "coarser"]
    tabulated = pd.read_csv(made.results / "measures/tabulations.csv")
    assert tabulated["protection"].tolist() == ["coarse", "coarser"]
    coarse, coarser = tabulated["largest_change"]
    # Nobody's sex is told in the coarser one, and all that it explained is lost.
    assert 0 < coarse < coarser
    pages = [each.read_text("utf-8") for each in made.results.glob("report/*.html")]
    assert any("Largest change of a coefficient" in page for page in pages)
    (search,) = made.results.glob("measures/smallest_protection/*.csv")
    assert pd.read_csv(search)["tables_changed"].str.startswith("by-age:").any()


def test_another_step_reruns_what_stands_on_it_and_nothing_of_the_release(made):
    before = made.bytes()
    made.change("{drop: [sex]}", "{swap: [sex], rate: '0.5'}")
    assert again(made) == {
        *("protect", "protections", "tabulations", "known_protection"),
        *("publish", "report", "audit"),
    }
    now = made.bytes()
    assert before["people/people/coarse.parquet"] == now["people/people/coarse.parquet"]


def test_another_hierarchy_in_a_file_reruns_what_uses_it(made):
    (made.file.parent / "ages.csv").write_text(
        AGES.replace("49;older", "49;younger"), encoding="utf-8"
    )
    done = again(made)
    assert done > {"protect", "tabulations", "known_protection", "smallest_protection"}
    assert not done & {"ingest", "deduplicate"}


def test_what_is_made_once_is_not_made_again(made):
    assert not again(made)


SEARCH = (
    TOWN
    + """\
hierarchies: {age: {file: ages.csv}, sex: {}}
scenarios: {somebody: [age, sex]}
analyses:
  collective:
    - {name: before, table: people, focal: "1", qids: [age, sex], sensitive: [ill]}
  smallest_protection:
    - {name: smallest, table: people, focal: "1", qids: [age, sex], sensitive: [ill],
       target: {alone: "0.2"}}
report: {languages: [en]}
"""
)


def test_what_the_page_prints_makes_the_release_that_it_promises(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for file, content in {"people.csv": PEOPLE, "ages.csv": AGES}.items():
        (tmp_path / file).write_text(content, encoding="utf-8")
    made = Workshop(SEARCH)
    made.run()
    page = (made.results / "report/index.html").read_text("utf-8")
    (printed,) = re.findall(r"protections:\n  smallest-protected:.*?(?=</)", page, re.S)
    section = yaml.safe_load(html.unescape(printed))
    study = yaml.safe_load(SEARCH)
    study["protections"] = section["protections"]
    study["analyses"]["collective"] += section["analyses"]["collective"]
    made.file.write_text(yaml.safe_dump(study), encoding="utf-8")
    made.run()
    promised = table(made, "smallest_protection", "smallest").query("is_answer")
    after = table(made, "collective", "smallest-after")
    whole = after[after["n_qids"] == after["n_qids"].max()]
    assert whole["n_certain"].tolist() == promised["n_certain"].tolist()
    assert whole["focal"].eq("smallest-protected").all()
    values = table(made, "values", "smallest-after")
    exposed = table(made, "exposed", "smallest").query("is_answer")
    whole_values = values[values["n_qids"] == values["n_qids"].max()]
    assert whole_values["n_certain"].tolist() == exposed["n_certain"].tolist()
