"""Databases rebuilt as the rule's script does it, and when the rule runs."""

import importlib.util
import json
from types import SimpleNamespace

import pandas as pd
import pytest

from microleak.audit.csv_metadata import write_csv_metadata
from microleak.base.paths import ROOT
from microleak.study.load import load_study
from microleak.study.tables import result_tables as specs
from tests.compared import person_file
from tests.workflow.conftest import CSV_STUDY, PEOPLE, Study, rules_planned

BAD_POINTS = tuple(specs()["bad_points"].names)
RECONSTRUCTION = tuple(specs()["reconstruction"].names)

RECONSTRUCTION_PART = """\
analyses:
  reconstruction:
    - name: chance
      attacks: [exponential, linear]
      entries: [8]
      queries: [n*log2(n)**2]
      errors: [1]
      repeats: 2
    - name: persons
      attacks: [least_squares]
      database: {table: people, release: "1", attribute: ill, equals: "yes"}
      entries: [4]
      queries: [all]
      errors: [0]
    - name: points
      entries: [5]
      queries: [n*log2(n)**2]
      errors: [1]
      points: {steps: 3, distance: 0.2, number: 100}
"""
STUDY = CSV_STUDY.replace("analyses:\n", RECONSTRUCTION_PART)
RECORDS = [("yes",), ("no",), ("yes",), (None,)]


def script(name):
    """The module of a rule's script."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def study(tmp_path):
    (tmp_path / "study.yaml").write_text(STUDY, encoding="utf-8")
    return load_study(tmp_path / "study.yaml")


@pytest.fixture
def made(tmp_path, study):
    """Runs the script for an analysis, with what its rule gives it."""
    people = person_file(tmp_path / "1.parquet", ("ill",), RECORDS)

    def make(name):
        analysis = study.analyses["reconstruction"][name]
        tables = ("reconstruction", "bad_points")
        out = SimpleNamespace(**{table: tmp_path / f"{table}.csv" for table in tables})
        settings = {"analysis": analysis.model_dump(), "seed": study.seed}
        given = [people for _ in analysis.needs]
        script("reconstruction").main(given, out, settings, 2000)
        return [pd.read_csv(getattr(out, table)) for table in tables]

    return make


def test_databases_by_chance_are_rebuilt_from_no_file(made):
    rebuilt, points = made("chance")
    assert tuple(rebuilt.columns) == RECONSTRUCTION
    assert rebuilt["attack"].tolist() == ["exponential", "linear"] * 2
    assert rebuilt["is_exact"].tolist() == [True] * 4
    assert (len(points), tuple(points.columns)) == (0, BAD_POINTS)


def test_a_database_of_persons_is_rebuilt_from_their_records(made):
    rebuilt, _ = made("persons")
    assert rebuilt["n_ones"].tolist() == [2]
    assert rebuilt["n_queries"].tolist() == [16]
    assert rebuilt["is_exact"].tolist() == [True]


def test_points_are_counted_in_place_of_an_attack(made):
    rebuilt, points = made("points")
    assert (len(rebuilt), points["n_points"].tolist()) == (0, [100])


def test_the_metadata_say_which_solver_and_whose_databases(tmp_path, study):
    write_csv_metadata(tmp_path / "metadata.json", study)
    content = json.loads((tmp_path / "metadata.json").read_text(encoding="utf-8"))
    notes = {table["url"]: table["notes"] for table in content["tables"]}
    assert notes["reconstruction/persons.csv"][0] == {"data": "released"}
    data, solver = notes["reconstruction/chance.csv"]
    assert data == {"data": "SYNTHETIC"}
    assert solver["solver"]["name"] == "HiGHS"
    assert solver["solver"]["primal_feasibility_tolerance"] == 1e-7
    assert "bad_points/points.csv" in notes


@pytest.mark.workflow
def test_databases_are_rebuilt_once_an_analysis_and_records_read_for_one(tmp_path):
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    study = Study(tmp_path, "people", STUDY)
    process = study.run(words=["--", "--until", "reconstruction", "--dry-run"])
    assert process.returncode == 0, process.output
    planned = rules_planned(process.output)
    assert planned == ["deduplicate", "ingest", *["reconstruction"] * 3]
