"""Noisy counts from records to tables, as the rules' scripts make them."""

import importlib.util
from dataclasses import asdict
from types import SimpleNamespace

import pandas as pd
import pytest

from microleak.base.paths import ROOT
from microleak.study.load import load_study
from tests.compared import person_file
from tests.workflow.conftest import CSV_STUDY, PEOPLE, Study, rules_planned

MECHANISM = """\
analyses:
  mechanism:
    - name: noisy
      table: people
      focal: "1"
      filter: {sex: [F, null]}
      sensitive: ill
      useful: age
      predicate: {greater: "24"}
      models: [oblivious, local]
      epsilons: [ln 3]
      samples: {number: 3, size: 2}
      simulated: {draws: 1000}
    - {name: map, table: people, focal: "1", attributes: [sex, ill], epsilons: [ln 3]}
"""
STUDY = CSV_STUDY.replace("analyses:\n", MECHANISM)
RECORDS = [
    ("25", "F", "no"),
    ("25", "F", "yes"),
    ("25", "M", "yes"),
    (None, "M", "no"),
    ("49", None, "no"),
]


def script(name):
    """The module of a rule's script."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def made(tmp_path):
    """Runs both scripts for an analysis, with what its rules give them."""
    (tmp_path / "study.yaml").write_text(STUDY, encoding="utf-8")
    study = load_study(tmp_path / "study.yaml")
    people = person_file(tmp_path / "1.parquet", ("age", "sex", "ill"), RECORDS)

    def make(name):
        analysis, profile = (
            study.analyses["mechanism"][name],
            tmp_path / "contingency.parquet",
        )
        counted = {"counted": asdict(analysis.counted), "is_synthetic": True}
        given = SimpleNamespace(resources=SimpleNamespace(mem_mib=2000), threads=1)
        script("contingency").main(people, profile, counted, given)
        tables = ("mechanism", "samples", "simulated", "pairs")
        out = SimpleNamespace(**{table: tmp_path / f"{table}.csv" for table in tables})
        settings = {"analysis": analysis.model_dump(), "seed": study.seed}
        script("mechanism").main(profile, settings, out)
        return [pd.read_csv(getattr(out, table)) for table in tables]

    return make


def test_one_count_of_the_records_kept_is_measured_with_each_mechanism(made):
    """Of two women and one of missing sex, all above 24, one is ill."""
    whole, samples, simulated, pairs = made("noisy")
    assert whole["model"].tolist() == ["oblivious", "local"]
    assert whole["n_matching"].tolist() == [3, 3]
    assert whole["prior"].tolist() == [2 / 3, 2 / 3]
    assert samples["n_sampled"].tolist() == [2] * 4
    assert simulated["measure"].tolist() == ["posterior", "utility"]
    assert len(pairs) == 0


def test_every_pair_is_measured_of_everybody(made):
    whole, samples, simulated, pairs = made("map")
    assert (len(whole), len(samples), len(simulated)) == (0, 0, 0)
    assert pairs["sensitive"].tolist() == ["sex", "sex", "ill", "ill"]
    assert pairs["n_records"].tolist() == [5] * 4


@pytest.mark.workflow
def test_records_are_counted_and_then_measured_once_an_analysis(tmp_path):
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    study = Study(tmp_path, "people", STUDY)
    process = study.run(words=["--", "--until", "mechanism", "--dry-run"])
    assert process.returncode == 0, process.output
    planned = rules_planned(process.output)
    assert planned == [
        *["contingency"] * 2,
        *("deduplicate", "ingest"),
        *["mechanism"] * 2,
    ]
