"""Adversaries that a study file names, checked against its analyses."""

from microleak.attacks.collective.analysis import Scenario
from tests.study_file.given import loaded, refused

STUDY = """
study: demo
seed: 1
tables:
  people:
    source: delimited
    releases:
      2014: {archive: a.csv}
scenarios:
  classmate: [sex, school]
  neighbour: {qids: [age], label: {pt: um vizinho}}
analyses:
  collective:
    - {name: one, table: people, focal: 2014, qids: [age, sex, school]}
    - {name: other, table: people, focal: 2014, qids: [age, town]}
"""


def test_scenarios_are_read_as_lists_or_with_a_label(tmp_path):
    assert loaded(tmp_path, STUDY).shared["scenarios"] == (
        Scenario("classmate", ("sex", "school")),
        Scenario("neighbour", ("age",), {"pt": "um vizinho"}),
    )


def test_a_scenario_that_no_analysis_can_tell_of_is_refused(tmp_path, old, new, words):
    refused(tmp_path, STUDY.replace(old, new), words)


def test_a_scenario_changes_nothing_that_an_analysis_is_made_from(tmp_path):
    without = STUDY.replace(STUDY[STUDY.index("scenarios") : STUDY.index("ana")], "")
    assert (
        loaded(tmp_path, without).analyses["collective"]
        == loaded(tmp_path, STUDY).analyses["collective"]
    )
