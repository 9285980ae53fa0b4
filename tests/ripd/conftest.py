"""A study that ran, with every kind of risk that an impact report tells."""

import shutil
from pathlib import Path

import pytest

from microleak.audit.sealed import read_manifest, sealed_text
from microleak.ripd.write import write_ripd
from tests.workflow.conftest import PEOPLE
from tests.workflow.workshop import Workshop, draw_plainly

STUDY = """\
study: people
seed: 3
tables:
  people:
    source: delimited
    options: {person_id: id}
    releases: {"1": {archive: people.csv}}
  asked:
    source: delimited
    releases: {"1": {archive: asked.csv}}
hierarchies: {age: {file: ages.csv}}
protections:
  coarse: {table: people, release: "1", steps: [{generalise: {age: 1}}]}
scenarios:
  clerk: {qids: [age], label: {pt: um servidor, en: a clerk}}
  friend: [sex]
analyses:
  collective:
    - {name: after, table: people, focal: coarse, qids: [age, sex], sensitive: [ill]}
    - {name: before, table: people, focal: "1", qids: [age, sex], sensitive: [ill]}
  membership:
    - name: asked
      population: {table: people, release: "1"}
      sample: {table: asked, release: "1"}
      qids: [age, sex]
  known_protection:
    - {name: known, table: people, focal: coarse, qids: [age, sex], sensitive: [ill]}
  smallest_protection:
    - name: smallest
      table: people
      focal: "1"
      qids: [age]
      sensitive: [ill]
      target: {k: 2}
"""
FILES = {
    "people.csv": PEOPLE,
    "ages.csv": "25;younger\n49;older\n60;older\n",
    "asked.csv": "age,sex\n25,F\n60,M\n",
}

GIVEN = {
    "agents": {"controller": "Órgão <A> & B", "officer": "Maria"},
    "purpose": "Publicar\n\nestatísticas",
    "probability": {"low": "0.01", "high": "1/2"},
    "impact": {"ill": 15},
    "impact_of_reidentification": 10,
}
"""What a study file says for the report; the impact of presence is left open."""


def in_folder(folder, patch):
    patch.chdir(folder)
    for name, text in FILES.items():
        Path(name).write_text(text, encoding="utf-8")


@pytest.fixture(scope="session")
def results(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        draw_plainly(patch)
        in_folder(tmp_path_factory.mktemp("ran"), patch)
        workshop = Workshop(STUDY)
        assert workshop.run()
        return workshop.results.resolve()


def with_manifest(results, folder, **changed):
    """Copy results, with other words in their manifest; return the copy."""
    shutil.copytree(results, folder)
    content = read_manifest(folder)
    content["config"]["content"]["ripd"] = changed.pop("ripd", {})
    (folder / "manifest.json").write_text(
        sealed_text(content | changed), encoding="utf-8"
    )
    return folder


@pytest.fixture(scope="session")
def given(results, tmp_path_factory):
    return with_manifest(results, tmp_path_factory.mktemp("given") / "p", ripd=GIVEN)


@pytest.fixture(scope="session")
def documents(results, given, tmp_path_factory):
    """Files by what the study says and language, and then by their endings."""
    to = tmp_path_factory.mktemp("documents")
    return {
        (name, language): {
            path.suffix[1:]: path for path in write_ripd(folder, to / name, language)
        }
        for name, folder in (("nothing", results), ("given", given))
        for language in ("pt", "en")
    }
